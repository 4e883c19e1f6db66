#include "plimsoll/model/detail/posterior/pair_moments.hpp"

#include <algorithm>

#include "plimsoll/core/error.hpp"

namespace plimsoll::model::detail {

void PairMoments::choose(std::span<const Slot> slots, std::size_t points) {
    PLIMSOLL_EXPECT(slots.size() <= most_slots);
    points_ = points;
    slots_ = slots.size();
    places_[0] = 1;
    for (std::size_t s = 0; s < slots_; ++s) places_[s + 1] = places_[s] + slots[s].functions.size();
    size_ = places_[slots_];
    values_.resize(points_ * size_);
    for (std::size_t i = 0; i < points_; ++i) values_[i * size_] = 1.0;
    for (std::size_t s = 0; s < slots_; ++s) {
        for (std::size_t f = 0; f < slots[s].functions.size(); ++f) {
            const std::span<const double> column = slots[s].table->column(slots[s].functions[f]);
            for (std::size_t i = 0; i < points_; ++i) values_[i * size_ + places_[s] + f] = column[i];
        }
    }
}

/// Adds the products of a point's values.
void PairMoments::add_pairs(const double* __restrict values, double weight, double* __restrict table) {
    double* __restrict weighted = weighted_.data();
    double* __restrict squares = table + size_ * size_;
    for (std::size_t h = 0; h < size_; ++h) {
        weighted[h] = values[h] * weight;
        table[h] += weighted[h];
        squares[h] += values[h] * values[h] * weight;
    }
    for (std::size_t s = 0; s + 1 < slots_; ++s) {
        for (std::size_t g = places_[s]; g < places_[s + 1]; ++g) {
            double* __restrict row = table + g * size_;
            for (std::size_t h = places_[s + 1]; h < size_; ++h) row[h] += values[g] * weighted[h];
        }
    }
}

void PairMoments::pairs(std::span<const double> weights, std::vector<double>& table) {
    table.assign((size_ + 1) * size_, 0.0);
    weighted_.resize(size_);
    for (std::size_t i = 0; i < points_; ++i) {
        add_pairs(values_.data() + i * size_, weights[i], table.data());
    }
}

void PairMoments::sums(std::span<const double> weights, std::vector<double>& table) const {
    table.assign(size_, 0.0);
    for (std::size_t i = 0; i < points_; ++i) {
        const double* values = values_.data() + i * size_;
        for (std::size_t g = 0; g < size_; ++g) table[g] += values[g] * weights[i];
    }
}

void PairMoments::maxima(std::span<const double> weights, std::vector<double>& table) const {
    table.assign(size_, 0.0);
    for (std::size_t i = 0; i < points_; ++i) {
        const double* values = values_.data() + i * size_;
        for (std::size_t g = 0; g < size_; ++g) table[g] = std::max(table[g], values[g] * weights[i]);
    }
}

}  // namespace plimsoll::model::detail
