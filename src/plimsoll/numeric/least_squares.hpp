#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plimsoll::numeric {

/// What is done where the columns of a matrix are (nearly) dependent.
enum class RankCutOff {
    drop,      ///< singular values below 2^-52 max(rows, columns) of the largest count as zero
    keep_most  ///< as `drop`, but if that loses a column, solve again with the cut-off at 2^-52
};

/// Coefficients c, [columns], that minimise |X c - y|, of minimum norm where X lacks rank.
///
/// `matrix` is X, [rows x columns], row-major, all finite; `y` is [rows]. By singular value decomposition
/// (LAPACK's dgelsd). Its rounding is that of the reference library on every machine.
[[nodiscard]] std::vector<double> solve_least_squares(std::span<const double> matrix, std::size_t columns,
                                                      std::span<const double> y,
                                                      RankCutOff cut_off = RankCutOff::drop);

/// A matrix factored once, for any number of right-hand sides.
class Design {
  public:
    /// `matrix` is [rows x columns], row-major, all finite.
    Design(std::span<const double> matrix, std::size_t columns);

    [[nodiscard]] std::size_t rows() const { return leverage_.size(); }
    [[nodiscard]] std::size_t columns() const { return columns_; }
    [[nodiscard]] std::size_t rank() const { return rank_; }

    /// Coefficients, [columns], as `solve_least_squares` gives them to rounding.
    void solve(std::span<const double> y, std::span<double> coefficients) const;

    /// Diagonal of the hat matrix, [rows], each in [0, 1]. A residual divided by (1 - leverage) is what the
    /// point is missed by when it is left out (Cook and Weisberg, Residuals and Influence in Regression,
    /// 1982).
    [[nodiscard]] std::span<const double> leverage() const { return leverage_; }

  private:
    std::size_t columns_;
    std::size_t rank_ = 0;
    std::vector<double> inverse_;  ///< pseudo-inverse, [columns x rows], row-major
    std::vector<double> leverage_;
};

}  // namespace plimsoll::numeric
