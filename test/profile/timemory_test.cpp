#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "test/support/most_memory.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/shared_data.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::profile {
namespace {

using test::read_profile;
using test::values_at;
using Values = std::vector<double>;

std::string error_of(const std::string& text) {
    try {
        (void)read_profile(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_FALSE(error.hint().empty());
        return error.what();
    }
    return {};
}

// All exclusive times of a rank add up to what its outermost node lacks, which is no region.
TEST(Timemory, ReadsTheTreesOfTwoRanks) {
    PLIMSOLL_SHARED_OR_SKIP(file, "data/realworld/format-fixtures/hatchet/timemory/wall.tree.json");
    const auto experiment = test::read_profiles(std::array{file});
    Values numbers;  // inclusive and exclusive in turn, node by node
    const std::string text = read_file(file);
    const std::string key = "\"repr_data\": ";
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
        numbers.push_back(std::strtod(text.c_str() + at + key.size(), nullptr));
    ASSERT_EQ(numbers.size(), 60U);
    Values own(2);
    for (std::size_t i = 1; i < numbers.size(); i += 2) own[i / 30] += i % 30 == 1 ? 0.0 : numbers[i];
    EXPECT_NEAR(own[0], -numbers[1], 1e-9);
    EXPECT_NEAR(own[1], -numbers[31], 1e-9);

    EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"p"});
    EXPECT_EQ(experiment.regions.size(), 14U);
    Values found(2);
    for (const auto& region : experiment.regions) {
        const Values times = values_at(experiment, region.path, "time", Values{2});
        ASSERT_EQ(times.size(), 2U) << region.path;
        found[0] += times[0];
        found[1] += times[1];
    }
    EXPECT_NEAR(found[0], own[0], 1e-9);
    EXPECT_NEAR(found[1], own[1], 1e-9);
    const std::string outer = "generate_history@hatchet_tests.cpp:114/outer-loop-0";
    EXPECT_EQ(values_at(experiment, outer, "time.inclusive", Values{2}), (Values{numbers[2], numbers[32]}));
    EXPECT_EQ(values_at(experiment, outer, "visits", Values{2}), (Values{3, 3}));
    EXPECT_TRUE(experiment.notes.empty());
}

const std::string list =
    R"({"timemory": {"wall_clock": {"properties": {"id": "wall_clock"}, "unit_repr": "msec",
  "ranks": [{"rank": 0, "graph": [
    {"prefix": "|0>>> main", "depth": 0, "entry": {"laps": 1, "repr_data": 1000}},
    {"prefix": "|0>>> |_solve", "depth": 1, "entry": {"laps": 4, "repr_data": 700}},
    {"prefix": "|0>>>   |_exchange", "depth": 2, "entry": {"laps": 8, "repr_data": 200}},
    {"prefix": "|0>>> |_write", "depth": 1, "entry": {"laps": 2, "repr_data": 100}},
    {"prefix": "|0>>> |_threads", "depth": 1, "entry": {"laps": 2, "repr_data": 50}},
    {"prefix": "|0>>>   |_task", "depth": 2, "entry": {"laps": 2, "repr_data": 75}}]}]},
  "peak_rss": {"type": "peak_rss", "unit_repr": "MB", "ranks": [{"rank": 0, "graph": [
    {"prefix": "|0>>> main", "depth": 0, "entry": {"laps": 1, "repr_data": 5}},
    {"prefix": "|0>>> |_solve", "depth": 1, "entry": {"laps": 1, "repr_data": 3}}]}]}}})";

TEST(Timemory, TakesTheTimeOfTheRegionsWithinFromLists) {
    const auto experiment = read_profile(list);
    const auto at = [&experiment](const char* region, const char* metric) {
        return values_at(experiment, region, metric, Values{1}).at(0);
    };
    EXPECT_NEAR(at("main", "time"), 0.15, 1e-12);
    EXPECT_NEAR(at("main->solve", "time"), 0.5, 1e-12);
    EXPECT_NEAR(at("main->solve->exchange", "time"), 0.2, 1e-12);
    EXPECT_NEAR(at("main->write", "time"), 0.1, 1e-12);
    EXPECT_NEAR(at("main->solve", "time.inclusive"), 0.7, 1e-12);
    EXPECT_EQ(at("main->solve", "visits"), 4.0);
    // The largest memory of a region is that of those within, too.
    EXPECT_EQ(at("main", "peak_rss"), 5e6);
    EXPECT_EQ(at("main->solve", "peak_rss"), 3e6);
    EXPECT_EQ(at("main->threads", "time"), 0.0);
    EXPECT_EQ(at("main->threads->task", "time"), 0.075);
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_EQ(experiment.notes[0].message,
              "time of 'main->threads' without that of the regions within is negative, and is taken for 0");
}

TEST(Timemory, KeepsWhatAnotherFormatOfThatNameTells) {
    const test::TemporaryFolder folder;
    const std::vector<std::string> files{
        folder.write(
            "run1",
            "1.92,msec,task-clock,1916763,100.00,0.007,CPUs utilized\n1200,,cycles,1916763,100.00,,\n"),
        folder.write("run1.json", list)};
    const auto experiment = test::read_profiles(files);
    EXPECT_EQ(values_at(experiment, "run", "cycles", Values{1}), Values{1200});
    EXPECT_EQ(values_at(experiment, "main", "time", Values{1}).size(), 1U);
}

TEST(Timemory, LeavesOutWhatIsThereTwice) {
    const test::TemporaryFolder folder;
    const std::string tree =
        R"({"timemory": {"wall_clock": {"properties": {"id": "wall_clock"}, "unit_repr": "sec", "graph": [[
          {"node": {"prefix": "main", "inclusive": {"entry": {"laps": 1, "repr_data": 2}},
                    "exclusive": {"entry": {"laps": 1, "repr_data": 2}}}, "children": []}]]}}})";
    for (const std::string ending : {"", ".gz"}) {  // compressed or not is seen in the file, not its name
        SCOPED_TRACE(ending);
        const std::string first = folder.write("both" + ending + "/wall.json" + ending, list);
        folder.write("both" + ending + "/wall.tree.json" + ending, tree);
        const auto experiment = test::read_profiles(std::array{folder / ("both" + ending)});
        EXPECT_EQ(values_at(experiment, "main", "time", Values{1}).size(), 1U);
        const auto told =
            std::find_if(experiment.notes.begin(), experiment.notes.end(), [&first](const auto& note) {
                return note.message == "is left out: " + first + " tells the same";
            });
        EXPECT_NE(told, experiment.notes.end());
    }
    const auto alone = test::read_profiles(std::array{folder / "both/wall.tree.json"});
    EXPECT_EQ(values_at(alone, "main", "time", Values{1}), Values{2});
}

TEST(Timemory, SaysWhatIsWrong) {
    const auto component = [](const std::string& rest) {
        return R"({"timemory": {"wall_clock": {"unit_repr": "sec", )" + rest + "}}}";
    };
    EXPECT_EQ(error_of(R"({"timemory": 1, "unit_repr": ""})"),
              "profile: holds no 'timemory' with components");
    EXPECT_EQ(error_of(component(R"("type": "wall")")),
              "profile: component 'wall_clock' has neither trees nor a list 'ranks'");
    EXPECT_EQ(error_of(component(R"("mpi": [[], [5]])")),
              "profile: component 'wall_clock', rank 1: a node of a tree is damaged");
    EXPECT_EQ(error_of(component(R"("mpi": [[{"node": {"prefix": "main"}, "children": [{"node": {}}]}]])")),
              "profile: component 'wall_clock', rank 0, below 'main': a node of a tree has no name");
    EXPECT_EQ(error_of(component(R"("ranks": [{"rank": 0}])")),
              "profile: component 'wall_clock', rank 0: has no list 'graph'");
    EXPECT_EQ(
        error_of(component(R"("ranks": [{"graph": [{"prefix": "a", "depth": 0}, {"prefix": "b"}]}])")),
        "profile: component 'wall_clock', rank 0, behind 'a': a row of 'graph' has no name or no depth");
    EXPECT_EQ(error_of(component(R"("ranks": [{"graph": []}])")), "profile: holds no measurements");
    EXPECT_EQ(error_of(R"({"timemory": {"wall_clock": {"unit_repr": )"),
              "profile:1: the JSON text ends too early");
    std::string deep;
    std::string end;
    for (int i = 0; i < 2000; ++i) {
        deep += R"([{"node": {"prefix": "a"}, "children": )";
        end += "}]";
    }
    std::string path = "a";
    for (int i = 1; i < 1000; ++i) path += "->a";
    EXPECT_EQ(error_of(component("\"mpi\": [" + deep + "[]" + end + "]")),
              "profile: component 'wall_clock', rank 0, below '..." + path.substr(path.size() - 100) +
                  "': has regions more than 1000 levels deep");
}

// Children of a node share its path, however long it is.
TEST(Timemory, TakesNoMemoryForEachChild) {
    constexpr int levels = 900;
    const std::string name(100, 'a');
    std::string tree;
    std::string end;
    for (int i = 0; i < levels; ++i) {
        tree += R"([{"node": {"prefix": ")" + name + R"("}, "children": )";
        end += "}]";
    }
    tree += "[";
    for (int i = 0; i < 10000; ++i) tree += R"({"node": {"prefix": "unknown-hash=0"}},)";
    tree +=
        R"({"node": {"prefix": "b", "inclusive": {"entry": {"laps": 1, "repr_data": 2}},
                     "exclusive": {"entry": {"laps": 1, "repr_data": 2}}}}])";
    const std::string text =
        R"({"timemory": {"wall_clock": {"unit_repr": "sec", "mpi": [)" + tree + end + "]}}}";
    const std::size_t before = test::most_memory();
    const auto experiment = read_profile(text);
    EXPECT_EQ(experiment.regions.size(), 1U);
    EXPECT_LT(test::most_memory() - before, std::size_t{300} << 20U);
}

}  // namespace
}  // namespace plimsoll::profile
