#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "plimsoll/model/function.hpp"

namespace plimsoll::model {

/// How fast a term grows in each parameter: by its power, then by its logarithm.
struct Order {
    std::vector<std::pair<Rational, Rational>> exponents;  ///< [parameters]
    std::vector<Factor> factors;                           ///< what the term is made of

    /// Whether this order is at least the other in every parameter.
    [[nodiscard]] bool covers(const Order& other) const;
};

/// Asymptotic growth: the orders of the terms that no other one outgrows in every parameter. Of a piecewise
/// function those of its last segment; of a function that stays bounded one without exponents.
[[nodiscard]] std::vector<Order> growth_orders(const Function& function, std::size_t parameters);

}  // namespace plimsoll::model
