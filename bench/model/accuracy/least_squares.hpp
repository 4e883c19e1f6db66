#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace plimsoll::model::accuracy {

constexpr std::size_t most_unknowns = 3;
using Unknowns = std::array<double, most_unknowns>;
using Matrix = std::array<Unknowns, most_unknowns>;

/// Replaces the lower triangle of a symmetric n x n matrix by its Cholesky factor; whether it is positive
/// definite.
bool factor(Matrix& m, std::size_t n);

/// Solves for x in place by the factor.
void solve(const Matrix& root, std::size_t n, Unknowns& x);

/// Least squares with up to three unknowns, as sums over the points.
struct LeastSquares {
    Matrix gram{};
    Unknowns right{};
    double square = 0.0;  ///< of the weighted values

    /// What unknowns leave of the square.
    [[nodiscard]] double left(std::size_t n, const Unknowns& c) const;

    /// The best unknowns with those of `held` at given values.
    [[nodiscard]] std::optional<Unknowns> best(
        std::size_t n, const std::array<std::optional<double>, most_unknowns>& held) const;

    /// The best unknowns within [0, largest]: each is free or at one of its limits.
    [[nodiscard]] Unknowns within(std::size_t n, const Unknowns& largest) const;
};

}  // namespace plimsoll::model::accuracy
