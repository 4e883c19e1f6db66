#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plimsoll/model/document.hpp"
#include "plimsoll/model/rules.hpp"

namespace plimsoll::model {

/// A region and metric that a rule is about.
struct Subject {
    std::string region;
    std::string metric;
    const RegionModel* own =
        nullptr;  ///< of the region itself; an efficiency may be of what lies below alone
    std::vector<const RegionModel*> below;  ///< of that metric, in all regions below it in the call tree
};

/// Finds the models that the rules of one file name. Complains of names that are not there as input errors
/// with the rule's place.
class RuleModels {
  public:
    /// Keeps references to both.
    RuleModels(const Rules& rules, const FitDocument& document);

    /// The regions of the region or pattern that a rule names, in the order of the models.
    [[nodiscard]] std::vector<Subject> subjects(const Rule& rule) const;

    /// Position of a parameter.
    [[nodiscard]] std::size_t parameter(const Rule& rule, const std::string& name) const;

    /// The rule's point, [parameters].
    [[nodiscard]] std::vector<double> point(const Rule& rule) const;

    /// What the rule's bound is multiplied by to be in the unit of a model.
    [[nodiscard]] double unit_factor(const Rule& rule, const RegionModel& model) const;

    [[noreturn]] void refuse(const Rule& rule, const std::string& message, const std::string& hint) const;

  private:
    using Models = std::vector<const RegionModel*>;

    [[nodiscard]] Models below(std::string_view region, const std::optional<std::string>& metric) const;
    [[nodiscard]] std::string metric_of(const Rule& rule, const Models& models) const;
    [[noreturn]] void refuse_region(const Rule& rule) const;

    const Rules* rules_;
    const FitDocument* document_;
    std::vector<std::string> regions_;                     ///< each once, in the order of the models
    std::unordered_map<std::string_view, Models> models_;  ///< of each region
    Models sorted_;                                        ///< by region
};

}  // namespace plimsoll::model
