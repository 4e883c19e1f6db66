#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "plimsoll/core/options.hpp"

namespace plimsoll::campaign {

/// Where a task stands. `failed`, `timed_out`, `lost` and `preempted` are passed through: in the same
/// transaction the task goes on to `ready` or ends.
enum class TaskState : std::uint8_t {
    waiting,    ///< for jobs that it comes after
    ready,      ///< for a worker
    held,       ///< by the user
    leased,     ///< given to a worker, which has not started it
    running,    ///< its process runs
    failed,     ///< ended with a code or a signal that is not success
    timed_out,  ///< stopped at its time limit
    lost,       ///< with its worker
    preempted,  ///< stopped since its worker had to leave
    succeeded,  ///< final
    exhausted,  ///< final: failed, and no try is left
    skipped,    ///< final: a job that it comes after ended otherwise than the rule wants
    cancelled,  ///< final: by the user
};
inline constexpr std::size_t state_count = 13;

constexpr std::array<EnumName<TaskState>, state_count> enum_names(TaskState) {
    return {{{TaskState::waiting, "waiting"},
             {TaskState::ready, "ready"},
             {TaskState::held, "held"},
             {TaskState::leased, "leased"},
             {TaskState::running, "running"},
             {TaskState::failed, "failed"},
             {TaskState::timed_out, "timed-out"},
             {TaskState::lost, "lost"},
             {TaskState::preempted, "preempted"},
             {TaskState::succeeded, "succeeded"},
             {TaskState::exhausted, "exhausted"},
             {TaskState::skipped, "skipped"},
             {TaskState::cancelled, "cancelled"}}};
}

/// Whether a task in this state stays in it.
[[nodiscard]] constexpr bool is_final(TaskState state) { return state >= TaskState::succeeded; }

/// Whether a worker has the task.
[[nodiscard]] constexpr bool is_live(TaskState state) {
    return state == TaskState::leased || state == TaskState::running;
}

/// Whether the state machine knows the step. A new task begins as `waiting`, `ready` or `held`.
[[nodiscard]] constexpr bool may_follow(TaskState from, TaskState to) {
    using enum TaskState;
    if (is_final(from)) return false;
    if (to == cancelled) return true;
    switch (from) {
        case waiting: return to == ready || to == held || to == skipped;
        case ready: return to == leased || to == held;
        case held: return to == ready || to == waiting || to == skipped;
        case leased: return to == running || to == lost || to == preempted || to == failed;
        case running:
            return to == succeeded || to == failed || to == timed_out || to == lost || to == preempted;
        case failed:
        case timed_out:
        case lost:
        case preempted: return to == ready || to == exhausted;
        default: return false;
    }
}

/// How many tasks of a job stand in each state, by the state's number.
using StateCounts = std::array<std::uint32_t, state_count>;

[[nodiscard]] constexpr std::uint32_t& count_of(StateCounts& counts, TaskState state) {
    return counts[static_cast<std::size_t>(state)];
}
[[nodiscard]] constexpr std::uint32_t count_of(const StateCounts& counts, TaskState state) {
    return counts[static_cast<std::size_t>(state)];
}

}  // namespace plimsoll::campaign
