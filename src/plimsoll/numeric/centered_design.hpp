#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plimsoll::numeric {

/// Cholesky factor L of a symmetric matrix with unit diagonal, [k x k], row-major, lower triangle.
///
/// False where a pivot falls to `smallest_pivot` or below: the part of a column that the others do not
/// explain, squared. The normal equations have then lost that share of their digits.
[[nodiscard]] bool factor_cholesky(std::span<const double> matrix, std::size_t k, double smallest_pivot,
                                   std::span<double> lower);

/// Solves L x = b in place.
void solve_lower(std::span<const double> lower, std::size_t k, std::span<double> b);

/// Solves L L^T x = b in place.
void solve_cholesky(std::span<const double> lower, std::size_t k, std::span<double> b);

/// Leave-one-out predictions of a least-squares fit with a constant and some columns, each of [values].
///
/// Entry i is what a fit to the other values predicts for value i; not a number where nothing but the value
/// itself determines its prediction.
[[nodiscard]] std::vector<double> predict_each_from_others(std::span<const std::span<const double>> columns,
                                                           std::span<const double> values);

}  // namespace plimsoll::numeric
