#include "plimsoll/model/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "plimsoll/core/error.hpp"
#include "plimsoll/model/detail/basic_search.hpp"
#include "plimsoll/model/detail/candidates.hpp"
#include "plimsoll/model/detail/combinations.hpp"
#include "plimsoll/model/formula.hpp"
#include "plimsoll/numeric/least_squares.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model {
namespace {

using detail::Form;
using test::PlantedExperiment;
using test::Points;

const std::vector<std::string> names{"p", "n", "m"};

std::vector<std::string> first_names(std::size_t count) {
    return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// The fit of one series.
Fit fit_one(const Points& points, const std::vector<double>& values,
            const FitOptions& options = {.search = Search::extra_p}) {
    const auto experiment =
        PlantedExperiment(first_names(points.front().size())).add("main", points, values).build();
    return fit_all(experiment, options, 1, silent()).front();
}

/// The form of a function: its terms without coefficients, in alphabetical order.
std::string form_of(const Function& function) {
    std::vector<std::string> terms;
    for (const Term& term : function.terms) {
        terms.push_back(formula({.terms = {{.coefficient = 1.0, .factors = term.factors}}}, names));
    }
    std::sort(terms.begin(), terms.end());
    std::string text;
    for (const std::string& term : terms) text += (text.empty() ? "" : " + ") + term;
    return text;
}

std::string form_of(const Form& form) {
    return form_of(
        Function{.terms = {{.factors = {{.exponent = form.exponent, .log_exponent = form.log_exponent}}}}});
}

/// What every part of a fit is, bit by bit.
std::string fingerprint(const Fit& fit) {
    std::string bits = std::string(enum_name(fit.status)) + fit.reason + formula(fit.function, names);
    for (const double value :
         {fit.scores.rss, fit.scores.smape, fit.scores.normalized_rss, fit.scores.relative_error,
          fit.quality.in_sample.rss, fit.quality.leave_one_out.smape}) {
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        bits.append(bytes, sizeof value);
    }
    for (const std::string& warning : fit.warnings) bits += warning;
    for (const Function& other : fit.equals) bits += formula(other, names);
    return bits;
}

/// Per cent by which a form misses values, each predicted from the others.
double score(const Form& form, const std::vector<double>& x, const std::vector<double>& y) {
    return detail::score_form(*detail::FormDesign::make(form, x), detail::Values(y), {}).score;
}

/// By how much the best other form misses exact values of a form: how well the points tell it apart.
double distance_to_others(const Form& planted, const std::vector<double>& x, const std::vector<double>& exact,
                          const std::vector<Form>& forms) {
    double least = std::numeric_limits<double>::infinity();
    for (const Form& other : forms) {
        if (other != planted) least = std::min(least, score(other, x, exact));
    }
    return least;
}

TEST(FitAll, FindsEveryFormOfOneParameterThatThePointsTellApart) {
    const std::vector<double> x = test::powers_of_two(1, 12);
    const Points points = test::grid({x});
    const auto forms = detail::candidate_forms({});
    int found_exactly = 0;
    int found_in_noise = 0;
    for (const Form& form : forms) {
        SCOPED_TRACE(form_of(form));
        const auto truth = [&](auto p) {
            return 3.0 + 2.0 * power_log(p[0], form.exponent, form.log_exponent);
        };
        const std::vector<double> exact = test::planted_values(points, truth);
        const double distance = distance_to_others(form, x, exact, forms);
        if (distance > 1e-6) {
            const Fit fit = fit_one(points, exact);
            EXPECT_EQ(form_of(fit.function), form_of(form));
            EXPECT_NEAR(fit.function.terms.front().coefficient, 2.0, 1e-6);
            ++found_exactly;
        }
        const std::vector<double> values = test::planted_values(points, truth, 0.01);
        const Fit noisy = fit_one(points, values);
        if (distance > 3.0 * score(form, x, values)) {  // noise cannot make up for so much
            EXPECT_EQ(form_of(noisy.function), form_of(form));
            ++found_in_noise;
        }
        // Told apart or not, a model follows the measurements; least squares go by the largest.
        for (const auto& point : points)
            EXPECT_NEAR(noisy.function(point), truth(point), 0.03 * truth(points.back()));
    }
    EXPECT_EQ(found_exactly, 42) << "on exact data every form differs from all others";
    EXPECT_GE(found_in_noise, 10) << "the examples are to show noise as well";
}

TEST(FitAll, FindsEveryCombinationOfTwoAndThreeParameters) {
    const std::vector<Factor> factors{{.parameter = 0, .exponent = 1},
                                      {.parameter = 1, .exponent = Rational(1, 2)},
                                      {.parameter = 2, .log_exponent = 1}};
    for (const std::size_t axes : {2U, 3U}) {
        const Points points = test::grid(std::vector<std::vector<double>>(axes, test::powers_of_two(1, 5)));
        for (const auto& products : detail::combination_forms(axes, Combinations::mixed)) {
            Function planted{.constant = 10.0};
            for (const std::uint32_t product : products) {
                Term term{.coefficient = 3.0, .factors = {}};
                for (std::size_t k = 0; k < axes; ++k) {
                    if ((product >> k & 1U) != 0) term.factors.push_back(factors[k]);
                }
                planted.terms.push_back(std::move(term));
            }
            SCOPED_TRACE(formula(planted, names));
            EXPECT_EQ(form_of(fit_one(points, test::planted_values(points, planted)).function),
                      form_of(planted));
            // A hundredth of noise moves the form now and then, but not the values.
            const Fit noisy = fit_one(points, test::planted_values(points, planted, 0.01));
            for (const auto& point : points) {
                EXPECT_NEAR(noisy.function(point), planted(point), 0.03 * planted(points.back()));
            }
        }
    }
}

TEST(FitAll, DropsParametersThatDoNotMatter) {
    const Points points = test::grid(std::vector<std::vector<double>>(3, test::powers_of_two(1, 5)));
    const Fit one = fit_one(points, test::planted_values(points, [](auto x) { return 2.0 + x[1] * x[1]; }));
    EXPECT_EQ(form_of(one.function), "n^2");
    EXPECT_TRUE(one.equals.empty()) << "one term has nothing to be combined with";
    const Fit constant = fit_one(points, std::vector<double>(points.size(), 4.0));
    EXPECT_TRUE(constant.function.terms.empty());
    EXPECT_EQ(constant.function.constant, 4.0);
}

TEST(FitAll, OfAllFormsIsTheSameBesideAParameterOfOneValue) {
    // Twelve points of a product beside a term of one parameter, which are no grid.
    const Points points{{1, 2},  {2, 2},   {4, 2},   {8, 2},  {16, 2}, {16, 4},
                        {16, 8}, {16, 16}, {16, 32}, {4, 16}, {2, 32}, {1, 32}};
    const auto values = test::planted_values(
        points, [](auto x) { return 1.0 + 3.0 * x[0] + 2.0 * x[0] * x[1]; }, 0.02);
    const Fit two = fit_one(points, values, {});
    for (const std::size_t place : {0U, 1U, 2U}) {
        SCOPED_TRACE(place);
        const auto with_third = [place](std::vector<double> point) {
            point.insert(point.begin() + static_cast<std::ptrdiff_t>(place), 7.0);
            return point;
        };
        Points wider;
        for (const auto& point : points) wider.push_back(with_third(point));
        const Fit three = fit_one(wider, values, {});
        const std::vector<double> far{64, 128};
        EXPECT_EQ(three.function(with_third(far)), two.function(far));
        const Estimate found = estimate(three.posterior, with_third(far), 0.9);
        const Estimate expected = estimate(two.posterior, far, 0.9);
        EXPECT_EQ(found.low, expected.low);
        EXPECT_EQ(found.high, expected.high);
    }
}

TEST(FitAll, FindsProductsOfSumsThatPowersImitate) {
    // A step of a network: batch, depth and image size, with first layers and what each layer costs to start.
    const auto step = [](std::span<const double> x) {
        return (2.4 + x[1]) * (1.7e-3 + 7e-8 * x[0] * x[2] * x[2]);
    };
    Points points = test::cross({{24, 16, 12, 8, 4}, {32, 26, 20, 14, 8}, {32, 28, 24, 20, 16}});
    for (const double batch : {4.0, 24.0}) {
        for (const double depth : {8.0, 32.0}) points.push_back({batch, depth, 16});
    }
    points.push_back({4, 8, 32});
    for (const unsigned seed : {1U, 2U, 3U, 4U}) {
        SCOPED_TRACE(seed);
        const Fit fit = fit_one(points, test::planted_values(points, step, 0.005, seed), {});
        for (const std::vector<double>& far : Points{{48, 14, 24}, {8, 50, 16}, {12, 8, 48}, {24, 44, 40}}) {
            EXPECT_NEAR(fit.function(far), step(far), 0.03 * step(far)) << far[0] << " " << far[1];
        }
    }
}

TEST(FitAll, OfOneParameterAmongTwoTakesTheBetterOfItsLineAndAllPoints) {
    // Along p there is one line of five points. The others are elsewhere, and too few to make a model of n.
    Points points = test::cross({{1, 2, 4, 8, 16}, {10}});
    for (const double p : {3.0, 5.0, 12.0, 20.0}) points.push_back({p, 20.0});
    int own = 0;
    int refitted = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        std::vector<double> values = test::planted_values(
            points, [](auto x) { return 5.0 + 2.0 * x[0]; }, 0.05, seed);
        const Fit fit = fit_one(points, values);
        if (fit.function.terms.size() != 1) continue;
        std::vector<double> matrix;
        for (const auto& point : points) {
            matrix.insert(matrix.end(), {1.0, factor_product(fit.function.terms.front().factors, point)});
        }
        const std::vector<double> c = numeric::solve_least_squares(matrix, 2, values);
        Function to_all = fit.function;
        to_all.constant = c[0];
        to_all.terms.front().coefficient = c[1];
        const double smape_of_all = assess(to_all, test::flat(points), values).in_sample.smape;
        EXPECT_LE(fit.quality.in_sample.smape, smape_of_all + 1e-9);
        ++(fit.quality.in_sample.smape < smape_of_all - 1e-9 ? own : refitted);
        // By squares, least squares over all points are best.
        const Fit by_rss =
            fit_one(points, values, {.search = Search::extra_p, .combination_ranking = Ranking::rss});
        EXPECT_NEAR(by_rss.function.terms.front().coefficient, c[1], 1e-9);
    }
    EXPECT_GT(own, 3) << "the examples are to show both";
    EXPECT_GT(refitted, 3);
}

TEST(FitAll, ChoosesAlikeWhateverTheUnit) {
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    for (const std::size_t axes : {1U, 2U, 3U}) {
        const Points points =
            test::grid(std::vector<std::vector<double>>(axes, test::powers_of_two(1, axes == 1 ? 9 : 5)));
        for (const Modeler modeler : {Modeler::basic, Modeler::refining, Modeler::segmented}) {
            for (unsigned seed = 0; seed < 5; ++seed) {
                SCOPED_TRACE(testing::Message()
                             << axes << " parameters, " << enum_name(modeler) << ", seed " << seed);
                const double power = 1.0 + 0.5 * normal(random);
                auto values = test::planted_values(
                    points, [&](auto x) { return 5.0 + std::pow(x[0], power); }, 0.02, seed);
                const Fit expected = fit_one(points, values, {.search = Search::extra_p, .modeler = modeler});
                for (double& value : values) value = std::ldexp(value, -37);
                const Fit seen = fit_one(points, values, {.search = Search::extra_p, .modeler = modeler});
                EXPECT_EQ(form_of(seen.function), form_of(expected.function));
                EXPECT_EQ(seen.function(points[3]), std::ldexp(expected.function(points[3]), -37));
                EXPECT_EQ(seen.scores.smape, expected.scores.smape);
            }
        }
    }
}

TEST(FitAll, DoesNotDependOnTheOrderOfThePoints) {
    std::mt19937 random(3);
    for (const std::size_t axes : {1U, 2U, 3U}) {
        Points points =
            test::grid(std::vector<std::vector<double>>(axes, test::powers_of_two(1, axes == 1 ? 9 : 5)));
        for (const Modeler modeler : {Modeler::basic, Modeler::refining, Modeler::segmented}) {
            SCOPED_TRACE(testing::Message() << axes << " parameters, " << enum_name(modeler));
            std::vector<double> values = test::planted_values(
                points, [](auto x) { return 5.0 + x.front() * std::sqrt(x.front()) + 2.0 * x.back(); }, 0.02);
            const Fit expected = fit_one(points, values, {.search = Search::extra_p, .modeler = modeler});
            for (int round = 0; round < 5; ++round) {
                std::vector<std::size_t> order(points.size());
                for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
                std::shuffle(order.begin(), order.end(), random);
                Points mixed;
                std::vector<double> mixed_values;
                for (const std::size_t i : order) {
                    mixed.push_back(points[i]);
                    mixed_values.push_back(values[i]);
                }
                const Fit seen =
                    fit_one(mixed, mixed_values, {.search = Search::extra_p, .modeler = modeler});
                EXPECT_EQ(form_of(seen.function), form_of(expected.function));
                const double value = expected.function(points.back());
                EXPECT_NEAR(seen.function(points.back()), value, 1e-9 * std::abs(value));
                EXPECT_NEAR(seen.quality.leave_one_out.smape, expected.quality.leave_one_out.smape, 1e-7);
            }
        }
    }
}

/// Many series of all kinds, at several sets of points.
experiment::Experiment varied() {
    PlantedExperiment planted({"p", "n"});
    const Points whole = test::grid({test::powers_of_two(0, 4), test::powers_of_two(2, 6)});
    Points part(whole.begin(), whole.begin() + 20);
    Points backwards(whole.rbegin(), whole.rend());
    const Points lines = test::cross({test::powers_of_two(0, 4), test::powers_of_two(2, 6)});
    const Points few(whole.begin(), whole.begin() + 3);
    for (unsigned i = 0; i < 600; ++i) {
        const Points& points = i % 50 == 49 ? few
                               : i % 5 == 1 ? part
                               : i % 5 == 2 ? backwards
                               : i % 5 == 3 ? lines
                                            : whole;
        const auto f = [&](auto x) {
            return 1.0 + i % 7 + (i % 3) * x[0] + (i % 4) * x[0] * x[1] + (i % 2) * x[1];
        };
        planted.add("region " + std::to_string(i), points, test::planted_values(points, f, 0.01, i));
    }
    return planted.build();
}

TEST(FitAll, GivesTheSameOnAnyNumberOfThreads) {
    const experiment::Experiment experiment = varied();
    for (const Modeler modeler : {Modeler::basic, Modeler::refining, Modeler::segmented}) {
        const std::vector<Fit> expected =
            fit_all(experiment, {.search = Search::extra_p, .modeler = modeler}, 1, silent());
        for (const int threads : {2, 7}) {
            const std::vector<Fit> seen =
                fit_all(experiment, {.search = Search::extra_p, .modeler = modeler}, threads, silent());
            ASSERT_EQ(seen.size(), expected.size());
            for (std::size_t i = 0; i < seen.size(); ++i)
                ASSERT_EQ(fingerprint(seen[i]), fingerprint(expected[i])) << i;
        }
    }
}

TEST(FitAll, ModelsEachSeriesAsIfItWereAlone) {
    const experiment::Experiment experiment = varied();
    const std::vector<Fit> together = fit_all(experiment, {.search = Search::extra_p}, 2, silent());
    for (std::size_t i = 0; i < experiment.series.size(); i += 13) {
        experiment::Experiment alone = experiment;
        alone.series = {experiment.series[i]};
        const Fit fit = fit_all(alone, {.search = Search::extra_p}, 1, silent()).front();
        EXPECT_EQ(fingerprint(fit), fingerprint(together[i]));
        EXPECT_EQ(together[i].series, i);
    }
}

TEST(FitAll, SaysHowManyPointsAreMissing) {
    const Points points = test::grid({test::powers_of_two(0, 9)});
    const auto line = [](auto x) { return 1.0 + x[0]; };
    PlantedExperiment planted({"p"});
    planted.add("all", points, line);
    planted.add("four", Points(points.begin(), points.begin() + 4), line);
    planted.add("seven", Points(points.begin(), points.begin() + 7), line);
    const auto fits = fit_all(planted.build(), {.search = Search::extra_p}, 1, silent());
    EXPECT_EQ(fits[0].status, Status::ok);
    EXPECT_TRUE(fits[0].warnings.empty());
    EXPECT_EQ(fits[1].status, Status::too_few_points);
    EXPECT_EQ(fits[1].reason, "4 of 10 points");
    EXPECT_EQ(fits[1].points, 4U);
    EXPECT_EQ(fits[2].status, Status::ok);
    EXPECT_EQ(fits[2].warnings, std::vector<std::string>{"measured at 7 of 10 points"});
}

TEST(FitAll, SaysThreeOfFivePoints) {
    const Points points = test::grid({{1, 2, 4, 8, 16}});
    const auto line = [](auto x) { return 1.0 + x[0]; };
    PlantedExperiment planted({"p"});
    planted.add("all", points, line).add("some", Points(points.begin() + 1, points.begin() + 4), line);
    const auto fits = fit_all(planted.build(), {.search = Search::extra_p}, 1, silent());
    EXPECT_EQ(fits[1].status, Status::too_few_points);
    EXPECT_EQ(fits[1].reason, "3 of 5 points");
}

TEST(FitAll, ModelsAllPointsOfASmallExperimentWithAWarning) {
    for (std::size_t n = 1; n <= 4; ++n) {
        SCOPED_TRACE(n);
        const Points points = test::grid({test::powers_of_two(1, static_cast<int>(n))});
        const std::vector<double> values = test::planted_values(points, [](auto x) { return 1.0 + x[0]; });
        const Fit fit = fit_one(points, values);
        EXPECT_EQ(fit.status, Status::ok);
        ASSERT_EQ(fit.warnings.size(), 1U);
        EXPECT_EQ(fit.warnings.front(), n == 1 ? "only 1 point: a model wants 5"
                                               : "only " + std::to_string(n) + " points: a model wants 5");
        const double nearest =
            n >= 3 ? 1e-6 : 1.0;  // two points leave it open where between them a form bends
        EXPECT_NEAR(fit.function(points.back()), values.back(), nearest * values.back());
    }
}

TEST(FitAll, ReportsFormsThatFitACrossAsWell) {
    const Points points = test::cross({{1, 2, 4, 8, 16}, {1, 2, 4, 8, 16}});
    const Fit fit =
        fit_one(points, test::planted_values(points, [](auto x) { return 5.0 + 2.0 * x[0] + 3.0 * x[1]; }));
    std::vector<std::string> alike{form_of(fit.function)};
    for (const Function& other : fit.equals) {
        for (const Term& term : other.terms) EXPECT_EQ(term.coefficient, 1.0);
        alike.push_back(form_of(other));
    }
    std::sort(alike.begin(), alike.end());
    EXPECT_EQ(alike, (std::vector<std::string>{"n + p", "n + p * n", "p + p * n"}));
    // One point off the lines tells.
    Points more = points;
    more.push_back({16, 16});
    const Fit told =
        fit_one(more, test::planted_values(more, [](auto x) { return 5.0 + 2.0 * x[0] + 3.0 * x[1]; }));
    EXPECT_EQ(form_of(told.function), "n + p");
    EXPECT_TRUE(told.equals.empty());
}

TEST(FitAll, ModelsTheStatisticAskedFor) {
    PlantedExperiment planted({"p"});
    const auto series =
        planted.builder().series(planted.builder().region("main"), planted.builder().metric("time"));
    for (const double p : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        const std::vector<double> runs{1.0 + p, 9.0 * p, 2.0 + 2.0 * p, 1.0 + 2.0 * p};  // median 1.5 + 2 p
        planted.builder().add_repetitions(series, planted.builder().point(std::vector<double>{p}, {}), runs,
                                          {});
    }
    const experiment::Experiment experiment = planted.build();
    const std::vector<std::pair<Statistic, double>> slopes{{Statistic::mean, 14.0 / 4.0},
                                                           {Statistic::median, 2.0},
                                                           {Statistic::minimum, 1.0},
                                                           {Statistic::maximum, 9.0}};
    for (const auto& [statistic, slope] : slopes) {
        SCOPED_TRACE(enum_name(statistic));
        const Fit fit =
            fit_all(experiment, {.search = Search::extra_p, .statistic = statistic}, 1, silent()).front();
        EXPECT_EQ(form_of(fit.function), "p");
        EXPECT_NEAR(fit.function.terms.front().coefficient, slope, 1e-9);
        EXPECT_EQ(fit.repetitions, 4U);
    }
}

/// Five summaries that a file gave without values.
experiment::Experiment summaries(bool complete, double last_minimum) {
    PlantedExperiment planted({"p"});
    const auto series =
        planted.builder().series(planted.builder().region("main"), planted.builder().metric("time"));
    for (const double p : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        const double minimum = p == 16.0 ? last_minimum : p;
        planted.builder().add_summary(
            series, planted.builder().point(std::vector<double>{p}, {}),
            {.mean = 2.0 * p, .median = 2.0 * p, .minimum = minimum, .maximum = 3.0 * p}, complete, 3, {});
    }
    return planted.build();
}

TEST(FitAll, HasNoModelOfAStatisticThatTheFileDoesNotGive) {
    for (const Statistic statistic : {Statistic::minimum, Statistic::maximum}) {
        const Fit missing =
            fit_all(summaries(false, 16.0), {.search = Search::extra_p, .statistic = statistic}, 1, silent())
                .front();
        EXPECT_EQ(missing.status, Status::failed);
        EXPECT_EQ(missing.reason, "the file gives mean and median only");
        EXPECT_EQ(
            fit_all(summaries(true, 16.0), {.search = Search::extra_p, .statistic = statistic}, 1, silent())
                .front()
                .status,
            Status::ok);
    }
    EXPECT_EQ(fit_all(summaries(false, 16.0), {.search = Search::extra_p, .statistic = Statistic::median}, 1,
                      silent())
                  .front()
                  .status,
              Status::ok);
}

TEST(FitAll, HasNoModelOfValuesThatAreNotFinite) {
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        const Fit fit = fit_all(summaries(true, value),
                                {.search = Search::extra_p, .statistic = Statistic::minimum}, 1, silent())
                            .front();
        EXPECT_EQ(fit.status, Status::failed);
        EXPECT_EQ(fit.reason, "the min is not finite at p=16");
        EXPECT_EQ(fit_all(summaries(true, value), {.search = Search::extra_p}, 1, silent()).front().status,
                  Status::ok);
    }
}

TEST(FitAll, HasNoModelWithCoefficientsThatOverflow) {
    const std::vector<double> axis{0.001, 0.002, 0.004, 0.008, 0.016};
    Points points = test::cross({axis, axis});
    std::vector<double> values = test::planted_values(
        points, [](auto x) { return 1.0 + 1e9 * (std::pow(x[0], 3) + std::pow(x[1], 3)); });
    points.push_back({0.002, 0.002});
    values.push_back(1e305);
    const Fit fit = fit_one(points, values);
    EXPECT_EQ(fit.status, Status::failed);
    EXPECT_EQ(fit.reason, "a coefficient overflows: the values are too large beside the terms");
}

TEST(FitAll, NamesTheParameterWhoseLogarithmsAreLeftOut) {
    const Points points = test::grid({test::powers_of_two(1, 5), test::powers_of_two(-1, 4)});
    const auto values = test::planted_values(
        points, [](auto x) { return 1.0 + x[0] + x[1]; }, 0.01);
    for (const Modeler modeler : {Modeler::basic, Modeler::refining, Modeler::segmented}) {
        SCOPED_TRACE(enum_name(modeler));
        EXPECT_EQ(
            fit_one(points, values, {.search = Search::extra_p, .modeler = modeler}).warnings,
            std::vector<std::string>{"forms with a logarithm of n are left out, since n goes down to 0.5"});
        EXPECT_TRUE(
            fit_one(points, values, {.search = Search::extra_p, .modeler = modeler, .logarithms = false})
                .warnings.empty())
            << "none were to be tried";
    }
    const Points from_one = test::grid({test::powers_of_two(0, 4)});
    const auto line = test::planted_values(
        from_one, [](auto x) { return 1.0 + x[0]; }, 0.01);
    EXPECT_TRUE(fit_one(from_one, line).warnings.empty());
    EXPECT_EQ(fit_one(from_one, line, {.search = Search::extra_p, .negative_exponents = true}).warnings,
              std::vector<std::string>{"forms with a logarithm of p are left out, since p goes down to 1"});
}

TEST(FitAll, TakesValuesThatAreNegativeOrZero) {
    const Points points = test::grid({{1, 2, 4, 8, 16}});
    const Fit falling = fit_one(points, test::planted_values(points, [](auto x) { return 4.0 - x[0]; }));
    EXPECT_EQ(form_of(falling.function), "p");
    EXPECT_NEAR(falling.function.terms.front().coefficient, -1.0, 1e-9);
    const Fit zero = fit_one(points, std::vector<double>(5, 0.0));
    EXPECT_EQ(zero.status, Status::ok);
    EXPECT_EQ(formula(zero.function, names), "0");
}

TEST(FitAll, TakesAnyNumberOfParameters) {
    const std::size_t many = 40;
    std::vector<std::string> parameters;
    for (std::size_t k = 0; k < many; ++k) parameters.push_back("a" + std::to_string(k));
    const Points points = test::cross(std::vector<std::vector<double>>(many, {2, 4, 8, 16, 32}));
    PlantedExperiment planted(parameters);
    planted.add("two", points, [](auto x) { return 1.0 + x[3] * x[39]; });
    planted.add("all", points, [](auto x) {
        double sum = 1.0;
        for (const double value : x) sum += value;
        return sum;
    });
    const auto fits = fit_all(planted.build(), {.search = Search::extra_p}, 1, silent());
    EXPECT_EQ(fits[0].status, Status::ok);
    EXPECT_EQ(fits[1].status, Status::failed);
    EXPECT_EQ(fits[1].reason, "depends on 40 parameters; forms of up to 31 can be tried");
}

TEST(FitAll, RefusesExponentsThatCannotBeRead) {
    const auto experiment =
        PlantedExperiment({"p"}).add("main", test::grid({{1, 2, 3, 4, 5}}), [](auto) { return 1.0; }).build();
    EXPECT_THROW((void)fit_all(experiment, {.search = Search::extra_p, .exponents = "two"}, 1, silent()),
                 Error);
}

/// Asks to stop before anything is done.
class Impatient final : public Progress {
  public:
    void begin(std::string_view what, std::int64_t total) override {
        EXPECT_EQ(what, "fitting");
        EXPECT_GT(total, 0);
        request_stop();
    }
    void advance(std::int64_t /*done*/) override { ADD_FAILURE() << "goes on"; }
    void end() override { ended = true; }
    bool ended = false;
};

TEST(FitAll, StopsWhenAskedTo) {
    const experiment::Experiment experiment = varied();
    for (const int threads : {1, 3}) {
        Impatient progress;
        EXPECT_THROW((void)fit_all(experiment, {.search = Search::extra_p}, threads, progress), Cancelled);
        EXPECT_TRUE(progress.ended);
    }
}

}  // namespace
}  // namespace plimsoll::model
