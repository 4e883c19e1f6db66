#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "plimsoll/plan/config_choice.hpp"

namespace plimsoll::plan {

/// Between which values of one limit an answer stays as it is, all else left alone.
struct LimitRange {
    LimitKind kind = LimitKind::deadline;  ///< deadline, budget or efficiency: what the user has set
    std::size_t budget = 0;                ///< position among the budgets
    double from = 0.0;                     ///< s, an amount, or a share
    double to = std::numeric_limits<double>::infinity();
    /// The answer beyond each end; empty where nothing is feasible there, or nothing changes.
    std::optional<std::size_t> before;
    std::optional<std::size_t> behind;
};

/// How far the world may differ from what was assumed before an answer changes.
struct Sensitivity {
    std::vector<LimitRange> limits;
    /// Times as long as predicted that all runs may take before the answer misses a limit with the
    /// probability asked for; infinite where there is none.
    double time_factor = std::numeric_limits<double>::infinity();
    /// Times the price of the answer's machine that it may cost before it misses a budget of money, or
    /// another machine has a cheaper configuration; infinite where it is compared by something else.
    double price_factor = std::numeric_limits<double>::infinity();
    std::optional<std::size_t> at_another_price;  ///< the answer then, on another machine
};

/// Of each goal's answer, where there is one.
[[nodiscard]] std::array<std::optional<Sensitivity>, 3> sensitivities(const Configurations& configurations,
                                                                      const Choice& choice,
                                                                      Progress& progress = silent());

/// The least that one limit would have to allow for some configuration to be feasible, all else left alone.
struct Relief {
    LimitKind kind = LimitKind::deadline;
    std::size_t budget = 0;
    double needed = 0.0;  ///< s, an amount, or a share
    std::size_t configuration = 0;
};

/// Of each limit that the user has set, where nothing is feasible; those alone that can help.
[[nodiscard]] std::vector<Relief> reliefs(const Configurations& configurations,
                                          Progress& progress = silent());

}  // namespace plimsoll::plan
