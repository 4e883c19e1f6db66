#include "plimsoll/campaign/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::campaign {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// An engine over a store of its own, with a clock that the test moves.
class EngineTest : public testing::Test {
  protected:
    EngineTest() { restart(); }

    void restart() {
        if (engine) engine->flush();
        engine.reset();
        store.reset();
        store = open_sqlite_store(folder / "campaign.db", Durability::normal);
        engine = std::make_unique<Engine>(*store, Engine::Settings{}, now);
    }

    void pass(milliseconds time) {
        now.steady += time;
        now.wall += time.count() * 1000;
        engine->tick(now);
    }

    static JobSpec array(std::uint32_t count) {
        JobSpec spec;
        spec.command = {"true"};
        spec.policy.resources.set("cpus", 1);
        if (count > 1) spec.entries = EntryKind::range;
        spec.count = count;
        return spec;
    }

    WorkerId worker(double cpus, const std::string& session = "w", std::vector<Token> has = {}) {
        WorkerOffer offer{.session = session, .name = session, .host = "here", .has = std::move(has)};
        offer.resources.set("cpus", cpus);
        return engine->register_worker(offer, now).worker;
    }

    std::vector<Lease> lease(WorkerId id, std::size_t most = 1000) {
        std::vector<Lease> leases;
        engine->lease(id, most, now, leases);
        return leases;
    }

    void run(WorkerId id, const Lease& lease, TaskState outcome = TaskState::succeeded, int code = 0) {
        EXPECT_EQ(engine->started(id, lease, now), Engine::Verdict::accepted);
        EXPECT_EQ(engine->finished(id, lease, outcome, {.exit_code = code}, now), Engine::Verdict::accepted);
    }

    std::uint32_t count(JobId id, TaskState state) { return count_of(engine->job(id)->counts, state); }

    test::TemporaryFolder folder;
    Now now{.steady = SteadyTime(seconds(1000)), .wall = 1'000'000'000};
    std::unique_ptr<Store> store;
    std::unique_ptr<Engine> engine;
};

TEST_F(EngineTest, GivesTheTasksOfAnArrayInOrderAndNoMoreThanFit) {
    const JobId job = engine->submit(array(5), now);
    const WorkerId w = worker(2);
    const auto first = lease(w);
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[0].task, (TaskId{job, 0}));
    EXPECT_EQ(first[1].task, (TaskId{job, 1}));
    run(w, first[1]);
    const auto second = lease(w);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].task, (TaskId{job, 2}));
    EXPECT_LT(first[1].token, second[0].token);
}

TEST_F(EngineTest, EndsAJobWhenItsLastTaskEnds) {
    const JobId job = engine->submit(array(2), now);
    const WorkerId w = worker(2);
    for (const Lease& l : lease(w)) run(w, l);
    EXPECT_EQ(count(job, TaskState::succeeded), 2U);
    EXPECT_NE(engine->job(job)->finished, 0);
    EXPECT_TRUE(engine->idle());
    EXPECT_EQ(engine->totals().jobs, 0U) << "finished jobs leave the memory";
}

TEST_F(EngineTest, TriesAgainAfterABackOffThatDoubles) {
    JobSpec spec = array(1);
    spec.policy.retries = 2;
    spec.policy.backoff_s = 1.0;
    const JobId job = engine->submit(spec, now);
    const WorkerId w = worker(1);
    run(w, lease(w).at(0), TaskState::failed, 3);
    EXPECT_TRUE(lease(w).empty());
    pass(milliseconds(1001));
    const auto again = lease(w);
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].attempt, 2);
    run(w, again[0], TaskState::timed_out);
    pass(milliseconds(1001));
    EXPECT_TRUE(lease(w).empty());
    pass(milliseconds(1001));
    run(w, lease(w).at(0), TaskState::failed, 3);
    EXPECT_EQ(count(job, TaskState::exhausted), 1U);
    engine->flush();
    EXPECT_EQ(store->attempts({job, 0}).size(), 3U);
}

TEST_F(EngineTest, GivesUpAtOnceOnACodeThatIsNotWorthATry) {
    JobSpec spec = array(1);
    spec.policy.retries = 5;
    spec.policy.retry_codes = {75};
    const JobId job = engine->submit(spec, now);
    const WorkerId w = worker(1);
    run(w, lease(w).at(0), TaskState::failed, 1);
    EXPECT_EQ(count(job, TaskState::exhausted), 1U);
}

TEST_F(EngineTest, DoesNotCountALostWorkerAsAFailure) {
    const JobId job = engine->submit(array(1), now);
    WorkerId w = worker(1, "a");
    const Lease lost = lease(w).at(0);
    engine->started(w, lost, now);
    pass(seconds(31));
    EXPECT_EQ(engine->totals().workers, 0U);
    const WorkerId other = worker(1, "b");
    const Lease again = lease(other).at(0);
    EXPECT_EQ(again.attempt, 2);
    EXPECT_EQ(engine->finished(w, lost, TaskState::succeeded, {}, now), Engine::Verdict::refused)
        << "the old token is fenced off";
    run(other, again);
    EXPECT_EQ(count(job, TaskState::succeeded), 1U);
    engine->flush();
    const auto events = store->events(0, job, 100);
    EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const Event& e) {
        return e.note.find("refused") != std::string::npos;
    })) << "what is refused is logged";
}

TEST_F(EngineTest, GivesUpATaskUnderWhichWorkersKeepDying) {
    JobSpec spec = array(1);
    spec.policy.crash_limit = 2;
    const JobId job = engine->submit(spec, now);
    for (int i = 0; i < 3; ++i) {
        const WorkerId w = worker(1, "w" + std::to_string(i));
        engine->started(w, lease(w).at(0), now);
        engine->remove_worker(w, Engine::Leaving::lost, "killed", now);
    }
    EXPECT_EQ(count(job, TaskState::exhausted), 1U);
}

TEST_F(EngineTest, TakesAResultThatIsToldTwiceOnce) {
    const JobId job = engine->submit(array(1), now);
    const WorkerId w = worker(1);
    const Lease l = lease(w).at(0);
    run(w, l);
    EXPECT_EQ(engine->finished(w, l, TaskState::succeeded, {}, now), Engine::Verdict::repeated);
    EXPECT_EQ(count(job, TaskState::succeeded), 1U);
}

TEST_F(EngineTest, KeepsRunningTasksWithTheirWorkerOverARestart) {
    const JobId job = engine->submit(array(3), now);
    WorkerId w = worker(2);
    const auto leases = lease(w);
    engine->started(w, leases[0], now);
    restart();
    // It knows of the running one alone: the other never reached it.
    w = worker(2, "w", {leases[0].token});
    EXPECT_EQ(engine->finished(w, leases[0], TaskState::succeeded, {}, now), Engine::Verdict::accepted);
    std::map<std::uint32_t, int> attempts;
    for (const Lease& l : lease(w)) {
        attempts[l.task.index] = l.attempt;
        run(w, l);
    }
    EXPECT_EQ(attempts, (std::map<std::uint32_t, int>{{1, 2}, {2, 1}}));
    EXPECT_EQ(count(job, TaskState::succeeded), 3U);
}

TEST_F(EngineTest, TellsAWorkerThatReturnsLateToStop) {
    engine->submit(array(1), now);
    const WorkerId w = worker(1);
    const Lease l = lease(w).at(0);
    engine->started(w, l, now);
    pass(seconds(31));
    WorkerOffer offer{.session = "w", .has = {l.token}};
    EXPECT_EQ(engine->register_worker(offer, now).stop, std::vector<Token>{l.token});
}

TEST_F(EngineTest, StartsAJobWhenTheOnesBeforeItHaveSucceeded) {
    const JobId first = engine->submit(array(2), now);
    JobSpec spec = array(1);
    spec.after = {first};
    const JobId second = engine->submit(spec, now);
    const WorkerId w = worker(4);
    const auto leases = lease(w);
    ASSERT_EQ(leases.size(), 2U);
    run(w, leases[0]);
    EXPECT_TRUE(lease(w).empty());
    run(w, leases[1]);
    EXPECT_EQ(lease(w).at(0).task, (TaskId{second, 0}));
}

TEST_F(EngineTest, SkipsWhatComesAfterAFailureAndWhatComesAfterThat) {
    const JobId first = engine->submit(array(1), now);
    JobSpec spec = array(3);
    spec.after = {first};
    const JobId second = engine->submit(spec, now);
    spec.after = {second};
    const JobId third = engine->submit(spec, now);
    JobSpec cleaner = array(1);
    cleaner.after = {first};
    cleaner.rule = AfterRule::failed;
    const JobId clean = engine->submit(cleaner, now);
    const WorkerId w = worker(1);
    run(w, lease(w).at(0), TaskState::failed, 1);
    EXPECT_EQ(count(second, TaskState::skipped), 3U);
    EXPECT_EQ(count(third, TaskState::skipped), 3U);
    EXPECT_EQ(lease(w).at(0).task.job, clean);
}

TEST_F(EngineTest, KnowsOfParentsThatEndedBefore) {
    const JobId first = engine->submit(array(1), now);
    const WorkerId w = worker(1);
    run(w, lease(w).at(0));
    JobSpec spec = array(1);
    spec.after = {first};
    EXPECT_EQ(count(engine->submit(spec, now), TaskState::ready), 1U);
    spec.rule = AfterRule::failed;
    EXPECT_EQ(count(engine->submit(spec, now), TaskState::skipped), 1U);
    spec.after = {{99}};
    EXPECT_THROW(engine->submit(spec, now), Error);
}

TEST_F(EngineTest, TakesHigherPrioritiesFirst) {
    engine->submit(array(1), now);
    JobSpec urgent = array(1);
    urgent.policy.priority = 5;
    const JobId second = engine->submit(urgent, now);
    EXPECT_EQ(lease(worker(1)).at(0).task.job, second);
}

TEST_F(EngineTest, LetsASmallTaskPassALargeOneThatDoesNotFit) {
    JobSpec large = array(1);
    large.policy.resources.set("cpus", 4);
    engine->submit(large, now);
    const JobId small = engine->submit(array(1), now);
    EXPECT_EQ(lease(worker(2)).at(0).task.job, small);
}

TEST_F(EngineTest, KeepsAWorkerFreeForALargeTaskThatWasPassedForLong) {
    JobSpec large = array(1);
    large.policy.resources.set("cpus", 2);
    const WorkerId w = worker(2);
    JobSpec small = array(1000);
    engine->submit(small, now);
    auto running = lease(w);
    ASSERT_EQ(running.size(), 2U);
    large.policy.priority = 1;
    const JobId wanted = engine->submit(large, now);
    // One of two processors is always taken by a small task.
    for (int i = 0; i < 40; ++i) {
        pass(seconds(1));
        engine->renew(w, now);
        run(w, running[0]);
        const auto next = lease(w);
        if (next.empty()) break;
        EXPECT_NE(next[0].task.job, wanted);
        running = {running[1], next[0]};
    }
    EXPECT_TRUE(lease(w).empty()) << "after half a minute the worker is kept free";
    run(w, running[1]);
    const auto next = lease(w);
    ASSERT_EQ(next.size(), 1U);
    EXPECT_EQ(next[0].task.job, wanted);
    run(w, next[0]);
    EXPECT_EQ(lease(w).size(), 2U) << "then the others go on";
}

TEST_F(EngineTest, SharesAGpuInParts) {
    JobSpec spec = array(5);
    spec.policy.resources = {};
    spec.policy.resources.set("gpus", 0.25);
    engine->submit(spec, now);
    WorkerOffer offer{.session = "g"};
    offer.resources.set("gpus", 1);
    EXPECT_EQ(lease(engine->register_worker(offer, now).worker).size(), 4U);
}

TEST_F(EngineTest, KeepsLongTasksFromWorkersThatLeaveSoon) {
    JobSpec spec = array(1);
    spec.policy.min_time_s = 3600;
    const JobId job = engine->submit(spec, now);
    WorkerOffer offer{.session = "short", .time_left_s = 60};
    offer.resources.set("cpus", 8);
    EXPECT_TRUE(lease(engine->register_worker(offer, now).worker).empty());
    EXPECT_NE(engine->explain({job, 0}, now).at(0).find("3600"), std::string::npos);
    EXPECT_EQ(lease(worker(1, "long")).size(), 1U);
}

TEST_F(EngineTest, CancelsWhatWaitsAndStopsWhatRuns) {
    const JobId job = engine->submit(array(10), now);
    const WorkerId w = worker(2);
    const auto leases = lease(w);
    engine->started(w, leases[0], now);
    EXPECT_EQ(engine->cancel(job, {0, 5}, now), 5U);
    EXPECT_EQ(engine->take_stops().size(), 2U);
    EXPECT_EQ(engine->finished(w, leases[0], TaskState::failed, {.signal = 15}, now),
              Engine::Verdict::repeated);
    EXPECT_EQ(count(job, TaskState::cancelled), 5U);
    EXPECT_EQ(count(job, TaskState::ready), 5U);
    EXPECT_EQ(engine->state({job, 3}), TaskState::cancelled);
    EXPECT_EQ(engine->state({job, 7}), TaskState::ready);
    restart();
    EXPECT_EQ(engine->state({job, 3}), TaskState::cancelled);
    EXPECT_EQ(engine->cancel(job, {0, 10}, now), 5U);
    EXPECT_NE(engine->job(job)->finished, 0);
}

TEST_F(EngineTest, HoldsAndReleasesPartsOfAnArray) {
    JobSpec spec = array(10);
    spec.held = true;
    const JobId job = engine->submit(spec, now);
    const WorkerId w = worker(100);
    EXPECT_TRUE(lease(w).empty());
    EXPECT_EQ(engine->release(job, {2, 5}, now), 3U);
    restart();
    const auto leases = lease(worker(100, "x"));
    ASSERT_EQ(leases.size(), 3U);
    EXPECT_EQ(leases[0].task.index, 2U);
    EXPECT_EQ(engine->hold(job, {0, 10}, now), 0U) << "what runs is not held";
    EXPECT_EQ(engine->release(job, {0, 10}, now), 7U);
    EXPECT_EQ(lease(worker(100, "x", {leases[0].token, leases[1].token, leases[2].token})).size(), 7U);
}

TEST_F(EngineTest, BringsBackFailedTasksAsANewJobWithWhatWasSkipped) {
    JobSpec spec = array(4);
    spec.first = 10;
    spec.step = 5;
    const JobId job = engine->submit(spec, now);
    JobSpec next = array(1);
    next.after = {job};
    const JobId child = engine->submit(next, now);
    const WorkerId w = worker(4);
    for (const Lease& l : lease(w))
        run(w, l, l.task.index % 2 == 1 ? TaskState::failed : TaskState::succeeded,
            static_cast<int>(l.task.index % 2));
    EXPECT_EQ(count(child, TaskState::skipped), 1U);
    const auto retried = engine->retry({{job, {0, 4}}}, now);
    ASSERT_EQ(retried.size(), 2U);
    const JobId again = retried[0].fresh;
    EXPECT_EQ(engine->job(again)->count, 2U);
    EXPECT_EQ(store->lines(again, 0, 9), (std::vector<std::string>{"15", "25"}));
    for (const Lease& l : lease(w)) run(w, l);
    const auto last = lease(w);
    ASSERT_EQ(last.size(), 1U) << "the child of the new job";
    EXPECT_GT(last[0].task.job, again);
    EXPECT_TRUE(engine->retry({{again, {0, 2}}}, now).empty()) << "nothing failed";
    EXPECT_EQ(count(job, TaskState::exhausted), 2U) << "final states never change";
}

TEST_F(EngineTest, BringsBackAJobBehindSeveralOnceAndWhatComesAfterIt) {
    const JobId a = engine->submit(array(1), now);
    const JobId b = engine->submit(array(1), now);
    JobSpec spec = array(2);
    spec.after = {a, b};
    const JobId both = engine->submit(spec, now);
    spec.after = {both};
    const JobId last = engine->submit(spec, now);
    const WorkerId w = worker(2);
    for (const Lease& l : lease(w)) run(w, l, TaskState::failed, 1);
    EXPECT_EQ(count(last, TaskState::skipped), 2U);
    EXPECT_EQ(engine->retry({{a, {0, 1}}}, now).size(), 1U) << "without b the next would be skipped again";
    const auto retried = engine->retry({{a, {0, 1}}, {b, {0, 1}}}, now);
    ASSERT_EQ(retried.size(), 4U);
    EXPECT_EQ(retried[2].job, both);
    EXPECT_EQ(retried[3].job, last);
    engine->flush();
    EXPECT_EQ(store->parents(retried[2].fresh), (std::vector<JobId>{retried[0].fresh, retried[1].fresh}));
    EXPECT_EQ(store->parents(retried[3].fresh), std::vector<JobId>{retried[2].fresh});
}

TEST_F(EngineTest, BringsBackNothingThatWouldBeSkippedAgain) {
    const JobId first = engine->submit(array(1), now);
    JobSpec spec = array(1);
    spec.after = {first};
    const JobId second = engine->submit(spec, now);
    const WorkerId w = worker(1);
    run(w, lease(w).at(0), TaskState::failed, 1);
    ASSERT_EQ(count(second, TaskState::skipped), 1U);
    EXPECT_THROW((void)engine->retry({{second, {0, 1}}}, now), Error);
    EXPECT_TRUE(lease(w).empty()) << "nothing was submitted";
    const auto both = engine->retry({{second, {0, 1}}, {first, {0, 1}}}, now);
    ASSERT_EQ(both.size(), 2U);
    engine->flush();
    EXPECT_EQ(store->parents(both[1].fresh), std::vector<JobId>{both[0].fresh});
}

TEST_F(EngineTest, BringsBackSeveralRangesOfAJob) {
    const JobId job = engine->submit(array(6), now);
    const WorkerId w = worker(6);
    for (const Lease& l : lease(w)) run(w, l, TaskState::failed, 1);
    const auto retried = engine->retry({{job, {4, 6}}, {job, {1, 2}}, {job, {5, 6}}}, now);
    ASSERT_EQ(retried.size(), 1U);
    EXPECT_EQ(retried[0].tasks, 3U);
    engine->flush();
    EXPECT_EQ(store->lines(retried[0].fresh, 0, 9), (std::vector<std::string>{"1", "4", "5"}));
}

TEST_F(EngineTest, ForgetsALeaseThatWasCancelledBeforeItsTaskStarted) {
    const JobId job = engine->submit(array(1), now);
    const WorkerId w = worker(1);
    const Lease given = lease(w).at(0);
    EXPECT_EQ(engine->workers().at(0).queued, 1U);
    engine->cancel(job, {0, 1}, now);
    engine->finished(w, given, TaskState::preempted, {}, now);
    EXPECT_EQ(engine->workers().at(0).queued, 0U);
    engine->submit(array(1), now);
    EXPECT_EQ(lease(w).size(), 1U) << "its room is free again";
}

TEST_F(EngineTest, TellsAWorkerThatReturnsWhatWasCancelledMeanwhile) {
    const JobId job = engine->submit(array(2), now);
    const WorkerId w = worker(2);
    const auto given = lease(w);
    for (const Lease& l : given) engine->started(w, l, now);
    engine->cancel(job, {0, 1}, now);
    WorkerOffer offer{.session = "w", .name = "w", .host = "here", .has = {given[0].token, given[1].token}};
    offer.resources.set("cpus", 2);
    EXPECT_EQ(engine->register_worker(offer, now).stop, std::vector<Token>{given[0].token});
}

TEST_F(EngineTest, StoresASubmissionOfSeveralJobsAsAWhole) {
    const JobId before = engine->submit(array(1), now);
    const WorkerId w = worker(1);
    run(w, lease(w).at(0));
    const JobId first = engine->submit(array(1), now);
    JobSpec spec = array(1);
    spec.after = {before};  // it has ended, and that is not stored yet
    const JobId second = engine->submit(spec, now);
    EXPECT_FALSE(store->job(first)) << "nothing was written on the way";
    engine->flush();
    EXPECT_TRUE(store->job(first));
    EXPECT_EQ(store->job(second)->base, TaskState::ready);
}

TEST_F(EngineTest, TakesTasksThatAllAskForSomethingElseInOrder) {
    std::vector<JobId> jobs;
    for (int i = 0; i < 3000; ++i) {
        JobSpec spec = array(1);
        spec.policy.resources.set("memory", 1e6 + i);
        jobs.push_back(engine->submit(spec, now));
    }
    WorkerOffer offer{.session = "w", .name = "w", .host = "here", .has = {}};
    offer.resources.set("cpus", 1);
    offer.resources.set("memory", 1e9);
    const WorkerId w = engine->register_worker(offer, now).worker;
    for (const JobId job : jobs) {
        const auto given = lease(w);
        ASSERT_EQ(given.size(), 1U);
        ASSERT_EQ(given[0].task.job, job);
        run(w, given[0]);
    }
    EXPECT_TRUE(engine->idle());
}

TEST_F(EngineTest, QueuesShortTasksAtAWorkerAndLongOnesNot) {
    engine->submit(array(100'000), now);
    const WorkerId w = worker(2);
    auto leases = lease(w);
    EXPECT_EQ(leases.size(), 2U);
    for (int round = 0; round < 20; ++round) {
        for (const Lease& l : leases) {
            now.steady += milliseconds(1);
            run(w, l);
        }
        leases = lease(w);
    }
    for (const Lease& l : leases) run(w, l);
    const std::size_t queued = lease(w).size();
    EXPECT_GT(queued, 20U) << "1000 tasks a second";
    EXPECT_LT(queued, 60U);
}

TEST_F(EngineTest, SaysWhyATaskDoesNotRun) {
    JobSpec spec = array(1);
    spec.policy.resources.set("cpus", 64);
    const JobId large = engine->submit(spec, now);
    EXPECT_NE(engine->explain({large, 0}, now)[0].find("no worker is there"), std::string::npos);
    worker(2);
    EXPECT_NE(engine->explain({large, 0}, now)[0].find("64 cpus, and the largest worker has 2"),
              std::string::npos);
    JobSpec child = array(1);
    child.after = {large};
    EXPECT_NE(engine->explain({engine->submit(child, now), 0}, now)[0].find("job 1"), std::string::npos);
    EXPECT_THROW((void)engine->explain({{99}, 0}, now), Error);
}

}  // namespace
}  // namespace plimsoll::campaign
