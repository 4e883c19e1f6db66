#include <gtest/gtest.h>

#include "plimsoll/experiment/transform.hpp"
#include "test/support/experiment_maker.hpp"

namespace plimsoll::experiment {
namespace {

using Maker = test::ExperimentMaker;

Maker falling() {
    Maker maker({"p", "n"});
    for (const double p : {8.0, 2.0, 4.0}) {
        for (const double n : {1.0, 2.0}) {
            maker.run("Main", "time", {p, n}, {n * 100 / p});
            maker.run("Main->f", "time", {p, n}, {n * 20 / p + p});
        }
    }
    return maker;
}

TEST(StrongScalingRemark, NamesTheParameterAlongWhichTheTotalFalls) {
    const auto remarks = strong_scaling_remarks(falling().build());
    ASSERT_EQ(remarks.size(), 1U);
    // The line with the larger sum has n = 2: (200 + 40) / p + p.
    EXPECT_EQ(
        remarks[0],
        "the total time falls at every step of p (122 s at p=2, 64 s at p=4, 38 s at p=8); this may be "
        "strong scaling: if the problem is the same at every value of p, --scaling strong models what all "
        "processes take together");
}

TEST(StrongScalingRemark, IsNotMadeWhereTheTotalRisesOnceOrTheValuesAreConverted) {
    EXPECT_TRUE(strong_scaling_remarks(falling().run("Main", "time", {16, 2}, {100}).build()).empty());
    EXPECT_TRUE(strong_scaling_remarks(transform(falling().build(), {.scaling = Scaling::strong})).empty());
    EXPECT_TRUE(strong_scaling_remarks(Experiment{}).empty());
    EXPECT_TRUE(strong_scaling_remarks(Maker({"p"}).run("m", "time", {1}, {5}).build()).empty());
}

TEST(StrongScalingRemark, DoesNotTakeAGapForAFall) {
    // The total of all that was measured falls from 30 to 10 since g is missing at p=4; that of f does not
    // fall.
    const Experiment experiment = Maker({"p"})
                                      .run("f", "time", {2}, {10})
                                      .run("f", "time", {4}, {10})
                                      .run("g", "time", {2}, {20})
                                      .build();
    EXPECT_TRUE(strong_scaling_remarks(experiment).empty());
}

TEST(StrongScalingRemark, LooksAtOtherMetricsWhereThereIsNoTime) {
    const auto remarks =
        strong_scaling_remarks(Maker({"p"}).run("f", "seconds", {2}, 10).run("f", "seconds", {4}, 5).build());
    ASSERT_EQ(remarks.size(), 1U);
    EXPECT_EQ(remarks[0].substr(0, 62), "the total seconds falls at every step of p (10 at p=2, 5 at p=");
}

TEST(StrongScalingRemark, IsNotMadeWhereTheConversionWouldChangeNothing) {
    // Flops are no time, and there is one value a run.
    EXPECT_TRUE(
        strong_scaling_remarks(Maker({"p"}).run("f", "flops", {2}, 10).run("f", "flops", {4}, 5).build())
            .empty());
    // Along n the number of processes stays.
    EXPECT_TRUE(strong_scaling_remarks(
                    Maker({"p", "n"}).run("f", "time", {2, 1}, 10).run("f", "time", {2, 2}, 5).build())
                    .empty());
}

TEST(StrongScalingRemark, IsMadeOfAFallFarBeyondTheSpreadAlone) {
    const auto remarks = [](double last, double spread) {
        return strong_scaling_remarks(Maker({"p"})
                                          .run("f", "time", {2}, 10 - spread)
                                          .run("f", "time", {2}, 10 + spread)
                                          .run("f", "time", {4}, last)
                                          .run("f", "time", {4}, last)
                                          .build())
            .size();
    };
    EXPECT_EQ(remarks(9, 0.1), 0U) << "a tenth is not much";
    EXPECT_EQ(remarks(7, 0.1), 1U);
    EXPECT_EQ(remarks(7, 2), 0U) << "three, with a spread of two";
}

TEST(StrongScalingRemark, TakesTheDifferenceOfProcessesForNoSpread) {
    const Experiment experiment = Maker({"p"})
                                      .run("f", "time", {2}, {1, 19})
                                      .run("f", "time", {2}, {1, 19})
                                      .run("f", "time", {4}, {1, 9})
                                      .run("f", "time", {4}, {1, 9})
                                      .build();
    EXPECT_EQ(strong_scaling_remarks(experiment).size(), 1U);
}

TEST(StrongScalingRemark, TakesTheRootForTheTotalOfInclusiveValues) {
    const Experiment experiment = transform(falling().build(), {.tree = TreeAggregate::inclusive});
    const auto remarks = strong_scaling_remarks(experiment);
    ASSERT_EQ(remarks.size(), 1U);
    EXPECT_NE(remarks[0].find("(122 s at p=2"), std::string::npos) << remarks[0];
}

TEST(StrongScalingRemark, PassesOverRegionsTaggedAsNoPartOfSums) {
    Experiment experiment = Maker({"p"})
                                .run("f", "time", {2}, {10})
                                .run("f", "time", {4}, {5})
                                .run("g", "time", {2}, {10})
                                .run("g", "time", {4}, {50})
                                .build();
    EXPECT_TRUE(strong_scaling_remarks(experiment).empty());
    experiment.regions[1].tags = R"({"agg__disabled": true})";
    EXPECT_EQ(strong_scaling_remarks(experiment).size(), 1U);
}

}  // namespace
}  // namespace plimsoll::experiment
