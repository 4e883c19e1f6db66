#include "plimsoll/model/explanation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "plimsoll/model/fit.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model {
namespace {

const std::vector<double> coordinates = test::powers_of_two(1, 7);

/// 2 + p at seven points, each run with a relative error of 1 %; the values of one point times `shift`.
experiment::ExperimentBuilder line(int repetitions, double shifted_p, double shift, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(1.0, 0.01);
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const auto series = builder.series(builder.region("main"), builder.metric("time"));
    for (const double p : coordinates) {
        std::vector<double> runs;
        for (int r = 0; r < repetitions; ++r)
            runs.push_back((2.0 + p) * normal(random) * (p == shifted_p ? shift : 1.0));
        builder.add_repetitions(series, builder.point({&p, 1}, {}), runs, {});
    }
    return builder;
}

Explanation explained(const experiment::Experiment& experiment, double coverage = 0.9) {
    const Fit fit = fit_all(experiment, {}, 1, silent()).front();
    return explain(experiment, experiment.series.front(), fit.posterior, Statistic::mean, coverage);
}

TEST(Explanation, CountsAllProbability) {
    const experiment::Experiment experiment = line(5, 0.0, 1.0, 1).build();
    const Fit fit = fit_all(experiment, {}, 1, silent()).front();
    const Explanation e = explained(experiment);
    double total = e.other_probability;
    int named = 0;
    for (const ExplainedForm& form : e.forms) {
        total += form.probability;
        if (!form.is_named) continue;
        ++named;
        EXPECT_EQ(form.function.constant, fit.function.constant);
        EXPECT_EQ(form.function.terms.size(), fit.function.terms.size());
    }
    EXPECT_EQ(named, 1);
    EXPECT_NEAR(total, 1.0, 1e-6);
    EXPECT_EQ(e.forms.size() + e.other_forms, fit.posterior.forms.size());
    EXPECT_LE(e.forms.size(), 11U);
}

TEST(Explanation, MeasuresResidualsInDeviationsOfTheirPoint) {
    const Explanation e = explained(line(5, 0.0, 1.0, 2).build());
    ASSERT_EQ(e.points.size(), coordinates.size());
    EXPECT_EQ(e.source, DeviationSource::repetitions);
    EXPECT_NEAR(e.noise.run_deviation, 0.01, 0.004);  // 28 degrees of freedom: 13 %, three times
    for (std::size_t i = 0; i < e.points.size(); ++i) {
        const ExplainedPoint& point = e.points[i];
        EXPECT_EQ(point.at, std::vector<double>{coordinates[i]});
        EXPECT_EQ(point.repetitions, 5U);
        EXPECT_LE(point.modelled.low, point.modelled.value);
        EXPECT_GE(point.modelled.high, point.modelled.value);
        EXPECT_DOUBLE_EQ(point.residual,
                         (point.measured - point.modelled.value) / std::abs(point.modelled.value));
        EXPECT_NEAR(point.deviations, point.residual / (e.noise.run_deviation / std::sqrt(5.0)), 1e-9);
    }
    EXPECT_NEAR(e.limit, 1.70, 0.005) << "Student's, 28 degrees of freedom, 5 % on each side";
}

TEST(Explanation, MarksFewPointsOfATrueModel) {
    // 700 points of which at most 10 % are beyond the limit: fewer, since the model follows them.
    int outside = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        for (const ExplainedPoint& point : explained(line(5, 0.0, 1.0, seed).build()).points)
            outside += point.is_outside ? 1 : 0;
    }
    EXPECT_LE(outside, 90);
    EXPECT_GE(outside, 5);
}

TEST(Explanation, MarksAPointThatIsOff) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        const Explanation e = explained(line(5, 16.0, 1.08, seed).build());
        EXPECT_TRUE(e.points[3].is_outside);
        EXPECT_GT(e.points[3].deviations, 5.0);
    }
}

TEST(Explanation, JudgesByTheResidualsWhereThereAreNoRepetitions) {
    const Explanation e = explained(line(1, 0.0, 1.0, 3).build());
    EXPECT_TRUE(std::isnan(e.noise.run_deviation));
    EXPECT_EQ(e.source, DeviationSource::residuals);
    EXPECT_GT(e.deviation, 0.003);
    EXPECT_LT(e.deviation, 0.03);
    double squares = 0.0;
    for (const ExplainedPoint& point : e.points) squares += point.deviations * point.deviations;
    EXPECT_LE(squares, 7.0);
    EXPECT_GE(squares, 1.0);
}

TEST(Explanation, FindsNothingWrongWithExactValues) {
    const Explanation e =
        explained(test::PlantedExperiment({"p"})
                      .add("main", test::grid({coordinates}),
                           test::planted_values(test::grid({coordinates}), [](auto x) { return 2.0 + x[0]; }))
                      .build());
    for (const ExplainedPoint& point : e.points) {
        EXPECT_FALSE(point.is_outside);
        EXPECT_NEAR(point.residual, 0.0, 1e-6);
    }
}

TEST(Explanation, SaysWhereOutliersLie) {
    experiment::ExperimentBuilder builder = line(5, 0.0, 1.0, 4);
    const std::vector<double> p{8.0};
    const auto series = builder.series(builder.region("main"), builder.metric("time"));
    builder.add_repetitions(series, builder.point(p, {}), std::vector<double>{100.0}, {});
    const Explanation e = explained(builder.build());
    ASSERT_EQ(e.noise.outliers.size(), 1U);
    EXPECT_EQ(e.noise.outliers.front().value, 100.0);
    EXPECT_EQ(e.noise.outliers.front().at, p);
    EXPECT_NEAR(e.points[2].measured, 10.0, 0.1) << "it is left out";
}

TEST(Explanation, HasADocument) {
    JsonWriter json;
    const Explanation e = explained(line(3, 0.0, 1.0, 5).build(), 0.5);
    write(json, e, {"p"});
    const auto document = nlohmann::json::parse(json.take());
    EXPECT_EQ(document["points"].size(), 7U);
    EXPECT_EQ(document["points"][0]["at"]["p"], 2.0);
    EXPECT_EQ(document["points"][0]["interval"]["coverage"], 0.5);
    EXPECT_EQ(document["points"][0]["deviations"], e.points[0].deviations);
    EXPECT_EQ(document["deviation_from"], "repetitions");
    EXPECT_EQ(document["forms"].size(), e.forms.size());
    EXPECT_EQ(document["noise"]["drifts"], false);
}

}  // namespace
}  // namespace plimsoll::model
