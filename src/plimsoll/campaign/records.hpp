#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/campaign/ids.hpp"
#include "plimsoll/campaign/task_state.hpp"

namespace plimsoll::campaign {

/// Microseconds since 1970, UTC: for records. Nothing is scheduled by it, since it may jump.
using WallTime = std::int64_t;

/// A job as it is stored. Tasks that nothing has happened to have no row: their state is `base`.
struct JobRecord {
    JobId id;
    std::string spec;  ///< `to_json(JobSpec)`
    std::uint32_t count = 1;
    int priority = 0;
    TaskState base = TaskState::ready;
    StateCounts counts{};
    WallTime submitted = 0;
    WallTime finished = 0;  ///< 0: not yet
};

/// What changes of a job that is stored.
struct JobUpdate {
    JobId id;
    TaskState base = TaskState::ready;
    StateCounts counts{};
    WallTime finished = 0;
};

/// A task that something has happened to.
struct TaskRecord {
    TaskId id;
    TaskState state = TaskState::ready;
    std::int32_t attempt = 0;  ///< the latest one, counted from 1
    std::int32_t failures = 0;
    std::int32_t crashes = 0;
    Token token;              ///< of the latest lease
    WorkerId worker;          ///< that has or had it
    WallTime not_before = 0;  ///< of a ready task: a new try waits so long
};

/// Tasks of one job that changed together before anything happened to one alone.
struct RangeRecord {
    JobId job;
    std::uint32_t first = 0;  ///< with the job, which row it is
    std::uint32_t count = 0;
    std::optional<TaskState> state;  ///< none: the row goes
};

/// How an attempt ended.
struct AttemptResult {
    int exit_code = -1;  ///< -1: none
    int signal = 0;
    double wall_s = 0.0;
    double user_s = 0.0;
    double system_s = 0.0;
    std::int64_t peak_memory_bytes = 0;
    std::string reason;           ///< of what is not the program's own end
    std::int64_t output_at = -1;  ///< place of its last block in the worker's stream; -1: nothing written
};

/// One run of a task by one worker.
struct AttemptRecord {
    TaskId id;
    std::int32_t attempt = 0;
    Token token;
    WorkerId worker;
    TaskState outcome = TaskState::running;
    WallTime leased = 0;
    WallTime started = 0;
    WallTime ended = 0;
    AttemptResult result;
};

/// One change of state, of one task or of `count` that follow each other.
struct Event {
    std::int64_t number = 0;  ///< counted from 1; given by the store
    WallTime time = 0;
    JobId job;
    std::uint32_t first = 0;
    std::uint32_t count = 1;
    std::int32_t attempt = 0;
    std::optional<TaskState> from;  ///< none: the tasks are new
    TaskState to = TaskState::ready;
    std::string note;  ///< why, where it is not the usual way
};

/// A worker that registered.
struct WorkerRecord {
    WorkerId id;
    std::string session;  ///< made by the worker; the same when it comes back
    std::string name;
    std::string host;
    std::string resources;  ///< as `Resources::text` gives it
    std::string stream;     ///< file of its tasks' output, relative to the campaign's folder
    WallTime registered = 0;
};

/// What one transaction writes: all of it or nothing.
struct Batch {
    struct NewJob {
        JobRecord record;
        std::vector<JobId> after;
        std::string lines;
    };
    std::vector<NewJob> new_jobs;
    std::vector<JobUpdate> jobs;
    std::vector<TaskRecord> tasks;
    std::vector<RangeRecord> ranges;  ///< in this order
    std::vector<AttemptRecord> attempts;
    std::vector<WorkerRecord> workers;
    std::vector<Event> events;
    Token last_token;

    [[nodiscard]] bool empty() const {
        return new_jobs.empty() && jobs.empty() && tasks.empty() && ranges.empty() && attempts.empty() &&
               workers.empty() && events.empty();
    }
    void clear() {
        new_jobs.clear();
        jobs.clear();
        tasks.clear();
        ranges.clear();
        attempts.clear();
        workers.clear();
        events.clear();
    }
};

}  // namespace plimsoll::campaign
