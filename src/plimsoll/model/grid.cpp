#include "plimsoll/model/grid.hpp"

#include "plimsoll/core/parallel.hpp"
#include "plimsoll/model/predictive.hpp"

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

GridEstimates grid_estimates(const Posterior& posterior, const Function& function, const Grid& grid,
                             double coverage, int threads, Progress& progress) {
    const std::size_t n = grid.size();
    GridEstimates result{.value = std::vector<double>(n), .high = std::vector<double>(n)};
    Activity activity(progress, "predicting", static_cast<std::int64_t>(n));
    parallel_for(n, threads, activity, [&](std::size_t begin, std::size_t end) {
        std::vector<double> point(grid.values.size());
        for (std::size_t i = begin; i < end; ++i) {
            grid.point(i, point);
            const Estimate e = predicted(posterior, function, point, coverage);
            result.value[i] = e.value;
            result.high[i] = e.high;
        }
    });
    return result;
}

}  // namespace plimsoll::model
