#include "plimsoll/numeric/centered_design.hpp"

#include <cmath>
#include <limits>

#include "plimsoll/core/error.hpp"
#include "plimsoll/numeric/least_squares.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::numeric {

namespace {

// Below, half of the digits are lost and singular values are used instead.
constexpr double trusted_pivot = 1e-8;
// A point this close to leverage 1 decides its own prediction.
constexpr double least_slack = 1e-10;

double left_out(double value, double fitted, double leverage) {
    const double slack = 1.0 - leverage;
    return slack > least_slack ? value - (value - fitted) / slack : std::numeric_limits<double>::quiet_NaN();
}

/// Columns without their mean and with length 1, [columns x rows]; a constant column becomes zeros.
std::vector<double> center_and_scale(std::span<const std::span<const double>> columns, std::size_t rows) {
    std::vector<double> centered;
    centered.reserve(columns.size() * rows);
    for (const std::span<const double> column : columns) {
        const double mean_of_column = mean(column);
        double squares = 0.0;
        for (const double value : column) squares += (value - mean_of_column) * (value - mean_of_column);
        const double scale = squares > 0.0 ? 1.0 / std::sqrt(squares) : 0.0;
        for (const double value : column) centered.push_back((value - mean_of_column) * scale);
    }
    return centered;
}

std::vector<double> predict_by_singular_values(std::span<const double> centered, std::size_t k,
                                               std::span<const double> values) {
    const std::size_t n = values.size();
    std::vector<double> matrix(n * (k + 1), 1.0);
    for (std::size_t c = 0; c < k; ++c) {
        for (std::size_t i = 0; i < n; ++i) matrix[i * (k + 1) + c + 1] = centered[c * n + i];
    }
    const Design design(matrix, k + 1);
    std::vector<double> coefficients(k + 1);
    design.solve(values, coefficients);
    std::vector<double> predictions(n);
    for (std::size_t i = 0; i < n; ++i) {
        double fitted = 0.0;
        for (std::size_t c = 0; c <= k; ++c) fitted += coefficients[c] * matrix[i * (k + 1) + c];
        predictions[i] = left_out(values[i], fitted, design.leverage()[i]);
    }
    return predictions;
}

}  // namespace

bool factor_cholesky(std::span<const double> matrix, std::size_t k, double smallest_pivot,
                     std::span<double> lower) {
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = matrix[i * k + j];
            for (std::size_t m = 0; m < j; ++m) sum -= lower[i * k + m] * lower[j * k + m];
            if (i == j) {
                if (!(sum > smallest_pivot)) return false;
                lower[i * k + i] = std::sqrt(sum);
            } else {
                lower[i * k + j] = sum / lower[j * k + j];
            }
        }
    }
    return true;
}

void solve_lower(std::span<const double> lower, std::size_t k, std::span<double> b) {
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < i; ++j) b[i] -= lower[i * k + j] * b[j];
        b[i] /= lower[i * k + i];
    }
}

void solve_cholesky(std::span<const double> lower, std::size_t k, std::span<double> b) {
    solve_lower(lower, k, b);
    for (std::size_t i = k; i-- > 0;) {
        for (std::size_t j = i + 1; j < k; ++j) b[i] -= lower[j * k + i] * b[j];
        b[i] /= lower[i * k + i];
    }
}

std::vector<double> predict_each_from_others(std::span<const std::span<const double>> columns,
                                             std::span<const double> values) {
    const std::size_t n = values.size();
    const std::size_t k = columns.size();
    for (const std::span<const double> column : columns) PLIMSOLL_EXPECT(column.size() == n);
    const std::vector<double> centered = center_and_scale(columns, n);
    std::vector<double> gram(k * k);
    for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            double sum = 0.0;
            for (std::size_t i = 0; i < n; ++i) sum += centered[a * n + i] * centered[b * n + i];
            gram[a * k + b] = sum;
        }
    }
    std::vector<double> lower(k * k);
    if (!factor_cholesky(gram, k, trusted_pivot, lower))
        return predict_by_singular_values(centered, k, values);

    // With the rows z_i of the centered columns, q_i = L^-1 z_i: the fit is mean + q_i . (sum of q_j y_j),
    // the leverage 1/n + |q_i|^2.
    const double mean_value = mean(values);
    std::vector<double> rows(n * k);
    std::vector<double> projection(k);
    for (std::size_t i = 0; i < n; ++i) {
        const std::span<double> row(rows.data() + i * k, k);
        for (std::size_t c = 0; c < k; ++c) row[c] = centered[c * n + i];
        solve_lower(lower, k, row);
        for (std::size_t c = 0; c < k; ++c) projection[c] += row[c] * (values[i] - mean_value);
    }
    std::vector<double> predictions(n);
    for (std::size_t i = 0; i < n; ++i) {
        double fitted = mean_value;
        double leverage = 1.0 / static_cast<double>(n);
        for (std::size_t c = 0; c < k; ++c) {
            fitted += rows[i * k + c] * projection[c];
            leverage += rows[i * k + c] * rows[i * k + c];
        }
        predictions[i] = left_out(values[i], fitted, leverage);
    }
    return predictions;
}

}  // namespace plimsoll::numeric
