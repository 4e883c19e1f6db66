#include "plimsoll/model/detail/rule_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/experiment/units.hpp"

namespace plimsoll::model {

namespace {

/// Names of metrics, each once, in the order of the models.
std::vector<std::string> metrics_of(const std::vector<const RegionModel*>& models) {
    std::vector<std::string> names;
    for (const RegionModel* const m : models) {
        if (std::find(names.begin(), names.end(), m->metric) == names.end()) names.push_back(m->metric);
    }
    return names;
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t few = 12;
    return fmt::format("choose from {}{}", join(std::span(names).first(std::min(few, names.size())), ", "),
                       names.size() > few ? ", ..." : "");
}

std::string unit_of(const RegionModel& model) {
    if (!model.unit.empty()) return model.unit;
    if (model.metric.empty()) return "s";  // as Extra-P's files without a METRIC mean it
    return std::string(experiment::usual_unit(model.metric));
}

/// `efficiency(main)` for a mistyped `efficency(main)`.
std::optional<std::string> meant_as_efficiency(std::string_view region) {
    static const std::vector<std::string> words{"efficiency", "weak efficiency", "strong efficiency"};
    const std::size_t bracket = region.find('(');
    if (bracket == std::string_view::npos || !region.ends_with(')')) return std::nullopt;
    const auto near = nearest(lower_case(trim(region.substr(0, bracket))), words);
    if (!near) return std::nullopt;
    return *near + std::string(region.substr(bracket));
}

std::optional<double> factor(const std::string& unit, const RegionModel& model) {
    const std::string own = unit_of(model);
    return unit == own ? 1.0 : experiment::unit_factor(unit, own);
}

}  // namespace

RuleModels::RuleModels(const Rules& rules, const FitDocument& document)
    : rules_(&rules), document_(&document) {
    for (const RegionModel& m : document.models) {
        Models& of_region = models_[m.region];
        if (of_region.empty()) regions_.push_back(m.region);
        of_region.push_back(&m);
        sorted_.push_back(&m);
    }
    std::stable_sort(sorted_.begin(), sorted_.end(),
                     [](const RegionModel* a, const RegionModel* b) { return a->region < b->region; });
}

void RuleModels::refuse(const Rule& rule, const std::string& message, const std::string& hint) const {
    throw Error(ErrorKind::input, Place{.file = rules_->file, .line = rule.line}, message, hint);
}

void RuleModels::refuse_region(const Rule& rule) const {
    const std::string missing = fmt::format("there is no region '{}'", rule.region);
    if (const auto meant = meant_as_efficiency(rule.region))
        refuse(rule, missing, fmt::format("did you mean '{}'?", *meant));
    const std::string below_any = rule.region + std::string(experiment::arrow);
    const bool is_above_some = std::any_of(regions_.begin(), regions_.end(), [&](const std::string& region) {
        return region.starts_with(below_any);
    });
    if (is_above_some) {
        refuse(rule, fmt::format("'{}' was not measured itself, only regions below it", rule.region),
               fmt::format("make the models with --tree inclusive, or write '{}*' for each of these",
                           below_any));
    }
    const auto near = experiment::meant_regions(rule.region, regions_);
    refuse(rule, missing, near ? fmt::format("did you mean '{}'?", *near) : listed(regions_));
}

std::vector<Subject> RuleModels::subjects(const Rule& rule) const {
    std::vector<std::string> names;
    if (models_.contains(rule.region)) {
        names.push_back(rule.region);
    } else {
        for (const std::string& region : regions_) {
            if (glob_match(rule.region, region)) names.push_back(region);
        }
    }
    Models candidates;
    for (const std::string& name : names) {
        const Models& own = models_.at(name);
        candidates.insert(candidates.end(), own.begin(), own.end());
    }
    if (names.empty() && rule.kind == RuleKind::efficiency) {
        names.push_back(rule.region);
        candidates = below(rule.region, std::nullopt);
    }
    if (candidates.empty()) refuse_region(rule);
    const std::string metric = metric_of(rule, candidates);
    std::vector<Subject> subjects;
    for (const std::string& name : names) {
        Subject subject{.region = name, .metric = metric, .own = nullptr, .below = {}};
        if (const auto found = models_.find(name); found != models_.end()) {
            for (const RegionModel* const m : found->second) {
                if (m->metric == metric && subject.own == nullptr) subject.own = m;
            }
            if (subject.own == nullptr) continue;  // a pattern fits regions of other metrics, too
        }
        subject.below = below(name, metric);
        subjects.push_back(std::move(subject));
    }
    return subjects;
}

/// All models of regions below one, of a metric or of any.
RuleModels::Models RuleModels::below(std::string_view region,
                                     const std::optional<std::string>& metric) const {
    const std::string begin = std::string(region) + std::string(experiment::arrow);
    auto it =
        std::lower_bound(sorted_.begin(), sorted_.end(), begin,
                         [](const RegionModel* m, const std::string& text) { return m->region < text; });
    Models models;
    for (; it != sorted_.end() && (*it)->region.starts_with(begin); ++it) {
        const bool is_level = experiment::find_arrow((*it)->region, region.size()) == region.size();
        if (is_level && (!metric || (*it)->metric == *metric)) models.push_back(*it);
    }
    return models;
}

std::string RuleModels::metric_of(const Rule& rule, const Models& models) const {
    std::vector<std::string> metrics = metrics_of(models);
    if (rule.metric) {
        if (std::find(metrics.begin(), metrics.end(), *rule.metric) != metrics.end()) return *rule.metric;
        const auto near = nearest(*rule.metric, metrics);
        refuse(rule, fmt::format("'{}' has no metric '{}'", rule.region, *rule.metric),
               near ? fmt::format("did you mean '{}'?", *near) : listed(metrics));
    }
    if (metrics.size() == 1) return metrics.front();
    if (!rule.unit.empty()) {  // the unit tells which
        Models convertible;
        for (const RegionModel* const m : models) {
            if (factor(rule.unit, *m)) convertible.push_back(m);
        }
        const auto some = metrics_of(convertible);
        if (!some.empty()) metrics = some;
    }
    if (metrics.size() == 1) return metrics.front();
    if (std::find(metrics.begin(), metrics.end(), "time") != metrics.end()) return "time";
    refuse(
        rule, fmt::format("'{}' has several metrics, and the rule names none", rule.region),
        fmt::format("write '{} [{}]', or another of {}", rule.region, metrics.front(), join(metrics, ", ")));
}

std::size_t RuleModels::parameter(const Rule& rule, const std::string& name) const {
    const auto& names = document_->parameters;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        const auto near = nearest(name, names);
        refuse(rule, fmt::format("there is no parameter '{}'", name),
               near ? fmt::format("did you mean '{}'?", *near) : listed(names));
    }
    return static_cast<std::size_t>(found - names.begin());
}

std::vector<double> RuleModels::point(const Rule& rule) const {
    std::vector<double> point(document_->parameters.size(), std::numeric_limits<double>::quiet_NaN());
    for (const auto& [name, value] : rule.at) point[parameter(rule, name)] = value;
    for (std::size_t k = 0; k < point.size(); ++k) {
        const bool all_are_positive = !document_->smallest.empty() && document_->smallest[k] > 0.0;
        if (point[k] <= 0.0 && all_are_positive) {
            refuse(rule,
                   fmt::format("{}={} is not above zero, as all measured values are",
                               document_->parameters[k], shortest(point[k])),
                   "give a value above zero");
        }
        if (!std::isnan(point[k])) continue;
        refuse(rule, fmt::format("the point has no value of '{}'", document_->parameters[k]),
               fmt::format("give a value for each of {}", join(document_->parameters, ", ")));
    }
    return point;
}

double RuleModels::unit_factor(const Rule& rule, const RegionModel& model) const {
    if (rule.unit.empty()) return 1.0;
    if (const auto known = factor(rule.unit, model)) return *known;
    const std::string own = unit_of(model);
    if (own.empty()) {
        refuse(rule, fmt::format("metric '{}' has no unit, and the rule is in '{}'", model.metric, rule.unit),
               "leave the unit out");
    }
    refuse(rule, fmt::format("metric '{}' is in '{}', and the rule in '{}'", model.metric, own, rule.unit),
           fmt::format("give the bound in {}", own));
}

}  // namespace plimsoll::model
