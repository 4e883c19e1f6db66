#include "plimsoll/experiment/detail/cube_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "plimsoll/experiment/detail/cube_anchor.hpp"
#include "plimsoll/experiment/detail/cube_archive.hpp"
#include "plimsoll/experiment/detail/cube_rows.hpp"

namespace plimsoll::experiment::detail {

namespace {

void join(std::span<double> values, std::span<const double> more, CubeJoin how) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        switch (how) {
            case CubeJoin::sum: values[i] += more[i]; break;
            case CubeJoin::minimum: values[i] = std::min(values[i], more[i]); break;
            case CubeJoin::maximum: values[i] = std::max(values[i], more[i]); break;
        }
    }
}

/// Hands the metrics of one profile to a builder.
class ProfileAdder {
  public:
    ProfileAdder(const CubeAnchor& anchor, PointId point, Place place, ExperimentBuilder& builder)
        : anchor_(&anchor),
          point_(point),
          place_(std::move(place)),
          builder_(&builder),
          nodes_by_path_(anchor.tree.size()),
          regions_(anchor.tree.paths.size()),
          values_(anchor.location_count),
          more_(anchor.location_count) {
        std::iota(nodes_by_path_.begin(), nodes_by_path_.end(), std::uint32_t{0});
        std::ranges::stable_sort(nodes_by_path_, {},
                                 [&](std::uint32_t node) { return anchor.tree.path_of[node]; });
    }

    void add(const CubeMetric& metric, const CubeValueType& type, CubeRows& rows) {
        const MetricId id = builder_->metric(metric.name);
        if (!metric.unit.empty()) builder_->set_unit(id, metric.unit);
        const auto& path_of = anchor_->tree.path_of;
        for (auto node = nodes_by_path_.begin(); node != nodes_by_path_.end();) {
            const std::uint32_t path = path_of[*node];
            bool found = false;
            for (; node != nodes_by_path_.end() && path_of[*node] == path; ++node) {
                if (!rows.has(*node)) continue;
                rows.own_values(*node, found ? more_ : values_);
                if (found) join(values_, more_, type.join);
                found = true;
            }
            if (found) builder_->add_repetition(builder_->series(region(path), id), point_, values_, place_);
        }
    }

  private:
    RegionId region(std::uint32_t path) {
        auto& known = regions_[path];
        if (!known) known = builder_->region(anchor_->tree.paths[path]);
        return *known;
    }

    const CubeAnchor* anchor_;
    PointId point_;
    Place place_;
    ExperimentBuilder* builder_;
    std::vector<std::uint32_t> nodes_by_path_;
    std::vector<std::optional<RegionId>> regions_;  ///< of the paths
    std::vector<double> values_;                    ///< of the locations
    std::vector<double> more_;
};

/// Why a metric has nothing to read; empty where it has.
std::string reason_to_leave_out(const CubeMetric& metric, const CubeArchive& archive) {
    if (metric.storage == CubeStorage::other) {
        return fmt::format("is computed from others ({}) and stores no values", metric.storage_name);
    }
    if (!archive.members.contains(metric.id + ".index")) return "holds no data";
    if (find_cube_value_type(metric.value_type) == nullptr) {
        return fmt::format("has values of the type {}, which are no single numbers", metric.value_type);
    }
    return {};
}

}  // namespace

void add_cube_profile(Input& input, std::span<const double> coordinates, ExperimentBuilder& builder) {
    const Place place{.file = input.name()};
    CubeArchive archive = read_cube_archive(input);
    if (archive.has_wrong_checksums) {
        builder.note(
            place,
            "the archive has wrong header checksums, as CubeWriter 4.8 writes them: they are not heeded");
    }
    const CubeAnchor anchor = read_cube_anchor(std::move(archive.anchor), place.file);
    ProfileAdder adder(anchor, builder.point(coordinates, place), place, builder);
    for (const CubeMetric& metric : anchor.metrics) {
        if (const std::string reason = reason_to_leave_out(metric, archive); !reason.empty()) {
            builder.note(place, fmt::format("metric '{}' {} and is left out", metric.name, reason));
            continue;
        }
        const auto data = archive.members.find(metric.id + ".data");
        if (data == archive.members.end()) {
            throw Error(
                ErrorKind::input, place,
                fmt::format("the archive has the index of metric '{}', but not its data", metric.name),
                "copy the profile again, or leave it out");
        }
        const CubeValueType& type = *find_cube_value_type(metric.value_type);
        CubeMetricFiles files{.index = archive.members[metric.id + ".index"],
                              .data = std::move(data->second)};
        CubeRows rows(anchor, metric, type, std::move(files), place.file);
        adder.add(metric, type, rows);
    }
}

}  // namespace plimsoll::experiment::detail
