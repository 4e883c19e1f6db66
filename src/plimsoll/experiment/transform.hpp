#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/options.hpp"
#include "plimsoll/experiment/experiment.hpp"

namespace plimsoll::experiment {

/// How the values of the processes and threads of one run become one.
enum class RankAggregate {
    each,  ///< every value counts, as a repetition does
    sum,
    mean,
    maximum
};
[[nodiscard]] constexpr std::array<EnumName<RankAggregate>, 4> enum_names(RankAggregate) {
    return {{{RankAggregate::each, "each"},
             {RankAggregate::sum, "sum"},
             {RankAggregate::mean, "mean"},
             {RankAggregate::maximum, "max"}}};
}

/// Whether a region's value is its own or that of its whole sub-tree.
enum class TreeAggregate { exclusive, inclusive };
[[nodiscard]] constexpr std::array<EnumName<TreeAggregate>, 2> enum_names(TreeAggregate) {
    return {{{TreeAggregate::exclusive, "exclusive"}, {TreeAggregate::inclusive, "inclusive"}}};
}

/// What is done to the measurements between reading and modelling.
struct TransformOptions {
    Scaling scaling = Scaling::weak;
    std::string
        processes_parameter;  ///< that counts the processes, for strong scaling; empty: found by its name
    RankAggregate ranks = RankAggregate::each;
    TreeAggregate tree = TreeAggregate::exclusive;
    std::vector<std::string> regions;  ///< glob patterns; empty: all
    std::string region_expression;     ///< regular expression (ECMAScript); empty: all
    std::vector<std::string> metrics;  ///< glob patterns; empty: all
};

template <class Visitor>
void describe(TransformOptions& o, Visitor&& option) {
    option("region", o.regions, "Only regions whose path fits this pattern (* and ?); may be repeated");
    option("region-regex", o.region_expression,
           "Only regions whose path contains a match of this regular expression");
    option("metric", o.metrics, "Only metrics whose name fits this pattern (* and ?); may be repeated");
    option("scaling", o.scaling,
           "What is modelled: the time of a process, or (strong) the time of all processes together");
    option("processes-parameter", o.processes_parameter,
           "Parameter that counts the processes, for --scaling strong; found by its name if absent");
    option("ranks", o.ranks, "How values of processes and threads of one run are joined");
    option("tree", o.tree, "Values of a region alone, or (inclusive) of its whole sub-tree");
}

/// The experiment as it is to be modelled: filtered, then scaled, joined over ranks, summed over sub-trees.
/// Throws a usage error where nothing is left or an option does not fit the experiment.
[[nodiscard]] Experiment transform(Experiment experiment, const TransformOptions& options);

/// Whether each region of an experiment fits one of the patterns, as in TransformOptions::regions. Throws a
/// usage error with the nearest path for a pattern that no region fits; `option` is the flag that it was
/// given by, without dashes.
[[nodiscard]] std::vector<bool> fitting_regions(const Experiment& experiment,
                                                std::span<const std::string> patterns,
                                                std::string_view option);

/// A line for each two parameters that rise or fall together at all points: models cannot tell whose effect
/// is whose.
[[nodiscard]] std::vector<std::string> coupled_parameter_remarks(const Experiment& experiment);

/// The parameter that counts processes: the one named, else the only one, else one with a usual name
/// (p, processes, ranks, ...); empty where this is not clear. Throws a usage error for an unknown name.
[[nodiscard]] std::optional<std::size_t> processes_parameter(const Experiment& experiment,
                                                             const std::string& name);

/// A remark for the user where the total time falls with the processes at every step, by a fifth and far
/// beyond the spread of the repetitions. That may be strong scaling, for which the time of all processes
/// together is the better quantity to model. Only for metrics that this conversion changes.
[[nodiscard]] std::vector<std::string> strong_scaling_remarks(const Experiment& experiment);

}  // namespace plimsoll::experiment
