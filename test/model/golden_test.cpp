// The models that Extra-P 4.2.5 chooses, setting by setting. The measurements come from the golden files
// themselves, so that this tests the search alone; the readers are compared elsewhere.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/model/fit.hpp"
#include "plimsoll/model/formula.hpp"
#include "test/support/shared_data.hpp"

namespace plimsoll::model {
namespace {

using nlohmann::json;

double number(const json& value) {
    if (value.is_number()) return value.get<double>();
    if (value == "inf") return std::numeric_limits<double>::infinity();
    if (value == "-inf") return -std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
}

bool close(double a, double b, double relative, double scale = 0.0) {
    return a == b || std::abs(a - b) <= relative * std::max({std::abs(a), std::abs(b), scale});
}

experiment::Experiment experiment_of(const json& golden) {
    experiment::ExperimentBuilder builder;
    builder.set_parameters(golden["parameters"].get<std::vector<std::string>>(), {});
    for (const json& pair : golden["measurements"]) {
        const auto series = builder.series(builder.region(pair["callpath"].get<std::string>()),
                                           builder.metric(pair["metric"].get<std::string>()));
        for (const json& row : pair["rows"]) {
            const numeric::Summary summary{.mean = number(row[1]),
                                           .median = number(row[2]),
                                           .minimum = number(row[3]),
                                           .maximum = number(row[4])};
            const bool complete = !row[3].is_null();
            builder.add_summary(series, builder.point(row[0].get<std::vector<double>>(), {}), summary,
                                complete, 1, {});
        }
    }
    return builder.build();
}

/// Options of a golden run in our words; empty where a run has something that we do not know.
std::optional<FitOptions> options_of(const json& run) {
    FitOptions options{.search = Search::extra_p};
    const std::map<std::string, Statistic> statistics{{"mean", Statistic::mean},
                                                      {"median", Statistic::median},
                                                      {"minimum", Statistic::minimum},
                                                      {"maximum", Statistic::maximum}};
    options.statistic = statistics.at(run["measure"]);
    const std::string modeler = run.value("single_parameter_modeler", run["modeler"].get<std::string>());
    if (modeler == "Refining") options.modeler = Modeler::refining;
    if (modeler == "Segmented") options.modeler = Modeler::segmented;
    const bool several = run.contains("single_parameter_modeler");
    const auto take = [&](const json& given, bool for_axes) {
        for (const auto& [key, value] : given.items()) {
            if (key == "compare_with_RSS" && value == true) {
                (for_axes ? options.ranking : options.combination_ranking) = Ranking::rss;
            } else if (key == "use_crossvalidation" && value == false) {
                options.scoring = Scoring::in_sample;
            } else if (key == "allow_log_terms" && value == false) {
                options.logarithms = false;
            } else if (key == "allow_negative_exponents" && value == true) {
                options.negative_exponents = true;
            } else if (key == "poly_exponents") {
                options.exponents = value;
            } else if (key == "log_exponents") {
                options.log_exponents = value;
            } else if (key == "single_parameter_point_selection" && value == "smallest") {
                options.axis_points = AxisPoints::smallest;
            } else if (key == "allow_combinations_of_sums_and_products" && value == false) {
                options.combinations = Combinations::product_or_sum;
            } else {
                return false;
            }
        }
        return true;
    };
    if (!take(run["options"], !several)) return std::nullopt;
    if (several && run.contains("single_parameter_options") && !take(run["single_parameter_options"], true)) {
        return std::nullopt;
    }
    return options;
}

/// A function in a form that compares: sorted terms of sorted factors.
using FactorKey = std::tuple<std::size_t, std::string, std::string>;
using TermKey = std::vector<FactorKey>;

std::vector<TermKey> shape(const Function& function) {
    std::vector<TermKey> terms;
    for (const Term& term : function.terms) {
        TermKey key;
        for (const Factor& f : term.factors) {
            key.emplace_back(f.parameter, f.segments.empty() ? numeric::to_text(f.exponent) : "piecewise",
                             f.segments.empty() ? numeric::to_text(f.log_exponent) : "");
        }
        std::sort(key.begin(), key.end());
        terms.push_back(key);
    }
    std::sort(terms.begin(), terms.end());
    return terms;
}

std::string exponent_text(const json& exponent) {
    const std::string text = exponent.is_string() ? exponent.get<std::string>() : exponent.dump();
    const auto rational = numeric::parse_rational(text);
    return rational ? numeric::to_text(*rational) : text;
}

std::vector<TermKey> shape(const json& function) {
    std::vector<TermKey> terms;
    for (const json& term : function["terms"]) {
        TermKey key;
        for (const json& f : term["factors"]) {
            const bool piecewise = f.contains("segments");
            key.emplace_back(f["param"].get<std::size_t>(),
                             piecewise ? "piecewise" : exponent_text(f["poly"]),
                             piecewise ? "" : exponent_text(f["log"]));
        }
        std::sort(key.begin(), key.end());
        terms.push_back(key);
    }
    std::sort(terms.begin(), terms.end());
    return terms;
}

double evaluate(const json& function, std::span<const double> point);

double evaluate_segments(const json& holder, double x, std::span<const double> point) {
    for (std::size_t i = 0; i < holder["segments"].size(); ++i) {
        const json& interval = holder["intervals"][i];
        if (x >= number(interval[0]) && x <= number(interval[1]))
            return evaluate(holder["segments"][i], point);
    }
    return std::numeric_limits<double>::quiet_NaN();
}

double evaluate(const json& function, std::span<const double> point) {
    if (function.contains("segments")) return evaluate_segments(function, point[0], point);
    double value = number(function["constant"]);
    for (const json& term : function["terms"]) {
        double product = number(term["coefficient"]);
        for (const json& f : term["factors"]) {
            const double x = point[f["param"].get<std::size_t>()];
            if (f.contains("segments")) {
                product *= evaluate_segments(f, x, point);
            } else {
                product *= power_log(x, *numeric::parse_rational(exponent_text(f["poly"])),
                                     *numeric::parse_rational(exponent_text(f["log"])));
            }
        }
        value += product;
    }
    return value;
}

/// What is wrong with a fit beside the golden model; empty where it agrees.
std::string difference(const Fit& fit, const json& golden, const experiment::Experiment& experiment,
                       bool tie) {
    const experiment::Series& series = experiment.series[fit.series];
    std::vector<std::string> names;
    for (const auto& parameter : experiment.parameters) names.push_back(parameter.name);
    const auto both = [&] {
        return fmt::format("{} against {}", formula(fit.function, names),
                           golden["formula"].get<std::string>());
    };
    double largest = 0.0;
    for (const auto& m : series.measurements) largest = std::max(largest, std::abs(m.summary.maximum));
    const json& stats = golden["stats"];
    const double smape = number(stats["SMAPE"]);
    // Rounding is all that such a model misses; where a value is zero, it makes SMAPE large all the same.
    double squares = 0.0;
    for (const auto& m : series.measurements) squares += m.summary.mean * m.summary.mean;
    const bool exact_data = !(smape >= 1e-6) || number(stats["RSS"]) <= 1e-24 * squares;

    for (const auto& m : series.measurements) {
        const auto point = experiment.point(m.point);
        const double expected = evaluate(golden["function"], point);
        const double seen = fit.function(point);
        // A prediction near zero is a difference of terms as large as the values.
        const double rounding = 1e-9 * largest;
        if (std::isfinite(expected) && std::abs(seen - expected) > rounding &&
            !close(seen, expected, tie || exact_data ? 1e-5 : 1e-6)) {
            return fmt::format("at {}: {} instead of {}: {}", experiment::describe_point(experiment, m.point),
                               seen, expected, both());
        }
    }
    if (tie) {
        const bool equal =
            close(fit.scores.rss, number(stats["RSS"]), 1e-8) && close(fit.scores.smape, smape, 1e-8);
        return equal || exact_data ? std::string() : "scores of a tie differ: " + both();
    }
    if (exact_data) return {};
    // Sub-functions of piecewise models are compared by their values, above.
    if (!golden["function"].contains("segments") && shape(fit.function) != shape(golden["function"]))
        return both();
    for (const json& beyond : golden["extrapolate"]) {
        const double expected = number(beyond["value"]);
        const double seen = fit.function(beyond["at"].get<std::vector<double>>());
        if (std::isfinite(expected) && !close(seen, expected, 1e-6, largest)) {
            return fmt::format("at {}: {} instead of {}: {}", beyond["at"].dump(), seen, expected, both());
        }
    }
    const std::vector<std::pair<std::string, double>> scores{
        {"RSS", fit.scores.rss},           {"SMAPE", fit.scores.smape},
        {"rRSS", fit.scores.relative_rss}, {"nRSS", fit.scores.normalized_rss},
        {"AR2", fit.scores.adjusted_r2},   {"RE", fit.scores.relative_error}};
    for (const auto& [name, seen] : scores) {
        const double expected = number(stats[name]);
        if (!std::isfinite(expected) && !std::isfinite(seen)) continue;
        if (!close(seen, expected, 1e-6))
            return fmt::format("{} is {} instead of {}: {}", name, seen, expected, both());
    }
    return {};
}

TEST(Golden, EveryModelAgreesWithExtraPInEverySetting) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "golden/extrap");
    std::ifstream index_stream(folder + "/index.json");
    std::set<std::tuple<std::string, std::string, std::string, std::string>> ties;
    const json index = json::parse(index_stream);
    for (const json& tie : index["ties"]["items"]) {
        ties.emplace(tie["golden"].get<std::string>(), tie["run"].get<std::string>(),
                     tie["callpath"].get<std::string>(), tie["metric"].get<std::string>());
    }
    std::size_t compared = 0;
    std::size_t differing = 0;
    std::size_t unknown_runs = 0;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& path : files) {
        if (path.extension() != ".json" || path.filename() == "index.json") continue;
        std::ifstream stream(path);
        const json golden = json::parse(stream);
        if (golden["status"] != "ok" || !golden.contains("runs")) continue;
        bool finite = true;
        for (const json& pair : golden["experiment"]["measurements"]) {
            for (const json& row : pair["rows"]) finite = finite && std::isfinite(number(row[1]));
        }
        if (!finite || golden["experiment"]["measurements"].empty()) continue;  // we leave such values out
        const experiment::Experiment experiment = experiment_of(golden["experiment"]);
        for (const json& run : golden["runs"]) {
            const auto options = options_of(run);
            if (!options) {
                ++unknown_runs;
                ADD_FAILURE() << path.filename() << ": unknown options in run " << run["run"];
                continue;
            }
            std::map<std::pair<std::string, std::string>, const Fit*> fit_of;
            const std::vector<Fit> fits = fit_all(experiment, *options, 1, silent());
            for (const Fit& fit : fits) {
                const auto& series = experiment.series[fit.series];
                fit_of[{experiment.region(series).path, experiment.metric(series).name}] = &fit;
            }
            for (const json& model : run["models"]) {
                const std::string region = model["callpath"];
                const std::string metric = model["metric"];
                const std::string name = path.filename();
                const Fit& fit = *fit_of.at({region, metric});
                const bool tie = ties.contains({name, run["run"].get<std::string>(), region, metric});
                ++compared;
                std::string problem = fit.status == Status::ok
                                          ? difference(fit, model, experiment, tie)
                                          : std::string(enum_name(fit.status)) + " " + fit.reason;
                if (!problem.empty() && ++differing <= 40) {
                    ADD_FAILURE() << name << " " << run["run"] << ": '" << region << "' / '" << metric
                                  << "': " << problem;
                }
            }
        }
    }
    EXPECT_EQ(differing, 0U);
    EXPECT_EQ(unknown_runs, 0U);
    EXPECT_GE(compared, 3685U) << "the golden files hold as many finite models";
    fmt::print("{} of {} models agree\n", compared - differing, compared);
}

}  // namespace
}  // namespace plimsoll::model
