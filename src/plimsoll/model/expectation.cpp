#include "plimsoll/model/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "plimsoll/core/parallel.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/experiment/transform.hpp"
#include "plimsoll/model/detail/rule_models.hpp"
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

/// Those that lie below no other one of them.
std::vector<const RegionModel*> outermost(const std::vector<const RegionModel*>& models) {
    std::unordered_set<std::string_view> regions;
    for (const RegionModel* const m : models) regions.insert(m->region);
    std::vector<const RegionModel*> result;
    for (const RegionModel* const m : models) {
        std::string_view above = experiment::path_above(m->region);
        while (!above.empty() && !regions.contains(above)) above = experiment::path_above(above);
        if (above.empty()) result.push_back(m);
    }
    return result;
}

/// The verdict by the interval. The probability is by slices, which are a little coarse: near a limit it is
/// brought to the side of it that the interval tells.
void judge(Relation relation, double coverage, Check& result) {
    const Estimate& e = result.estimate;
    const bool at_most = relation == Relation::at_most;
    const bool is_kept = at_most ? e.high <= result.bound : e.low >= result.bound;
    const bool is_broken = at_most ? e.low > result.bound : e.high < result.bound;
    result.verdict = is_kept ? Verdict::kept : is_broken ? Verdict::broken : Verdict::undecided;
    const double tail = 0.5 * (1.0 - coverage);
    result.probability = std::clamp(result.probability,
                                    is_kept     ? 1.0 - tail
                                    : is_broken ? 0.0
                                                : tail,
                                    is_kept     ? 1.0
                                    : is_broken ? tail
                                                : 1.0 - tail);
}

/// Probability of a relation to a bound; what lies on the bound keeps the rule.
double probability_of(Relation relation, const Predictive& values, double bound) {
    return relation == Relation::at_most ? values.at_most(bound)
                                         : 1.0 - values.at_most(std::nextafter(bound, -INFINITY));
}

/// Compares the rules of one file with one document.
class Checker {
  public:
    Checker(const Rules& rules, const FitDocument& document, double coverage, int threads)
        : rules_(&rules),
          document_(&document),
          coverage_(coverage),
          threads_(threads),
          models_(rules, document) {}

    [[nodiscard]] std::vector<Check> run(Progress& progress) const {
        Activity activity(progress, "checking rules", 0);
        std::vector<Check> checks;
        for (std::size_t i = 0; i < rules_->rules.size(); ++i) {
            const Rule& rule = rules_->rules[i];
            const std::vector<Subject> subjects = models_.subjects(rule);
            Ends ends;
            for (const Subject& subject : subjects) {
                Check result{.rule = i,
                             .region = subject.region,
                             .metric = subject.metric,
                             .unit = subject.own != nullptr ? subject.own->unit : std::string()};
                switch (rule.kind) {
                    case RuleKind::growth: check_growth(rule, subject, result); break;
                    case RuleKind::value: check_value(rule, subject, result); break;
                    case RuleKind::efficiency: check_efficiency(rule, subject, ends, activity, result); break;
                }
                if (subjects.size() > 1 && rule.kind != RuleKind::efficiency) result.note.clear();
                checks.push_back(std::move(result));
                activity.step();
            }
        }
        return checks;
    }

  private:
    /// Distributions at both ends of an efficiency, made once for all regions of a rule.
    using Ends = std::unordered_map<const RegionModel*, std::pair<Predictive, Predictive>>;

    [[nodiscard]] std::vector<Order> bound_of(const Rule& rule) const {
        std::vector<Order> bound;
        for (const auto& product : rule.growth) {
            Order order{.exponents = std::vector<std::pair<Rational, Rational>>(document_->parameters.size()),
                        .factors = {}};
            for (const BoundFactor& f : product) {
                order.exponents[models_.parameter(rule, f.parameter)] = {f.exponent, f.log_exponent};
            }
            bound.push_back(std::move(order));
        }
        return bound;
    }

    /// Probability that a model grows no faster than a bound.
    [[nodiscard]] double growth_probability(const RegionModel& model, const std::vector<Order>& bound) const {
        const std::size_t parameters = document_->parameters.size();
        if (model.posterior.forms.empty())
            return within_probability({.probability = 1.0, .function = model.function}, parameters, bound);
        double probability = 0.0;
        for (std::size_t i = 0; i < model.posterior.forms.size(); ++i) {
            if (!model.posterior.forms.range(i).is_last()) continue;
            const WeighedForm form = model.posterior.forms[i];
            probability += form.probability * within_probability(form, parameters, bound);
        }
        return std::min(probability, 1.0);
    }

    void check_growth(const Rule& rule, const Subject& subject, Check& result) const {
        const std::vector<Order> bound = bound_of(rule);
        const RegionModel& model = *subject.own;
        if (model.status != Status::ok) {
            result.reason = model.reason;
            return;
        }
        result.growth = growth(model.function, document_->parameters);
        result.probability = growth_probability(model, bound);
        result.verdict = verdict_of(result.probability, coverage_);
        if (document_->inclusive) return;
        for (const RegionModel* const part : subject.below) {
            if (part->status != Status::ok) continue;
            if (verdict_of(growth_probability(*part, bound), coverage_) != Verdict::broken) continue;
            result.note = fmt::format(
                "{}: '{}' is meant alone; '{}' below it grows as {}, faster than the bound; a "
                "rule for '{}*' holds all of these to it",
                place_text(rule), subject.region, part->region, growth(part->function, document_->parameters),
                subject.region);
            return;
        }
    }

    void check_value(const Rule& rule, const Subject& subject, Check& result) const {
        const RegionModel& model = *subject.own;
        result.at = models_.point(rule);
        result.bound = rule.bound * models_.unit_factor(rule, model);
        if (model.status != Status::ok) {
            result.reason = model.reason;
            return;
        }
        result.estimate = predicted(model.posterior, model.function, result.at, coverage_);
        if (!std::isfinite(result.estimate.value)) {
            result.reason = "the model has no value at this point";
            return;
        }
        const Predictive values = predictive(model.posterior, model.function, result.at);
        result.probability = probability_of(rule.relation, values, result.bound);
        judge(rule.relation, coverage_, result);
        if (!document_->inclusive) result.note = share_note(rule, subject, result);
    }

    /// What share of its sub-tree a region is: a bound on it alone may be meant for all of it.
    [[nodiscard]] std::string share_note(const Rule& rule, const Subject& subject,
                                         const Check& result) const {
        const double own = std::max(result.estimate.value, 0.0);
        double total = own;
        for (const RegionModel* const part : subject.below) {
            if (part->status != Status::ok) continue;
            const double value = predicted(part->posterior, part->function, result.at, coverage_).value;
            if (std::isfinite(value)) total += std::max(value, 0.0);
        }
        if (total == own) return {};
        return fmt::format(
            "{}: '{}' is meant alone, {:.1f} % of its sub-tree at {}; models made with --tree inclusive are "
            "of "
            "all of it",
            place_text(rule), subject.region, 100.0 * own / total,
            assignments(document_->parameters, result.at));
    }

    [[nodiscard]] std::string place_text(const Rule& rule) const {
        return fmt::format("{}:{}", rules_->file, rule.line);
    }

    /// The parameter that counts the processes.
    [[nodiscard]] std::size_t processes(const Rule& rule) const {
        experiment::Experiment names;
        for (const std::string& name : document_->parameters)
            names.parameters.push_back({.name = name, .unit = {}});
        const auto found = experiment::processes_parameter(
            names, std::string(recorded_option(*document_, "processes-parameter")));
        if (!found) {
            models_.refuse(rule,
                           fmt::format("it is not clear which of {} counts the processes",
                                       join(document_->parameters, ", ")),
                           "name it with --processes-parameter when the models are made");
        }
        return *found;
    }

    /// The models whose values add up to that of a region and all below it. Says which ones are missing.
    [[nodiscard]] std::vector<const RegionModel*> parts_of(const Rule& rule, const Subject& subject,
                                                           Check& result) const {
        std::vector<const RegionModel*> all;
        if (subject.own != nullptr) all.push_back(subject.own);
        if (!document_->inclusive) all.insert(all.end(), subject.below.begin(), subject.below.end());
        if (all.empty()) all = outermost(subject.below);
        std::vector<const RegionModel*> parts;
        const RegionModel* missing = nullptr;
        for (const RegionModel* const m : all) {
            if (m->status == Status::ok) parts.push_back(m);
            if (m->status != Status::ok && missing == nullptr) missing = m;
        }
        if (parts.empty()) result.reason = missing->reason;
        if (!parts.empty() && missing != nullptr) {
            result.note = fmt::format("{}: {} of {} in '{}' have no model and are left out: '{}' ({}){}",
                                      place_text(rule), all.size() - parts.size(),
                                      counted(all.size(), "region"), subject.region, missing->region,
                                      missing->reason, all.size() - parts.size() > 1 ? ", ..." : "");
        }
        return parts;
    }

    /// Adds what the ends of some models lack.
    void add_ends(const std::vector<const RegionModel*>& parts, const Check& check, Activity& activity,
                  Ends& ends) const {
        std::vector<Ends::value_type*> missing;
        for (const RegionModel* const m : parts) {
            const auto [entry, is_new] = ends.try_emplace(m);
            if (is_new) missing.push_back(&*entry);  // stays where it is while others are added
        }
        parallel_for(missing.size(), threads_, activity, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) {
                const RegionModel& m = *missing[i]->first;
                missing[i]->second = {predictive(m.posterior, m.function, check.base),
                                      predictive(m.posterior, m.function, check.at)};
            }
        });
    }

    void check_efficiency(const Rule& rule, const Subject& subject, Ends& ends, Activity& activity,
                          Check& result) const {
        result.at = models_.point(rule);
        result.bound = rule.bound;
        result.unit.clear();
        const std::size_t axis = processes(rule);
        if (document_->smallest.empty()) {
            models_.refuse(rule, "the models do not say where their measurements begin",
                           "write them again with 'plimsoll fit ... -o models.json'");
        }
        result.base = result.at;
        result.base[axis] = document_->smallest[axis];
        const bool of_all_processes = recorded_option(*document_, "scaling") == enum_name(Scaling::strong);
        result.scaling = rule.scaling.value_or(of_all_processes ? Scaling::strong : Scaling::weak);
        if (of_all_processes && result.scaling == Scaling::weak) {
            models_.refuse(rule,
                           "the models are of all processes together, which weak scaling does not compare",
                           "write 'strong efficiency(...)', or fit with --scaling weak");
        }
        const std::vector<const RegionModel*> parts = parts_of(rule, subject, result);
        if (parts.empty()) return;
        result.regions = parts.size();
        std::vector<Predictive> at_base;
        std::vector<Predictive> beyond;
        add_ends(parts, result, activity, ends);
        for (const RegionModel* const m : parts) {
            const auto& [first, second] = ends.at(m);
            at_base.push_back(first);
            beyond.push_back(second);
        }
        const bool divides = result.scaling == Scaling::strong && !of_all_processes;
        const double processes_ratio = divides ? result.base[axis] / result.at[axis] : 1.0;
        Predictive denominator = sum(std::move(beyond));
        for (Predictive::Slice& slice : denominator.slices) slice.value /= processes_ratio;
        const Ratio efficiency = ratio(sum(std::move(at_base)), denominator, coverage_);
        result.estimate = efficiency.estimate;
        if (!std::isfinite(result.estimate.value)) {
            result.reason = "the model has no value above zero there";
            return;
        }
        // Caches may make weak scaling a little better than ideal, but not by much.
        constexpr double most_plausible = 1.2;
        const bool is_taken_for_weak = !rule.scaling && result.scaling == Scaling::weak;
        if (is_taken_for_weak && result.at[axis] > result.base[axis] &&
            result.estimate.low > most_plausible) {
            result.reason = fmt::format(
                "{:.3g} of {} looks like strong scaling; write 'strong efficiency(...)' or 'weak "
                "efficiency(...)'",
                result.estimate.value, assignments(document_->parameters, result.base));
            return;
        }
        result.probability = probability_of(rule.relation, efficiency.predictive, result.bound);
        judge(rule.relation, coverage_, result);
    }

    const Rules* rules_;
    const FitDocument* document_;
    double coverage_;
    int threads_;
    RuleModels models_;
};

}  // namespace

std::vector<Check> check(const Rules& rules, const FitDocument& document, double coverage, Progress& progress,
                         int threads) {
    return Checker(rules, document, coverage, threads).run(progress);
}

}  // namespace plimsoll::model
