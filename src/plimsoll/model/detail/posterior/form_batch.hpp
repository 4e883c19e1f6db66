#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "plimsoll/core/vectorised.hpp"
#include "plimsoll/model/detail/posterior/form_evidence.hpp"
#include "plimsoll/model/detail/posterior/form_family.hpp"
#include "plimsoll/model/detail/posterior/screening.hpp"

namespace plimsoll::model::detail {

/// Numbers that a processor works on side by side.
inline constexpr std::size_t lanes = 4;
using Lanes [[gnu::vector_size(lanes * sizeof(double))]] = double;

/// Forms of one structure, solved side by side: normal equations, and L D L' of each form's matrix.
template <std::size_t columns>
struct FormBatch {
    static constexpr std::size_t size = 64;
    static constexpr std::size_t pairs = columns * (columns + 1) / 2;
    static constexpr std::size_t rows = pairs + 2 * columns;
    /// Lower triangles by rows, then right-hand sides, then inverse squares of the columns' largest shares.
    double equations[rows][size + lanes];
    double lower[columns][columns][size];     ///< L below its diagonal of ones
    double unscaled[columns][columns][size];  ///< L D
    double inverse_pivots[columns][size];
    double reduced[columns][size];  ///< the solution of L z = b
    double rss[size];
    double determinant[size];
    double soundness[size];  ///< not positive where a column is explained by the others
    double rating[size];
    double constant_share[size];
    double constant_deviation[size];
    double log_prior[size];
    std::uint8_t run[size];     ///< of each form
    std::uint8_t choice[size];  ///< of the innermost slot
    std::size_t count = 0;

    /// Forms that differ in the function of the innermost slot alone.
    struct Run {
        Candidate form;
        std::size_t kind = 0;  ///< the first of three, by the powers of the innermost function's logarithm
    };
    Run runs[size];
    std::size_t run_count = 0;

    void clear() { count = run_count = 0; }
    /// Places that are worked on: those of the forms, up to whole lanes.
    [[nodiscard]] std::size_t width() const { return (count + lanes - 1) / lanes * lanes; }

    /// Adds the forms of a run from its `first` to `first + some`, which there is room for. Their equations
    /// stand in tables, from `sources` on and `strides` apart, with room for a few entries more.
    PLIMSOLL_VECTORISED void add(const Run& of, const std::array<const double*, rows>& sources,
                                 const std::array<std::size_t, rows>& strides, std::size_t first,
                                 std::size_t some);
    /// Residuals and determinants.
    PLIMSOLL_VECTORISED void solve(double total);
    PLIMSOLL_VECTORISED void find_constant();
    /// Adds the prior to the ratings. That of forms that are not sound is -infinity; the best comes back.
    PLIMSOLL_VECTORISED double judge();
};

template <std::size_t columns>
void FormBatch<columns>::add(const Run& of, const std::array<const double*, rows>& sources,
                             const std::array<std::size_t, rows>& strides, std::size_t first,
                             std::size_t some) {
    for (std::size_t row = 0; row < rows; ++row) {
        const double* from = sources[row] + first * strides[row];
        double* to = equations[row] + count;
        if (strides[row] == 0) {
            const Lanes values = Lanes{} + *from;
            for (std::size_t j = 0; j < some; j += lanes) std::memcpy(to + j, &values, sizeof values);
        } else if (strides[row] == 1) {
            for (std::size_t j = 0; j < some; j += lanes) {
                Lanes values;
                std::memcpy(&values, from + j, sizeof values);
                std::memcpy(to + j, &values, sizeof values);
            }
        } else {
            for (std::size_t j = 0; j < some; ++j) to[j] = from[j * strides[row]];
        }
    }
    std::fill_n(run + count, some, static_cast<std::uint8_t>(run_count));
    runs[run_count++] = of;
    count += some;
}

/// Signs of the columns do not change residuals or determinant, so none are set.
template <std::size_t columns>
void FormBatch<columns>::solve(double total) {
    // Part of a column, squared, that the others leave unexplained; below it the sums have lost their digits.
    constexpr double dependent = 1e-10;
    const std::size_t places = width();
    // Unused places repeat the last form, so that nothing overflows there.
    for (auto& row : equations) std::fill(row + count, row + places, row[count - 1]);
    std::fill(rss, rss + places, total);
    std::fill(determinant, determinant + places, 1.0);
    std::fill(soundness, soundness + places, std::numeric_limits<double>::infinity());
    for (std::size_t a = 0; a < columns; ++a) {
        const auto* gram = &equations[a * (a + 1) / 2];
        for (std::size_t b = 0; b < a; ++b) {
            for (std::size_t j = 0; j < places; ++j) unscaled[a][b][j] = gram[b][j];
            for (std::size_t c = 0; c < b; ++c) {
                for (std::size_t j = 0; j < places; ++j) {
                    unscaled[a][b][j] -= lower[a][c][j] * unscaled[b][c][j];
                }
            }
            for (std::size_t j = 0; j < places; ++j)
                lower[a][b][j] = unscaled[a][b][j] * inverse_pivots[b][j];
        }
        double pivots[size];
        for (std::size_t j = 0; j < places; ++j) pivots[j] = gram[a][j];
        for (std::size_t j = 0; j < places; ++j) reduced[a][j] = equations[pairs + a][j];
        for (std::size_t c = 0; c < a; ++c) {
            for (std::size_t j = 0; j < places; ++j) {
                pivots[j] -= lower[a][c][j] * unscaled[a][c][j];
                reduced[a][j] -= lower[a][c][j] * reduced[c][j];
            }
        }
        const double* scale = equations[pairs + columns + a];
        for (std::size_t j = 0; j < places; ++j) {
            const double left = pivots[j] - dependent * gram[a][j];
            soundness[j] = left < soundness[j] ? left : soundness[j];
            determinant[j] *= pivots[j] * scale[j];
            inverse_pivots[a][j] = 1.0 / pivots[j];
            rss[j] -= reduced[a][j] * reduced[a][j] * inverse_pivots[a][j];
        }
    }
    for (std::size_t j = 0; j < places; ++j) rss[j] = rss[j] > 0.0 ? rss[j] : 0.0;
}

template <std::size_t columns>
double FormBatch<columns>::judge() {
    constexpr double none = -std::numeric_limits<double>::infinity();
    const std::size_t places = width();
    std::fill(log_prior + count, log_prior + places, none);
    double best[lanes] = {none, none, none, none};
    for (std::size_t j = 0; j < places; j += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t i = j + lane;
            double value = log_prior[i] + rating[i];
            value = soundness[i] > 0.0 ? value : none;
            value = determinant[i] > 1e-300 ? value : none;
            rating[i] = value;
            best[lane] = best[lane] < value ? value : best[lane];
        }
    }
    return *std::max_element(best, best + lanes);
}

/// Squares of the constant's largest share of a value, if it is positive, and of that share's deviation over
/// the variance of a value; the constant is the first column.
template <std::size_t columns>
void FormBatch<columns>::find_constant() {
    const std::size_t places = width();
    double coefficients[columns][size];
    double inverse[columns][size];  // first column of the inverse of L
    std::fill(inverse[0], inverse[0] + places, 1.0);
    for (std::size_t a = columns; a-- > 0;) {
        for (std::size_t j = 0; j < places; ++j) coefficients[a][j] = reduced[a][j] * inverse_pivots[a][j];
        for (std::size_t b = a + 1; b < columns; ++b) {
            for (std::size_t j = 0; j < places; ++j)
                coefficients[a][j] -= lower[b][a][j] * coefficients[b][j];
        }
    }
    for (std::size_t j = 0; j < places; ++j) constant_deviation[j] = inverse_pivots[0][j];
    for (std::size_t a = 1; a < columns; ++a) {
        for (std::size_t j = 0; j < places; ++j) inverse[a][j] = -lower[a][0][j];
        for (std::size_t c = 1; c < a; ++c) {
            for (std::size_t j = 0; j < places; ++j) inverse[a][j] -= lower[a][c][j] * inverse[c][j];
        }
        for (std::size_t j = 0; j < places; ++j) {
            constant_deviation[j] += inverse[a][j] * inverse[a][j] * inverse_pivots[a][j];
        }
    }
    const double* inverse_square = equations[pairs + columns];
    for (std::size_t j = 0; j < places; ++j) {
        const double scale = 1.0 / inverse_square[j];
        const double positive = coefficients[0][j] > 0.0 ? coefficients[0][j] : 0.0;
        constant_share[j] = positive * positive * scale;
        constant_deviation[j] *= scale;
    }
}

/// Whether no coefficient of a form is negative beyond what noise explains; a form without that column is
/// better then.
template <std::size_t columns>
bool has_right_signs(const Structure& structure, const FormBatch<columns>& batch, std::size_t j,
                     const FormEvidence& evidence) {
    // Deviations that a coefficient may lie on the wrong side of zero, by the number of columns: with many,
    // their errors are so tied together that each alone says little.
    constexpr double most_deviations[] = {0.0, 4.0, 4.0, 2.0, 1.0, 1.0, 1.0};
    if (evidence.may_be_negative()) return true;
    double coefficients[columns];
    bool is_right = true;
    for (std::size_t a = columns; a-- > 0;) {
        double value = batch.reduced[a][j] * batch.inverse_pivots[a][j];
        for (std::size_t b = a + 1; b < columns; ++b) value -= batch.lower[b][a][j] * coefficients[b];
        coefficients[a] = value;
        is_right = is_right && (value < 0.0) == structure.columns[a].is_taken_off;
    }
    if (is_right) return true;
    double inverse[columns][columns];
    for (std::size_t b = 0; b < columns; ++b) {
        inverse[b][b] = 1.0;
        for (std::size_t a = b + 1; a < columns; ++a) {
            double sum = 0.0;
            for (std::size_t c = b; c < a; ++c) sum -= batch.lower[a][c][j] * inverse[c][b];
            inverse[a][b] = sum;
        }
    }
    const double variance = evidence.largest_variance(batch.rss[j], columns);
    for (std::size_t a = 0; a < columns; ++a) {
        const double towards = structure.columns[a].is_taken_off ? -coefficients[a] : coefficients[a];
        if (towards >= 0.0) continue;
        double g = 0.0;
        for (std::size_t b = a; b < columns; ++b) {
            g += inverse[b][a] * inverse[b][a] * batch.inverse_pivots[b][j];
        }
        if (towards * towards > most_deviations[columns] * most_deviations[columns] * variance * g)
            return false;
    }
    return true;
}

}  // namespace plimsoll::model::detail
