#include "plimsoll/model/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/parallel.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/units.hpp"
#include "plimsoll/model/formula.hpp"
#include "plimsoll/model/growth.hpp"
#include "plimsoll/model/predictive.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {

namespace {

using experiment::Experiment;
using experiment::Measurement;
using experiment::Series;

using Name = std::pair<std::string, std::string>;  // region, metric

/// Factor from the second version's unit to the first one's.
double unit_factor(const std::string& metric, const std::string& before, const std::string& after,
                   const VersionNames& names) {
    if (before == after || before.empty() || after.empty()) return 1.0;
    if (const auto factor = experiment::unit_factor(after, before)) return *factor;
    throw Error(
        ErrorKind::input, Place{.file = names.after},
        fmt::format("metric '{}' is in '{}' here, and in '{}' in '{}'", metric, after, before, names.before),
        "choose other metrics with --metric");
}

/// For each parameter of the first version its position in the second.
std::vector<std::size_t> positions(const std::vector<std::string>& before,
                                   const std::vector<std::string>& after, const VersionNames& names) {
    const auto refuse = [](const std::string& name, const std::string& file, const std::string& other) {
        throw Error(ErrorKind::input, Place{.file = file},
                    fmt::format("has no parameter '{}', as '{}' has", name, other),
                    "compare runs of the same parameters");
    };
    for (const std::string& name : after) {
        if (std::find(before.begin(), before.end(), name) == before.end())
            refuse(name, names.before, names.after);
    }
    std::vector<std::size_t> result;
    for (const std::string& name : before) {
        const auto found = std::find(after.begin(), after.end(), name);
        if (found == after.end()) refuse(name, names.after, names.before);
        result.push_back(static_cast<std::size_t>(found - after.begin()));
    }
    return result;
}

PairedMeans::Runs runs_of(const Series& series, const Measurement& m, double factor) {
    const std::vector<double> values = repetition_means(series, m);
    PairedMeans::Runs runs{.mean = m.summary.mean * factor, .deviation = 0.0, .count = 1};
    const auto deviation_of = [&](const numeric::Summary& summary, std::size_t n) {
        const double size = static_cast<double>(n);
        return n < 2 ? 0.0 : summary.deviation * factor * std::sqrt(size / (size - 1.0));
    };
    if (!values.empty()) {
        const numeric::Summary summary = numeric::summarize(std::span<const double>(values));
        runs = {.mean = summary.mean * factor,
                .deviation = deviation_of(summary, values.size()),
                .count = values.size()};
    } else if (m.complete_summary && m.repetitions > 1) {
        runs.deviation = deviation_of(m.summary, m.repetitions);
        runs.count = m.repetitions;
    }
    return runs;
}

/// Verdicts on changes that are asked for together, by their adjusted p-values.
void decide(std::span<RegionChange> changes, const CompareOptions& options) {
    std::vector<double> p_values;
    for (const RegionChange& change : changes) p_values.push_back(change.p_value);
    const std::vector<double> adjusted = adjusted_p_values(p_values);
    for (std::size_t i = 0; i < adjusted.size(); ++i) {
        RegionChange& change = changes[i];
        change.adjusted_p_value = adjusted[i];
        const double least = 1.0 + options.least_change.share;
        const bool is_alike = change.ratio.low >= 1.0 / least && change.ratio.high <= least;
        change.verdict = is_alike ? Change::alike : Change::unclear;
        if (!(adjusted[i] <= 1.0 - options.confidence)) continue;
        if (change.ratio.value >= least && change.ratio.value > 1.0) change.verdict = Change::slower;
        if (change.ratio.value <= 1.0 / least && change.ratio.value < 1.0) change.verdict = Change::faster;
    }
}

/// By verdict; the largest change of each first.
void sort(std::vector<RegionChange>& changes) {
    const auto key = [](const RegionChange& c) {
        const double size = std::abs(std::log(c.ratio.value));
        return std::pair(c.verdict, std::isnan(size) ? 0.0 : -size);
    };
    std::stable_sort(changes.begin(), changes.end(),
                     [&](const RegionChange& a, const RegionChange& b) { return key(a) < key(b); });
}

/// A two-sided test's p-value and half of the interval.
struct Test {
    double p_value = 1.0;
    double half_width = 0.0;
};

Test student_test(double mean, double error, double degrees_of_freedom, double confidence) {
    if (error == 0.0) return {.p_value = mean == 0.0 ? 1.0 : 0.0, .half_width = 0.0};
    return {.p_value = numeric::student_outside(std::abs(mean) / error, degrees_of_freedom),
            .half_width = error * numeric::student_limit(1.0 - confidence, degrees_of_freedom)};
}

double square(double x) { return x * x; }

/// The test by the scatter of the points' logarithmic ratios.
std::optional<Test> test_of_points(std::span<const double> logs, double mean, double confidence) {
    if (logs.size() < 2) return std::nullopt;
    const double count = static_cast<double>(logs.size());
    double squares = 0.0;
    for (const double log : logs) squares += square(log - mean);
    return student_test(mean, std::sqrt(squares / (count - 1.0) / count), count - 1.0, confidence);
}

/// The test by the deviations of the repetitions. Where a value is of one run, its relative deviation is that
/// of the others.
std::optional<Test> test_of_repetitions(std::span<const PairedMeans> points, double mean, double confidence) {
    double pooled = 0.0;
    double pooled_freedom = 0.0;
    const auto each = [&](const auto& visit) {
        for (const PairedMeans& point : points) {
            visit(point.before);
            visit(point.after);
        }
    };
    each([&](const PairedMeans::Runs& runs) {
        if (runs.count < 2) return;
        const double freedom = static_cast<double>(runs.count) - 1.0;
        pooled += freedom * square(runs.deviation / runs.mean);
        pooled_freedom += freedom;
    });
    if (pooled_freedom == 0.0) return std::nullopt;
    pooled /= pooled_freedom;
    double variance = 0.0;
    double of_variance = 0.0;
    double of_single_runs = 0.0;
    each([&](const PairedMeans::Runs& runs) {
        if (runs.count < 2) {
            of_single_runs += pooled;
            return;
        }
        const double part = square(runs.deviation / runs.mean) / static_cast<double>(runs.count);
        variance += part;
        of_variance += square(part) / (static_cast<double>(runs.count) - 1.0);
    });
    variance += of_single_runs;
    of_variance += square(of_single_runs) / pooled_freedom;
    const double freedom = of_variance > 0.0 ? square(variance) / of_variance : pooled_freedom;
    const double error = std::sqrt(variance) / static_cast<double>(points.size());
    return student_test(mean, error, std::max(freedom, 1.0), confidence);
}

/// Change of one region by its models; the point as each version orders its parameters.
RegionChange predicted_change(const RegionModel& before, const RegionModel& after,
                              const std::vector<double>& at, const std::vector<double>& at_after,
                              double confidence, double factor) {
    const Predictive first = predictive(before.posterior, before.function, at);
    Predictive second = predictive(after.posterior, after.function, at_after);
    for (Predictive::Slice& slice : second.slices) slice.value *= factor;
    const Ratio r = ratio(second, first, confidence);
    RegionChange change{.region = before.region,
                        .metric = before.metric,
                        .unit = before.unit,
                        .ratio = r.estimate,
                        .slower_probability = r.above_one};
    if (!std::isnan(r.above_one))
        change.p_value = std::min(1.0, 2.0 * std::min(r.above_one, 1.0 - r.above_one));
    change.points.push_back(
        {.at = at,
         .before = predicted(before.posterior, before.function, at, confidence).value,
         .after = factor * predicted(after.posterior, after.function, at_after, confidence).value});
    return change;
}

/// Where a function stays bounded, the terms by which it falls.
std::vector<Term> falling_terms(const Function& function, std::size_t parameters) {
    if (!function.segments.empty()) return falling_terms(function.segments.back().function, parameters);
    std::vector<Term> falling;
    for (const Term& term : function.terms) {
        const Function alone{.constant = 0.0, .terms = {{.coefficient = 1.0, .factors = term.factors}}};
        const std::vector<Order> orders = growth_orders(alone, parameters);
        const bool is_bounded = std::all_of(orders.begin(), orders.end(), [](const Order& order) {
            return std::all_of(order.exponents.begin(), order.exponents.end(), [](const auto& exponents) {
                return exponents.first.is_zero() && exponents.second.is_zero();
            });
        });
        if (!is_bounded) return {};
        if (term.coefficient != 0.0) falling.push_back(alone.terms.front());
    }
    return falling;
}

bool has_constant(const Function& function) {
    return function.segments.empty() ? function.constant != 0.0
                                     : has_constant(function.segments.back().function);
}

/// Growth for a person; of a function that falls how it falls, "1 + p^(-1)" where it falls to a constant.
std::string growth_text(const Function& function, const std::vector<std::string>& parameters) {
    const std::vector<Term> falling = falling_terms(function, parameters.size());
    if (falling.empty()) return growth(function, parameters);
    return formula({.constant = has_constant(function) ? 1.0 : 0.0, .terms = falling}, parameters);
}

/// A growth as text that does not depend on the order of the parameters.
std::string growth_key(const Function& function, const std::vector<std::string>& parameters) {
    std::vector<std::string> terms;
    std::vector<Order> orders = growth_orders(function, parameters.size());
    const std::vector<Term> falling = falling_terms(function, parameters.size());
    if (!falling.empty() && !has_constant(function)) orders.clear();
    for (const Term& term : falling) {
        Order order{.exponents = std::vector<std::pair<Rational, Rational>>(parameters.size()),
                    .factors = {}};
        for (const Factor& f : term.factors) order.exponents[f.parameter] = {f.exponent, f.log_exponent};
        orders.push_back(std::move(order));
    }
    for (const Order& order : orders) {
        std::vector<std::string> factors;
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            const auto& [exponent, log_exponent] = order.exponents[k];
            // Two fits never yield the same rate: what it multiplies is the growth.
            const Law law = order.laws.empty() ? Law{} : order.laws[k];
            if (law.kind == LawKind::factorial) factors.push_back(parameters[k] + "!");
            if (law.kind == LawKind::exponential) {
                factors.push_back(fmt::format("2^({})[{}]", enum_name(law.of), parameters[k]));
            }
            if (exponent.is_zero() && log_exponent.is_zero()) continue;
            factors.push_back(fmt::format("{}^{} log^{}", parameters[k], numeric::to_text(exponent),
                                          numeric::to_text(log_exponent)));
        }
        std::sort(factors.begin(), factors.end());
        terms.push_back(join(factors, " * "));
    }
    std::sort(terms.begin(), terms.end());
    return join(terms, " + ");
}

/// Probabilities of the growths that a model may have.
std::map<std::string, double> growths_of(const RegionModel& model,
                                         const std::vector<std::string>& parameters) {
    std::map<std::string, double> growths;
    if (model.posterior.forms.empty()) growths[growth_key(model.function, parameters)] = 1.0;
    for (std::size_t i = 0; i < model.posterior.forms.size(); ++i) {
        if (!model.posterior.forms.range(i).is_last()) continue;
        growths[growth_key(model.posterior.forms.function(i), parameters)] +=
            model.posterior.forms.probability(i);
    }
    return growths;
}

/// The models of a document by region and metric; of a name that stands twice the first.
std::map<Name, const RegionModel*> by_name(const FitDocument& document) {
    std::map<Name, const RegionModel*> models;
    for (const RegionModel& m : document.models) models.try_emplace({m.region, m.metric}, &m);
    return models;
}

}  // namespace

std::vector<double> adjusted_p_values(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
    std::vector<double> adjusted(p_values.size());
    double smallest = 1.0;
    for (std::size_t i = order.size(); i-- > 0;) {
        const double share = static_cast<double>(p_values.size()) / static_cast<double>(i + 1);
        smallest = std::min(smallest, p_values[order[i]] * share);
        adjusted[order[i]] = smallest;
    }
    return adjusted;
}

MeasuredChange measured_change(std::span<const PairedMeans> points, double confidence) {
    PLIMSOLL_EXPECT(!points.empty());
    std::vector<double> logs;
    for (const PairedMeans& point : points) {
        PLIMSOLL_EXPECT(point.before.mean > 0.0 && point.after.mean > 0.0);
        logs.push_back(std::log(point.after.mean / point.before.mean));
    }
    const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
    MeasuredChange result{.ratio = {.value = std::exp(mean)}};
    double half_width = 0.0;
    for (const auto& test :
         {test_of_points(logs, mean, confidence), test_of_repetitions(points, mean, confidence)}) {
        if (!test) continue;
        result.p_value = std::isnan(result.p_value) ? test->p_value : std::max(result.p_value, test->p_value);
        half_width = std::max(half_width, test->half_width);
    }
    if (std::isnan(result.p_value)) return result;
    result.ratio.low = std::exp(mean - half_width);
    result.ratio.high = std::exp(mean + half_width);
    return result;
}

Comparison compare(const Experiment& before, const Experiment& after, const CompareOptions& options,
                   const VersionNames& names) {
    const std::vector<std::size_t> position =
        positions(before.parameter_names(), after.parameter_names(), names);
    std::map<Name, const Series*> others;
    for (const Series& s : after.series) others.try_emplace({after.region(s).path, after.metric(s).name}, &s);
    Comparison comparison;
    for (const Series& series : before.series) {
        const Name name{before.region(series).path, before.metric(series).name};
        const auto found = others.find(name);
        if (found == others.end()) {
            comparison.only_before.push_back(name);
            continue;
        }
        const Series& other = *found->second;
        others.erase(found);
        RegionChange change{.region = name.first, .metric = name.second, .unit = before.metric(series).unit};
        const double factor = unit_factor(name.second, change.unit, after.metric(other).unit, names);
        std::map<std::vector<double>, const Measurement*> measured;
        for (const Measurement& m : other.measurements) {
            std::vector<double> point;
            point.reserve(position.size());
            for (const std::size_t k : position) point.push_back(after.point(m.point)[k]);
            measured.emplace(std::move(point), &m);
        }
        std::vector<PairedMeans> pairs;
        for (const Measurement& m : series.measurements) {
            const auto coordinates = before.point(m.point);
            std::vector<double> point(coordinates.begin(), coordinates.end());
            const auto match = measured.find(point);
            if (match == measured.end()) continue;
            const PairedMeans pair{.before = runs_of(series, m, 1.0),
                                   .after = runs_of(other, *match->second, factor)};
            if (!(pair.before.mean > 0.0) || !(pair.after.mean > 0.0)) continue;
            pairs.push_back(pair);
            change.points.push_back(
                {.at = std::move(point), .before = pair.before.mean, .after = pair.after.mean});
        }
        if (pairs.empty()) continue;
        const MeasuredChange result = measured_change(pairs, options.confidence);
        change.ratio = result.ratio;
        if (!std::isnan(result.p_value)) {
            change.p_value = result.p_value;
            const double larger = 1.0 - 0.5 * result.p_value;
            change.slower_probability = change.ratio.value >= 1.0 ? larger : 1.0 - larger;
        }
        comparison.changes.push_back(std::move(change));
    }
    for (const Series& s : after.series) {
        const Name name{after.region(s).path, after.metric(s).name};
        if (others.contains(name)) comparison.only_after.push_back(name);
    }
    decide(comparison.changes, options);
    sort(comparison.changes);
    return comparison;
}

Comparison compare(const FitDocument& before, const FitDocument& after,
                   std::span<const std::vector<double>> points, const CompareOptions& options, int threads,
                   Progress& progress, const VersionNames& names) {
    const std::vector<std::size_t> position = positions(before.parameters, after.parameters, names);
    std::map<Name, const RegionModel*> others = by_name(after);
    Comparison comparison;
    struct Pair {
        const RegionModel* before;
        const RegionModel* after;
        double factor;  ///< to the first one's unit
    };
    std::vector<Pair> pairs;
    for (const RegionModel& model : before.models) {
        const auto found = others.find({model.region, model.metric});
        if (found == others.end()) {
            comparison.only_before.emplace_back(model.region, model.metric);
            continue;
        }
        const RegionModel& other = *found->second;
        if (model.status == Status::ok && other.status == Status::ok) {
            pairs.push_back({.before = &model,
                             .after = &other,
                             .factor = unit_factor(model.metric, model.unit, other.unit, names)});
        }
        others.erase(found);
    }
    for (const RegionModel& m : after.models) {
        if (others.contains({m.region, m.metric})) comparison.only_after.emplace_back(m.region, m.metric);
    }
    for (const std::vector<double>& at : points) {
        Activity activity(progress, "comparing", std::ssize(pairs));
        std::vector<double> at_other(at.size());
        for (std::size_t k = 0; k < at.size(); ++k) at_other[position[k]] = at[k];
        const std::size_t begin = comparison.changes.size();
        comparison.changes.resize(begin + pairs.size());
        parallel_for(pairs.size(), threads, activity, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) {
                const Pair& pair = pairs[i];
                comparison.changes[begin + i] = predicted_change(*pair.before, *pair.after, at, at_other,
                                                                 options.confidence, pair.factor);
            }
        });
        decide(std::span(comparison.changes).subspan(begin), options);
    }
    sort(comparison.changes);
    return comparison;
}

void add_growth(Comparison& comparison, const FitDocument& before, const FitDocument& after,
                double confidence) {
    const std::map<Name, const RegionModel*> models_before = by_name(before);
    const std::map<Name, const RegionModel*> models_after = by_name(after);
    for (RegionChange& change : comparison.changes) {
        const auto found_before = models_before.find({change.region, change.metric});
        const auto found_after = models_after.find({change.region, change.metric});
        if (found_before == models_before.end() || found_after == models_after.end()) continue;
        const RegionModel* const first = found_before->second;
        const RegionModel* const second = found_after->second;
        if (first->status != Status::ok || second->status != Status::ok) continue;
        change.growth_before = growth_text(first->function, before.parameters);
        change.growth_after = growth_text(second->function, after.parameters);
        const auto others = growths_of(*second, after.parameters);
        double overlap = 0.0;
        for (const auto& [text, probability] : growths_of(*first, before.parameters)) {
            const auto found = others.find(text);
            if (found != others.end()) overlap += std::sqrt(probability * found->second);
        }
        const bool is_named_otherwise =
            growth_key(first->function, before.parameters) != growth_key(second->function, after.parameters);
        change.growth_changed = is_named_otherwise && overlap <= 1.0 - confidence;
    }
}

}  // namespace plimsoll::model
