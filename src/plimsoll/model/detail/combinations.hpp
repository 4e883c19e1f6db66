#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plimsoll/model/options.hpp"

namespace plimsoll::model::detail {

/// One way to combine the terms of k axes: each product is the set of axes that it multiplies, a bit an axis.
using CombinationForm = std::vector<std::uint32_t>;

/// Most axes that a form can name.
inline constexpr std::size_t most_axes = 31;

/// The forms that are tried for k axes with a term, in order: equal scores keep the earlier one.
[[nodiscard]] std::vector<CombinationForm> combination_forms(std::size_t axes, Combinations choice);

}  // namespace plimsoll::model::detail
