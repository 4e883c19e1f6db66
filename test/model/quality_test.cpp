#include "plimsoll/model/quality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/model/fit.hpp"
#include "plimsoll/numeric/least_squares.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model {
namespace {

using test::Points;

/// The definitions of Fitness, as its comments put them.
Fitness by_definition(const std::vector<double>& predictions, const std::vector<double>& y,
                      std::size_t terms) {
    const auto n = static_cast<double>(y.size());
    double mean = 0.0;
    for (const double value : y) mean += value / n;
    double about_mean = 0.0;
    Fitness fitness{.rss = 0.0, .smape = 0.0};
    for (std::size_t i = 0; i < y.size(); ++i) {
        fitness.rss += std::pow(predictions[i] - y[i], 2);
        fitness.smape +=
            200.0 * std::abs(predictions[i] - y[i]) / (std::abs(predictions[i]) + std::abs(y[i])) / n;
        about_mean += std::pow(y[i] - mean, 2);
    }
    fitness.r2 = 1.0 - fitness.rss / about_mean;
    fitness.adjusted_r2 = 1.0 - (1.0 - fitness.r2) * (n - 1.0) / (n - static_cast<double>(terms) - 1.0);
    return fitness;
}

/// Each point of a function without segments predicted by solving again without it.
std::vector<double> refitted_without_each(const Function& form, const Points& points,
                                          const std::vector<double>& y) {
    const std::size_t columns = form.terms.size() + 1;
    const auto row = [&](const std::vector<double>& point) {
        std::vector<double> values{1.0};
        for (const Term& term : form.terms) values.push_back(factor_product(term.factors, point));
        return values;
    };
    std::vector<double> predictions;
    for (std::size_t left_out = 0; left_out < y.size(); ++left_out) {
        std::vector<double> matrix;
        std::vector<double> others;
        for (std::size_t i = 0; i < y.size(); ++i) {
            if (i == left_out) continue;
            const std::vector<double> values = row(points[i]);
            matrix.insert(matrix.end(), values.begin(), values.end());
            others.push_back(y[i]);
        }
        const std::vector<double> solution = numeric::solve_least_squares(matrix, columns, others);
        const std::vector<double> values = row(points[left_out]);
        double prediction = 0.0;
        for (std::size_t k = 0; k < columns; ++k) prediction += solution[k] * values[k];
        predictions.push_back(prediction);
    }
    return predictions;
}

/// The same by each segment from its own points; the first segment has the points up to its border.
std::vector<double> refitted_by_segment(const Function& function, const Points& points,
                                        const std::vector<double>& y) {
    if (function.segments.empty()) return refitted_without_each(function, points, y);
    std::vector<double> predictions(y.size());
    for (std::size_t s = 0; s < function.segments.size(); ++s) {
        Points own;
        std::vector<double> own_y;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < y.size(); ++i) {
            const bool in_first = points[i][0] <= function.segments.front().to;
            if (in_first != (s == 0)) continue;
            own.push_back(points[i]);
            own_y.push_back(y[i]);
            places.push_back(i);
        }
        const std::vector<double> part = refitted_without_each(function.segments[s].function, own, own_y);
        for (std::size_t i = 0; i < places.size(); ++i) predictions[places[i]] = part[i];
    }
    return predictions;
}

std::size_t terms_of(const Function& function) {
    if (function.segments.empty()) return function.terms.size();
    std::size_t terms = function.segments.size() - 1;  // one more constant for each further segment
    for (const Segment& segment : function.segments) terms += segment.function.terms.size();
    return terms;
}

void expect_near(const Fitness& seen, const Fitness& expected) {
    EXPECT_NEAR(seen.rss, expected.rss, 1e-8 * expected.rss);
    EXPECT_NEAR(seen.smape, expected.smape, 1e-8 * expected.smape);
    EXPECT_NEAR(seen.r2, expected.r2, 1e-8);
    EXPECT_NEAR(seen.adjusted_r2, expected.adjusted_r2, 1e-8);
}

void expect_plain_definitions(const Function& function, const Quality& quality, const Points& points,
                              const std::vector<double>& y) {
    std::vector<double> predictions;
    for (const std::vector<double>& point : points) predictions.push_back(function(point));
    expect_near(quality.in_sample, by_definition(predictions, y, terms_of(function)));
    expect_near(quality.leave_one_out,
                by_definition(refitted_by_segment(function, points, y), y, terms_of(function)));
}

struct Kind {
    std::string name;
    std::vector<std::string> parameters;
    Points points;
    test::Planted planted;
    FitOptions options;
    std::size_t least_terms;
};

TEST(Quality, MeansTheSameForEveryKindOfModel) {
    const std::vector<double> axis = test::powers_of_two(1, 5);
    const Points line = test::grid({test::powers_of_two(0, 11)});
    // No form follows values that change sides from point to point.
    const auto up_and_down = [](auto x) {
        double exponents = 0.0;
        for (const double value : x) exponents += std::log2(value);
        return std::fmod(exponents, 2.0) == 0.0 ? 7.5 : 6.5;
    };
    const std::vector<Kind> kinds{
        {"constant", {"p"}, line, up_and_down, {}, 0},
        {"single", {"p"}, line, [](auto x) { return 3.0 + x[0] * x[0]; }, {}, 1},
        {"refining",
         {"p"},
         line,
         [](auto x) { return 3.0 + x[0] * x[0]; },
         {.modeler = Modeler::refining},
         1},
        {"segmented",
         {"p"},
         line,
         [](auto x) { return x[0] <= 40 ? 5.0 + x[0] : 9000.0 + 100.0 * x[0]; },
         {.modeler = Modeler::segmented},
         3},
        {"constant of two", {"p", "n"}, test::grid({axis, axis}), up_and_down, {}, 0},
        {"one of two", {"p", "n"}, test::grid({axis, axis}), [](auto x) { return 2.0 + x[1]; }, {}, 1},
        {"two of two",
         {"p", "n"},
         test::grid({axis, axis}),
         [](auto x) { return 2.0 + 5.0 * x[0] + x[0] * x[1]; },
         {},
         2},
        {"three",
         {"p", "n", "m"},
         test::grid({axis, axis, axis}),
         [](auto x) { return 2.0 + 5.0 * x[0] * x[1] + 20.0 * x[2]; },
         {},
         2}};
    for (const Kind& kind : kinds) {
        SCOPED_TRACE(kind.name);
        const std::vector<double> y = test::planted_values(kind.points, kind.planted, 0.003);
        const auto experiment = test::PlantedExperiment(kind.parameters).add("main", kind.points, y).build();
        FitOptions options = kind.options;
        options.search = Search::extra_p;
        const Fit fit = fit_all(experiment, options, 1, silent()).front();
        EXPECT_GE(terms_of(fit.function), kind.least_terms) << "the example is to be of its kind";
        EXPECT_EQ(terms_of(fit.function) == 0, kind.least_terms == 0);
        expect_plain_definitions(fit.function, fit.quality, kind.points, y);
    }
}

TEST(Assess, AgreesWithAndWithoutColumnsGiven) {
    const Points points = test::grid({{1, 2, 3}, {4, 5, 9}});
    const Function function{.constant = 1.0,
                            .terms = {{.coefficient = 2.0, .factors = {{.parameter = 0, .exponent = 1}}},
                                      {.coefficient = 0.5, .factors = {{.parameter = 1, .exponent = 2}}}}};
    const std::vector<double> y = test::planted_values(points, function, 0.1);
    std::vector<std::vector<double>> columns(2);
    for (const auto& point : points) {
        columns[0].push_back(point[0]);
        columns[1].push_back(point[1] * point[1]);
    }
    const std::vector<std::span<const double>> spans(columns.begin(), columns.end());
    const Quality by_columns = assess(function, spans, y);
    const Quality by_points = assess(function, test::flat(points), y);
    expect_near(by_columns.in_sample, by_points.in_sample);
    expect_near(by_columns.leave_one_out, by_points.leave_one_out);
    expect_plain_definitions(function, by_points, points, y);
}

TEST(Assess, CallsAnExactModelPerfect) {
    const Points points = test::grid({{1, 2, 3, 4, 5}});
    const Function function{.constant = 1.0, .terms = {{.coefficient = 2.0, .factors = {{.exponent = 1}}}}};
    const Quality quality = assess(function, test::flat(points), test::planted_values(points, function));
    for (const Fitness& fitness : {quality.in_sample, quality.leave_one_out}) {
        EXPECT_NEAR(fitness.rss, 0.0, 1e-24);
        EXPECT_NEAR(fitness.smape, 0.0, 1e-11);
        EXPECT_NEAR(fitness.r2, 1.0, 1e-14);
        EXPECT_NEAR(fitness.adjusted_r2, 1.0, 1e-14);
    }
}

TEST(Assess, OfTheMeanHasR2Zero) {
    const std::vector<double> x{1, 2, 3, 4};
    const std::vector<double> y{1.0, 3.0, 2.0, 6.0};
    const Quality quality = assess(Function{.constant = 3.0}, x, y);
    EXPECT_NEAR(quality.in_sample.r2, 0.0, 1e-15);
    EXPECT_NEAR(quality.in_sample.adjusted_r2, 0.0, 1e-15);
    // The mean of the others misses by n/(n-1) of what the mean misses.
    EXPECT_NEAR(quality.leave_one_out.rss, quality.in_sample.rss * 16.0 / 9.0, 1e-12);
}

TEST(Assess, KnowsNoR2OfValuesThatAreAllEqual) {
    for (std::size_t n = 2; n < 40; ++n) {
        SCOPED_TRACE(n);
        const std::vector<double> x(n, 2.0);
        const std::vector<double> y(n, 0.1);  // whose mean is off by rounding for some n
        double mean = 0.0;
        for (const double value : y) mean += value;
        const Quality quality = assess(Function{.constant = mean / static_cast<double>(n)}, x, y);
        EXPECT_TRUE(std::isnan(quality.in_sample.r2));
        EXPECT_TRUE(std::isnan(quality.leave_one_out.r2));
        EXPECT_NEAR(quality.leave_one_out.smape, 0.0, 1e-12);
    }
}

TEST(Assess, SaysNothingWhereAPointHasNoOthers) {
    const std::vector<double> one{4.0};
    const Quality quality = assess(Function{.constant = 4.0}, one, one);
    EXPECT_EQ(quality.in_sample.rss, 0.0);
    EXPECT_TRUE(std::isnan(quality.in_sample.r2));
    EXPECT_TRUE(std::isnan(quality.in_sample.adjusted_r2));
    EXPECT_TRUE(std::isnan(quality.leave_one_out.rss));
    EXPECT_TRUE(std::isnan(quality.leave_one_out.smape));
}

TEST(Assess, KnowsNoAdjustedR2WithoutAFreePoint) {
    const std::vector<double> x{1, 2};
    const std::vector<double> y{1, 5};
    const Function line{.constant = -3.0, .terms = {{.coefficient = 4.0, .factors = {{.exponent = 1}}}}};
    EXPECT_TRUE(std::isnan(assess(line, x, y).in_sample.adjusted_r2));
    EXPECT_TRUE(std::isnan(assess(line, x, y).leave_one_out.rss)) << "each point is needed for the line";
}

TEST(Assess, CountsAnErrorOfZeroAgainstZeroAsNone) {
    const std::vector<double> x{1, 2, 3};
    const std::vector<double> y{0, 0, 0};
    EXPECT_EQ(assess(Function{}, x, y).in_sample.smape, 0.0);
    EXPECT_EQ(assess(Function{}, x, y).leave_one_out.smape, 0.0);
}

}  // namespace
}  // namespace plimsoll::model
