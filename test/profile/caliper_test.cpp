#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/caliper_metric.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/shared_data.hpp"

namespace plimsoll::profile {
namespace {

using test::read_profile;
using test::values_at;
using Values = std::vector<double>;

/// Lines with the attributes of a time, of nested regions and of the size of the job.
const std::string attributes =
    "__rec=node,id=31,attr=10,data=268,parent=3\n"
    "__rec=node,id=32,attr=8,data=function,parent=31\n"
    "__rec=node,id=40,attr=10,data=65,parent=5\n"
    "__rec=node,id=41,attr=8,data=sum#time.duration,parent=40\n"
    "__rec=node,id=42,attr=8,data=count,parent=40\n"
    "__rec=node,id=50,attr=10,data=65,parent=1\n"
    "__rec=node,id=51,attr=8,data=mpi.rank,parent=50\n"
    "__rec=node,id=60,attr=10,data=588,parent=1\n"
    "__rec=node,id=61,attr=8,data=jobsize,parent=60\n";

// The table was made from the same files by another program.
TEST(Caliper, AgreesWithATableOfLulesh) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/realworld/thicket-tutorial/mpi_scaling_cali");
    PLIMSOLL_SHARED_OR_SKIP(table, "data/realworld/thicket-tutorial/mpi_scaling_regions.csv");
    const auto experiment = test::read_profiles(std::array{folder});
    EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"p"});
    EXPECT_EQ(experiment.point_count(), 5U);
    EXPECT_TRUE(experiment.inclusive);
    EXPECT_EQ(experiment.metrics.front().name, "time");
    const std::map<std::string, std::string> metric_of{{"avg#inclusive#sum#time.duration", "time"},
                                                       {"min#inclusive#sum#time.duration", "time.min"},
                                                       {"max#inclusive#sum#time.duration", "time.max"},
                                                       {"sum#inclusive#sum#time.duration", "time.total"}};
    std::ifstream file(table);
    std::string line;
    std::getline(file, line);
    const auto header = split(trim(line), ',');
    const std::vector<std::string> columns(header.begin(), header.end());
    int compared = 0;
    while (std::getline(file, line)) {
        // ranks,path,"{""mpi.function"": ""MPI_Wait"", ...}",numbers
        const std::size_t quote = line.find('"');
        const std::size_t end = line.find("}\"");
        const auto front = split(std::string_view(line).substr(0, quote), ',');
        const auto numbers = split(trim(std::string_view(line).substr(end + 3)), ',');
        std::string region;
        for (const std::string_view level : split(front[1], '/'))
            region += (region.empty() ? "" : "->") + std::string(level);
        const std::string mark = "mpi.function\"\": \"\"";
        if (const std::size_t function = line.find(mark); function < end) {
            const std::size_t begin = function + mark.size();
            region += (region.empty() ? "" : "->") + line.substr(begin, line.find('"', begin) - begin);
        }
        if (region.empty()) region = "(outside regions)";
        const double ranks = *parse_number(front[0]);
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            const auto metric = metric_of.find(columns[k + 3]);
            if (metric == metric_of.end()) continue;
            SCOPED_TRACE(region + " " + metric->second);
            EXPECT_EQ(values_at(experiment, region, metric->second, Values{ranks}),
                      Values{*parse_number(numbers[k])});
            ++compared;
        }
    }
    EXPECT_EQ(compared, 4 * 230);
}

TEST(Caliper, ReadsEveryFixture) {
    PLIMSOLL_SHARED_OR_SKIP(hatchet, "data/realworld/format-fixtures/hatchet");
    // Sums of the columns over all records, taken from the files' lines by hand (awk).
    const auto old_lulesh =
        test::read_profiles(std::array{hatchet + "/caliper-lulesh-cali/lulesh-annotation-profile.cali"});
    EXPECT_EQ(values_at(old_lulesh, "main->lulesh.cycle->TimeIncrement", "time", Values{1}),
              Values{0.000102});
    EXPECT_EQ(values_at(old_lulesh, "main->lulesh.cycle->TimeIncrement", "visits", Values{1}), Values{10});
    EXPECT_EQ(values_at(old_lulesh, "main->lulesh.cycle", "time", Values{1}), Values{0.000206});
    EXPECT_FALSE(old_lulesh.inclusive);
    const auto example =
        test::read_profiles(std::array{hatchet + "/caliper-example-cali/example-profile.cali"});
    EXPECT_EQ(values_at(example, "main", "time", Values{1}), Values{0.301407});
    EXPECT_TRUE(example.inclusive);
    const auto ordered = test::read_profiles(
        std::array{hatchet + "/caliper-ordered-cali/230525-151052_1930517_eWbGeyrlBOPT.cali"});
    EXPECT_EQ(values_at(ordered, "main", "time", Values{1}), Values{1.250952});
}

TEST(Caliper, ReadsRepetitionsOfOneConfigurationAndTimesInNanoseconds) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/realworld/thicket-tutorial/quartz/GCC_10.3.1_BaseSeq_08388608/O0");
    const auto experiment = test::read_profiles(std::array{folder});
    ASSERT_EQ(experiment.point_count(), 1U);
    const auto coordinates = experiment.point(experiment::PointId{0});
    const auto times = values_at(experiment, "(outside regions)", "time", coordinates);
    ASSERT_EQ(times.size(), 10U);
    EXPECT_DOUBLE_EQ(times.front(), 101.576449111);
}

TEST(Caliper, KeepsValuesOfEachProcess) {
    const auto experiment = read_profile(attributes +
                                         "__rec=node,id=70,attr=32,data=main\n"
                                         "__rec=node,id=71,attr=32,data=so\\,l\\=ve,parent=70\n"
                                         "__rec=ctx,ref=70,attr=41=51,data=1.5=0\n"
                                         "__rec=ctx,ref=71,attr=41=51,data=4=1\n"
                                         "__rec=ctx,ref=70,attr=41=42=51,data=2.5=3=1\n"
                                         "__rec=ctx,ref=70,attr=41=51,data=0.5=1\n"
                                         "__rec=globals,attr=61,data=2\n");
    EXPECT_EQ(values_at(experiment, "main", "time", Values{2}), (Values{1.5, 3}));
    EXPECT_EQ(values_at(experiment, "main", "visits", Values{2}), (Values{0, 3}));
    EXPECT_EQ(values_at(experiment, "main->so,l=ve", "time", Values{2}), (Values{0, 4}));
    EXPECT_EQ(experiment.metrics[0].unit, "s");
}

TEST(Caliper, SaysWhatIsWrongWhere) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"__rec=ctx,ref=70,attr=41,data=1\n", "profile:10: node 70 is not there"},
        {"__rec=ctx,attr=41=42,data=1\n", "profile:10: there are 1 values for 2 attributes"},
        {"__rec=node,id=70\n", "profile:10: a node has an id, an attribute and its data"},
        {"__rec=node,id=41,attr=8,data=x\n", "profile:10: node 41 is there twice"},
        {"__rec=node,id=99999999,attr=8,data=x\n", "profile:10: node 99999999 comes after 62 others"},
        {"__rec=node,id=-5,attr=8,data=x\n", "profile:10: '-5' is no number of a node"},
        {"__rec=thing,id=5\n", "profile:10: 'thing' is no kind of record of Caliper's"},
        {"hello\n", "profile:10: 'hello' is no record of Caliper's"},
        {"__rec=node,id\n", "profile:10: 'id' has no value"},
        {"__rec=ctx,attr=41=51,data=1=x\n", "profile:10: 'x' is no rank of a process"},
        {"", "profile: holds no measurements"},
    };
    for (const auto& [line, message] : wrong) {
        SCOPED_TRACE(line);
        try {
            (void)read_profile(attributes + line);
            ADD_FAILURE() << "nothing is wrong";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_EQ(std::string(error.what()), message);
            EXPECT_FALSE(error.hint().empty());
        }
    }
}

// Sums over the rows of the files' data, taken by a JSON parser of their own.
TEST(CaliperJson, AgreesWithAPlainSumOnEveryFixture) {
    PLIMSOLL_SHARED_OR_SKIP(hatchet, "data/realworld/format-fixtures/hatchet");
    for (const char* const name : {"/caliper-cpi-json/cpi-callpath-profile.json",
                                   "/caliper-lulesh-json/lulesh-annotation-profile.json",
                                   "/caliper-ordered-json/caliper-region-node-order.json"}) {
        SCOPED_TRACE(name);
        const auto experiment = test::read_profiles(std::array{hatchet + name});
        const auto document = nlohmann::json::parse(std::ifstream(hatchet + name));
        const std::vector<std::string> columns = document["columns"];
        std::size_t time = 0;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i] == "sum#time.duration" || columns[i] == "time") time = i;
        }
        const std::size_t rank =
            static_cast<std::size_t>(std::find(columns.begin(), columns.end(), "mpi.rank") - columns.begin());
        std::map<int, double> expected;
        for (const auto& row : document["data"]) {
            if (row[time].is_number())
                expected[row[rank].is_number() ? row[rank].get<int>() : 0] += row[time].get<double>();
        }
        std::map<int, double> sums;
        for (const auto& series : experiment.series) {
            if (experiment.metric(series).name != "time") continue;
            for (std::size_t i = 0; i < series.values.size(); ++i)
                sums[static_cast<int>(i)] += series.values[i];
        }
        ASSERT_EQ(sums.size(), expected.size());
        for (const auto& [process, sum] : expected) EXPECT_NEAR(sums.at(process), sum, 1e-9 * sum);
    }
    const auto lulesh =
        test::read_profiles(std::array{hatchet + "/caliper-lulesh-json/lulesh-annotation-profile.json"});
    EXPECT_NE(test::find_series(lulesh, "main->LagrangeLeapFrog->LagrangeElements", "time.inclusive"),
              nullptr);
}

TEST(CaliperJson, SaysWhatIsWrong) {
    const std::string good =
        R"({"data": [[0, 1.5, 0]], "columns": ["mpi.rank", "time", "path"],
            "column_metadata": [{"is_value": true}, {"is_value": true}, {"is_value": false}], "nodes": [{"label": "main", "column": "path"}]})";
    EXPECT_EQ(values_at(read_profile(good), "main", "time", Values{1}), Values{1.5});
    const std::vector<std::pair<std::pair<std::string, std::string>, std::string>> wrong{
        {{"1.5, 0]", "1.5, 7]"}, "profile: row 0 of the data refers to node 7 of 1"},
        {{"1.5, 0]", "1.5]"}, "profile: row 0 of the data does not have 3 values"},
        {{"[[0,", "[[-1,"}, "profile: row 0 of the data has the rank -1"},
        {{", {\"is_value\": false}", ""}, "profile: describes 2 of 3 columns"},
        {{"\"column\": \"path\"", "\"parent\": 0"},
         "profile: node 0 is below node 0, which does not come before it"},
        {{"\"nodes\"", "\"knots\""}, "profile: holds no list 'nodes'"},
    };
    for (const auto& [change, message] : wrong) {
        SCOPED_TRACE(message);
        std::string text = good;
        text.replace(text.find(change.first), change.first.size(), change.second);
        try {
            (void)read_profile(text);
            ADD_FAILURE() << "nothing is wrong";
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()), message);
        }
    }
}

TEST(CaliperMetric, IsNamedByItsOperations) {
    const auto name = [](const char* column) { return detail::caliper_metric(column).name; };
    EXPECT_EQ(name("sum#time.duration"), "time");
    EXPECT_EQ(name("avg#inclusive#sum#time.duration"), "time");
    EXPECT_EQ(name("max#sum#time.duration"), "time.max");
    EXPECT_EQ(name("avg#time.duration"), "time.visit_mean");
    EXPECT_EQ(name("any#any#max#BlockSize"), "BlockSize");
    EXPECT_EQ(name("any#topdown.retiring"), "topdown.retiring");
    EXPECT_EQ(name("iteration#main"), "iteration#main");
    EXPECT_EQ(name("count"), "visits");
    EXPECT_EQ(name("sum#count"), "visits");
    EXPECT_EQ(name("min#min#aggregate.slot"), "");
    EXPECT_EQ(name("avg.count#inclusive#sum#time.duration"), "");
    EXPECT_EQ(detail::caliper_metric("sum#sum#time.duration.ns").factor, 1e-9);
    EXPECT_TRUE(detail::caliper_metric("inclusive#sum#time.duration.ns").is_inclusive);
    EXPECT_TRUE(detail::caliper_metric("time.inclusive.duration").is_inclusive);
}

TEST(Caliper, RefusesAFileThatEndsWithinALine) {
    const std::string whole =
        attributes + "__rec=node,id=70,attr=32,data=main\n__rec=ctx,ref=70,attr=41,data=9253.1\n";
    EXPECT_EQ(values_at(read_profile(whole), "main", "time", Values{1}), Values{9253.1});
    const auto lines = std::count(whole.begin(), whole.end(), '\n');
    for (std::size_t cut = 1; cut < 5; ++cut) {
        try {
            (void)read_profile(whole.substr(0, whole.size() - cut));
            ADD_FAILURE() << cut;
        } catch (const Error& error) {
            EXPECT_EQ(error.what(), fmt::format("profile:{}: the file ends within a line", lines));
        }
    }
}

TEST(Caliper, TakesRanksWithGapsBetweenThem) {
    const auto experiment = read_profile(attributes +
                                         "__rec=node,id=70,attr=32,data=main\n"
                                         "__rec=ctx,ref=70,attr=41=51,data=1.5=9000000\n"
                                         "__rec=ctx,ref=70,attr=41=51,data=2.5=3\n");
    EXPECT_EQ(values_at(experiment, "main", "time", Values{1}), (Values{2.5, 1.5}));
}

TEST(Caliper, TellsWhatIsLeftOut) {
    const auto experiment = read_profile(attributes +
                                         "__rec=node,id=70,attr=32,data=main\n"
                                         "__rec=node,id=80,attr=8,data=kernel,parent=40\n"
                                         "__rec=ctx,ref=70,attr=41=80,data=1.5=saxpy\n");
    EXPECT_EQ(values_at(experiment, "main", "time", Values{1}), Values{1.5});
    ASSERT_FALSE(experiment.notes.empty());
    EXPECT_EQ(experiment.notes.front().message,
              "left out: columns that are hidden, texts or parts of others: kernel");
    EXPECT_TRUE(experiment.notes.front().is_detail);
}

}  // namespace
}  // namespace plimsoll::profile
