#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/file.hpp"
#include "test/support/profile_errors.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/shared_data.hpp"

namespace plimsoll::profile {
namespace {

using test::read_profile;
using test::values_at;
using Values = std::vector<double>;

const std::string head =
    "digraph {\n\ttooltip=\" \"\n\tgraph [fontname=Arial, nodesep=0.125, ranksep=0.25];\n"
    "\tnode [fontcolor=white, label=\"\", shape=box];\n\tedge [fontname=Arial];\n";

// A regular expression over each label of the file, which knows nothing of the rest.
TEST(Gprof2dot, ReadsTheLabelsOfAFixture) {
    PLIMSOLL_SHARED_OR_SKIP(file,
                            "data/realworld/format-fixtures/hatchet/gprof2dot-cpi/callgrind.dot.64042.0.1");
    const auto experiment = test::read_profiles(std::array{file});
    const std::regex label(R"re(label="[^"]*\\n([^"\\]+)\\n([0-9.]+)%\\n\(([0-9.]+)%\)\\n([0-9]+)×"\];)re");
    std::istringstream lines(read_file(file));
    std::size_t nodes = 0;
    for (std::string line; std::getline(lines, line);) {
        std::smatch found;
        if (!std::regex_search(line, found, label)) continue;
        ++nodes;
        const Values point{1};
        EXPECT_EQ(values_at(experiment, found[1].str(), "share.inclusive", point),
                  Values{std::stod(found[2])});
        EXPECT_EQ(values_at(experiment, found[1].str(), "share", point), Values{std::stod(found[3])});
        EXPECT_EQ(values_at(experiment, found[1].str(), "visits", point), Values{std::stod(found[4])});
    }
    EXPECT_GT(nodes, 50U);
    EXPECT_EQ(experiment.regions.size(), nodes);
    for (const auto& metric : experiment.metrics) EXPECT_EQ(metric.unit, metric.name == "visits" ? "" : "%");
}

TEST(Gprof2dot, ReadsNodesOfEveryProfiler) {
    const auto experiment = read_profile(
        head +
        "\t1 [color=\"#ff0000\", label=\"main\\n100.00%\\n(0.00%)\"];\n"
        "\t1 -> 2 [label=\"94.74%\\n50\xC3\x97\", penwidth=\"3.79\"];\n"
        "\t2 [label=\"~:0:<built-in method\\nbuiltins.exec>\\n94.74%\\n(10.53%)\\n50\xC3\x97\", "
        "tooltip=\"~\"];\n"
        "\t\"a \\\"b\\\" -> c\" [label=\"lib.so\\na \\\"b\\\" to c\\n7.00%\\n(3.00%)\\n2\xC3\x97\"];\n"
        "\t\"int add(int, int)\" [label=\"int add(int,\\nint)\\n7.00%\\n(3.00%)\\n4\xC3\x97\"];\n"
        "\tbare [color=red];\n}\n");
    EXPECT_EQ(values_at(experiment, "main", "share.inclusive", Values{1}), Values{100});
    EXPECT_EQ(values_at(experiment, "main", "share", Values{1}), Values{0});
    EXPECT_EQ(test::find_series(experiment, "main", "visits"), nullptr);
    EXPECT_EQ(values_at(experiment, "~:0:<built-in method builtins.exec>", "visits", Values{1}), Values{50});
    EXPECT_EQ(values_at(experiment, "a \"b\" to c", "share", Values{1}), Values{3});
    EXPECT_EQ(values_at(experiment, "int add(int, int)", "visits", Values{1}), Values{4}) << "cut into lines";
    EXPECT_EQ(experiment.regions.size(), 4U);
}

TEST(Gprof2dot, SaysWhatIsWrongWhere) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {head + "\t1 [label=\"main\\n100.00%\"];\n", "profile:6: the graph is not closed"},
        {head + "\t1 [label=\"main\\n100.0", "profile:6: quotation marks are not closed"},
        {head + "\t1 [label=\"main\\n100.00%\"", "profile:6: an attribute of the node has no value"},
        {head + "\t1 [label];\n}\n", "profile:6: an attribute of the node has no value"},
        {head + "\tmain;\n}\n", "profile:6: this is neither a node nor an edge"},
        {head + "\t1 [label=\"main\\n1e999%\"];\n}\n", "profile:6: 1e999 is no finite number"},
        // 99.93 and (10.35, with bytes swapped.
        {head + "\t1 [label=\"main\\n9993.%\\n(1.00%)\"];\n}\n", "profile:6: 9993. % is no share of a whole"},
        {head + "\t1 [label=\"main\\n10.00%\\n(100.01%)\"];\n}\n",
         "profile:6: 100.01 % is no share of a whole"},
        {head + "\t1 [label=\"main\\n-1%\"];\n}\n", "profile:6: -1 % is no share of a whole"},
        {head + "\t1 [label=\"PMPI_Bcast\\n10.35%)\"];\n}\n", "profile:6: '10.35%)' is no share"},
        {head + "}\n", "profile: holds no measurements"},
    };
    test::expect_errors(wrong);
}

}  // namespace
}  // namespace plimsoll::profile
