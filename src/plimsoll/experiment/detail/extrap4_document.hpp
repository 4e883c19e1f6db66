#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "plimsoll/experiment/detail/stored_values.hpp"
#include "plimsoll/experiment/experiment.hpp"

namespace plimsoll::experiment::detail {

/// The series in the order of Extra-P's document, which lists all metrics of a region together.
[[nodiscard]] std::vector<std::size_t> series_by_region(const Experiment& experiment);

/// Writes experiment.json in pieces. `positions` tells for each measurement with raw values, in the order of
/// the document, where these are.
void write_extrap4_document(const Experiment& experiment, std::span<const std::size_t> order,
                            std::span<const ValuePosition> positions,
                            const std::function<void(std::string_view)>& write);

}  // namespace plimsoll::experiment::detail
