#include <gtest/gtest.h>

#include "plimsoll/experiment/transform.hpp"
#include "test/support/experiment_maker.hpp"

namespace plimsoll::experiment {
namespace {

/// Remarks on an experiment of two parameters at some points.
std::vector<std::string> remarks(const std::vector<std::vector<double>>& points) {
    test::ExperimentMaker maker({"nodes", "cores"});
    for (const std::vector<double>& point : points) maker.run("main", "time", point, 1.0);
    return coupled_parameter_remarks(maker.build());
}

TEST(CoupledParameters, AreThoseThatRiseTogether) {
    const std::vector<std::string> expected{
        "nodes and cores always rise together: their effects cannot be told apart; measure other "
        "combinations, "
        "or leave one of them out (a table: --parameter-columns nodes)"};
    EXPECT_EQ(remarks({{1, 48}, {2, 96}, {4, 192}}), expected);
    EXPECT_EQ(remarks({{4, 192}, {1, 48}, {2, 96}}), expected);
    EXPECT_EQ(remarks({{1, 48}, {2, 50}, {4, 500}}), expected);
}

TEST(CoupledParameters, MayAlsoFallAgainstEachOther) {
    ASSERT_EQ(remarks({{1, 64}, {2, 32}, {4, 16}}).size(), 1U);
    EXPECT_TRUE(
        remarks({{1, 64}, {2, 32}, {4, 16}})[0].starts_with("nodes and cores always change together"));
}

TEST(CoupledParameters, AreNotThoseOfAGridOrALine) {
    EXPECT_TRUE(remarks({{1, 48}, {2, 96}, {1, 96}, {2, 48}}).empty());
    EXPECT_TRUE(remarks({{1, 48}, {2, 48}, {1, 96}, {1, 192}}).empty());  // a cross
    EXPECT_TRUE(remarks({{1, 48}, {2, 48}, {4, 48}}).empty());
    EXPECT_TRUE(remarks({{1, 48}, {2, 96}, {4, 50}}).empty());
    EXPECT_TRUE(remarks({{1, 48}}).empty());
}

}  // namespace
}  // namespace plimsoll::experiment
