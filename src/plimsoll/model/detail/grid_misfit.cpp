#include "plimsoll/model/detail/grid_misfit.hpp"

#include <algorithm>

#include "plimsoll/core/vectorised.hpp"
#include "plimsoll/model/detail/mixture_batch.hpp"
#include "plimsoll/numeric/centered_design.hpp"

namespace plimsoll::model {

namespace {

constexpr std::size_t width = MixtureBatch::width;

PLIMSOLL_VECTORISED
void subtract_scaled(double scale, const double* from, double* to) {
    for (std::size_t j = 0; j < width; ++j) to[j] -= scale * from[j];
}

PLIMSOLL_VECTORISED
void scale_by(double scale, const double* by, double* values) {
    for (std::size_t j = 0; j < width; ++j) values[j] = scale * by[j];
}

}  // namespace

GridMisfit::GridMisfit(const Misfit& misfit, const Grid& grid, std::size_t axis)
    : misfit_(&misfit), grid_(&grid), axis_(axis) {
    auto lower = misfit.factored();
    if (!lower) return;
    lower_ = std::move(*lower);
    const std::size_t n = misfit.residuals.size();
    const std::size_t parameters = misfit.length.size();
    white_ = misfit.residuals;
    numeric::solve_lower(lower_, n, white_);
    for (std::size_t k = 0; k < parameters; ++k) {
        const std::vector<double>& values = grid.values[k];
        std::vector<double> table;
        table.reserve(n * (values.size() + width));
        for (std::size_t i = 0; i < n; ++i) {
            for (const double x : values) {
                const bool counts = x > 0.0 || !(misfit.range[k] > 0.0);
                table.push_back(counts ? misfit.correlation(k, x, misfit.points[i * parameters + k]) : 0.0);
            }
            table.resize(table.size() + width, 0.0);  // rows of a batch may reach beyond the end
        }
        correlations_.push_back(std::move(table));
    }
}

void GridMisfit::find(std::size_t first, std::size_t points, std::span<const std::size_t> places,
                      std::vector<double>& across, std::span<double> mean, std::span<double> variance) const {
    std::fill(mean.begin(), mean.end(), 0.0);
    std::fill(variance.begin(), variance.end(), 0.0);
    if (lower_.empty()) return;
    const std::size_t n = misfit_->residuals.size();
    across.resize(n * width);
    for (std::size_t i = 0; i < n; ++i) {
        double scale = misfit_->variance;
        double* const row = &across[i * width];
        for (std::size_t k = 0; k < correlations_.size(); ++k) {
            if (k != axis_) scale *= correlations_[k][i * (grid_->values[k].size() + width) + places[k]];
        }
        if (axis_ < correlations_.size()) {
            scale_by(scale, &correlations_[axis_][i * (grid_->values[axis_].size() + width) + first], row);
        } else {
            std::fill_n(row, width, scale);
        }
        for (std::size_t k = 0; k < i; ++k) subtract_scaled(lower_[i * n + k], &across[k * width], row);
        scale_by(1.0 / lower_[i * n + i], row, row);
    }
    const auto is_positive = [&](std::size_t j) {
        for (std::size_t k = 0; k < correlations_.size(); ++k) {
            if (misfit_->range[k] > 0.0 && !(grid_->values[k][k == axis_ ? first + j : places[k]] > 0.0))
                return false;
        }
        return true;
    };
    for (std::size_t j = 0; j < points; ++j) {
        if (!is_positive(j)) continue;
        variance[j] = misfit_->variance;
        for (std::size_t i = 0; i < n; ++i) {
            const double value = across[i * width + j];
            mean[j] += value * white_[i];
            variance[j] -= value * value;
        }
        variance[j] = std::max(variance[j], 0.0);
    }
}

}  // namespace plimsoll::model
