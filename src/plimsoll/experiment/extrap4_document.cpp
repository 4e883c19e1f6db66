#include "plimsoll/experiment/detail/extrap4_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/json_text.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::string_view extrap_version = "4.2.5";  // whose format this is

/// A number as Extra-P writes it: those that are not finite are texts.
std::string number(double value) {
    if (std::isfinite(value)) return shortest(value);
    if (std::isnan(value)) return R"("nan")";
    return value > 0 ? R"("inf")" : R"("-inf")";
}

/// JSON that came with the experiment; what is no JSON becomes a text, so that the file stays readable.
std::string checked_json(const std::string& text) {
    return nlohmann::json::accept(text) ? text : json_quote(text);
}

std::string_view extrap_name(Scaling scaling) {
    return scaling == Scaling::weak_threaded ? "weak_threaded" : enum_name(scaling);
}

/// Builds the document; hands it on in pieces.
class Document {
  public:
    Document(const Experiment& experiment, std::span<const std::size_t> order,
             std::span<const ValuePosition> positions, const std::function<void(std::string_view)>& write)
        : experiment_(experiment), order_(order), positions_(positions), write_(write) {}

    void write();

  private:
    void write_tags(std::string_view key, const auto& entries, auto&& name_of);
    void write_own();
    void write_orders();
    [[nodiscard]] bool is_in_natural_order() const;
    void write_measurements();
    void write_measurement(const Series& series, const Measurement& measurement);
    void flush();

    const Experiment& experiment_;
    std::span<const std::size_t> order_;
    std::span<const ValuePosition> positions_;
    const std::function<void(std::string_view)>& write_;
    JsonText text_;
    std::size_t next_position_ = 0;
};

void Document::flush() { write_(text_.take()); }

void Document::write_tags(std::string_view key, const auto& entries, auto&& name_of) {
    if (std::none_of(entries.begin(), entries.end(), [](const auto& entry) { return !entry.tags.empty(); }))
        return;
    text_.key(key);
    text_.open('{');
    for (const auto& entry : entries) {
        if (entry.tags.empty()) continue;
        text_.key(name_of(entry));
        text_.open('{');
        text_.key("tags");
        text_.value(checked_json(entry.tags));
        text_.close('}');
    }
    text_.close('}');
}

/// Whether regions, points and series come back in their order by themselves.
bool Document::is_in_natural_order() const {
    std::size_t regions = 0;
    std::size_t points = 0;
    const auto comes_next = [](std::size_t id, std::size_t& known) {
        if (id > known) return false;
        known += id == known ? 1 : 0;
        return true;
    };
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const Series& series = experiment_.series[order_[i]];
        if (order_[i] != i || !comes_next(index(series.region), regions)) return false;
        for (const Measurement& measurement : series.measurements) {
            if (!comes_next(index(measurement.point), points)) return false;
        }
    }
    return regions == experiment_.regions.size() && points == experiment_.point_count();
}

void Document::write_orders() {
    text_.key("regions");
    text_.open('[');
    for (const Region& region : experiment_.regions) text_.string(region.path);
    text_.close(']');
    text_.key("points");
    text_.open('[');
    for (std::size_t i = 0; i < experiment_.point_count(); ++i) {
        text_.open('[');
        for (const double value : experiment_.point(static_cast<PointId>(i))) text_.value(number(value));
        text_.close(']');
    }
    text_.close(']');
    text_.key("series");
    text_.open('[');
    for (const Series& series : experiment_.series) {
        text_.open('[');
        text_.string(experiment_.region(series).path);
        text_.string(experiment_.metric(series).name);
        text_.close(']');
    }
    text_.close(']');
}

/// What Extra-P has no place for, and passes over.
void Document::write_own() {
    text_.key("plimsoll");
    text_.open('{');
    text_.key("parameter_units");
    text_.open('{');
    for (const Parameter& parameter : experiment_.parameters) {
        if (parameter.unit.empty()) continue;
        text_.key(parameter.name);
        text_.string(parameter.unit);
    }
    text_.close('}');
    text_.key("metrics");
    text_.open('[');
    for (const Metric& metric : experiment_.metrics) {
        text_.open('[');
        text_.string(metric.name);
        text_.string(metric.unit);
        text_.close(']');
    }
    text_.close(']');
    if (!is_in_natural_order()) write_orders();
    if (experiment_.inclusive) {
        text_.key("tree");
        text_.string("inclusive");
    }
    text_.key("metadata");
    text_.open('{');
    for (const auto& [key, value] : experiment_.metadata) {
        text_.key(key);
        text_.value(checked_json(value));
    }
    text_.close('}');
    text_.key("notes");
    text_.open('[');
    for (const Note& note : experiment_.notes) {
        if (note.is_detail) continue;
        text_.value(fmt::format(R"({{"file":{},"line":{},"message":{},"count":{}}})",
                                json_quote(note.place.file), note.place.line, json_quote(note.message),
                                note.count));
    }
    text_.close(']');
    text_.close('}');
}

void Document::write_measurement(const Series& series, const Measurement& measurement) {
    text_.open('{');
    text_.key("coordinate");
    text_.open('[');
    for (const double value : experiment_.point(measurement.point)) text_.value(number(value));
    text_.close(']');
    text_.key("median");
    text_.value(number(measurement.summary.median));
    text_.key("mean");
    text_.value(number(measurement.summary.mean));
    if (measurement.complete_summary) {
        text_.key("minimum");
        text_.value(number(measurement.summary.minimum));
        text_.key("maximum");
        text_.value(number(measurement.summary.maximum));
        text_.key("std");
        text_.value(number(measurement.summary.deviation));
    }
    text_.key("repetitions");
    text_.value(measurement.repetitions == 0 ? "null" : fmt::format_int(measurement.repetitions).c_str());
    text_.key("values");
    if (series.values_of(measurement).empty()) {
        text_.value("null");
    } else {
        const ValuePosition& position = positions_[next_position_++];
        text_.value(fmt::format("[{}, {}]", position.chunk, position.index));
    }
    text_.close('}');
    constexpr std::size_t piece = std::size_t{1} << 16U;
    if (text_.text().size() > piece) flush();
}

void Document::write_measurements() {
    text_.key("measurements");
    text_.open('{');
    for (std::size_t i = 0; i < order_.size();) {
        const RegionId region = experiment_.series[order_[i]].region;
        text_.key(experiment_.regions[index(region)].path);
        text_.open('{');
        for (; i < order_.size() && experiment_.series[order_[i]].region == region; ++i) {
            const Series& series = experiment_.series[order_[i]];
            text_.key(experiment_.metric(series).name);
            text_.open('[');
            for (const Measurement& measurement : series.measurements) write_measurement(series, measurement);
            text_.close(']');
        }
        text_.close('}');
    }
    text_.close('}');
}

void Document::write() {
    text_.open('{');
    text_.key("Extra-P");
    text_.string(extrap_version);
    if (experiment_.scaling) {
        text_.key("scaling");
        text_.string(extrap_name(*experiment_.scaling));
    }
    text_.key("parameters");
    text_.open('[');
    for (const Parameter& parameter : experiment_.parameters) text_.string(parameter.name);
    text_.close(']');
    write_tags("callpaths", experiment_.regions, [](const Region& region) { return region.path; });
    write_tags("metrics", experiment_.metrics, [](const Metric& metric) { return metric.name; });
    write_own();
    write_measurements();
    if (!experiment_.extrap_modelers.empty()) {
        text_.key("modelers");
        text_.value(checked_json(experiment_.extrap_modelers));
    }
    text_.close('}');
    flush();
}

}  // namespace

std::vector<std::size_t> series_by_region(const Experiment& experiment) {
    std::vector<std::size_t> order(experiment.series.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return experiment.series[a].region < experiment.series[b].region;
    });
    return order;
}

void write_extrap4_document(const Experiment& experiment, std::span<const std::size_t> order,
                            std::span<const ValuePosition> positions,
                            const std::function<void(std::string_view)>& write) {
    Document(experiment, order, positions, write).write();
}

}  // namespace plimsoll::experiment::detail
