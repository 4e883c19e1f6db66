#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "test/support/profile_errors.hpp"
#include "test/support/read_profiles.hpp"

namespace plimsoll::profile {
namespace {

using test::read_profile;
using test::values_at;
using Values = std::vector<double>;

const std::string flat =
    "Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
    "  %   cumulative   self              self     total           \n"
    " time   seconds   seconds    calls  ms/call  ms/call  name    \n"
    " 84.35      0.16     0.16      500     0.32     0.32  leaf(int, char const*)\n"
    " 10.54      0.18     0.02       50     0.40     3.61  mid\n"
    "  5.27      0.19     0.01        1    10.02    10.02  rec\n"
    "  0.00      0.19     0.00                             operator new[](unsigned long)\n";

const std::string graph =
    "\f\n\t\t\tCall graph\n\n\ngranularity: each sample hit covers 2 byte(s) for 5.25% of 0.19 seconds\n\n"
    "index % time    self  children    called     name\n"
    "                                                 <spontaneous>\n"
    "[1]    100.0    0.00    0.19                 main [1]\n"
    "                0.02    0.16      50/50          mid <cycle 1> [2]\n"
    "-----------------------------------------------\n"
    "[6]     94.7    0.02    0.16      50+3       <cycle 1 as a whole> [6]\n"
    "-----------------------------------------------\n"
    "                0.02    0.16      50/50          main [1]\n"
    "[2]     94.7    0.02    0.16      50         mid <cycle 1> [2]\n"
    "                0.16    0.00     500/500         leaf(int, char const*) [3]\n"
    "-----------------------------------------------\n"
    "                0.16    0.00     500/500         mid <cycle 1> [2]\n"
    "[3]     84.2    0.16    0.00     500         leaf(int, char const*) [3]\n"
    "-----------------------------------------------\n"
    "                             7049154             rec [4]\n"
    "[4]      5.3    0.01    0.00       1+7049154 rec [4]\n"
    "                             7049154             rec [4]\n"
    "-----------------------------------------------\n\n"
    " This table describes the call tree of the program.\n[7] 1 2 3 x\n\nIndex by function name\n\n"
    "   [3] leaf                    [2] mid                     [4] rec\n";

// The columns of the table stand at fixed places, which the reader does not use.
TEST(Gprof, ReadsTheFlatProfile) {
    const auto experiment = read_profile(flat);
    std::map<std::string, std::pair<double, double>> planted;
    std::istringstream lines(flat);
    for (std::string line; std::getline(lines, line);) {
        if (line.size() > 54 && line[3] == '.')
            planted[line.substr(54)] = {std::atof(line.substr(17, 9).c_str()),
                                        std::atof(line.substr(26, 9).c_str())};
    }
    ASSERT_EQ(planted.size(), 4U);
    for (const auto& [name, values] : planted) {
        EXPECT_EQ(values_at(experiment, name, "time", Values{1}), Values{values.first}) << name;
        EXPECT_EQ(values_at(experiment, name, "visits", Values{1}),
                  values.second > 0 ? Values{values.second} : Values{})
            << name;
    }
    EXPECT_EQ(test::find_series(experiment, "mid", "time.inclusive"), nullptr);
    EXPECT_FALSE(experiment.inclusive);
}

TEST(Gprof, ReadsInclusiveTimesAndRecursionFromTheCallGraph) {
    const auto experiment = read_profile(flat + graph);
    const auto at = [&](const char* region, const char* metric) {
        return values_at(experiment, region, metric, Values{1});
    };
    EXPECT_EQ(at("main", "time"), Values{0}) << "not in the flat profile";
    EXPECT_EQ(at("main", "time.inclusive"), Values{0.19});
    EXPECT_EQ(at("mid", "time"), Values{0.02});
    EXPECT_EQ(at("mid", "time.inclusive"), Values{0.02 + 0.16});
    EXPECT_EQ(at("mid", "visits"), Values{50});
    EXPECT_EQ(at("rec", "visits"), Values{1 + 7049154});
    EXPECT_EQ(at("leaf(int, char const*)", "time.inclusive"), Values{0.16});
    EXPECT_EQ(at("operator new[](unsigned long)", "time"), Values{0});
    EXPECT_EQ(experiment.regions.size(), 5U) << "no cycle, and nothing of the explanation";
}

TEST(Gprof, ReadsACallGraphAlone) {
    const auto experiment = read_profile(graph);
    EXPECT_EQ(values_at(experiment, "mid", "time", Values{1}), Values{0.02});
    EXPECT_EQ(values_at(experiment, "mid", "visits", Values{1}), Values{50});
    EXPECT_EQ(values_at(experiment, "main", "time.inclusive", Values{1}), Values{0.19});
}

TEST(Gprof, TakesCallsOfTheFlatProfileWhereTheGraphHasNoneOfThatName) {
    const std::string more = flat + "  0.00      0.19     0.00        7     0.00     0.00  lonely\n";
    const auto experiment = read_profile(more + graph);
    EXPECT_EQ(values_at(experiment, "lonely", "visits", Values{1}), Values{7});
    EXPECT_EQ(values_at(experiment, "rec", "visits", Values{1}), Values{1 + 7049154}) << "not once more";
    EXPECT_EQ(values_at(experiment, "mid", "visits", Values{1}), Values{50});
}

// Whatever line the graph ends with, a cut of it is seen.
TEST(Gprof, RefusesACallGraphThatIsCut) {
    const std::size_t begin = graph.find("index %");
    const std::string last_line = "rec [4]\n-----------------------------------------------\n";
    const std::size_t end = graph.find(last_line) + last_line.size();
    const std::string whole = flat + graph.substr(0, end);
    EXPECT_NO_THROW((void)read_profile(whole));
    std::size_t line = 1;
    for (std::size_t size = 1; size < whole.size(); ++size) {
        const bool is_whole = whole[size - 1] == '\n';
        const bool is_between = is_whole && whole.substr(0, size).ends_with("---\n");
        if (size >= flat.size() + begin && !is_between) {
            SCOPED_TRACE(size);
            try {
                (void)read_profile(whole.substr(0, size));
                ADD_FAILURE() << "nothing is wrong";
            } catch (const Error& error) {
                EXPECT_EQ(std::string(error.what()), "profile:" + std::to_string(line) +
                                                         (is_whole ? ": the call graph ends too early"
                                                                   : ": the file ends within a line"));
                EXPECT_EQ(error.hint(), "let gprof write the file again");
            }
        }
        if (is_whole) ++line;
    }
    // What follows the table is no part of its last entry.
    try {
        (void)read_profile(graph.substr(0, graph.find("---", graph.find("[4] "))) + "\n\f\n");
        ADD_FAILURE() << "nothing is wrong";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "profile:24: the call graph ends too early");
    }
}

TEST(Gprof, SaysWhatIsWrongWhere) {
    const std::string head = flat.substr(0, flat.find(" 84.35"));
    const std::vector<std::pair<std::string, std::string>> wrong{
        {head + " 84.35      0.1\n", "profile:6: the row has no times and no name"},
        {head + " 84.35      0.16     0.16  leaf(in", "profile:6: the file ends within a line"},
        {head + " 84.35      0.16     0.16\n", "profile:6: the row has no times and no name"},
        {head + " 84.35      0.16     1e999  500 0.32 0.32 leaf\n",
         "profile:6: the row has no times and no name"},
        {graph.substr(0, graph.find("[1]")) + "[1]  100.0\n", "profile:9: the row has no times and no name"},
        {head, "profile: holds no measurements"},
    };
    test::expect_errors(wrong);
}

}  // namespace
}  // namespace plimsoll::profile
