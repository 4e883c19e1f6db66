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
    undecided  ///< the interval holds the bound, or nothing can be said
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
    /// That the rule is kept; not a number where nothing can be said.
    double probability = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> at;                                   ///< [parameters]; empty for a growth
    Estimate estimate;                                        ///< of the value or the efficiency
    double bound = std::numeric_limits<double>::quiet_NaN();  ///< in the metric's unit
    std::string growth;                                       ///< of the model, for a growth
    /// Of an efficiency: weak for V(p0) / V(p), strong for p0 V(p0) / (p V(p)), where values are of one
    /// process; with values of all processes together the first ratio is the strong one already.
    experiment::Scaling scaling = experiment::Scaling::weak;
    std::vector<double> base;  ///< of an efficiency: the point with the fewest processes
    /// Of an efficiency: how many regions were added up, the region itself and all below it.
    std::size_t regions = 0;
    std::string reason;  ///< why nothing can be said, such as that there is no model
    std::string note;    ///< what else to know: whether more may be meant, or what is left out
};

/// Compares models with rules, in the order of the rules. `coverage` is the probability of the intervals: a
/// rule is kept or broken where its opposite has half of what is left.
///
/// Growths and values are of a region alone, unless values are inclusive; a rule for one region gets a note
/// where its sub-tree is more. Efficiencies are of the sub-tree: the predictions of the region and all below
/// it are added up, as if known independently of one another. They are relative to the smallest measured
/// number of processes, with other parameters as in the rule. An efficiency of which no line says that it is
/// weak is undecided where the whole interval lies above 1.2.
///
/// Throws an input error with the rule's place where it names no region, metric or parameter of the document,
/// or a unit that the metric's does not convert to.
[[nodiscard]] std::vector<Check> check(const Rules& rules, const FitDocument& document, double coverage,
                                       Progress& progress, int threads = 1);

}  // namespace plimsoll::model
