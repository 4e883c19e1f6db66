#include "plimsoll/launch/guardian.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/launch/detail/streams.hpp"

namespace plimsoll::launch {

/// The groups that are watched, in memory that both processes see. It comes zeroed, and zero is a free place.
struct Guardian::Table {
    std::size_t used;  ///< places up to the last that was ever taken
    std::array<pid_t, most_groups> groups;

    static_assert(std::atomic_ref<pid_t>::is_always_lock_free &&
                  std::atomic_ref<std::size_t>::is_always_lock_free);
    void add(pid_t group) {
        for (std::size_t i = 0; i < groups.size(); ++i) {
            pid_t free_place = 0;
            if (!std::atomic_ref(groups[i]).compare_exchange_strong(free_place, group)) continue;
            const std::atomic_ref shared_used(used);
            std::size_t known = shared_used.load();
            while (known <= i && !shared_used.compare_exchange_weak(known, i + 1)) {
            }
            return;
        }
    }
    void remove(pid_t group) {
        for (std::size_t i = 0, end = std::atomic_ref(used).load(); i < end; ++i) {
            pid_t place = group;
            if (std::atomic_ref(groups[i]).compare_exchange_strong(place, 0)) return;
        }
    }
    /// Sends a signal to all of them; false where none is left to take it.
    bool signal(int number) {
        bool any = false;
        for (std::size_t i = 0, end = std::atomic_ref(used).load(); i < end; ++i) {
            const pid_t group = std::atomic_ref(groups[i]).load();
            if (group != 0 && ::kill(-group, number) == 0) any = true;
        }
        return any;
    }
};

namespace {

/// What the guardian process does until its end: it waits for the channel to close, and kills what is left
/// then. It is a fork of a program that may have threads, so it only makes system calls, in memory that was
/// taken before.
template <class Table>
[[noreturn]] void watch_over(Table& table, int channel, Seconds grace) {
    char nothing = 0;
    while (::read(channel, &nothing, 1) < 0 && errno == EINTR) {
    }
    table.signal(SIGTERM);
    table.signal(SIGCONT);  // what is stopped hears nothing
    constexpr Seconds nap(0.02);
    constexpr int nobody = 0;
    for (Seconds waited{}; waited < grace && table.signal(nobody); waited += nap) {
        const timespec pause{.tv_sec = 0, .tv_nsec = static_cast<long>(nap.count() * 1e9)};
        ::nanosleep(&pause, nullptr);
    }
    table.signal(SIGKILL);
    ::_exit(0);
}

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
    detail::Pipe ends = detail::make_pipe();
    channel_ = std::move(ends.write_end);
    constexpr int shared = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const memory = ::mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, shared, -1, 0);
    if (memory == MAP_FAILED) fail(errno);  // NOLINT(*-cstyle-cast,*-int-to-ptr): the system's macro
    table_ = static_cast<Table*>(memory);
    const pid_t child = ::fork();
    if (child < 0) {
        const int code = errno;
        ::munmap(memory, sizeof(Table));
        fail(code);
    }
    if (child == 0) watch_over(*table_, detach(ends.read_end.number()), grace);
    id_ = ProcessId{child};
}

Guardian::~Guardian() {
    channel_.close();
    while (::waitpid(static_cast<pid_t>(id_), nullptr, 0) < 0 && errno == EINTR) {
    }
    ::munmap(table_, sizeof(Table));
}

void Guardian::watch(ProcessId group) noexcept { table_->add(static_cast<pid_t>(group)); }

void Guardian::forget(ProcessId group) noexcept { table_->remove(static_cast<pid_t>(group)); }

}  // namespace plimsoll::launch
