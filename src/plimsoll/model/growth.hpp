#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "plimsoll/model/function.hpp"

namespace plimsoll::model {

/// How fast a term grows in each parameter: by its law, then by its power, then by its logarithm.
struct Order {
    std::vector<std::pair<Rational, Rational>> exponents;  ///< [parameters]
    std::vector<Factor> factors;                           ///< what the term is made of
    std::vector<Law> laws{};                               ///< [parameters], or empty where there is none

    /// Below 0 where this grows more slowly in a parameter than the other, 0 where alike.
    [[nodiscard]] int compare(const Order& other, std::size_t parameter) const;

    /// Whether this order is at least the other in every parameter.
    [[nodiscard]] bool covers(const Order& other) const;
};

/// Asymptotic growth: the orders of the terms that no other one outgrows in every parameter. Of a piecewise
/// function those of its last segment; of a function that stays bounded one without exponents.
[[nodiscard]] std::vector<Order> growth_orders(const Function& function, std::size_t parameters);

}  // namespace plimsoll::model
