#include "plimsoll/experiment/units.hpp"

#include <gtest/gtest.h>

#include "plimsoll/experiment/experiment.hpp"
#include "test/support/experiment_maker.hpp"

namespace plimsoll::experiment {
namespace {

TEST(UnitFactor, ConvertsWithinAQuantityAlone) {
    EXPECT_DOUBLE_EQ(unit_factor("s", "ms").value(), 1000.0);
    EXPECT_DOUBLE_EQ(unit_factor("ms", "s").value(), 1e-3);
    EXPECT_DOUBLE_EQ(unit_factor("h", "min").value(), 60.0);
    EXPECT_DOUBLE_EQ(unit_factor("us", "ns").value(), 1000.0);
    EXPECT_DOUBLE_EQ(unit_factor("GiB", "MiB").value(), 1024.0);
    EXPECT_DOUBLE_EQ(unit_factor("GB", "B").value(), 1e9);
    EXPECT_DOUBLE_EQ(unit_factor("Wh", "kJ").value(), 3.6);
    EXPECT_DOUBLE_EQ(unit_factor("s", "s").value(), 1.0);
    EXPECT_FALSE(unit_factor("s", "B"));
    EXPECT_FALSE(unit_factor("J", "W"));
    EXPECT_FALSE(unit_factor("furlong", "s"));
    EXPECT_FALSE(unit_factor("", ""));
}

TEST(IsTime, AsksTheUnitThenTheName) {
    const auto is = [](const char* name, const char* unit) {
        return is_time({.name = name, .unit = unit, .tags = {}});
    };
    EXPECT_TRUE(is("anything", "us"));
    EXPECT_TRUE(is("wall_time", ""));
    EXPECT_TRUE(is("Elapsed", ""));
    EXPECT_TRUE(is("", "")) << "files without a METRIC mean time";
    EXPECT_TRUE(is("<default>", ""));
    EXPECT_FALSE(is("time", "B")) << "the unit knows better";
    EXPECT_FALSE(is("energy", "J"));
    EXPECT_FALSE(is("timesteps", ""));
    EXPECT_FALSE(is("flops", ""));
}

TEST(RepetitionMeans, AreOneForEachRun) {
    const Experiment experiment = test::ExperimentMaker({"p"})
                                      .run("f", "time", {1}, {1, 3})
                                      .run("f", "time", {1}, {5, 7})
                                      .run("g", "time", {1}, 2)
                                      .summary("h", "time", {1}, {.mean = 1})
                                      .build();
    const auto means = [&](std::size_t series) {
        return repetition_means(experiment.series[series], experiment.series[series].measurements[0]);
    };
    EXPECT_EQ(means(0), (std::vector<double>{2, 6}));
    EXPECT_EQ(means(1), std::vector<double>{2});
    EXPECT_TRUE(means(2).empty());
}

}  // namespace
}  // namespace plimsoll::experiment
