#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/options.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/model/document.hpp"

namespace plimsoll::model {

/// What became of a metric from one version of a program to the next.
enum class Change {
    slower,
    faster,
    unclear,  ///< the interval of the ratio holds changes that matter, or nothing tells the noise
    alike     ///< the interval holds no change that matters
};
[[nodiscard]] constexpr std::array<EnumName<Change>, 4> enum_names(Change) {
    return {{{Change::slower, "slower"},
             {Change::faster, "faster"},
             {Change::unclear, "unclear"},
             {Change::alike, "alike"}}};
}

/// Which changes make the answer no.
enum class FailOn { nothing, slower };
[[nodiscard]] constexpr std::array<EnumName<FailOn>, 2> enum_names(FailOn) {
    return {{{FailOn::nothing, "nothing"}, {FailOn::slower, "slower"}}};
}

struct CompareOptions {
    double confidence = 0.95;
    Percent least_change{0.05};
    FailOn fail_on = FailOn::nothing;
};

template <class Visitor>
void describe(CompareOptions& o, Visitor&& option) {
    option("confidence", o.confidence,
           "Probability of the intervals; the rest is the share of false verdicts among slower and faster",
           Shares{0.5, 0.9999});
    option("least-change", o.least_change, "Least change that matters, such as 5%", Shares{0.0, 10.0});
    option("fail-on", o.fail_on, "Changes that end the command with exit status 1");
}

/// Values of both versions at one point.
struct PointChange {
    std::vector<double> at;  ///< [parameters]
    double before = 0.0;
    double after = 0.0;
};

/// How one region and metric changed.
struct RegionChange {
    std::string region;
    std::string metric;
    std::string unit;  ///< of the first version; values of the second are converted
    Change verdict = Change::unclear;
    Estimate ratio;  ///< after / before; low and high are not numbers where nothing tells the noise
    /// That the second version takes more; not a number where nothing tells the noise.
    double slower_probability = std::numeric_limits<double>::quiet_NaN();
    double p_value = 1.0;             ///< of so large a change either way, if there were none
    double adjusted_p_value = 1.0;    ///< for all regions and metrics (at this point) together
    std::vector<PointChange> points;  ///< the common measured ones, or the one that was predicted
    // Growth by the models, where both versions have one; of a falling one how it falls.
    std::string growth_before;
    std::string growth_after;
    bool growth_changed = false;
};

/// Two versions of a program.
struct Comparison {
    std::vector<RegionChange> changes;  ///< by verdict; the largest change of each first
    std::vector<std::pair<std::string, std::string>> only_before;  ///< region, metric
    std::vector<std::pair<std::string, std::string>> only_after;
};

/// What complaints call the two versions: their files.
struct VersionNames {
    std::string before = "the first input";
    std::string after = "the second input";
};

/// Compares by the points that were measured in both versions: see `measured_change`. Series without a common
/// point with values above zero are left out. Throws an input error where the parameters of both have not the
/// same names, or units of a metric do not convert.
///
/// A region is slower or faster where the change is at least `least_change` and its p-value, adjusted for the
/// number of regions and metrics (Benjamini, Hochberg, "Controlling the false discovery rate", JRSS B 57,
/// 1995), is at most 1 - `confidence`: of all such verdicts no more than this share is expected to be false.
/// Of the others, those are alike whose whole interval lies within `least_change` of 1.
[[nodiscard]] Comparison compare(const experiment::Experiment& before, const experiment::Experiment& after,
                                 const CompareOptions& options, const VersionNames& names = {});

/// Compares by the predictive distributions at points, [points][parameters of `before`], taken as
/// independent. Each point of a region is a change of its own.
[[nodiscard]] Comparison compare(const FitDocument& before, const FitDocument& after,
                                 std::span<const std::vector<double>> points, const CompareOptions& options,
                                 int threads, Progress& progress, const VersionNames& names = {});

/// Adds the growth of both versions' models: as named elsewhere, but for falling ones how they fall. It has
/// changed where the two posteriors, as distributions over growths, overlap by no more than 1 - confidence
/// (Bhattacharyya's coefficient).
void add_growth(Comparison& comparison, const FitDocument& before, const FitDocument& after,
                double confidence);

/// Means of the repetitions at one point.
struct PairedMeans {
    struct Runs {
        double mean = 0.0;
        double deviation = 0.0;  ///< of one run (divisor n - 1); does not count for one run alone
        std::size_t count = 1;
    };
    Runs before;
    Runs after;
};

/// The mean logarithmic ratio over points, with an interval that holds whichever noise there is.
///
/// Two tests have to agree: Student's over the points, by the scatter of the logarithms of their ratios,
/// which holds where runs at one point share what disturbs them; and one by the deviations of the
/// repetitions, with Welch and Satterthwaite's degrees of freedom. The interval is the wider one, the p-value
/// the larger one. Student's test on few heavy-tailed values rejects less often than it says, not more.
struct MeasuredChange {
    Estimate ratio;
    double p_value = std::numeric_limits<double>::quiet_NaN();  ///< where nothing tells the noise
};
[[nodiscard]] MeasuredChange measured_change(std::span<const PairedMeans> points, double confidence);

/// Benjamini and Hochberg's adjusted p-values, in the order given.
[[nodiscard]] std::vector<double> adjusted_p_values(std::span<const double> p_values);

}  // namespace plimsoll::model
