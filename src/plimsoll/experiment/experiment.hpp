#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/options.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::experiment {

enum class PointId : std::uint32_t {};
enum class RegionId : std::uint32_t {};
enum class MetricId : std::uint32_t {};

/// Position of an id in its list.
template <class Id>
[[nodiscard]] constexpr std::size_t index(Id id) {
    return static_cast<std::size_t>(id);
}

/// How the values of the processes and threads of one run make the number that is modelled.
enum class Scaling {
    weak,           ///< each process or thread gives a value of its own: the time of one of them
    weak_threaded,  ///< as weak, but threads that report zero did not take part
    strong          ///< the sum over processes and threads: the resource time p*t
};
[[nodiscard]] constexpr std::array<EnumName<Scaling>, 3> enum_names(Scaling) {
    return {
        {{Scaling::weak, "weak"}, {Scaling::weak_threaded, "weak-threaded"}, {Scaling::strong, "strong"}}};
}

struct Parameter {
    std::string name;
    std::string unit;
};

struct Metric {
    std::string name;
    std::string unit;  ///< "s", "B", ...; empty where it is not known
    std::string tags;  ///< JSON object of Extra-P's tags, empty where there are none
};

/// A region of the program, named by its path in the call tree: `main->solve->exchange`.
struct Region {
    std::string path;
    std::string tags;  ///< JSON object of Extra-P's tags, empty where there are none
};

/// All that was measured of one region and metric at one point.
struct Measurement {
    PointId point{};
    std::uint32_t repetitions = 1;  ///< runs of the program; 0 where the file does not say
    numeric::Summary
        summary;  ///< over all values: repetitions, and processes and threads where they were kept
    bool complete_summary = true;      ///< false where the file gives no minimum, maximum and deviation
    std::size_t first_value = 0;       ///< in the series' values
    std::size_t value_count = 0;       ///< 0 where the file holds a summary only
    std::size_t first_repetition = 0;  ///< in the series' `locations`
};

/// The measurements of one region and metric, in order of arrival; each point once.
struct Series {
    RegionId region{};
    MetricId metric{};
    std::vector<Measurement> measurements;
    std::vector<double> values;  ///< raw values, those of a measurement together, repetition by repetition
    /// Number of values per repetition, one for each process and thread; empty where they were not kept.
    std::vector<std::uint32_t> locations;

    /// Raw values of a measurement, all repetitions in a row.
    [[nodiscard]] std::span<const double> values_of(const Measurement& m) const {
        return {values.data() + m.first_value, m.value_count};
    }
    /// Values of processes and threads per repetition; empty where they were not kept.
    [[nodiscard]] std::span<const std::uint32_t> locations_of(const Measurement& m) const {
        if (locations.empty() || m.value_count == 0) return {};
        return {locations.data() + m.first_repetition, m.repetitions};
    }
};

/// Something that a reader noticed and the user should know: a value left out, a key ignored.
struct Note {
    Place place;  ///< of the first occurrence
    std::string message;
    std::size_t count = 1;   ///< occurrences
    bool is_detail = false;  ///< of what is left out as documented: for who looks into a file
};

/// "runs.jsonl:7: value is not finite (nan), left out (3 times)".
[[nodiscard]] std::string to_text(const Note& note);

/// Measurements of a program at several points of its parameter space.
///
/// Points, regions and metrics keep the order in which they first appeared. A series need not cover all
/// points.
struct Experiment {
    std::vector<Parameter> parameters;
    std::vector<double> coordinates;  ///< [points x parameters], row-major, finite
    std::vector<Region> regions;
    std::vector<Metric> metrics;
    std::vector<Series> series;
    std::optional<Scaling> scaling;  ///< that the values were already converted to
    bool inclusive = false;          ///< each region holds the values of its whole sub-tree already
    std::map<std::string, std::string> metadata;  ///< of the runs: program, host, date ...; values are JSON
    std::vector<Note> notes;
    std::map<std::string, std::size_t> formats;  ///< of the files that were read, with their number
    std::map<std::string, std::string> origins;  ///< of parameters, where a reader had to look for them
    std::string
        extrap_modelers;  ///< models stored in an Extra-P 4 file, as JSON text, kept for writing it again

    [[nodiscard]] std::size_t point_count() const {
        return parameters.empty() ? 0 : coordinates.size() / parameters.size();
    }
    /// Coordinates of a point, [parameters].
    [[nodiscard]] std::span<const double> point(PointId id) const {
        return {coordinates.data() + index(id) * parameters.size(), parameters.size()};
    }
    [[nodiscard]] const Region& region(const Series& s) const { return regions[index(s.region)]; }
    [[nodiscard]] const Metric& metric(const Series& s) const { return metrics[index(s.metric)]; }
    [[nodiscard]] std::vector<std::string> parameter_names() const;
    /// Position of a parameter, empty where there is none of this name.
    [[nodiscard]] std::optional<std::size_t> find_parameter(std::string_view name) const;
};

/// "p=4, n=1000".
[[nodiscard]] std::string describe_point(const Experiment& experiment, PointId point);

/// One value for each repetition: its own, or the mean of those of its processes and threads. Empty where the
/// single values were not kept.
[[nodiscard]] std::vector<double> repetition_means(const Series& series, const Measurement& measurement);
/// As above, into a vector that is used again.
void repetition_means(const Series& series, const Measurement& measurement, std::vector<double>& means);

/// Unit of a metric known by its usual name (time: s, bytes: B ...), else empty.
[[nodiscard]] std::string_view usual_unit(std::string_view metric);

/// Whether a metric is a time: by its unit, or without one by its usual name. A metric without a name and a
/// unit is taken for a time, as Extra-P's files without a METRIC mean it.
[[nodiscard]] bool is_time(const Metric& metric);

}  // namespace plimsoll::experiment
