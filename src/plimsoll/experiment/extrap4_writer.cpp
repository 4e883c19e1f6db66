#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "plimsoll/experiment/detail/extrap4_document.hpp"
#include "plimsoll/experiment/detail/stored_values.hpp"
#include "plimsoll/experiment/detail/zip.hpp"
#include "plimsoll/experiment/writer.hpp"

namespace plimsoll::experiment {

namespace {

using detail::ValuePlan;
using detail::ValuePosition;
using detail::ZipWriter;

/// Repetitions and cells per repetition of the array of a measurement: one dimension where each has one
/// value.
std::vector<std::uint64_t> shape_of(const Series& series, const Measurement& measurement) {
    const auto counts = series.locations_of(measurement);
    if (counts.empty()) return {measurement.repetitions};
    return {measurement.repetitions, *std::max_element(counts.begin(), counts.end())};
}

std::uint64_t cell_count(const std::vector<std::uint64_t>& shape) {
    return shape.front() * (shape.size() > 1 ? shape[1] : 1);
}

/// The values as cells of their array; repetitions with fewer values end with NaN.
void fill_cells(const Series& series, const Measurement& measurement, std::span<const std::uint64_t> shape,
                std::vector<double>& cells) {
    const auto values = series.values_of(measurement);
    const auto counts = series.locations_of(measurement);
    cells.assign(values.begin(), values.end());
    if (counts.empty()) return;
    cells.assign(shape[0] * shape[1], std::numeric_limits<double>::quiet_NaN());
    const double* source = values.data();
    for (std::size_t r = 0; r < counts.size(); ++r) {
        std::copy_n(source, counts[r], cells.begin() + static_cast<std::ptrdiff_t>(r * shape[1]));
        source += counts[r];
    }
}

template <class Visit>
void for_each_with_values(const Experiment& experiment, const std::vector<std::size_t>& order,
                          Visit&& visit) {
    for (const std::size_t s : order) {
        for (const Measurement& measurement : experiment.series[s].measurements) {
            if (measurement.value_count > 0) visit(experiment.series[s], measurement);
        }
    }
}

void write_values(const Experiment& experiment, const std::vector<std::size_t>& order, const ValuePlan& plan,
                  std::span<const ValuePosition> positions, ZipWriter& zip, Activity& activity) {
    std::string bytes;
    std::vector<double> cells;
    std::size_t next = 0;
    for_each_with_values(experiment, order, [&](const Series& series, const Measurement& measurement) {
        const ValuePosition& position = positions[next++];
        if (position.index == 0) {
            zip.begin_stored(fmt::format("values/{}.vals", position.chunk), plan.sizes()[position.chunk]);
            zip.write(detail::values_magic);
        }
        const auto shape = shape_of(series, measurement);
        fill_cells(series, measurement, shape, cells);
        bytes.clear();
        detail::append_npy(bytes, shape, cells);
        zip.write(bytes);
        activity.step();
    });
    for (std::size_t chunk = 0; chunk < plan.sizes().size(); ++chunk) {
        const std::string content = plan.index(chunk);
        zip.begin_stored(fmt::format("values/{}.indx", chunk), content.size());
        zip.write(content);
    }
}

}  // namespace

void write_extrap4(const Experiment& experiment, const std::string& path, Progress& progress) {
    const std::vector<std::size_t> order = detail::series_by_region(experiment);
    ValuePlan plan;
    std::vector<ValuePosition> positions;
    for_each_with_values(experiment, order, [&](const Series& series, const Measurement& measurement) {
        positions.push_back(plan.add(cell_count(shape_of(series, measurement))));
    });
    OutputFile file(path);
    ZipWriter zip(file);
    Activity activity(progress, "writing", std::ssize(positions));
    write_values(experiment, order, plan, positions, zip, activity);
    zip.begin_packed("experiment.json");
    detail::write_extrap4_document(experiment, order, positions, [&](std::string_view text) {
        zip.write(text);
        activity.step(0);
    });
    zip.finish();
    file.commit();
}

}  // namespace plimsoll::experiment
