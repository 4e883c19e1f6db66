#include "plimsoll/model/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/transform.hpp"
#include "plimsoll/experiment/units.hpp"
#include "plimsoll/model/formula.hpp"
#include "plimsoll/model/growth.hpp"
#include "plimsoll/model/predictive.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {

namespace {

using experiment::Scaling;

/// Whether an order with exponents raised by `shift` is within one term of a bound, [terms]. Exponents that
/// were fitted rather than chosen are never those of the list, so a little above the bound counts as on it.
bool is_within(const Order& order, const std::vector<double>& shift, const std::vector<bool>& is_fitted,
               const std::vector<Order>& bound) {
    constexpr double slack = 0.05;
    const auto within_term = [&](const Order& term) {
        for (std::size_t k = 0; k < order.exponents.size(); ++k) {
            const auto& own = order.exponents[k];
            const auto& most = term.exponents[k];
            if (!order.laws.empty() && order.compare(term, k) > 0) return false;
            if (is_fitted[k] && !own.first.is_zero()) {
                if (own.first.value() + shift[k] > most.first.value() + slack) return false;
            } else if (own > most) {
                return false;
            }
        }
        return true;
    };
    return std::any_of(bound.begin(), bound.end(), within_term);
}

/// Deviation of the exponent of each of a form's free parameters: they end the list of unknowns.
std::vector<double> exponent_deviations(const WeighedForm& form) {
    const std::size_t before = (form.has_constant ? 1 : 0) + form.function.terms.size();
    std::vector<double> deviations;
    for (std::size_t i = 0; i < form.free_parameters.size(); ++i) {
        const std::size_t row = before + i;
        deviations.push_back(std::sqrt(std::max(form.covariance[row * (row + 1) / 2 + row], 0.0)));
    }
    return deviations;
}

/// Probability that a form grows no faster than a bound: 1 or 0, unless exponents are fitted. Several fitted
/// ones are moved together, which is the worst case.
double within_probability(const WeighedForm& form, std::size_t parameters, const std::vector<Order>& bound) {
    const std::vector<Order> orders = growth_orders(form.function, parameters);
    std::vector<bool> is_fitted(parameters, false);
    for (const std::size_t k : form.free_parameters) is_fitted[k] = true;
    const std::vector<double> deviations = exponent_deviations(form);
    const auto holds_at = [&](double z) {
        std::vector<double> shift(parameters, 0.0);
        for (std::size_t i = 0; i < deviations.size(); ++i)
            shift[form.free_parameters[i]] += z * deviations[i];
        return std::all_of(orders.begin(), orders.end(),
                           [&](const Order& order) { return is_within(order, shift, is_fitted, bound); });
    };
    if (deviations.empty()) return holds_at(0.0) ? 1.0 : 0.0;
    double low = -6.0;
    double high = 6.0;
    if (!holds_at(low)) return 0.0;
    if (holds_at(high)) return 1.0;
    for (int i = 0; i < 30; ++i) {
        const double middle = 0.5 * (low + high);
        (holds_at(middle) ? low : high) = middle;
    }
    return numeric::normal_cdf(low);
}

Verdict verdict_of(double probability, double coverage) {
    const double tail = 0.5 * (1.0 - coverage);
    if (probability >= 1.0 - tail) return Verdict::kept;
    return probability <= tail ? Verdict::broken : Verdict::undecided;
}

/// Compares the rules of one file with one document.
class Checker {
  public:
    Checker(const Rules& rules, const FitDocument& document, double coverage)
        : rules_(&rules), document_(&document), coverage_(coverage) {}

    [[nodiscard]] std::vector<Check> run(Progress& progress) const {
        Activity activity(progress, "checking rules", 0);
        std::vector<Check> checks;
        for (std::size_t i = 0; i < rules_->rules.size(); ++i) {
            const Rule& rule = rules_->rules[i];
            for (const RegionModel* const model : models_of(rule)) {
                Check result = check_one(rule, *model);
                result.rule = i;
                checks.push_back(std::move(result));
                activity.step();
            }
        }
        return checks;
    }

  private:
    [[nodiscard]] Place place(const Rule& rule) const { return {.file = rules_->file, .line = rule.line}; }

    [[noreturn]] void refuse(const Rule& rule, const std::string& message, const std::string& hint) const {
        throw Error(ErrorKind::input, place(rule), message, hint);
    }

    /// Names of a kind, each once, in the order of the models.
    template <class Name>
    [[nodiscard]] static std::vector<std::string> distinct(const std::vector<const RegionModel*>& models,
                                                           const Name& name) {
        std::vector<std::string> names;
        for (const RegionModel* const m : models) {
            if (std::find(names.begin(), names.end(), name(*m)) == names.end()) names.push_back(name(*m));
        }
        return names;
    }

    static std::string listed(const std::vector<std::string>& names) {
        constexpr std::size_t few = 12;
        return fmt::format("choose from {}{}",
                           join(std::span(names).first(std::min(few, names.size())), ", "),
                           names.size() > few ? ", ..." : "");
    }

    /// The models of the region or pattern that a rule names, of the metric that it is about.
    [[nodiscard]] std::vector<const RegionModel*> models_of(const Rule& rule) const {
        std::vector<const RegionModel*> all;
        std::vector<const RegionModel*> exact;
        std::vector<const RegionModel*> fitting;
        for (const RegionModel& m : document_->models) {
            all.push_back(&m);
            if (m.region == rule.region) exact.push_back(&m);
            if (glob_match(rule.region, m.region)) fitting.push_back(&m);
        }
        std::vector<const RegionModel*> models = exact.empty() ? fitting : exact;
        const std::vector<std::string> regions = distinct(all, [](const RegionModel& m) { return m.region; });
        if (models.empty()) {
            const auto near = nearest(rule.region, regions);
            refuse(rule, fmt::format("there is no region '{}'", rule.region),
                   near ? fmt::format("did you mean '{}'?", *near) : listed(regions));
        }
        const std::string metric = metric_of(rule, models);
        std::erase_if(models, [&](const RegionModel* m) { return m->metric != metric; });
        return models;
    }

    [[nodiscard]] std::string metric_of(const Rule& rule,
                                        const std::vector<const RegionModel*>& models) const {
        std::vector<std::string> metrics = distinct(models, [](const RegionModel& m) { return m.metric; });
        if (rule.metric) {
            if (std::find(metrics.begin(), metrics.end(), *rule.metric) != metrics.end()) return *rule.metric;
            const auto near = nearest(*rule.metric, metrics);
            refuse(rule, fmt::format("'{}' has no metric '{}'", rule.region, *rule.metric),
                   near ? fmt::format("did you mean '{}'?", *near) : listed(metrics));
        }
        if (metrics.size() == 1) return metrics.front();
        if (!rule.unit.empty()) {  // the unit tells which
            std::vector<const RegionModel*> convertible;
            for (const RegionModel* const m : models) {
                if (factor(rule.unit, *m)) convertible.push_back(m);
            }
            const auto some = distinct(convertible, [](const RegionModel& m) { return m.metric; });
            if (!some.empty()) metrics = some;
        }
        if (metrics.size() == 1) return metrics.front();
        if (std::find(metrics.begin(), metrics.end(), "time") != metrics.end()) return "time";
        refuse(rule, fmt::format("'{}' has several metrics, and the rule names none", rule.region),
               fmt::format("write '{} [{}]', or another of {}", rule.region, metrics.front(),
                           join(metrics, ", ")));
    }

    static std::string unit_of(const RegionModel& model) {
        if (!model.unit.empty()) return model.unit;
        if (model.metric.empty()) return "s";  // as Extra-P's files without a METRIC mean it
        return std::string(experiment::usual_unit(model.metric));
    }

    static std::optional<double> factor(const std::string& unit, const RegionModel& model) {
        const std::string own = unit_of(model);
        return unit == own ? 1.0 : experiment::unit_factor(unit, own);
    }

    [[nodiscard]] std::size_t parameter(const Rule& rule, const std::string& name) const {
        const auto& names = document_->parameters;
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            const auto near = nearest(name, names);
            refuse(rule, fmt::format("there is no parameter '{}'", name),
                   near ? fmt::format("did you mean '{}'?", *near) : listed(names));
        }
        return static_cast<std::size_t>(found - names.begin());
    }

    [[nodiscard]] std::vector<double> point_of(const Rule& rule) const {
        std::vector<double> point(document_->parameters.size(), std::numeric_limits<double>::quiet_NaN());
        for (const auto& [name, value] : rule.at) point[parameter(rule, name)] = value;
        for (std::size_t k = 0; k < point.size(); ++k) {
            if (!std::isnan(point[k])) continue;
            refuse(rule, fmt::format("the point has no value of '{}'", document_->parameters[k]),
                   fmt::format("give a value for each of {}", join(document_->parameters, ", ")));
        }
        return point;
    }

    [[nodiscard]] Check check_one(const Rule& rule, const RegionModel& model) const {
        Check result{.region = model.region, .metric = model.metric, .unit = model.unit};
        switch (rule.kind) {
            case RuleKind::growth: check_growth(rule, model, result); break;
            case RuleKind::value: check_value(rule, model, result); break;
            case RuleKind::efficiency: check_efficiency(rule, model, result); break;
        }
        if (model.status != Status::ok) result.reason = model.reason;
        return result;
    }

    void check_growth(const Rule& rule, const RegionModel& model, Check& result) const {
        const std::size_t parameters = document_->parameters.size();
        std::vector<Order> bound;
        for (const auto& product : rule.growth) {
            Order order{.exponents = std::vector<std::pair<Rational, Rational>>(parameters), .factors = {}};
            for (const BoundFactor& f : product) {
                order.exponents[parameter(rule, f.parameter)] = {f.exponent, f.log_exponent};
            }
            bound.push_back(std::move(order));
        }
        if (model.status != Status::ok) return;
        result.growth = growth(model.function, document_->parameters);
        result.probability = 0.0;
        for (std::size_t i = 0; i < model.posterior.forms.size(); ++i) {
            const WeighedForm form = model.posterior.forms[i];
            result.probability += form.probability * within_probability(form, parameters, bound);
        }
        if (model.posterior.forms.empty()) {
            result.probability =
                within_probability({.probability = 1.0, .function = model.function}, parameters, bound);
        }
        result.probability = std::min(result.probability, 1.0);
        result.verdict = verdict_of(result.probability, coverage_);
    }

    void check_value(const Rule& rule, const RegionModel& model, Check& result) const {
        result.at = point_of(rule);
        const auto unit_factor = rule.unit.empty() ? 1.0 : factor(rule.unit, model);
        if (!unit_factor) {
            const std::string own = unit_of(model);
            refuse(rule,
                   own.empty() ? fmt::format("metric '{}' has no unit, and the rule is in '{}'", model.metric,
                                             rule.unit)
                               : fmt::format("metric '{}' is in '{}', and the rule in '{}'", model.metric,
                                             own, rule.unit),
                   own.empty() ? "leave the unit out" : fmt::format("give the bound in {}", own));
        }
        result.bound = rule.bound * *unit_factor;
        if (model.status != Status::ok) return;
        const Predictive values = predictive(model.posterior, model.function, result.at);
        result.estimate = predicted(model.posterior, model.function, result.at, coverage_);
        judge(rule, values, result);
    }

    /// The verdict by the interval, and the probability that goes with it.
    void judge(const Rule& rule, const Predictive& values, Check& result) const {
        const Estimate& e = result.estimate;
        if (!std::isfinite(e.value)) {
            result.reason = "the model has no value at this point";
            return;
        }
        const bool at_most = rule.relation == Relation::at_most;
        // What lies on the bound keeps the rule.
        const double below = values.at_most(result.bound);
        const double strictly_below = values.at_most(std::nextafter(result.bound, -INFINITY));
        result.probability = at_most ? below : 1.0 - strictly_below;
        const bool is_kept = at_most ? e.high <= result.bound : e.low >= result.bound;
        const bool is_broken = at_most ? e.low > result.bound : e.high < result.bound;
        result.verdict = is_kept ? Verdict::kept : is_broken ? Verdict::broken : Verdict::undecided;
    }

    [[nodiscard]] std::string option(std::string_view name) const {
        for (const auto& [recorded, value] : document_->options) {
            if (recorded == name) return value;
        }
        return {};
    }

    /// The parameter that counts the processes.
    [[nodiscard]] std::size_t processes(const Rule& rule) const {
        experiment::Experiment names;
        for (const std::string& name : document_->parameters)
            names.parameters.push_back({.name = name, .unit = {}});
        const auto found = experiment::processes_parameter(names, option("processes-parameter"));
        if (!found) {
            refuse(rule,
                   fmt::format("it is not clear which of {} counts the processes",
                               join(document_->parameters, ", ")),
                   "name it with --processes-parameter when the models are made");
        }
        return *found;
    }

    void check_efficiency(const Rule& rule, const RegionModel& model, Check& result) const {
        result.at = point_of(rule);
        result.bound = rule.bound;
        result.unit.clear();
        const std::size_t axis = processes(rule);
        if (document_->smallest.empty()) {
            refuse(rule, "the models do not say where their measurements begin",
                   "write them again with 'plimsoll fit ... -o models.json'");
        }
        result.base = result.at;
        result.base[axis] = document_->smallest[axis];
        const bool of_all_processes = option("scaling") == enum_name(Scaling::strong);
        result.scaling = rule.scaling.value_or(of_all_processes ? Scaling::strong : Scaling::weak);
        if (of_all_processes && result.scaling == Scaling::weak) {
            refuse(rule, "the models are of all processes together, which weak scaling does not compare",
                   "write 'strong efficiency(...)', or fit with --scaling weak");
        }
        if (model.status != Status::ok) return;
        const bool divides = result.scaling == Scaling::strong && !of_all_processes;
        const double processes_ratio = divides ? result.base[axis] / result.at[axis] : 1.0;
        const Predictive at_base = predictive(model.posterior, model.function, result.base);
        Predictive beyond = predictive(model.posterior, model.function, result.at);
        for (Predictive::Slice& slice : beyond.slices) slice.value /= processes_ratio;
        const Ratio efficiency = ratio(at_base, beyond, coverage_);
        result.estimate = efficiency.estimate;
        // The probability: how likely V(p0) >= bound V(p).
        Predictive bounded = beyond;
        for (Predictive::Slice& slice : bounded.slices) slice.value *= result.bound;
        const double at_least = ratio(at_base, bounded, coverage_).above_one;
        if (!std::isfinite(result.estimate.value)) {
            result.reason = "the model has no value above zero there";
            return;
        }
        const bool wants_more = rule.relation == Relation::at_least;
        result.probability = wants_more ? at_least : 1.0 - at_least;
        const Estimate& e = result.estimate;
        const bool is_kept = wants_more ? e.low >= result.bound : e.high <= result.bound;
        const bool is_broken = wants_more ? e.high < result.bound : e.low > result.bound;
        result.verdict = is_kept ? Verdict::kept : is_broken ? Verdict::broken : Verdict::undecided;
    }

    const Rules* rules_;
    const FitDocument* document_;
    double coverage_;
};

}  // namespace

std::vector<Check> check(const Rules& rules, const FitDocument& document, double coverage,
                         Progress& progress) {
    return Checker(rules, document, coverage).run(progress);
}

}  // namespace plimsoll::model
