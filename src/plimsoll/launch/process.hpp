#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>

#include "plimsoll/launch/command.hpp"
#include "plimsoll/launch/descriptor.hpp"
#include "plimsoll/launch/exit.hpp"

namespace plimsoll::launch {

class ControlGroup;
class ControlGroups;
class Guardian;

/// Id of a process, which is that of its group as well.
enum class ProcessId : pid_t {};

/// A program that was started, in a process group of its own.
///
/// Whatever happens, neither a running process of the group nor a zombie outlives this object: descendants
/// that are left when the program ends, and the whole group when the object goes, are killed. Descendants
/// that made themselves a group of their own (daemons, shells with job control) are out of reach, unless
/// the program has a limit of shared memory. One thread at a time uses an object.
class Process {
  public:
    using Clock = std::chrono::steady_clock;

    /// A program that has ended already and never ran.
    explicit Process(const Exit& exit);
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    ~Process();

    [[nodiscard]] ProcessId process_id() const { return id_; }

    /// Readable, for poll and epoll, once the program has ended: then `poll` returns its end. Opened when it
    /// is first asked for, and closed by that `poll`. Throws an environment error where no descriptor is
    /// left.
    [[nodiscard]] int descriptor();

    /// Once the program has ended, and until `poll` or `wait` returns its end: whether others of its group
    /// run still, which that return kills. Looks through /proc: a millisecond or so.
    [[nodiscard]] bool leaves_others() const;

    // Our ends of the streams that lead to pipes; they block, and close on exec.
    [[nodiscard]] Descriptor& in() { return in_; }
    [[nodiscard]] Descriptor& out() { return out_; }
    [[nodiscard]] Descriptor& err() { return err_; }

    /// How the program ended, or nothing while it runs.
    std::optional<Exit> poll();

    /// Waits for the end. What comes through a pipe meanwhile has to be read elsewhere, or the program may
    /// wait for that for ever.
    Exit wait();

    /// Waits for the end until a deadline. A signal that we handle does not end the wait.
    std::optional<Exit> wait_until(Clock::time_point deadline);

    /// Sends a signal to all processes of the group; nothing where they have ended.
    void signal_group(int signal) const;

    /// Asks the group to end (SIGTERM), and kills what is left of it after the grace. Descendants have the
    /// grace as well, when the program itself has ended.
    Exit stop(Seconds grace);

  private:
    friend Process start(const Command& command, Guardian* guardian, ControlGroups* groups);
    Process(ProcessId id, Clock::time_point started, Accounting accounting, Guardian* guardian);

    [[nodiscard]] bool has_ended() const;
    Exit reap();
    void end_now() noexcept;

    ProcessId id_{};
    Clock::time_point started_{};
    Accounting accounting_ = Accounting::usual;
    Guardian* guardian_ = nullptr;
    std::unique_ptr<ControlGroup> control_group_;
    std::optional<Exit> exit_;
    Descriptor end_;
    Descriptor in_;
    Descriptor out_;
    Descriptor err_;
};

/// Starts a program, with signals as they are by default and no descriptor beyond the three streams.
///
/// Returns once it runs. What cannot be started (no such program, not executable, no such folder) throws an
/// environment error. A guardian, where given, kills the group should we be killed; it outlives the process,
/// as do the control groups, without which there can be no limit of shared memory. May be called on any
/// thread.
[[nodiscard]] Process start(const Command& command, Guardian* guardian = nullptr,
                            ControlGroups* groups = nullptr);

}  // namespace plimsoll::launch
