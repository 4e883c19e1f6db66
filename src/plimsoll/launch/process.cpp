#include "plimsoll/launch/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/launch/control_group.hpp"
#include "plimsoll/launch/detail/group.hpp"
#include "plimsoll/launch/detail/spawn.hpp"
#include "plimsoll/launch/detail/start_error.hpp"
#include "plimsoll/launch/detail/streams.hpp"
#include "plimsoll/launch/guardian.hpp"

namespace plimsoll::launch {

namespace {

Seconds seconds(const timeval& time) {
    return Seconds(static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec));
}

std::uint64_t count(long number) { return static_cast<std::uint64_t>(std::max(number, 0L)); }

Usage usage_of(const rusage& taken) {
    constexpr std::uint64_t block = 512;  // bytes; the kernel's unit of ru_inblock and ru_oublock
    constexpr std::uint64_t kibi = 1024;
    return {.user = seconds(taken.ru_utime),
            .system = seconds(taken.ru_stime),
            .peak_memory_bytes = kibi * count(taken.ru_maxrss),
            .minor_faults = count(taken.ru_minflt),
            .major_faults = count(taken.ru_majflt),
            .voluntary_switches = count(taken.ru_nvcsw),
            .involuntary_switches = count(taken.ru_nivcsw),
            .block_input_bytes = block * count(taken.ru_inblock),
            .block_output_bytes = block * count(taken.ru_oublock)};
}

/// Bytes through read and write calls, from /proc/PID/io; the process is a zombie at that time.
void add_bytes(pid_t id, Usage& usage) {
    const Descriptor file(::open(fmt::format("/proc/{}/io", id).c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 512> content{};
    const ssize_t length = ::read(file.number(), content.data(), content.size());
    if (length <= 0) return;
    const std::string_view text(content.data(), static_cast<std::size_t>(length));
    const auto number_behind = [&](std::string_view name) -> std::optional<std::uint64_t> {
        const std::size_t at = text.find(name);
        std::uint64_t number = 0;
        if (at == std::string_view::npos) return std::nullopt;
        const char* const begin = text.data() + at + name.size();
        if (std::from_chars(begin, text.data() + text.size(), number).ec != std::errc()) return std::nullopt;
        return number;
    };
    usage.bytes_read = number_behind("rchar: ");
    usage.bytes_written = number_behind("wchar: ");
}

}  // namespace

Process::Process(const Exit& exit) : exit_(exit) {}

Process::Process(ProcessId id, Clock::time_point started, Accounting accounting, Guardian* guardian)
    : id_(id), started_(started), accounting_(accounting), guardian_(guardian) {
    if (guardian_ != nullptr) guardian_->watch(id_);
}

// A process that was moved from has ended.
Process::Process(Process&& other) noexcept
    : id_(other.id_),
      started_(other.started_),
      accounting_(other.accounting_),
      guardian_(other.guardian_),
      control_group_(std::move(other.control_group_)),
      exit_(std::exchange(other.exit_, Exit{})),
      end_(std::move(other.end_)),
      in_(std::move(other.in_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)) {}

Process& Process::operator=(Process&& other) noexcept {
    if (this == &other) return *this;
    end_now();
    id_ = other.id_;
    started_ = other.started_;
    accounting_ = other.accounting_;
    guardian_ = other.guardian_;
    control_group_ = std::move(other.control_group_);
    exit_ = std::exchange(other.exit_, Exit{});
    end_ = std::move(other.end_);
    in_ = std::move(other.in_);
    out_ = std::move(other.out_);
    err_ = std::move(other.err_);
    return *this;
}

Process::~Process() { end_now(); }

void Process::end_now() noexcept {
    if (exit_) return;
    signal_group(SIGKILL);
    try {
        wait();
    } catch (const std::exception&) {  // somebody else has reaped it: there is no zombie
        exit_ = Exit{};
    }
}

int Process::descriptor() {
    if (end_.number() >= 0) return end_.number();
    // What has ended is readable for ever: the read end of a pipe that nobody writes to is.
    if (exit_) {
        detail::Pipe pipe = detail::make_pipe();
        end_ = std::move(pipe.read_end);
        return end_.number();
    }
    end_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(id_), 0)));
    if (end_.number() < 0) {
        throw Error(ErrorKind::environment, fmt::format("cannot watch a process: {}", std::strerror(errno)),
                    "raise the limit of open files (ulimit -n)");
    }
    return end_.number();
}

bool Process::has_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

bool Process::leaves_others() const {
    if (exit_) return false;
    if (control_group_) return !control_group_->members().empty();
    return detail::any_running(static_cast<pid_t>(id_));
}

/// For a program that has ended and holds its id, and with it that of the group, until this reaps it.
Exit Process::reap() {
    const auto id = static_cast<pid_t>(id_);
    const Seconds wall = Clock::now() - started_;
    Exit exit{.wall = wall};
    Usage bytes;
    if (accounting_ == Accounting::with_bytes) add_bytes(id, bytes);
    end_.close();
    ::kill(-id, SIGKILL);
    if (control_group_) control_group_->kill();
    if (guardian_ != nullptr) guardian_->forget(id_);
    int status = 0;
    rusage taken{};
    while (::wait4(id, &status, 0, &taken) < 0) {
        if (errno == EINTR) continue;
        exit_ = exit;
        throw Error(ErrorKind::environment,
                    fmt::format("the end of process {} was taken by somebody else", id),
                    "do not ignore SIGCHLD where programs are started");
    }
    if (control_group_) exit.ran_out_of_memory = control_group_->ran_out_of_memory();
    control_group_.reset();
    exit.usage = usage_of(taken);
    exit.usage.bytes_read = bytes.bytes_read;
    exit.usage.bytes_written = bytes.bytes_written;
    if (WIFSIGNALED(status)) {
        exit.signal = WTERMSIG(status);
    } else {
        exit.code = WEXITSTATUS(status);
    }
    exit_ = exit;
    return exit;
}

std::optional<Exit> Process::poll() {
    if (exit_) return exit_;
    if (!has_ended()) return std::nullopt;
    return reap();
}

Exit Process::wait() {
    if (exit_) return *exit_;
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    return reap();
}

std::optional<Exit> Process::wait_until(Clock::time_point deadline) {
    if (exit_) return exit_;
    pollfd end{.fd = descriptor(), .events = POLLIN, .revents = 0};
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now());
        const std::int64_t nanoseconds = std::max<std::int64_t>(left.count(), 0);
        constexpr std::int64_t second = 1'000'000'000;
        const timespec timeout{.tv_sec = nanoseconds / second, .tv_nsec = nanoseconds % second};
        const int ready = ::ppoll(&end, 1, &timeout, nullptr);
        if (ready > 0) return reap();
        if (ready == 0) return std::nullopt;
    }
}

void Process::signal_group(int signal) const {
    if (exit_) return;
    const auto id = static_cast<pid_t>(id_);
    ::kill(-id, signal);
    if (!control_group_) return;
    for (const pid_t member : control_group_->members()) {
        if (::getpgid(member) != id) ::kill(member, signal);
    }
}

Exit Process::stop(Seconds grace) {
    if (exit_) return *exit_;
    signal_group(SIGTERM);
    signal_group(SIGCONT);  // what is stopped hears nothing
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(grace);
    // The program stays a zombie meanwhile: so long the id of its group is its own.
    pollfd end{.fd = descriptor(), .events = POLLIN, .revents = 0};
    const auto milliseconds_left = [&] {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
    };
    while (::poll(&end, 1, milliseconds_left()) < 0 && errno == EINTR) {
    }
    auto nap = std::chrono::milliseconds(1);
    while (leaves_others() && Clock::now() < deadline) {
        std::this_thread::sleep_for(nap);
        nap = std::min(2 * nap, std::chrono::milliseconds(50));
    }
    signal_group(SIGKILL);
    return wait();
}

Process start(const Command& command, Guardian* guardian, ControlGroups* groups) {
    // An ignored SIGCHLD, which programs inherit, would hide how programs end.
    [[maybe_unused]] static const bool once = [] {
        struct sigaction action {};
        if (::sigaction(SIGCHLD, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
            ::signal(SIGCHLD, SIG_DFL);
        return true;
    }();
    detail::Prepared prepared;
    detail::prepare(command, prepared);
    const std::string& program = command.arguments.front();
    detail::Stream in = detail::open_input(command.streams.in, program);
    detail::Stream out = detail::open_output(command.streams.out, program);
    detail::Stream err = detail::open_output(command.streams.err, program);
    prepared.streams = {in.theirs.number(), out.theirs.number(), err.theirs.number()};
    prepared.errors_to_output = command.streams.err.to == Redirection::To::output;
    std::unique_ptr<ControlGroup> control_group;
    if (command.limits.shared_memory_bytes) {
        PLIMSOLL_EXPECT(groups != nullptr);
        control_group = groups->make(*command.limits.shared_memory_bytes);
        prepared.control_group = control_group->entrance();
    }
    pid_t child = 0;
    const auto started = Process::Clock::now();
    if (const int failure = detail::spawn(prepared, child); failure != 0)
        throw detail::start_error(command, failure);
    Process process(ProcessId{child}, started, command.accounting, guardian);
    process.control_group_ = std::move(control_group);
    process.in_ = std::move(in.ours);
    process.out_ = std::move(out.ours);
    process.err_ = std::move(err.ours);
    return process;
}

}  // namespace plimsoll::launch
