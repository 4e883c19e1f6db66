#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plimsoll/campaign/index_set.hpp"
#include "plimsoll/campaign/job_spec.hpp"
#include "plimsoll/campaign/records.hpp"
#include "plimsoll/campaign/store.hpp"

namespace plimsoll::campaign {

using SteadyTime = std::chrono::steady_clock::time_point;

/// The moment of a call: by the steady clock for what is waited for, by the wall clock for what is recorded.
struct Now {
    SteadyTime steady;
    WallTime wall = 0;
};
[[nodiscard]] Now current_time();

/// A task given to a worker. What it runs is `spec` and its entry.
struct Lease {
    TaskId task;
    std::int32_t attempt = 0;
    Token token;
};

/// What a worker brings when it registers.
struct WorkerOffer {
    std::string session;  ///< made once per worker process
    std::string name;
    std::string host;
    std::string stream;
    Resources resources;
    double time_left_s = 0.0;  ///< until it must leave; 0: no end
    bool drains = false;       ///< it takes no more tasks
    std::vector<Token> has;    ///< leases that it holds, when it returns: waiting, running, or ended untold
};

/// What becomes of a worker that registers.
struct Welcome {
    WorkerId worker;
    std::vector<Token> stop;  ///< of those that it has: no longer its own
};

/// A job whose tasks are tried again, and the new one that has them.
struct Retried {
    JobId job;
    JobId fresh;
    std::uint32_t tasks = 0;
};

/// The scheduler of a campaign: states, leases, retries, dependencies, and what is written of them.
///
/// Memory holds jobs that are not finished and tasks that are live; the store has everything. Calls change
/// memory and gather one batch, which `flush` writes in one transaction; whatever tells the outside world of
/// a change waits for that. Nothing here knows sockets, processes or clocks. Not for several threads.
class Engine {
  public:
    struct Settings {
        std::chrono::milliseconds lease{30'000};  ///< a worker that is silent for so long has lost its tasks
        /// A task that smaller ones have passed for so long gets a worker kept free for it.
        std::chrono::milliseconds patience{30'000};
    };

    /// Takes up what the store has: live tasks stay with their workers, which have one lease to return.
    Engine(Store& store, Settings settings, Now now);

    /// Throws an input error where a job that it comes after does not exist.
    JobId submit(JobSpec spec, Now now);

    /// A worker that comes, or comes back after a broken connection or a restart of the server.
    Welcome register_worker(const WorkerOffer& offer, Now now);
    /// Tasks for a worker, at most `most`: what fits now, and a short queue where tasks are short.
    void lease(WorkerId id, std::size_t most, Now now, std::vector<Lease>& leases);
    /// What becomes of a worker's word on a task.
    enum class Verdict {
        accepted,
        repeated,  ///< known already: the worker did not hear that it was
        refused,   ///< the token is not the task's any more
    };
    /// Its process runs.
    Verdict started(WorkerId worker, const Lease& lease, Now now);
    /// An attempt has ended as succeeded, failed, timed_out or preempted.
    Verdict finished(WorkerId worker, const Lease& lease, TaskState outcome, AttemptResult result, Now now);
    void renew(WorkerId worker, Now now);
    /// As if every worker had been heard now: where it was we who did not listen.
    void renew_all(Now now);
    /// Whether the worker has come, and was not given up since.
    [[nodiscard]] bool has_worker(WorkerId worker) const { return workers_.contains(worker); }
    /// The worker gets no more tasks; it ends those that it has.
    void drain(WorkerId worker);
    /// The worker is gone: its tasks go on elsewhere. Why decides whether it counts as a crash.
    enum class Leaving { lost, preempted };
    void remove_worker(WorkerId id, Leaving why, std::string_view note, Now now);
    /// Ends leases that were not renewed and waits that are over.
    void tick(Now now);
    /// When `tick` has something to do.
    [[nodiscard]] std::optional<SteadyTime> next_tick() const;

    /// Tokens of tasks that were cancelled while a worker had them, since the last call.
    [[nodiscard]] std::vector<std::pair<WorkerId, Token>> take_stops();

    // What users ask for; each gives the number of tasks that it changed.
    std::uint32_t cancel(JobId id, IndexRange range, Now now);
    std::uint32_t hold(JobId id, IndexRange range, Now now);
    std::uint32_t release(JobId id, IndexRange range, Now now);
    /// New jobs for the tasks among the chosen that failed or were cancelled or skipped, and for jobs that
    /// were skipped because of them. They come after each other as the old ones do. Throws a usage error
    /// where a chosen one would be skipped again, because of a job before it that is not chosen.
    std::vector<Retried> retry(const std::vector<std::pair<JobId, IndexRange>>& chosen, Now now);

    /// Why the task is not done, one sentence each.
    [[nodiscard]] std::vector<std::string> explain(TaskId id, Now now);

    /// Where a task stands; also of tasks without a row.
    [[nodiscard]] std::optional<TaskState> state(TaskId id);
    /// Whether the job has tasks that are not final.
    [[nodiscard]] bool is_open(JobId id) const { return jobs_.contains(id); }
    /// Jobs as they are now; those in memory are ahead of the store until `flush`.
    [[nodiscard]] std::optional<JobRecord> job(JobId id);

    struct Totals {
        std::int64_t waiting = 0;
        std::int64_t ready = 0;
        std::int64_t held = 0;
        std::int64_t leased = 0;
        std::int64_t running = 0;
        std::size_t jobs = 0;
        std::size_t workers = 0;
    };
    [[nodiscard]] Totals totals() const;
    /// Whether nothing is left to do but what is held.
    [[nodiscard]] bool idle() const;

    struct WorkerView {
        WorkerId id;
        std::string name;
        std::string host;
        std::string resources;
        std::size_t running = 0;
        std::size_t queued = 0;
    };
    [[nodiscard]] std::vector<WorkerView> workers() const;

    /// Writes what has changed. Where it throws, nothing is lost: the next call tries again.
    void flush();
    [[nodiscard]] bool has_changes() const { return !batch_.empty() || !dirty_jobs_.empty(); }

  private:
    struct Need {
        std::size_t resource;
        std::int64_t amount;
    };
    /// Order among ready jobs: by priority, then by age.
    struct Rank {
        int minus_priority;
        JobId job;
        auto operator<=>(const Rank&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm on <=>
    };
    /// Ready jobs whose tasks ask the same of a worker.
    struct Queue {
        std::vector<Need> needs;
        double min_time_s = 0.0;
        bool needs_cpus = false;
        std::set<Rank> jobs;
        std::optional<SteadyTime>
            passed;  ///< since when others have gone before its first job, for want of room
    };
    using QueueKey = std::pair<std::vector<std::pair<std::size_t, std::int64_t>>, double>;
    struct Terms {
        Policy policy;
        Queue* queue = nullptr;
    };
    struct Job {
        JobId id;
        std::uint32_t count = 1;
        TaskState base = TaskState::ready;  ///< of untouched tasks: waiting or ready
        AfterRule rule = AfterRule::ok;
        bool dirty = false;
        bool queued = false;
        std::uint32_t parents_open = 0;
        const Terms* terms = nullptr;
        StateCounts counts{};
        IndexSet untouched;
        IndexSet held;
        std::vector<std::uint32_t> returned;  ///< ready for another attempt, a heap with the lowest on top
        std::vector<JobId> children;
    };
    /// A task that was touched and is not final.
    struct Touched {
        TaskRecord record;
        AttemptRecord attempt;
        SteadyTime not_before;
        bool is_returned = false;  ///< it stands in its job's `returned`
        std::uint64_t batch = 0;   ///< that holds its record at `place`
        std::size_t place = 0;
    };
    /// A lease as its worker has it; also of a task that is no longer its own, until it says that it ended.
    struct Held {
        TaskId task;
        const Terms* terms = nullptr;
        bool is_running = false;
    };
    struct Worker {
        WorkerId id;
        std::string session;
        std::string name;
        std::string host;
        std::string stream;
        Resources resources;
        std::vector<std::int64_t> capacity;
        std::vector<std::int64_t> free;  ///< may be negative, by what waits in its queue
        bool is_here = false;            ///< it has come since this server was started
        std::unordered_map<Token, Held> leases;
        std::size_t queued = 0;  ///< leases whose task has not started
        std::size_t running = 0;
        SteadyTime expires;
        std::optional<SteadyTime> leaves;
        bool drains = false;
        double rate = 0.0;  ///< tasks ended per second
        std::size_t ended = 0;
        SteadyTime window;
    };

    void load(Now now);
    const Terms* terms_of(const Policy& policy);
    std::vector<std::int64_t> amounts_of(const Resources& resources);
    std::size_t resource_number(const std::string& name);

    void change(Job& job, IndexRange range, std::int32_t attempt, std::optional<TaskState> from, TaskState to,
                std::string_view note, Now now);
    void step(Job& job, Touched& task, TaskState to, std::string_view note, Now now);
    void write(Touched& task);
    void mark(Job& job);
    void enqueue(Job& job);
    void give_back(Job& job, Touched& task, TaskState to, std::string_view note, Now now);
    void settle(Touched& task, TaskState outcome, std::string_view note, Now now);
    void release_lease(WorkerId id, Token token);
    void return_task(Job& job, Touched& task);
    void forget_returned(Job& job, IndexRange range);
    [[nodiscard]] StateCounts counts_of_ended(JobId id);
    [[nodiscard]] bool breaks(JobId ended, AfterRule rule);
    void drop_unused_terms();
    Touched* live(WorkerId worker, const Lease& lease);
    void refuse(WorkerId worker, const Lease& lease, std::string_view what, Now now);
    void finish_if_done(JobId id, Now now);
    void finish_job(Job& job, Now now, std::vector<JobId>& more);
    void parent_ended(Job& child, const StateCounts& counts, Now now);
    [[nodiscard]] bool fits(const Worker& worker, const Queue& queue, bool now_free, Now now) const;
    [[nodiscard]] bool keeps_free(const Worker& worker, Queue& large, Now now);
    [[nodiscard]] std::size_t backlog(const Worker& worker) const;
    Job* choose(const Worker& worker, Now now);
    Lease give(Job& job, Worker& worker, Now now);
    std::vector<TaskId> touched_within(const Job& job, IndexRange range) const;
    /// Changes the held tasks of a job, and what the store has of them.
    void change_held(Job& job, const std::function<void(IndexSet&)>& change_set);
    void end_untouched(Job& job, IndexRange range, TaskState to, std::string_view note, Now now);
    std::vector<IndexRange> to_retry(const JobRecord& record, IndexRange range);
    JobSpec spec_for(const JobRecord& record, const std::vector<IndexRange>& parts);
    [[nodiscard]] std::string why_ready(const Job& job, Now now) const;

    Store* store_;
    Settings settings_;
    Batch batch_;
    std::uint64_t batch_number_ = 1;
    Store::Marks marks_;
    std::vector<JobId> dirty_jobs_;
    std::unordered_map<JobId, Job> jobs_;
    std::unordered_map<TaskId, Touched> touched_;
    std::map<WorkerId, Worker> workers_;
    std::map<Policy, Terms> terms_;
    std::map<QueueKey, Queue> queues_;
    std::set<std::pair<Rank, Queue*>> heads_;  ///< the first job of each queue that has one
    std::size_t queues_without_cpus_ = 0;      ///< among those
    std::size_t cpus_ = 0;                     ///< number of that resource
    WorkerId kept_free_;                       ///< for a task that was passed for long; 0: none
    std::vector<std::string> resource_names_;
    using Wake = std::pair<SteadyTime, TaskId>;
    std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wakes_;
    std::vector<std::pair<WorkerId, Token>> stops_;
};

}  // namespace plimsoll::campaign
