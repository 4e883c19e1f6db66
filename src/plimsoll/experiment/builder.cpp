#include "plimsoll/experiment/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"

namespace plimsoll::experiment {

namespace {

constexpr std::size_t few_points = 32;  // up to here a scan of the slots is faster than a hash table

std::uint64_t hash_of(std::span<const double> coordinates) {
    std::uint64_t hash = 0x9E3779B97F4A7C15U;
    for (const double value : coordinates) {
        hash ^= std::bit_cast<std::uint64_t>(value);
        hash *= 0xFF51AFD7ED558CCDU;
        hash ^= hash >> 32U;
    }
    return hash;
}

}  // namespace

void ExperimentBuilder::set_parameters(std::span<const std::string> names, const Place& place) {
    if (names.empty()) {
        throw Error(ErrorKind::input, place, "names no parameter",
                    "name at least one parameter, such as p or n");
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
            names.begin() + static_cast<std::ptrdiff_t>(i)) {
            throw Error(ErrorKind::input, place, fmt::format("parameter '{}' is named twice", names[i]),
                        "give each parameter a name of its own");
        }
    }
    if (!has_parameters()) {
        for (const std::string& name : names) experiment_.parameters.push_back({.name = name, .unit = {}});
        parameters_file_ = place.file;
    }
    axis_of_.clear();
    for (const std::string& name : names) {
        if (const auto axis = experiment_.find_parameter(name)) axis_of_.push_back(*axis);
    }
    if (axis_of_.size() != names.size() || names.size() != experiment_.parameters.size()) {
        const bool is_other = !parameters_file_.empty() && parameters_file_ != place.file;
        throw Error(ErrorKind::input, place,
                    fmt::format("has the parameters {}, but {} has {}",
                                join(std::vector<std::string>(names.begin(), names.end()), ", "),
                                is_other ? parameters_file_ : "what was read before",
                                join(experiment_.parameter_names(), ", ")),
                    "read files with different parameters one by one");
    }
}

PointId ExperimentBuilder::point(std::span<const double> coordinates, const Place& place) {
    const std::size_t dimensions = experiment_.parameters.size();
    if (coordinates.size() != dimensions || axis_of_.size() != dimensions) {
        throw Error(ErrorKind::input, place,
                    fmt::format("the point has {} for {}", counted(coordinates.size(), "value"),
                                counted(dimensions, "parameter")),
                    fmt::format("give a value for each of {}", join(experiment_.parameter_names(), ", ")));
    }
    ordered_.resize(dimensions);
    for (std::size_t k = 0; k < dimensions; ++k) {
        if (!std::isfinite(coordinates[k])) {
            throw Error(ErrorKind::input, place,
                        fmt::format("a coordinate is not finite ({})", coordinates[k]),
                        "give the number that the program ran with");
        }
        ordered_[axis_of_[k]] = coordinates[k] == 0.0 ? 0.0 : coordinates[k];  // -0 is 0
    }
    const auto is = [&](PointId id) { return std::ranges::equal(experiment_.point(id), ordered_); };
    // Files repeat the same sequence of points for each region: try the one after the last.
    const std::size_t count = experiment_.point_count();
    const auto following = static_cast<PointId>(index(last_point_) + 1 < count ? index(last_point_) + 1 : 0);
    if (count > 0 && is(following)) return last_point_ = following;
    if (count > 0 && is(last_point_)) return last_point_;

    const std::uint64_t hash = hash_of(ordered_);
    const auto [begin, end] = points_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
        if (is(static_cast<PointId>(it->second))) return last_point_ = static_cast<PointId>(it->second);
    }
    last_point_ = static_cast<PointId>(count);
    experiment_.coordinates.insert(experiment_.coordinates.end(), ordered_.begin(), ordered_.end());
    points_.emplace(hash, static_cast<std::uint32_t>(count));
    return last_point_;
}

RegionId ExperimentBuilder::region(std::string_view path) {
    if (!experiment_.regions.empty() && path == last_path_) return last_region_;
    auto found = regions_.find(path);
    if (found == regions_.end()) {
        found =
            regions_.emplace(std::string(path), static_cast<std::uint32_t>(experiment_.regions.size())).first;
        experiment_.regions.push_back({.path = std::string(path), .tags = {}});
        is_nested_.push_back(find_arrow(path) != std::string_view::npos);
    }
    last_path_ = path;
    return last_region_ = static_cast<RegionId>(found->second);
}

MetricId ExperimentBuilder::metric(std::string_view name) {
    const auto found = metrics_.find(name);
    if (found != metrics_.end()) return static_cast<MetricId>(found->second);
    const auto id = static_cast<std::uint32_t>(experiment_.metrics.size());
    metrics_.emplace(std::string(name), id);
    experiment_.metrics.push_back({.name = std::string(name), .unit = {}, .tags = {}});
    return static_cast<MetricId>(id);
}

void ExperimentBuilder::set_unit(MetricId metric, std::string_view unit) {
    std::string& known = experiment_.metrics[index(metric)].unit;
    if (known.empty()) known = unit;
}

void ExperimentBuilder::set_parameter_unit(std::string_view parameter, std::string_view unit) {
    if (const auto axis = experiment_.find_parameter(parameter)) experiment_.parameters[*axis].unit = unit;
}

void ExperimentBuilder::suggest_parameter(std::string_view name, std::string_view remedy) {
    const auto is_known = [&](const auto& entry) { return entry.first == name; };
    if (std::none_of(suggested_.begin(), suggested_.end(), is_known)) suggested_.emplace_back(name, remedy);
}

SeriesId ExperimentBuilder::series(RegionId region, MetricId metric) {
    const std::uint64_t key = (std::uint64_t{index(region)} << 32U) | index(metric);
    const auto [found, is_new] = series_.emplace(key, static_cast<std::uint32_t>(experiment_.series.size()));
    if (is_new) {
        Series added{.region = region, .metric = metric, .measurements = {}, .values = {}, .locations = {}};
        Slots slots;
        // Files repeat the same points for each region, so the new series will be as long as the one before.
        if (!experiment_.series.empty()) {
            added.measurements.reserve(experiment_.series.back().measurements.size());
            added.values.reserve(experiment_.series.back().values.size());
        }
        experiment_.series.push_back(std::move(added));
        slots_.push_back(std::move(slots));
    }
    return static_cast<SeriesId>(found->second);
}

std::uint32_t ExperimentBuilder::slot_of(SeriesId id, PointId point) {
    auto& measurements = experiment_.series[index(id)].measurements;
    Slots& slots = slots_[index(id)];
    if (!measurements.empty() && measurements.back().point == point) {
        return static_cast<std::uint32_t>(measurements.size() - 1);
    }
    // Points mostly come in the order in which they first appeared, so that a new one needs no search.
    const bool is_new = measurements.empty() || point > slots.largest;
    if (!is_new) {
        if (const auto known = find_slot(measurements, slots, point)) return *known;
    }
    slots.largest = measurements.empty() ? point : std::max(slots.largest, point);
    const auto slot = static_cast<std::uint32_t>(measurements.size());
    measurements.push_back({.point = point, .repetitions = 0, .summary = {}});
    if (!slots.by_point.empty()) slots.by_point.emplace(point, slot);
    return slot;
}

std::optional<std::uint32_t> ExperimentBuilder::find_slot(std::span<const Measurement> measurements,
                                                          Slots& slots, PointId point) {
    if (measurements.size() <= few_points) {
        for (std::size_t i = 0; i < measurements.size(); ++i) {
            if (measurements[i].point == point) return static_cast<std::uint32_t>(i);
        }
        return std::nullopt;
    }
    if (slots.by_point.empty()) {
        for (std::size_t i = 0; i < measurements.size(); ++i) {
            slots.by_point.emplace(measurements[i].point, static_cast<std::uint32_t>(i));
        }
    }
    const auto found = slots.by_point.find(point);
    return found == slots.by_point.end() ? std::nullopt : std::optional(found->second);
}

void ExperimentBuilder::store(SeriesId id, PointId point, std::span<const double> values,
                              Repetitions repetitions, const Place& place) {
    PLIMSOLL_EXPECT(values.size() < std::numeric_limits<std::uint32_t>::max());
    Series& series = experiment_.series[index(id)];
    Slots& slots = slots_[index(id)];
    const std::size_t before = series.values.size();
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (std::ranges::all_of(values, is_finite)) {
        series.values.insert(series.values.end(), values.begin(), values.end());
    } else {
        for (const double value : values) {
            if (is_finite(value)) {
                series.values.push_back(value);
                continue;
            }
            note(place, fmt::format("a value of '{}' is not finite ({}) and is left out",
                                    experiment_.region(series).path, value));
        }
    }
    const std::size_t kept = series.values.size() - before;
    if (kept == 0) return;
    if (is_nested_[index(series.region)]) treatment_.has_nested_regions = true;
    const std::size_t known = series.measurements.size();
    const std::uint32_t slot = slot_of(id, point);
    Measurement& measurement = series.measurements[slot];
    if (slot < known && measurement.value_count == 0) {
        throw Error(ErrorKind::input, place,
                    fmt::format("'{}' has a summary at {} already, and single values cannot join it",
                                experiment_.region(series).path, describe_point(experiment_, point)),
                    "read the two files one by one");
    }
    const auto count = static_cast<std::uint32_t>(kept);
    const std::uint32_t runs = repetitions == Repetitions::one ? 1 : count;
    if (slot + 1 < series.measurements.size()) keep_samples(series, slots);
    measurement.repetitions += runs;
    measurement.value_count += kept;
    if (slots.has_samples) slots.samples.push_back({.slot = slot, .values = count, .repetitions = runs});
}

/// Keeps what each call gave from now on. Until then the values of each measurement lie together, each a
/// repetition.
void ExperimentBuilder::keep_samples(const Series& series, Slots& slots) {
    if (slots.has_samples) return;
    slots.has_samples = true;
    for (std::size_t slot = 0; slot < series.measurements.size(); ++slot) {
        const auto count = static_cast<std::uint32_t>(series.measurements[slot].value_count);
        if (count == 0) continue;
        slots.samples.push_back(
            {.slot = static_cast<std::uint32_t>(slot), .values = count, .repetitions = count});
    }
}

void ExperimentBuilder::add_repetition(SeriesId series, PointId point, std::span<const double> locations,
                                       const Place& place) {
    Slots& slots = slots_[index(series)];
    keep_samples(experiment_.series[index(series)], slots);
    slots.has_locations = true;
    store(series, point, locations, Repetitions::one, place);
}

void ExperimentBuilder::add_repetitions(SeriesId series, PointId point, std::span<const double> values,
                                        const Place& place) {
    store(series, point, values, Repetitions::one_for_each_value, place);
}

void ExperimentBuilder::add_summary(SeriesId id, PointId point, const numeric::Summary& summary,
                                    bool complete_summary, std::uint32_t repetitions, const Place& place) {
    Series& series = experiment_.series[index(id)];
    if (!std::isfinite(summary.mean) || !std::isfinite(summary.median)) {
        note(place,
             fmt::format("the mean of '{}' is not finite and is left out", experiment_.region(series).path));
        return;
    }
    const std::size_t known = series.measurements.size();
    const std::uint32_t slot = slot_of(id, point);
    if (slot < known && series.measurements[slot].value_count > 0) {
        throw Error(ErrorKind::input, place,
                    fmt::format("'{}' has single values at {} already, and a summary cannot join them",
                                experiment_.region(series).path, describe_point(experiment_, point)),
                    "read the two files one by one");
    }
    if (slot < known) {
        throw Error(ErrorKind::input, place,
                    fmt::format("'{}' has two summaries at {}", experiment_.region(series).path,
                                describe_point(experiment_, point)),
                    "keep one of them: summaries cannot be joined");
    }
    if (is_nested_[index(series.region)]) treatment_.has_nested_regions = true;
    Measurement& measurement = series.measurements[slot];
    measurement.repetitions = repetitions;
    measurement.summary = summary;
    measurement.complete_summary = complete_summary;
}

void ExperimentBuilder::note(const Place& place, std::string message) {
    const auto [found, is_new] = notes_.emplace(message, experiment_.notes.size());
    if (is_new) {
        experiment_.notes.push_back({.place = place, .message = std::move(message), .count = 1});
    } else {
        ++experiment_.notes[found->second].count;
    }
}

void ExperimentBuilder::detail(const Place& place, std::string message) {
    const std::size_t before = experiment_.notes.size();
    note(place, std::move(message));
    if (experiment_.notes.size() > before) experiment_.notes.back().is_detail = true;
}

void ExperimentBuilder::state_scaling(Scaling scaling, const Place& place) {
    if (treatment_.scaling && treatment_.scaling != scaling) {
        throw Error(ErrorKind::input, place,
                    fmt::format("the scaling is '{}' here, and '{}' before", enum_name(scaling),
                                enum_name(*treatment_.scaling)),
                    "read files of different scaling one by one");
    }
    treatment_.scaling = scaling;
    experiment_.scaling = scaling;
}

void ExperimentBuilder::state_inclusive() {
    treatment_.inclusive = true;
    experiment_.inclusive = true;
}

void ExperimentBuilder::finish_file(const std::string& file) {
    const Treatment treatment = std::exchange(treatment_, {});
    if (first_file_.empty()) {
        first_file_ = file;
        first_treatment_.scaling = treatment.scaling;
    }
    const auto scaling_of = [](const Treatment& t) { return t.scaling.value_or(Scaling::weak); };
    if (scaling_of(treatment) != scaling_of(first_treatment_)) {
        const auto text = [](const Treatment& t) {
            return t.scaling ? fmt::format("has {} scaling", enum_name(*t.scaling)) : "states no scaling";
        };
        throw Error(ErrorKind::input, Place{.file = file},
                    fmt::format("{}, but {} {}", text(treatment), first_file_, text(first_treatment_)),
                    "read files of different scaling one by one");
    }
    if (!treatment.says_what_regions_hold()) return;
    if (regions_file_.empty()) {
        regions_file_ = file;
        first_treatment_.inclusive = treatment.inclusive;
    }
    if (treatment.inclusive != first_treatment_.inclusive) {
        const auto text = [](const Treatment& t) { return t.inclusive ? "inclusive" : "exclusive"; };
        throw Error(ErrorKind::input, Place{.file = file},
                    fmt::format("has {} values, but {} has {} ones", text(treatment), regions_file_,
                                text(first_treatment_)),
                    "read files of inclusive and exclusive values one by one");
    }
}

const std::string& ExperimentBuilder::first_to_tell(const std::string& what, const std::string& file) {
    return first_to_tell_.try_emplace(what, file).first->second;
}

/// Brings the values of each measurement together and summarises them.
void ExperimentBuilder::arrange(Series& series, Slots& slots) {
    std::size_t next_value = 0;
    std::size_t next_repetition = 0;
    for (Measurement& measurement : series.measurements) {
        measurement.first_value = next_value;
        measurement.first_repetition = next_repetition;
        next_value += measurement.value_count;
        if (measurement.value_count > 0) next_repetition += measurement.repetitions;
    }
    if (slots.has_samples) reorder(series, slots, next_repetition);
    series.values.shrink_to_fit();
    series.measurements.shrink_to_fit();
    for (Measurement& measurement : series.measurements) {
        if (measurement.value_count > 0)
            measurement.summary = numeric::summarize(series.values_of(measurement));
    }
}

/// Moves the values of each measurement to where it says that they are.
void ExperimentBuilder::reorder(Series& series, const Slots& slots, std::size_t repetitions) {
    std::vector<double> values(series.values.size());
    std::vector<std::uint32_t> locations(slots.has_locations ? repetitions : 0);
    std::vector<std::size_t> value_at;
    std::vector<std::size_t> repetition_at;
    for (const Measurement& measurement : series.measurements) {
        value_at.push_back(measurement.first_value);
        repetition_at.push_back(measurement.first_repetition);
    }
    const double* source = series.values.data();
    for (const Sample& sample : slots.samples) {
        std::copy_n(source, sample.values, values.data() + value_at[sample.slot]);
        source += sample.values;
        value_at[sample.slot] += sample.values;
        if (!slots.has_locations) continue;
        std::fill_n(locations.begin() + static_cast<std::ptrdiff_t>(repetition_at[sample.slot]),
                    sample.repetitions, sample.values / sample.repetitions);
        repetition_at[sample.slot] += sample.repetitions;
    }
    series.values = std::move(values);
    series.locations = std::move(locations);
}

void ExperimentBuilder::leave_out_constant_parameters() {
    const std::size_t dimensions = experiment_.parameters.size();
    std::vector<bool> stays(dimensions, false);
    for (std::size_t i = 0; i < experiment_.coordinates.size(); ++i) {
        if (experiment_.coordinates[i] != experiment_.coordinates[i % dimensions])
            stays[i % dimensions] = true;
    }
    if (std::find(stays.begin(), stays.end(), true) == stays.end()) return;
    std::vector<Parameter> kept;
    for (std::size_t k = 0; k < dimensions; ++k) {
        const std::string& name = experiment_.parameters[k].name;
        const auto suggestion = std::find_if(suggested_.begin(), suggested_.end(),
                                             [&](const auto& entry) { return entry.first == name; });
        if (stays[k] || suggestion == suggested_.end()) {
            stays[k] = true;
            kept.push_back(experiment_.parameters[k]);
            continue;
        }
        note({}, fmt::format("parameter '{}' is {} everywhere and is left out{}", name,
                             shortest(experiment_.coordinates[k]), suggestion->second));
    }
    if (kept.size() == dimensions) return;
    std::vector<double> coordinates;
    for (std::size_t i = 0; i < experiment_.coordinates.size(); ++i) {
        if (stays[i % dimensions]) coordinates.push_back(experiment_.coordinates[i]);
    }
    experiment_.parameters = std::move(kept);
    experiment_.coordinates = std::move(coordinates);
}

Experiment ExperimentBuilder::build() {
    for (std::size_t i = 0; i < experiment_.series.size(); ++i) {
        arrange(experiment_.series[i], slots_[i]);
        slots_[i].samples = {};
    }
    std::erase_if(experiment_.series, [](const Series& series) { return series.measurements.empty(); });
    if (experiment_.series.empty()) {
        throw Error(ErrorKind::input, experiment_.notes.empty() ? Place{} : experiment_.notes.front().place,
                    "nothing was measured",
                    experiment_.notes.empty()
                        ? "check that the input holds measurements"
                        : fmt::format("the first note says: {}", experiment_.notes.front().message));
    }
    if (!suggested_.empty() && !keeps_constants_) leave_out_constant_parameters();
    for (Metric& metric : experiment_.metrics) {
        if (metric.unit.empty()) metric.unit = usual_unit(metric.name);
    }
    Experiment built = std::move(experiment_);
    *this = ExperimentBuilder();
    return built;
}

}  // namespace plimsoll::experiment
