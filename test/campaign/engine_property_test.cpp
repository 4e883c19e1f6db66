// The engine under seeded random schedules of work and faults, against what must hold whatever happens.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "plimsoll/campaign/engine.hpp"
#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::campaign {
namespace {

using std::chrono::milliseconds;

/// A store whose disk may be full: a commit fails then, and nothing of it is stored.
class FailingStore : public Store {
  public:
    explicit FailingStore(std::unique_ptr<Store> store) : store_(std::move(store)) {}
    bool full = false;

    void commit(const Batch& batch) override {
        if (full) throw Error(ErrorKind::environment, "disk full");
        store_->commit(batch);
    }
    Marks marks() override { return store_->marks(); }
    void each_unfinished_job(
        const std::function<void(const JobRecord&, const std::vector<JobId>&)>& visit) override {
        store_->each_unfinished_job(visit);
    }
    void each_task(JobId job, const std::function<void(const TaskRecord&)>& visit) override {
        store_->each_task(job, visit);
    }
    std::vector<RangeRecord> ranges(JobId job) override { return store_->ranges(job); }
    std::optional<JobRecord> job(JobId id) override { return store_->job(id); }
    std::vector<JobRecord> jobs(JobId before, std::size_t limit) override {
        return store_->jobs(before, limit);
    }
    std::vector<JobId> parents(JobId id) override { return store_->parents(id); }
    std::vector<JobId> children(JobId id) override { return store_->children(id); }
    std::optional<TaskRecord> task(TaskId id) override { return store_->task(id); }
    std::vector<TaskRecord> tasks(JobId job, std::uint32_t from, std::optional<TaskState> state,
                                  std::size_t limit) override {
        return store_->tasks(job, from, state, limit);
    }
    std::vector<AttemptRecord> attempts(TaskId id) override { return store_->attempts(id); }
    std::vector<Event> events(std::int64_t after, JobId job, std::size_t limit) override {
        return store_->events(after, job, limit);
    }
    std::optional<WorkerRecord> worker(WorkerId id) override { return store_->worker(id); }
    std::vector<WorkerRecord> workers(std::size_t limit) override { return store_->workers(limit); }
    std::vector<std::string> lines(JobId job, std::uint32_t first, std::size_t limit) override {
        return store_->lines(job, first, limit);
    }

  private:
    std::unique_ptr<Store> store_;
};

/// What a worker process would know: it outlives the server.
struct Worker {
    std::string session;
    WorkerId id;
    std::map<Token, std::pair<Lease, bool>> leases;  ///< bool: started
};

class Schedule {
  public:
    explicit Schedule(std::uint32_t seed) : random_(seed) { open(); }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            if (i % 50 == 49) check();
        }
        check();
    }

    /// Ends all work with a worker that never fails, and checks that nothing is left.
    void finish() {
        store_->full = false;
        for (Worker& worker : workers_) worker.leases.clear();
        workers_.clear();
        now_.steady += std::chrono::hours(2);
        engine_->tick(now_);
        for (JobId id{1}; id <= last_job_; ++id.value) engine_->release(id, {0, 1000}, now_);
        Worker worker{.session = "last"};
        connect(worker);
        for (int i = 0; i < 100'000 && !engine_->idle(); ++i) {
            std::vector<Lease> leases;
            engine_->lease(worker.id, 100, now_, leases);
            for (const Lease& lease : leases) finish_one(worker, lease, TaskState::succeeded);
            now_.steady += milliseconds(20);
            engine_->tick(now_);
            engine_->renew(worker.id, now_);
            if (leases.empty()) now_.steady += std::chrono::seconds(20);
        }
        check();
        EXPECT_EQ(engine_->totals().jobs, 0U) << "every task has come to an end";
    }

  private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

    void open() {
        engine_.reset();
        store_.reset();
        store_ =
            std::make_unique<FailingStore>(open_sqlite_store(folder_ / "campaign.db", Durability::normal));
        engine_ = std::make_unique<Engine>(*store_, Engine::Settings{}, now_);
    }

    void connect(Worker& worker) {
        WorkerOffer offer{.session = worker.session};
        offer.resources.set("cpus", 3);
        for (const auto& [token, lease] : worker.leases) offer.has.push_back(token);
        const Welcome welcome = engine_->register_worker(offer, now_);
        worker.id = welcome.worker;
        for (const Token token : welcome.stop) worker.leases.erase(token);
    }

    void finish_one(Worker& worker, const Lease& lease, TaskState outcome) {
        const auto verdict =
            engine_->finished(worker.id, lease, outcome, {.exit_code = outcome == TaskState::failed}, now_);
        if (verdict == Engine::Verdict::accepted && outcome == TaskState::succeeded) {
            // May be undone by a crash before the commit; then the worker tells it again.
            (void)engine_->finished(worker.id, lease, outcome, {}, now_);
        }
    }

    void submit() {
        JobSpec spec;
        spec.command = {"true"};
        spec.count = 1 + below(8);
        if (spec.count > 1) spec.entries = EntryKind::range;
        spec.policy.resources.set("cpus", 1 + below(3));
        spec.policy.retries = static_cast<int>(below(3));
        spec.policy.priority = static_cast<int>(below(2));
        spec.policy.crash_limit = static_cast<int>(below(4));
        spec.held = below(6) == 0;
        spec.rule = std::array{AfterRule::ok, AfterRule::any, AfterRule::failed}[below(3)];
        while (last_job_.value > 0 && below(2) == 0)
            spec.after.push_back({1 + below(static_cast<std::uint32_t>(last_job_.value))});
        std::sort(spec.after.begin(), spec.after.end());
        spec.after.erase(std::unique(spec.after.begin(), spec.after.end()), spec.after.end());
        last_job_ = engine_->submit(spec, now_);
    }

    /// One thing that may happen. Where the disk is full, questions to the store fail as well.
    void step() try {
        const std::uint32_t what = below(100);
        if (what < 12) {
            submit();
        } else if (what < 20 && workers_.size() < 4) {
            Worker worker{.session = "s" + std::to_string(++sessions_)};
            connect(worker);
            workers_.push_back(worker);
        } else if (what < 60 && !workers_.empty()) {
            Worker& worker = workers_[below(static_cast<std::uint32_t>(workers_.size()))];
            std::vector<Lease> leases;
            engine_->lease(worker.id, 1 + below(4), now_, leases);
            flush();  // leases reach a worker after the commit alone
            for (const Lease& lease : leases) {
                if (below(10) > 0) worker.leases[lease.token] = {lease, false};  // else lost on the way
            }
            for (auto& [token, entry] : worker.leases) {
                if (entry.second || below(3) > 0) continue;
                entry.second = true;
                (void)engine_->started(worker.id, entry.first, now_);
            }
            for (auto it = worker.leases.begin(); it != worker.leases.end();) {
                if (!it->second.second || below(2) == 0) {
                    ++it;
                    continue;
                }
                const TaskState outcome =
                    std::array{TaskState::succeeded, TaskState::succeeded, TaskState::failed,
                               TaskState::timed_out, TaskState::preempted}[below(5)];
                (void)engine_->finished(worker.id, it->second.first, outcome, {.exit_code = 1}, now_);
                it = below(8) == 0 ? std::next(it) : worker.leases.erase(it);  // told again now and then
            }
        } else if (what < 63 && !workers_.empty()) {  // a worker is killed
            const std::size_t victim = below(static_cast<std::uint32_t>(workers_.size()));
            if (below(2) == 0)
                engine_->remove_worker(workers_[victim].id, Engine::Leaving::lost, "killed", now_);
            workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(victim));
        } else if (what < 66) {  // the server is killed; what was not flushed is gone
            store_->full = false;
            open();
            last_job_ = store_->marks().last_job;
            for (Worker& worker : workers_) {
                if (below(5) > 0) connect(worker);
            }
        } else if (what < 70 && !workers_.empty()) {  // a connection breaks, and the worker returns
            connect(workers_[below(static_cast<std::uint32_t>(workers_.size()))]);
        } else if (what < 82 && last_job_.value > 0) {
            const JobId id{1 + below(static_cast<std::uint32_t>(last_job_.value))};
            const std::uint32_t first = below(8);
            const IndexRange range{first, first + 1 + below(4)};
            switch (below(5)) {
                case 0: engine_->cancel(id, range, now_); break;
                case 1:
                case 2: engine_->hold(id, range, now_); break;
                case 3: engine_->release(id, range, now_); break;
                default: try { (void)engine_->retry({{id, range}}, now_);
                    } catch (const Error& error) {  // it would be skipped again; or the disk is full
                        if (error.kind() != ErrorKind::usage) throw;
                    }
                    engine_->flush();
                    last_job_ = std::max(last_job_, store_->marks().last_job);
            }
        } else if (what < 84) {
            store_->full = !store_->full;
        } else {
            const milliseconds passed(below(what < 86 ? 40'000 : 1500));
            now_.steady += passed;
            now_.wall +=
                passed.count() * 1000 - (below(20) == 0 ? 3'600'000'000 : 0);  // the clock is put back
            engine_->tick(now_);
            for (const Worker& worker : workers_) {
                if (below(4) > 0) engine_->renew(worker.id, now_);
            }
        }
        (void)engine_->take_stops();
        if (below(3) == 0) flush();
    } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::environment) << error.what();
        ASSERT_TRUE(store_->full);
    }

    void flush() {
        try {
            engine_->flush();
        } catch (const Error&) {
            ASSERT_TRUE(store_->full);
            store_->full = false;  // somebody frees space: the next try writes all of it
            engine_->flush();
        }
    }

    /// The invariants of the state machine, from the store alone.
    void check() {
        const bool full = std::exchange(store_->full, false);
        engine_->flush();
        std::map<JobId, StateCounts> sums;
        std::map<TaskId, std::int32_t> attempts;
        std::map<TaskId, TaskState> states;
        for (const Event& event : store_->events(0, {}, 10'000'000)) {
            for (std::uint32_t i = event.first; i < event.first + event.count; ++i) {
                const TaskId id{event.job, i};
                if (event.note.starts_with("refused")) {
                    EXPECT_EQ(event.from, event.to);
                    continue;
                }
                const auto before = states.find(id);
                if (event.from) {
                    ASSERT_TRUE(before != states.end());
                    ASSERT_EQ(before->second, *event.from) << "task " << event.job.value << "." << i;
                    ASSERT_TRUE(may_follow(*event.from, event.to));
                    --count_of(sums[event.job], *event.from);
                } else {
                    ASSERT_TRUE(before == states.end());
                }
                states[id] = event.to;
                ++count_of(sums[event.job], event.to);
                if (event.to == TaskState::leased) {
                    ASSERT_EQ(event.attempt, attempts[id] + 1) << "attempt numbers grow by one";
                    attempts[id] = event.attempt;
                }
            }
        }
        std::set<Token> live;
        for (const auto& [job, counts] : sums) {
            ASSERT_EQ(store_->job(job)->counts, counts) << "counts are the sum over events";
            std::uint32_t open = 0;
            for (const auto& [state, name] : enum_names(TaskState{}))
                open += is_final(state) ? 0 : count_of(counts, state);
            ASSERT_EQ(store_->job(job)->finished != 0, open == 0);
            for (const TaskRecord& task : store_->tasks(job, 0, std::nullopt, 1000)) {
                ASSERT_EQ(states.at(task.id), task.state);
                ASSERT_EQ(attempts[task.id], task.attempt);
                ASSERT_TRUE(!is_live(task.state) || live.insert(task.token).second) << "one lease, one task";
                int successes = 0;
                Token last{-1};
                for (const AttemptRecord& attempt : store_->attempts(task.id)) {
                    successes += attempt.outcome == TaskState::succeeded;
                    ASSERT_LT(last, attempt.token) << "tokens grow";
                    last = attempt.token;
                }
                ASSERT_EQ(successes, task.state == TaskState::succeeded ? 1 : 0);
            }
        }
        for (const auto& [id, state] : states) ASSERT_EQ(engine_->state(id), state);
        store_->full = full;
    }

    std::mt19937 random_;
    test::TemporaryFolder folder_;
    Now now_{.steady = SteadyTime(std::chrono::hours(1)), .wall = 1'700'000'000'000'000};
    std::unique_ptr<FailingStore> store_;
    std::unique_ptr<Engine> engine_;
    std::vector<Worker> workers_;
    JobId last_job_;
    int sessions_ = 0;
};

class EngineProperties : public testing::TestWithParam<std::uint32_t> {};

TEST_P(EngineProperties, HoldUnderRandomFaults) {
    Schedule schedule(GetParam());
    schedule.run(600);
    if (!HasFatalFailure()) schedule.finish();
}

INSTANTIATE_TEST_SUITE_P(Seeds, EngineProperties, testing::Range(1U, 31U));

}  // namespace
}  // namespace plimsoll::campaign
