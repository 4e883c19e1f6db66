#include "plimsoll/model/grid.hpp"

#include <algorithm>
#include <array>

#include "plimsoll/core/parallel.hpp"
#include "plimsoll/model/detail/grid_forms.hpp"
#include "plimsoll/model/predictive.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {

std::size_t Grid::size() const {
    std::size_t product = 1;
    for (const std::vector<double>& axis : values) product *= axis.size();
    return product;
}

std::size_t Grid::place(std::size_t point, std::size_t parameter) const {
    for (std::size_t k = values.size(); --k > parameter;) point /= values[k].size();
    return point % values[parameter].size();
}

void Grid::point(std::size_t index, std::span<double> coordinates) const {
    for (std::size_t k = values.size(); k-- > 0;) {
        coordinates[k] = values[k][index % values[k].size()];
        index /= values[k].size();
    }
}

std::vector<double> Grid::point(std::size_t index) const {
    std::vector<double> coordinates(values.size());
    point(index, coordinates);
    return coordinates;
}

namespace {

/// Points one by one.
void estimate_each(const Posterior& posterior, const Function& function, const Grid& grid, double coverage,
                   int threads, Activity& activity, GridEstimates& result) {
    parallel_for(grid.size(), threads, activity, [&](std::size_t begin, std::size_t end) {
        std::vector<double> point(grid.values.size());
        for (std::size_t i = begin; i < end; ++i) {
            grid.point(i, point);
            const Estimate e = predicted(posterior, function, point, coverage);
            result.value[i] = e.value;
            result.high[i] = e.high;
            if (!result.low.empty()) result.low[i] = e.low;
        }
    });
}

/// Batches of neighbours along one axis.
void estimate_batches(const Posterior& posterior, const Grid& grid, double coverage, int threads,
                      Activity& activity, GridEstimates& result) {
    constexpr std::size_t width = MixtureBatch::width;
    const GridForms forms(posterior, grid, coverage);
    const std::size_t axis = forms.axis();
    const std::size_t length = grid.values[axis].size();
    const std::size_t batches = (length + width - 1) / width;
    std::size_t stride = 1;  // from one point along the axis to the next
    for (std::size_t k = axis + 1; k < grid.values.size(); ++k) stride *= grid.values[k].size();
    const bool has_lows = !result.low.empty();
    const double tail = 0.5 * (1.0 - coverage);
    const double normal = -numeric::normal_quantile(tail);
    // Hints are handed on within a block alone, so that results do not depend on the number of threads.
    constexpr std::size_t block = 16;
    const std::size_t count = grid.size() / length * batches;
    parallel_for((count + block - 1) / block, threads, activity, [&](std::size_t begin, std::size_t end) {
        GridForms::Workspace workspace;
        QuantileHint middle;
        QuantileHint upper;
        QuantileHint lower;
        std::array<double, width> values{};
        std::array<double, width> lows{};
        std::array<double, width> highs{};
        for (std::size_t b = begin * block; b < std::min(end * block, count); ++b) {
            if (b % block == 0) {
                middle = {};
                upper = {.part = 0, .deviations = normal, .slope = 0.0};
                lower = {.part = 0, .deviations = -normal, .slope = 0.0};
            }
            const std::size_t row = b / batches;
            const std::size_t first = b % batches * width;
            const std::size_t points = std::min(width, length - first);
            const std::size_t start = row / stride * stride * length + row % stride;  // of the row
            workspace.places.resize(grid.values.size());
            for (std::size_t k = 0; k < grid.values.size(); ++k) workspace.places[k] = grid.place(start, k);
            forms.fill(first, points, workspace);
            quantiles(workspace.batch, 0.5, 0.0, middle, values);
            quantiles(workspace.batch, 1.0 - tail, normal, upper, highs);
            if (has_lows) quantiles(workspace.batch, tail, -normal, lower, lows);
            for (std::size_t j = 0; j < points; ++j) {
                const std::size_t i = start + (first + j) * stride;
                const bool is_floored = !posterior.may_be_negative;
                result.value[i] = is_floored && values[j] < 0.0 ? 0.0 : values[j];
                result.high[i] = is_floored && highs[j] < 0.0 ? 0.0 : highs[j];
                if (has_lows) result.low[i] = is_floored && lows[j] < 0.0 ? 0.0 : lows[j];
            }
        }
    });
}

}  // namespace

GridEstimates grid_estimates(const Posterior& posterior, const Function& function, const Grid& grid,
                             double coverage, int threads, Progress& progress, GridEnds ends) {
    const std::size_t n = grid.size();
    GridEstimates result{.value = std::vector<double>(n), .high = std::vector<double>(n)};
    if (ends == GridEnds::both) result.low.resize(n);
    if (n == 0) return result;
    const bool by_one = posterior.forms.empty() || posterior.forms.has_laws();
    Activity activity(progress, "predicting", 0);
    if (by_one) {
        estimate_each(posterior, function, grid, coverage, threads, activity, result);
    } else {
        estimate_batches(posterior, grid, coverage, threads, activity, result);
    }
    return result;
}

}  // namespace plimsoll::model
