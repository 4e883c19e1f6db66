#include "plimsoll/launch/guardian.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <vector>

#include "plimsoll/core/error.hpp"

namespace plimsoll::launch {

namespace {

/// What the guardian process does until its end. It is a fork of a program that may have threads, so it only
/// makes system calls, in memory that was taken before.
class Watch {
  public:
    Watch(pid_t* groups, std::size_t room, Seconds grace) : groups_(groups), room_(room), grace_(grace) {}

    [[noreturn]] void run(int channel) {
        std::array<pid_t, 256> messages{};
        for (;;) {
            const ssize_t length = ::read(channel, messages.data(), sizeof messages);
            if (length < 0 && errno == EINTR) continue;
            if (length <= 0) break;
            // Messages are written whole, so they are read whole.
            const std::size_t count = static_cast<std::size_t>(length) / sizeof(pid_t);
            for (std::size_t i = 0; i < count; ++i) take(messages[i]);
        }
        kill_all();
        ::_exit(0);
    }

  private:
    void take(pid_t message) {
        if (message > 0) {
            if (count_ < room_) groups_[count_++] = message;
            return;
        }
        for (std::size_t i = count_; i > 0; --i) {
            if (groups_[i - 1] != -message) continue;
            groups_[i - 1] = groups_[--count_];
            return;
        }
    }

    void kill_all() {
        for (std::size_t i = 0; i < count_; ++i) {
            ::kill(-groups_[i], SIGTERM);
            ::kill(-groups_[i], SIGCONT);  // what is stopped hears nothing
        }
        constexpr Seconds nap(0.02);
        for (Seconds waited{}; waited < grace_ && any_left(); waited += nap) {
            const timespec pause{.tv_sec = 0, .tv_nsec = static_cast<long>(nap.count() * 1e9)};
            ::nanosleep(&pause, nullptr);
        }
        for (std::size_t i = 0; i < count_; ++i) ::kill(-groups_[i], SIGKILL);
    }

    [[nodiscard]] bool any_left() const {
        for (std::size_t i = 0; i < count_; ++i) {
            if (::kill(-groups_[i], 0) == 0) return true;
        }
        return false;
    }

    pid_t* groups_;
    std::size_t room_;
    Seconds grace_;
    std::size_t count_ = 0;
};

/// Lets go of all that was inherited: descriptors, the terminal, the group that Ctrl-C reaches, handlers.
int detach(int channel) {
    ::setsid();
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_IGN);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    constexpr int kept = STDERR_FILENO + 1;
    if (channel != kept) ::dup2(channel, kept);
    const int null = ::open("/dev/null", O_RDWR);
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) ::dup2(null, stream);
    ::close_range(kept + 1, ~0U, 0);
    (void)!::chdir("/");  // so that no disk is kept busy
    ::prctl(PR_SET_NAME, "plimsoll-guard");
    return kept;
}

[[noreturn]] void fail(int code) {
    throw Error(ErrorKind::environment,
                fmt::format("cannot start the process that guards others: {}", std::strerror(code)),
                "check the limits of processes and open files (ulimit -a)");
}

}  // namespace

Guardian::Guardian(Seconds grace) {
    // A socket rather than a pipe: where the guardian is gone, a write to it raises no SIGPIPE.
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail(errno);
    const Descriptor read_end(ends[0]);
    channel_ = Descriptor(ends[1]);
    std::vector<pid_t> groups(most_groups);
    const pid_t child = ::fork();
    if (child < 0) fail(errno);
    if (child == 0) Watch(groups.data(), groups.size(), grace).run(detach(read_end.number()));
    id_ = ProcessId{child};
}

Guardian::~Guardian() {
    channel_.close();
    while (::waitpid(static_cast<pid_t>(id_), nullptr, 0) < 0 && errno == EINTR) {
    }
}

void Guardian::tell(pid_t message) const noexcept {
    while (::send(channel_.number(), &message, sizeof message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

void Guardian::watch(ProcessId group) noexcept { tell(static_cast<pid_t>(group)); }

void Guardian::forget(ProcessId group) noexcept { tell(-static_cast<pid_t>(group)); }

}  // namespace plimsoll::launch
