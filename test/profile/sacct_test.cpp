#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "test/support/profile_errors.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::profile {
namespace {

using test::notes_of;
using test::read_profile;
using test::values_at;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

const std::string table =
    "JobID|JobName|Partition|State|NNodes|AllocCPUS|NTasks|Elapsed|TotalCPU|MaxRSS|ConsumedEnergy|ExitCode\n"
    "101|lulesh|batch|COMPLETED|1|8||00:02:10|16:02.500||1.50K|0:0\n"
    "101.batch|batch||COMPLETED|1|8|1|00:02:10|00:01.250|5M|100|0:0\n"
    "101.extern|extern||COMPLETED|1|8|1|00:02:10|00:00:00|0|0|0:0\n"
    "101.0|prepare||COMPLETED|1|8|1|00:00:10|00:09.000|100K|50|0:0\n"
    "101.1|solve||COMPLETED|1|8|8|00:01:30|12:00.000|2G|1K|0:0\n"
    "101.2|solve||COMPLETED|1|8|8|00:00:20|02:40.000|1.5G|400|0:0\n"
    "102|lulesh|batch|COMPLETED|2|16||1-01:00:00|00:00:00||2M|0:0\n"
    "102.0|solve||COMPLETED|2|16|16|1-00:00:00|10:00:00|512M|2M|0:0\n"
    "103|lulesh|batch|FAILED|4|32||00:00:07|00:00:01|||1:0\n"
    "103.0|solve||FAILED|4|32|32|00:00:07|00:00:01|1K||1:0\n"
    "104|lulesh|batch|CANCELLED by 1000|4|32||00:00:07|00:00:01|||0:0\n";

TEST(Sacct, ReadsJobsAndTheirSteps) {
    const auto experiment = read_profile(table);
    EXPECT_EQ(experiment.parameter_names(), Names{"nodes"});
    const auto at = [&](const char* region, const char* metric, double nodes) {
        return values_at(experiment, region, metric, Values{nodes});
    };
    EXPECT_EQ(at("lulesh", "time", 1), Values{2 * 60 + 10});
    EXPECT_EQ(at("lulesh", "cpu_time", 1), Values{16 * 60 + 2.5});
    EXPECT_EQ(at("lulesh", "memory", 1), Values{2.0 * 1024 * 1024 * 1024}) << "the largest of its steps";
    EXPECT_EQ(at("lulesh", "energy", 1), Values{1500});
    EXPECT_EQ(at("lulesh->solve", "time", 1), Values{90 + 20}) << "two steps of one name";
    EXPECT_EQ(at("lulesh->solve", "visits", 1), Values{2});
    EXPECT_EQ(at("lulesh->solve", "memory", 1), Values{2.0 * 1024 * 1024 * 1024});
    EXPECT_EQ(at("lulesh->solve", "energy", 1), Values{1400});
    EXPECT_EQ(at("lulesh->prepare", "memory", 1), Values{102400});
    EXPECT_EQ(at("lulesh", "time", 2), Values{25 * 3600});
    EXPECT_EQ(at("lulesh->solve", "time", 2), Values{24 * 3600});
    EXPECT_EQ(at("lulesh", "energy", 2), Values{2e6});
    EXPECT_EQ(experiment.regions.size(), 3U) << "neither batch nor extern";
    EXPECT_EQ(experiment.point_count(), 2U);
    EXPECT_TRUE(experiment.inclusive);
    const std::string notes = notes_of(experiment);
    EXPECT_NE(notes.find("job 'lulesh' is left out: FAILED\n"), std::string::npos) << notes;
    EXPECT_NE(notes.find("job 'lulesh' is left out: CANCELLED\n"), std::string::npos) << notes;
    EXPECT_NE(notes.find("'p' varies together with 'nodes'"), std::string::npos) << notes;
}

// Whatever the order of columns and the separator at the end, and with columns of no interest.
TEST(Sacct, FindsColumnsByTheirNames) {
    std::string turned;
    for (const std::string_view line : split(std::string_view(table).substr(0, table.size() - 1), '\n')) {
        auto fields = split(line, '|');
        std::reverse(fields.begin(), fields.end());
        for (const std::string_view field : fields) turned += std::string(field) + "|";
        turned += "\n";
    }
    const auto experiment = read_profile(table);
    const auto other = read_profile(turned);
    ASSERT_EQ(other.series.size(), experiment.series.size());
    for (const auto& series : experiment.series) {
        const auto* const same =
            test::find_series(other, experiment.region(series).path, experiment.metric(series).name);
        ASSERT_NE(same, nullptr);
        EXPECT_EQ(same->values, series.values);
    }
}

/// Jobs that differ in nodes, tasks and processors, one after another.
std::string jobs(const std::vector<std::array<int, 3>>& sizes) {
    std::string text = "JobID|JobName|State|NNodes|NTasks|NCPUS|ElapsedRaw\n";
    int id = 1;
    for (const auto& [nodes, tasks, processors] : sizes) {
        text += std::to_string(id) + "|app|COMPLETED|" + std::to_string(nodes) + "||" +
                std::to_string(processors) + "|" + std::to_string(100 * id) + "\n";
        if (tasks > 0) {
            text += std::to_string(id) + ".0|app|COMPLETED|" + std::to_string(nodes) + "|" +
                    std::to_string(tasks) + "|" + std::to_string(processors) + "|" + std::to_string(90 * id) +
                    "\n";
        }
        ++id;
    }
    return text;
}

// The job's own line has no value: batch and extern repeat what the steps have, and a failed step does not
// count.
TEST(Sacct, TakesTheStepsThatCompletedWhereTheJobHasNoValueItself) {
    const auto experiment = read_profile(
        "JobID|JobName|State|NTasks|ElapsedRaw|TotalCPU|UserCPU|SystemCPU|MaxRSS|ConsumedEnergyRaw\n"
        "5|app|COMPLETED||60||||||\n"
        "5.batch|batch|COMPLETED|1|60|00:50|00:40|00:10|9K|100\n"
        "5.extern|extern|COMPLETED|1|60|00:50|00:40|00:10|1K|100\n"
        "5.interactive|interactive|COMPLETED|1|60|00:50|00:40|00:10|2K|100\n"
        "5.0|solve|COMPLETED|4|20|00:20|00:15|00:05|3K|97\n"
        "5.1|check|COMPLETED|4|10|00:10|00:08|00:02|4K|3\n"
        "5.2|solve|FAILED|8|30|00:30|00:25|00:05|64K|55\n"
        "6|app|COMPLETED||60||||||\n"
        "6.batch|batch|COMPLETED|1|60|00:50|00:40|00:10|9K|100\n");
    const auto at = [&](const char* region, const char* metric, double p) {
        return values_at(experiment, region, metric, Values{p});
    };
    EXPECT_EQ(experiment.point_count(), 1U);
    EXPECT_EQ(at("app", "energy", 1), Values{97 + 3});
    EXPECT_EQ(at("app", "cpu_time", 1), Values{20 + 10});
    EXPECT_EQ(at("app", "user", 1), Values{15 + 8});
    EXPECT_EQ(at("app", "system", 1), Values{5 + 2});
    EXPECT_EQ(at("app", "memory", 1), (Values{9 * 1024, 9 * 1024})) << "of the script, in both jobs";
    EXPECT_NE(notes_of(experiment).find("step 'solve' is left out: FAILED\n"), std::string::npos);
}

TEST(Sacct, RefusesATableThatIsCutWithinALine) {
    const std::string whole =
        "JobID|JobName|State|ElapsedRaw|ConsumedEnergyRaw\n1|a|COMPLETED|10|5\n2|a|COMPLETED|10|123456\n";
    for (std::size_t size = whole.find("2|a") + 1; size < whole.size(); ++size) {
        SCOPED_TRACE(size);
        try {
            (void)read_profile(whole.substr(0, size));
            ADD_FAILURE() << "nothing is wrong";
        } catch (const Error& error) {
            EXPECT_STREQ(error.what(), "profile:3: the file ends within a line");
            EXPECT_EQ(error.hint(), "let sacct write the file again");
        }
    }
}

TEST(Sacct, NamesTheOptionThatTheDefaultTableLacks) {
    const std::string text =
        "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n"
        "------------ ---------- ---------- ---------- ---------- ---------- -------- \n"
        "101              lulesh      batch      users          8  COMPLETED      0:0 \n";
    EXPECT_EQ(Collector({}).match({.path = "a.txt", .head = text}), "sacct");
    try {
        (void)read_profile(text);
        ADD_FAILURE() << "nothing is wrong";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "profile:1: the columns of the table are padded with blanks, and cut");
        EXPECT_EQ(error.hint(), "add --parsable2 to sacct");
    }
    for (const char* const other : {"JobID time\n1 2\n", "JobName time\n------- ----\n"})
        EXPECT_TRUE(Collector({}).match({.path = "a.txt", .head = other}).empty()) << other;
}

TEST(Sacct, TakesForParametersWhatVaries) {
    EXPECT_EQ(read_profile(jobs({{1, 1, 1}, {1, 2, 2}, {1, 4, 4}})).parameter_names(), Names{"p"});
    EXPECT_EQ(read_profile(jobs({{1, 4, 4}, {2, 8, 8}, {2, 4, 4}, {4, 8, 8}})).parameter_names(),
              (Names{"nodes", "p"}));
    EXPECT_EQ(read_profile(jobs({{1, 4, 4}, {2, 8, 8}, {4, 16, 16}})).parameter_names(), Names{"nodes"});
    EXPECT_EQ(read_profile(jobs({{1, 4, 4}, {1, 4, 8}, {1, 4, 16}})).parameter_names(), Names{"numCpus"});
    EXPECT_EQ(read_profile(jobs({{1, 0, 4}, {1, 0, 8}})).parameter_names(), Names{"numCpus"})
        << "without steps";
    const auto repeated = read_profile(jobs({{1, 2, 2}, {1, 2, 2}, {1, 4, 4}}));
    EXPECT_EQ(values_at(repeated, "app", "time", Values{2}), (Values{100, 200})) << "repetitions";
}

TEST(Sacct, PutsPartsOfAHeterogeneousJobTogether) {
    const auto experiment = read_profile(
        "JobID|JobName|State|NNodes|NTasks|Elapsed|TotalCPU|MaxRSS\n"
        "7+0|app|COMPLETED|1||00:01:00|01:00.000|\n7+0.0|app|COMPLETED|1|2|00:00:50|01:00.000|3K\n"
        "7+1|app|COMPLETED|4||00:00:59|02:00.000|\n7+1.0|app|COMPLETED|4|16|00:00:52|02:00.000|2K\n"
        "8+0|app|COMPLETED|1||00:01:00|01:00.000|\n8+1|app|FAILED|4||00:00:59|02:00.000|\n");
    EXPECT_EQ(experiment.point_count(), 1U);
    EXPECT_EQ(values_at(experiment, "app", "time", Values{5}), Values{60});
    EXPECT_EQ(values_at(experiment, "app", "cpu_time", Values{5}), Values{180});
    EXPECT_EQ(values_at(experiment, "app", "memory", Values{5}), Values{3072});
    EXPECT_EQ(values_at(experiment, "app->app", "time", Values{5}), Values{52});
    EXPECT_EQ(values_at(experiment, "app->app", "visits", Values{5}), Values{1});
    EXPECT_NE(notes_of(experiment).find("job 'app' is left out: FAILED"), std::string::npos);
}

TEST(Sacct, HasARunForEachTaskOfAnArrayAndEachNewStart) {
    const std::string text =
        "JobID|JobName|State|Elapsed\n9_1|app|COMPLETED|00:00:10\n9_2|app|COMPLETED|00:00:20\n"
        "9_[3-9]|app|PENDING|00:00:00\n10|app|NODE_FAIL|00:00:05\n10|app|COMPLETED|00:00:30\n";
    EXPECT_EQ(values_at(read_profile(text), "app", "time", Values{1}), (Values{10, 20, 30}));
    const auto by_task =
        read_profile(text.substr(0, text.find("10|app")), "profile", {.set = "n={array_task}"});
    EXPECT_EQ(values_at(by_task, "app", "time", Values{2}), Values{20});
}

/// The lines of the table above, but for its header, in another order.
std::string in_order_of(bool (*before)(const std::string&, const std::string&)) {
    std::vector<std::string> lines;
    for (const std::string_view line : split(std::string_view(table).substr(0, table.size() - 1), '\n'))
        lines.emplace_back(line);
    std::stable_sort(lines.begin() + 1, lines.end(), before);
    return join(lines, "\n") + "\n";
}

// Sorted as text, 101.0 stands before 101, and 1010 between them.
TEST(Sacct, FindsTheJobOfAStepWhereverItStands) {
    const auto experiment = read_profile(table);
    const auto by_text = [](const std::string& a, const std::string& b) { return a < b; };
    const auto backwards = [](const std::string& a, const std::string& b) { return a > b; };
    const auto jobs_first = [](const std::string& a, const std::string& b) {
        return a.find('.') > a.find('|') && b.find('.') < b.find('|');
    };
    for (bool (*const before)(const std::string&, const std::string&) :
         std::initializer_list<bool (*)(const std::string&, const std::string&)>{by_text, backwards,
                                                                                 jobs_first}) {
        const std::string text = in_order_of(before);
        SCOPED_TRACE(text);
        const auto other = read_profile(text);
        ASSERT_EQ(other.series.size(), experiment.series.size());
        for (const auto& series : experiment.series) {
            const auto* const same =
                test::find_series(other, experiment.region(series).path, experiment.metric(series).name);
            ASSERT_NE(same, nullptr);
            for (const auto& m : series.measurements) {
                const auto point = experiment.point(m.point);
                EXPECT_EQ(
                    values_at(other, experiment.region(series).path, experiment.metric(series).name, point),
                    values_at(experiment, experiment.region(series).path, experiment.metric(series).name,
                              point));
            }
        }
    }
}

TEST(Sacct, RefusesStepsOfJobsThatStartedAgainInAnyOrder) {
    const std::string head = "JobID|JobName|State|Elapsed\n";
    const std::string job = "10|app|COMPLETED|00:00:30\n";
    const std::string step = "10.0|solve|COMPLETED|00:00:20\n";
    const auto whole = read_profile(head + job + step + job + step);
    EXPECT_EQ(values_at(whole, "app->solve", "time", Values{1}), (Values{20, 20}));
    test::expect_errors(
        {{head + job + job + step + step,
          "profile:5: step 10.0 is there once more, and nothing tells of which start of its job"},
         {head + step + job + step + job,
          "profile:4: step 10.0 is there once more, and nothing tells of which start of its job"},
         {head + step + job + job,
          "profile:4: job 10 was started again, and its steps stand before its lines"}});
}

// Slurm's values are inclusive, and those of a table without regions in regions are neither.
TEST(Sacct, StandsBesideAFlatTable) {
    const test::TemporaryFolder folder;
    folder.write("jobs.txt", table);
    folder.write("joules.csv", "nodes,region,time\n1,node,5\n2,node,7\n");
    folder.write("notes.csv", "a,b\nx,y\n");
    const auto experiment = test::read_profiles(std::array{folder.path().string()});
    EXPECT_TRUE(experiment.inclusive);
    EXPECT_EQ(values_at(experiment, "node", "time", Values{2}), Values{7});
    EXPECT_EQ(values_at(experiment, "lulesh", "time", Values{2}), Values{25 * 3600});
    EXPECT_NE(notes_of(experiment).find("is left out: cannot tell which column holds the values: a, b\n"),
              std::string::npos);
}

TEST(Sacct, NotesWhatItCannotKnow) {
    const auto experiment = read_profile("JobID|JobName|Elapsed\n1|app|00:00:10\n2.0|app|00:00:20\n");
    const std::string notes = notes_of(experiment);
    EXPECT_NE(notes.find("there is no column State, so that all jobs count as completed\n"),
              std::string::npos)
        << notes;
    EXPECT_NE(notes.find("job 2 has no line of its own: its steps stand for it\n"), std::string::npos)
        << notes;
}

// With a search through all steps for each of them, these take nine seconds.
TEST(Sacct, ReadsJobsOfManySteps) {
    std::string text = "JobID|JobName|State|ElapsedRaw\n1|app|COMPLETED|100\n";
    constexpr int steps = 80'000;
    for (int step = 0; step < steps; ++step) text += "1." + std::to_string(step) + "|solve|COMPLETED|2\n";
    const auto experiment = read_profile(text);
    EXPECT_EQ(values_at(experiment, "app->solve", "visits", Values{1}), Values{steps});
    EXPECT_EQ(values_at(experiment, "app->solve", "time", Values{1}), Values{2.0 * steps});
}

// Who asks for last week's jobs each day has some of them in two files.
TEST(Sacct, CountsAJobOnceOfWhichTwoFilesTell) {
    const test::TemporaryFolder folder;
    const std::string head = "JobID|JobName|State|NNodes|Elapsed\n";
    const std::vector<std::string> files{
        folder.write("monday", head + "1|app|COMPLETED|1|00:00:10\n2|app|COMPLETED|2|00:00:07\n"),
        folder.write("tuesday", head + "2|app|COMPLETED|2|00:00:07\n3|app|COMPLETED|2|00:00:07\n"
                                       "2|app|COMPLETED|2|00:00:08\n")};
    const auto experiment = test::read_profiles(files);
    EXPECT_EQ(values_at(experiment, "app", "time", Values{1}), Values{10});
    EXPECT_EQ(values_at(experiment, "app", "time", Values{2}), (Values{7, 7, 8}))
        << "2, 3 and a new start of 2";
    EXPECT_EQ(notes_of(experiment), "job 2 is left out: " + files[0] + " tells of it too\n");
}

TEST(Sacct, SaysWhatIsWrongWhere) {
    const std::string head = "JobID|JobName|State|Elapsed|MaxRSS|ConsumedEnergyRaw\n";
    const std::vector<std::pair<std::string, std::string>> wrong{
        {head + "1|a|COMPLETED|00:00:01|1K\n", "profile:2: the line has 5 fields, the header 6"},
        {head + "1|a|COMPLETED|00:00:01|1K|5|x\n", "profile:2: the line has 7 fields, the header 6"},
        {head + "1|a|COMPLETED|0:xx|1K|5\n", "profile:2: '0:xx' in column 'Elapsed' is no time"},
        {head + "1|a|COMPLETED|10|1K|5\n", "profile:2: '10' in column 'Elapsed' is no time"},
        {head + "1|a|COMPLETED|00:00:01|1Q|5\n",
         "profile:2: '1Q' in column 'MaxRSS' is no number that can be meant"},
        {head + "1|a|COMPLETED|00:00:01|1e999K|5\n",
         "profile:2: '1e999K' in column 'MaxRSS' is no number that can be meant"},
        {head + "1|a|COMPLETED|00:00:01|1K|-5\n",
         "profile:2: '-5' in column 'ConsumedEnergyRaw' is no number that can be meant"},
        {head + "|a|COMPLETED|00:00:01|1K|5\n", "profile:2: the line has no JobID"},
        {head, "profile: holds no measurements"},
        {head + "1|a|FAILED|00:00:01|1K|5\n2|a|TIMEOUT|00:00:01|1K|5\n",
         "profile: none of 2 jobs has completed"},
    };
    test::expect_errors(wrong);
}

}  // namespace
}  // namespace plimsoll::profile
