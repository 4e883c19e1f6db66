#include "plimsoll/campaign/store.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "plimsoll/campaign/job_spec.hpp"
#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::campaign {
namespace {

/// Each store is opened by this in all tests, so that another kind is one more entry below.
struct Kind {
    const char* name;
    std::function<std::unique_ptr<Store>(const std::string& folder)> open;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class AnyStore : public testing::TestWithParam<Kind> {
  protected:
    std::unique_ptr<Store> open() { return GetParam().open(folder_.path().string()); }
    test::TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, AnyStore,
                         testing::Values(Kind{"sqlite",
                                              [](const std::string& folder) {
                                                  return open_sqlite_store(folder + "/campaign.db",
                                                                           Durability::normal);
                                              }},
                                         Kind{"sqlite_full",
                                              [](const std::string& folder) {
                                                  return open_sqlite_store(folder + "/campaign.db",
                                                                           Durability::full);
                                              }}),
                         [](const auto& kind) { return std::string(kind.param.name); });

Batch one_job() {
    Batch batch;
    batch.new_jobs.push_back({.record = {.id = {1},
                                         .spec = R"({"command": ["true"]})",
                                         .count = 3,
                                         .priority = 2,
                                         .base = TaskState::ready,
                                         .submitted = 77},
                              .lines = "a\nb\nc\n"});
    count_of(batch.new_jobs[0].record.counts, TaskState::ready) = 3;
    batch.events.push_back({.time = 77, .job = {1}, .first = 0, .count = 3, .to = TaskState::ready});
    batch.last_token = {9};
    return batch;
}

TEST_P(AnyStore, KeepsWhatWasCommittedWhenItIsOpenedAgain) {
    open()->commit(one_job());
    const auto store = open();
    const auto job = store->job({1});
    ASSERT_TRUE(job);
    EXPECT_EQ(job->spec, R"({"command": ["true"]})");
    EXPECT_EQ(job->count, 3U);
    EXPECT_EQ(job->priority, 2);
    EXPECT_EQ(job->submitted, 77);
    EXPECT_EQ(count_of(job->counts, TaskState::ready), 3U);
    EXPECT_EQ(store->lines({1}, 1, 10), (std::vector<std::string>{"b", "c"}));
    const auto marks = store->marks();
    EXPECT_EQ(marks.last_job, JobId{1});
    EXPECT_EQ(marks.last_token, Token{9});
    EXPECT_EQ(marks.last_event, 77);
    ASSERT_EQ(store->events(0, {}, 10).size(), 1U);
    EXPECT_FALSE(store->events(0, {}, 10)[0].from) << "new tasks come from no state";
}

TEST_P(AnyStore, WritesABatchWholeOrNotAtAll) {
    const auto store = open();
    Batch batch = one_job();
    batch.new_jobs.push_back(batch.new_jobs[0]);  // the same id twice is refused
    EXPECT_THROW(store->commit(batch), Error);
    EXPECT_FALSE(store->job({1}));
    EXPECT_TRUE(store->events(0, {}, 10).empty());
    store->commit(one_job());
    EXPECT_TRUE(store->job({1})) << "an error leaves it usable";
}

TEST_P(AnyStore, KeepsTheLatestRecordOfATask) {
    const auto store = open();
    Batch batch = one_job();
    const TaskId id{{1}, 1};
    batch.tasks.push_back({.id = id, .state = TaskState::leased, .attempt = 1, .token = {5}, .worker = {2}});
    store->commit(batch);
    Batch later;
    later.tasks.push_back(
        {.id = id, .state = TaskState::succeeded, .attempt = 1, .token = {5}, .worker = {2}});
    later.attempts.push_back(
        {.id = id,
         .attempt = 1,
         .token = {5},
         .worker = {2},
         .outcome = TaskState::succeeded,
         .leased = 1,
         .started = 2,
         .ended = 3,
         .result = {
             .exit_code = 0, .wall_s = 0.25, .peak_memory_bytes = 4096, .reason = "x", .output_at = 12}});
    later.jobs.push_back({.id = {1}, .base = TaskState::ready, .finished = 3});
    store->commit(later);
    ASSERT_TRUE(store->task(id));
    EXPECT_EQ(store->task(id)->state, TaskState::succeeded);
    EXPECT_FALSE(store->task({{1}, 0})) << "untouched tasks have no row";
    ASSERT_EQ(store->attempts(id).size(), 1U);
    const AttemptRecord attempt = store->attempts(id)[0];
    EXPECT_EQ(attempt.ended, 3);
    EXPECT_EQ(attempt.result.wall_s, 0.25);
    EXPECT_EQ(attempt.result.peak_memory_bytes, 4096);
    EXPECT_EQ(attempt.result.reason, "x");
    EXPECT_EQ(attempt.result.output_at, 12);
    std::size_t unfinished = 0;
    store->each_unfinished_job([&](const JobRecord&, const auto&) { ++unfinished; });
    EXPECT_EQ(unfinished, 0U);
}

TEST_P(AnyStore, ChangesRangesInOrder) {
    const auto store = open();
    Batch batch = one_job();
    batch.ranges = {{{1}, 0, 3, TaskState::held}, {{1}, 0, 0, std::nullopt}, {{1}, 1, 1, TaskState::held}};
    store->commit(batch);
    const auto ranges = store->ranges({1});
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_EQ(ranges[0].first, 1U);
    EXPECT_EQ(ranges[0].count, 1U);
    EXPECT_EQ(ranges[0].state, TaskState::held);
}

TEST_P(AnyStore, GivesLinesFromTheMiddleOfAMillion) {
    const auto store = open();
    Batch batch = one_job();
    std::string& lines = batch.new_jobs[0].lines;
    lines.clear();
    for (int i = 0; i < 100'000; ++i) lines += "case " + std::to_string(i) + "\n";
    store->commit(batch);
    EXPECT_EQ(store->lines({1}, 54'321, 1), std::vector<std::string>{"case 54321"});
    EXPECT_EQ(store->lines({1}, 4095, 2), (std::vector<std::string>{"case 4095", "case 4096"}));
    EXPECT_EQ(store->lines({1}, 99'999, 5), std::vector<std::string>{"case 99999"});
}

TEST_P(AnyStore, FindsParentsAndChildren) {
    const auto store = open();
    Batch batch = one_job();
    batch.new_jobs.push_back({.record = {.id = {2}, .spec = "{}"}, .after = {{1}}});
    store->commit(batch);
    EXPECT_EQ(store->parents({2}), std::vector<JobId>{{1}});
    EXPECT_EQ(store->children({1}), std::vector<JobId>{{2}});
}

TEST(SqliteStore, RefusesADamagedFileWithAdvice) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "campaign.db";
    {
        const auto store = open_sqlite_store(path, Durability::normal);
        Batch batch = one_job();
        for (int i = 0; i < 5000; ++i)
            batch.events.push_back(
                {.time = i, .job = {1}, .note = "a note that makes the file some pages long"});
        store->commit(batch);
    }
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    try {
        const auto store = open_sqlite_store(path, Durability::normal);
        (void)store->events(0, {}, 100'000);
        FAIL() << "half a file was taken for a whole one";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
        EXPECT_NE(error.hint().find("doctor"), std::string::npos);
    }
}

TEST(SqliteStore, RefusesAFileThatIsNoCampaign) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "notes.txt";
    std::ofstream(path) << std::string(4096, 'x');
    EXPECT_THROW((void)open_sqlite_store(path, Durability::normal), Error);
}

TEST(SqliteStore, IsOpenedOnceAtATime) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "campaign.db";
    const auto first = open_sqlite_store(path, Durability::normal);
    EXPECT_THROW((void)open_sqlite_store(path, Durability::normal), Error);
}

TEST(JobSpec, ReadsWhatItWrote) {
    JobSpec spec;
    spec.name = "sweep";
    spec.tags = {"k=v"};
    spec.command = {"./app", "--n", "{index}", "a \"quoted\" word"};
    spec.environment = {{"OMP_NUM_THREADS", "2"}};
    spec.folder = "/tmp";
    spec.output = "out/{index}.txt";
    spec.time_limit_s = 1.5;
    spec.policy.resources.set("cpus", 2);
    spec.policy.resources.set("gpus", 0.25);
    spec.policy.retries = 3;
    spec.policy.retry_codes = {1, 75};
    spec.after = {{4}, {5}};
    spec.rule = AfterRule::any;
    spec.parent = {{7}, 12};
    spec.entries = EntryKind::range;
    spec.count = 1000;
    spec.step = 2;
    const JobSpec again = spec_from_json(to_json(spec));
    EXPECT_EQ(to_json(again), to_json(spec));
    EXPECT_EQ(again.command, spec.command);
    EXPECT_EQ(again.policy, spec.policy);
    EXPECT_EQ(again.parent, spec.parent);
    EXPECT_EQ(again.rule, AfterRule::any);
}

TEST(JobSpec, NamesTheKeyThatItDoesNotKnow) {
    try {
        (void)spec_from_json(R"({"command": ["a"], "retires": 3})");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("retires"), std::string::npos);
        EXPECT_NE(error.hint().find("retries"), std::string::npos);
    }
}

}  // namespace
}  // namespace plimsoll::campaign
