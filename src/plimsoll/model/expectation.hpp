#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "plimsoll/core/options.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/model/document.hpp"
#include "plimsoll/model/rules.hpp"

namespace plimsoll::model {

/// What the models say of a rule.
enum class Verdict {
    kept,
    broken,
    undecided  ///< the interval holds the bound, or there is no model
};
[[nodiscard]] constexpr std::array<EnumName<Verdict>, 3> enum_names(Verdict) {
    return {{{Verdict::kept, "kept"}, {Verdict::broken, "broken"}, {Verdict::undecided, "undecided"}}};
}

/// One rule for one region and metric.
struct Check {
    std::size_t rule = 0;  ///< position in the list of rules
    std::string region;
    std::string metric;
    std::string unit;
    Verdict verdict = Verdict::undecided;
    /// That the rule is kept; not a number where there is no model.
    double probability = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> at;                                   ///< [parameters]; empty for a growth
    Estimate estimate;                                        ///< of the value or the efficiency
    double bound = std::numeric_limits<double>::quiet_NaN();  ///< in the metric's unit
    std::string growth;                                       ///< of the model, for a growth
    /// Of an efficiency: weak for V(p0) / V(p), strong for p0 V(p0) / (p V(p)), where values are of one
    /// process; with values of all processes together the first ratio is the strong one already.
    experiment::Scaling scaling = experiment::Scaling::weak;
    std::vector<double> base;  ///< of an efficiency: the point with the fewest processes
    std::string reason;        ///< why nothing can be said, where there is no model
};

/// Compares models with rules, in the order of the rules. `coverage` is the probability of the intervals: a
/// rule is kept or broken where its opposite has half of what is left. Efficiencies are relative to the
/// smallest measured number of processes, with other parameters as in the rule.
///
/// Throws an input error with the rule's place where it names no region, metric or parameter of the document,
/// or a unit that the metric's does not convert to.
[[nodiscard]] std::vector<Check> check(const Rules& rules, const FitDocument& document, double coverage,
                                       Progress& progress);

}  // namespace plimsoll::model
