#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "plimsoll/core/options.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/model/document.hpp"

namespace plimsoll::model {

/// What regions are ordered by.
enum class RankBy {
    growth,  ///< which one finally dominates, however far that is
    cost     ///< which one is largest at a point
};
[[nodiscard]] constexpr std::array<EnumName<RankBy>, 2> enum_names(RankBy) {
    return {{{RankBy::growth, "growth"}, {RankBy::cost, "cost"}}};
}

struct RankOptions {
    RankBy by = RankBy::growth;
};

template <class Visitor>
void describe(RankOptions& o, Visitor&& option) {
    option("by", o.by, "What regions are ordered by: who finally dominates, or who costs most at --at");
}

/// One region's places among all with the same metric, counted from 1.
struct RankedRegion {
    std::string region;
    std::string metric;
    std::string unit;
    std::size_t growth_rank = 0;
    std::size_t cost_rank = 0;
    std::string growth;               ///< of the most probable form
    double growth_probability = 0.0;  ///< of the forms that grow so; 1 for a model of one form
    Estimate measured;                ///< by the model, at the largest measured values
    Estimate cost;                    ///< at the point asked for; low and high are the value for one form
};

/// Where a region becomes larger than another one, between the largest measured values and the point.
struct Crossing {
    std::string region;     ///< the larger one at the point
    std::string overtaken;  ///< the larger one at the largest measured values, and next to it at the point
    std::string metric;
    std::vector<double> at;    ///< where both are equal
    double probability = 0.0;  ///< that the first is the larger one at the point
};

struct RegionRanking {
    std::vector<double> from;  ///< the largest measured values
    std::vector<double> at;
    std::vector<RankedRegion> regions;  ///< metrics in the models' order, within one as asked for
    std::vector<Crossing> crossings;    ///< the one reached first before the others of its metric
};

/// Orders the regions of a document, which knows its largest measured values.
///
/// Scale grows along the line from the largest measured values to `at`, straight where coordinates are
/// logarithms; a parameter that does not rise there does not count for growth. The fastest growing term
/// decides who dominates, and where several regions have the same, its value; falling terms are below
/// constants. Crossings are those of neighbours in the order at `at`, found by bisection of the medians.
[[nodiscard]] RegionRanking rank(const FitDocument& document, const std::vector<double>& at,
                                 const RankOptions& options, double coverage, int threads,
                                 Progress& progress);

}  // namespace plimsoll::model
