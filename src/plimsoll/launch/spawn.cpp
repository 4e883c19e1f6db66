#include "plimsoll/launch/detail/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <string_view>

#include "plimsoll/core/error.hpp"

namespace plimsoll::launch::detail {

namespace {

constexpr int first_other = STDERR_FILENO + 1;

/// What posix_spawn wants, freed at the end.
class SpawnPlan {
  public:
    explicit SpawnPlan(const Prepared& prepared) {
        ::posix_spawnattr_init(&attributes_);
        ::posix_spawn_file_actions_init(&actions_);
        sigset_t signals;
        ::sigemptyset(&signals);
        ::posix_spawnattr_setsigmask(&attributes_, &signals);
        ::sigfillset(&signals);
        ::posix_spawnattr_setsigdefault(&attributes_, &signals);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        for (int stream = 0; stream < first_other; ++stream) {
            const int source = prepared.streams[static_cast<std::size_t>(stream)];
            if (source >= 0) keep(::posix_spawn_file_actions_adddup2(&actions_, source, stream));
        }
        if (prepared.errors_to_output)
            keep(::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO));
        if (const std::string& folder = prepared.command->working_folder; !folder.empty())
            keep(::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()));
        keep(::posix_spawn_file_actions_addclosefrom_np(&actions_, first_other));
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan() {
        ::posix_spawnattr_destroy(&attributes_);
        ::posix_spawn_file_actions_destroy(&actions_);
    }

    int run(Prepared& prepared, pid_t& child) {
        if (failure_ != 0) return failure_;
        return ::posix_spawnp(&child, prepared.arguments[0], &actions_, &attributes_,
                              prepared.arguments.data(), prepared.environment.data());
    }

  private:
    void keep(int failure) {
        if (failure_ == 0) failure_ = failure;
    }

    posix_spawnattr_t attributes_{};
    posix_spawn_file_actions_t actions_{};
    int failure_ = 0;
};

bool limit(__rlimit_resource resource, std::uint64_t most, std::uint64_t margin = 0) {
    const rlimit limits{.rlim_cur = most, .rlim_max = most + margin};
    return ::setrlimit(resource, &limits) == 0;
}

/// The forked child's way to the program; system calls alone. Returns where one of them failed.
void become(Prepared& prepared, char* const* environment) {
    ::setpgid(0, 0);
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int stream = 0; stream < first_other; ++stream) {
        const int source = prepared.streams[static_cast<std::size_t>(stream)];
        if (source >= 0 && ::dup2(source, stream) < 0) return;
    }
    if (prepared.control_group >= 0 && ::write(prepared.control_group, "0", 1) != 1) return;
    if (prepared.errors_to_output && ::dup2(STDOUT_FILENO, STDERR_FILENO) < 0) return;
    const std::string& folder = prepared.command->working_folder;
    if (!folder.empty() && ::chdir(folder.c_str()) != 0) return;
    ::close_range(first_other, ~0U, CLOSE_RANGE_CLOEXEC);
    const Limits& limits = prepared.command->limits;
    if (limits.open_files && !limit(RLIMIT_NOFILE, *limits.open_files)) return;
    if (limits.processor_time &&
        !limit(RLIMIT_CPU, static_cast<std::uint64_t>(std::ceil(limits.processor_time->count())),
               1))  // SIGXCPU first, and SIGKILL a second later
        return;
    if (limits.memory_bytes && !limit(RLIMIT_AS, *limits.memory_bytes)) return;
    ::execvpe(prepared.arguments[0], prepared.arguments.data(), environment);
}

/// posix_spawn cannot set limits, and shares our memory. This forks: slower where that is large. The child
/// tells of its failure through a pipe, which closes where the program runs.
int spawn_by_fork(Prepared& prepared, pid_t& child) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of ours may run in the child
    const pid_t id = ::fork();
    if (id == 0) {
        become(prepared, prepared.environment.data());
        const int code = errno;
        (void)!::write(ends[1], &code, sizeof code);
        ::_exit(127);
    }
    int failure = id < 0 ? errno : 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::close(ends[1]);
    if (id > 0) {
        ssize_t length = 0;
        int code = 0;
        do {
            length = ::read(ends[0], &code, sizeof code);
        } while (length < 0 && errno == EINTR);
        if (length == sizeof code) {
            failure = code;
            while (::waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
            }
        }
    }
    ::close(ends[0]);
    child = id;
    return failure;
}

}  // namespace

void prepare(const Command& command, Prepared& prepared) {
    PLIMSOLL_EXPECT(!command.arguments.empty());
    prepared.command = &command;
    for (const std::string& argument : command.arguments)
        prepared.arguments.push_back(const_cast<char*>(argument.c_str()));
    prepared.arguments.push_back(nullptr);
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        const bool replaced = std::any_of(command.environment.begin(), command.environment.end(),
                                          [&](const auto& ours) { return ours.first == name; });
        if (!replaced) prepared.environment.push_back(*entry);
    }
    prepared.added.reserve(command.environment.size());  // the texts stay where they are
    for (const auto& [name, value] : command.environment) {
        std::string& text = prepared.added.emplace_back(name);
        text.append("=").append(value);
        prepared.environment.push_back(text.data());
    }
    prepared.environment.push_back(nullptr);
}

int spawn(Prepared& prepared, pid_t& child) {
    const Command& command = *prepared.command;
    if (command.limits.any() || command.beginning == Beginning::small) return spawn_by_fork(prepared, child);
    return SpawnPlan(prepared).run(prepared, child);
}

}  // namespace plimsoll::launch::detail
