#include "plimsoll/measure/design.hpp"

#include <gtest/gtest.h>

#include <set>

#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::measure {
namespace {

using Rows = std::vector<std::string>;

Rows rows(const Points& points) {
    Rows result;
    for (const Point& point : points.points) result.push_back(describe(points.names, point));
    return result;
}

std::vector<ParameterValues> parameters(const std::vector<std::string>& texts) {
    std::vector<ParameterValues> result;
    for (const std::string& text : texts) result.push_back(parse_parameter(text));
    return result;
}

TEST(Grid, HoldsEachCombinationOnce) {
    const Points points = design_points(parameters({"n=10,20", "t=1,2,4"}), Design::grid);
    EXPECT_EQ(rows(points),
              (Rows{"n=10, t=1", "n=10, t=2", "n=10, t=4", "n=20, t=1", "n=20, t=2", "n=20, t=4"}));
}

TEST(Lines, RunThroughTheSmallestValuesAndHaveACorner) {
    const Points points = design_points(parameters({"n=30,10,20", "t=1,2,4"}), Design::lines);
    EXPECT_EQ(rows(points),
              (Rows{"n=30, t=1", "n=10, t=1", "n=20, t=1", "n=10, t=2", "n=10, t=4", "n=30, t=4"}));
}

TEST(Lines, TakeAsManyPointsAsThePageSays) {
    const std::vector<std::string> all{"a=1..16*2", "b=1..16*2", "c=1..16*2", "d=1..16*2"};
    const std::vector<std::size_t> counts{5, 10, 16, 23};
    for (std::size_t m = 1; m <= all.size(); ++m) {
        SCOPED_TRACE(m);
        const Points points = design_points(
            parameters({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m)}), Design::lines);
        EXPECT_EQ(points.points.size(), counts[m - 1]);
        const Rows written = rows(points);
        EXPECT_EQ(std::set(written.begin(), written.end()).size(), counts[m - 1]) << "each once";
    }
}

TEST(Lines, AreThePointsThemselvesForParametersOfOneValue) {
    EXPECT_EQ(rows(design_points(parameters({"n=1", "t=2"}), Design::lines)), (Rows{"n=1, t=2"}));
}

TEST(Design, RefusesAParameterThatIsGivenTwice) {
    EXPECT_THROW(static_cast<void>(design_points(parameters({"n=1", "n=2"}), Design::grid)), Error);
}

TEST(PointsFile, IsACsvTable) {
    const test::TemporaryFolder folder;
    const Points points = read_points(folder.write("points.csv", "n,t\n# a remark\n1000, 1\n2000,2\n\n"));
    EXPECT_EQ(rows(points), (Rows{"n=1000, t=1", "n=2000, t=2"}));
    EXPECT_EQ(rows(read_points(folder.write("tabs.tsv", "n\tt\n1\t2\n"))), (Rows{"n=1, t=2"}));
}

TEST(PointsFile, IsJsonLines) {
    const test::TemporaryFolder folder;
    const Points points = read_points(
        folder.write("points.jsonl", "{\"n\": 1e3, \"t\": 1}\n{\"params\": {\"t\": 2, \"n\": 2000}}\n"));
    EXPECT_EQ(points.names, (Rows{"n", "t"}));
    EXPECT_EQ(points.points[0][0].number, 1000.0);
    EXPECT_EQ(points.points[1][0].text, "2000");
}

TEST(PointsFile, SaysWhatIsWrongAndWhere) {
    const test::TemporaryFolder folder;
    const auto refusal = [&](const std::string& content) -> std::string {
        const std::string path = folder.write("points", content);
        try {
            (void)read_points(path);
        } catch (const Error& error) {
            return std::string(error.what()).substr(path.size());
        }
        return "it was read";
    };
    EXPECT_EQ(refusal("n,t\n1\n"), ":2: has 1 cell, the first line 2");
    EXPECT_EQ(refusal("n,t\n1,x\n"), ":2: 'x' is not a number for 't'");
    EXPECT_EQ(refusal("n,t\n"), ": holds no points");
    EXPECT_EQ(refusal("n\n1\n2\n1\n"), ": the point n=1 stands there twice");
    EXPECT_EQ(refusal("{\"n\":1}\n{\"m\":1}\n"), ":2: has no 'n'");
    EXPECT_EQ(refusal("{\"n\":1}\n{\"n\":2,\"m\":1}\n"), ":2: has a parameter that the first line has not");
    EXPECT_EQ(refusal("n,t\n1000,1\n1e3,1\n"), ": the point n=1000, t=1 stands there twice");
    EXPECT_EQ(refusal("{\"n\":1000}\n{\"n\":\"1e3\"}\n"), ": the point n=1000 stands there twice");
    EXPECT_EQ(refusal("run,t\n1,2\n"), ":1: no parameter can be called 'run'");
    EXPECT_EQ(refusal("{\"n\":1,\"run\":2}\n"), ":1: no parameter can be called 'run'");
    EXPECT_EQ(refusal("{\"a b\":1}\n"), ":1: 'a b' is no name for a parameter");
    EXPECT_EQ(refusal("{\"n\":1}\n{}\n"), ":2: is not an object of parameters");
}

}  // namespace
}  // namespace plimsoll::measure
