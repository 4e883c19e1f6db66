#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll::heat {

/// One rank's planes of an n x n x n grid over the unit cube, whose walls stay at zero.
///
/// The heat equation u_t = u_xx + u_yy + u_zz by explicit Euler steps and central differences, with dt/h^2 =
/// 1/8, below the 1/6 up to which that is stable. The grid begins with the sum of two modes, each of which
/// the scheme multiplies by a factor of its own in every step, so that the result is known at any time.
class Slab {
  public:
    /// Planes `first` to `first + count - 1` of `n`, at step 0.
    Slab(std::uint64_t n, std::uint64_t first, std::uint64_t count);

    [[nodiscard]] std::uint64_t n() const { return n_; }
    [[nodiscard]] std::uint64_t first() const { return first_; }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// [count x n x n], row-major; stays where it is.
    [[nodiscard]] std::span<double> values() { return values_; }
    [[nodiscard]] std::span<const double> values() const { return values_; }
    /// The neighbours' outermost planes, or walls: [n x n].
    [[nodiscard]] std::span<double> below() { return below_; }
    [[nodiscard]] std::span<double> above() { return above_; }

    /// One step, from the values and the planes beside them.
    void advance();

    /// The largest difference to the known result.
    [[nodiscard]] double largest_error(std::uint64_t step) const;
    /// Depends on every bit of every value and its place in the whole grid; sums modulo 2^64 over slabs are
    /// that of the grid.
    [[nodiscard]] std::uint64_t checksum() const;

  private:
    [[nodiscard]] double exact(std::uint64_t step, std::uint64_t i, std::uint64_t j, std::uint64_t k) const;
    void advance_plane(std::span<const double> under, std::span<const double> plane,
                       std::span<const double> over);

    std::uint64_t n_;
    std::uint64_t first_;
    std::uint64_t count_;
    std::vector<double> values_;
    std::vector<double> below_;
    std::vector<double> above_;
    std::vector<double> old_;  ///< the plane below as it was before this step
    std::vector<double> new_;  ///< the plane that is being computed
};

}  // namespace plimsoll::heat
