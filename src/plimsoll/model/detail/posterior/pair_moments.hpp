#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "plimsoll/core/vectorised.hpp"
#include "plimsoll/model/detail/posterior/form_family.hpp"
#include "plimsoll/model/detail/posterior/moments.hpp"

namespace plimsoll::model::detail {

/// Sums over the points of products of two functions, each of a slot of its own: all that forms need whose
/// columns are single functions, and far fewer than `MomentTree` has.
///
/// A table has a place for the constant and for each function of each slot in turn.
class PairMoments {
  public:
    /// Takes the functions of these slots.
    void choose(std::span<const Slot> slots, std::size_t points);

    /// Places of a table.
    [[nodiscard]] std::size_t size() const { return size_; }
    /// Place of the first function of a slot.
    [[nodiscard]] std::size_t place(std::size_t slot) const { return places_[slot]; }

    /// sum_i weight_i g(x_i) h(x_i), [size + 1 x size]: g from the row, which is the constant or of a slot
    /// before that of h; in the last row g is h.
    void pairs(std::span<const double> weights, std::vector<double>& table);
    /// sum_i weight_i g(x_i), [size].
    void sums(std::span<const double> weights, std::vector<double>& table) const;
    /// max_i weight_i g(x_i), [size]; the weights are not negative.
    void maxima(std::span<const double> weights, std::vector<double>& table) const;

  private:
    PLIMSOLL_VECTORISED void add_pairs(const double* values, double weight, double* table);

    std::size_t points_ = 0;
    std::size_t slots_ = 0;
    std::size_t size_ = 1;
    std::array<std::size_t, most_slots + 1> places_{};
    std::vector<double> values_;  ///< [points x size]
    std::vector<double> weighted_;
};

}  // namespace plimsoll::model::detail
