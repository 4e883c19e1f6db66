#include "plimsoll/experiment/detail/json_header.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "plimsoll/core/input.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/excerpt.hpp"

namespace plimsoll::experiment::detail {

namespace {

using simdjson::ondemand::json_type;

constexpr std::string_view our_schema = "plimsoll.experiment/1";

}  // namespace

void state_unit(ExperimentBuilder& builder, MetricId metric, std::string_view unit, const Place& place) {
    const Metric& known = builder.rest().metrics[index(metric)];
    if (known.unit == unit) return;
    if (!known.unit.empty() && !unit.empty()) {
        throw Error(ErrorKind::input, place,
                    fmt::format("metric '{}' is in '{}' here, and in '{}' before", known.name, excerpt(unit),
                                known.unit),
                    "convert the values to one unit");
    }
    builder.set_unit(metric, unit);
}

void JsonHeaderReader::read(std::string_view line, const Place& place, std::vector<std::string>& names) {
    place_ = &place;
    points_.clear();
    std::string_view key;
    try {
        simdjson::ondemand::document document = parser_.iterate(
            simdjson::padded_string_view(line.data(), line.size(), line.size() + Input::padding));
        for (auto field : document.get_object()) {
            key = field.unescaped_key();
            read_field(key, field.value(), names);
        }
    } catch (const simdjson::simdjson_error& error) {
        const bool is_wrong_kind = error.error() == simdjson::INCORRECT_TYPE;
        fail(is_wrong_kind
                 ? fmt::format("'{}' of the header holds a value of the wrong kind", excerpt(key))
                 : fmt::format("'{}' of the header is not valid JSON ({})", excerpt(key), error.what()),
             "write it as docs/formats/experiment.md shows");
    }
    for (const std::vector<double>& point : points_) (void)builder_->point(point, place);
}

void JsonHeaderReader::read_field(std::string_view key, Value value, std::vector<std::string>& names) {
    Experiment& rest = builder_->rest();
    if (key == "schema") {
        check_schema(value);
    } else if (key == "parameters") {
        read_parameters(value, names);
    } else if (key == "metrics") {
        read_metrics(value);
    } else if (key == "regions") {
        read_regions(value);
    } else if (key == "points") {
        read_points(value);
    } else if (key == "scaling") {
        read_scaling(value);
    } else if (key == "tree") {
        read_tree(value);
    } else if (key == "metadata") {
        read_metadata(value);
    } else if (key == "extrap_modelers") {
        std::string modelers = json_text(value, key);
        if (rest.extrap_modelers.empty()) rest.extrap_modelers = std::move(modelers);
    } else {
        ignored_->note(*builder_, *place_, "the key", key);
    }
}

void JsonHeaderReader::check_schema(Value value) {
    const std::string_view schema = value.get_string();
    if (schema == our_schema) return;
    const bool is_later = schema.starts_with("plimsoll.experiment/");
    fail(fmt::format("the schema is '{}', not '{}'", excerpt(schema), our_schema),
         is_later ? "read it with the version of plimsoll that wrote it"
                  : "give a file that holds an experiment");
}

void JsonHeaderReader::read_parameters(Value value, std::vector<std::string>& names) {
    std::vector<std::string> read_names;
    std::vector<std::pair<std::string, std::string>> units;
    for (auto element : value.get_array()) {
        Value parameter = element.value();
        const json_type type = parameter.type();
        if (type == json_type::string) {
            read_names.emplace_back(std::string_view(parameter.get_string()));
            continue;
        }
        std::string name;
        std::string unit;
        for (auto field : parameter.get_object()) {
            const std::string_view key = field.unescaped_key();
            if (key == "name") {
                name = std::string_view(field.value().get_string());
            } else if (key == "unit") {
                unit = std::string_view(field.value().get_string());
            } else {
                ignored_->note(*builder_, *place_, "the key", key);
            }
        }
        if (name.empty())
            fail("a parameter has no 'name'", R"(write it as "n" or {"name": "n", "unit": "B"})");
        read_names.push_back(name);
        if (!unit.empty()) units.emplace_back(std::move(name), std::move(unit));
    }
    builder_->set_parameters(read_names, *place_);
    for (const auto& [name, unit] : units) builder_->set_parameter_unit(name, unit);
    names = std::move(read_names);
}

void JsonHeaderReader::read_metrics(Value value) {
    for (auto entry : value.get_object()) {
        const MetricId metric = builder_->metric(std::string_view(entry.unescaped_key()));
        for (auto field : entry.value().get_object()) {
            const std::string_view key = field.unescaped_key();
            if (key == "unit") {
                state_unit(*builder_, metric, std::string_view(field.value().get_string()), *place_);
            } else if (key == "tags") {
                builder_->rest().metrics[index(metric)].tags = json_text(field.value(), "tags");
            } else {
                ignored_->note(*builder_, *place_, "the key", key);
            }
        }
    }
}

void JsonHeaderReader::read_regions(Value value) {
    for (auto entry : value.get_object()) {
        const RegionId region = builder_->region(std::string_view(entry.unescaped_key()));
        for (auto field : entry.value().get_object()) {
            const std::string_view key = field.unescaped_key();
            if (key == "tags") {
                builder_->rest().regions[index(region)].tags = json_text(field.value(), "tags");
            } else {
                ignored_->note(*builder_, *place_, "the key", key);
            }
        }
    }
}

/// Kept until the whole header is read, since the parameters may come later.
void JsonHeaderReader::read_points(Value value) {
    for (auto element : value.get_array()) {
        std::vector<double> point;
        for (auto coordinate : element.get_array()) point.push_back(coordinate.get_double());
        points_.push_back(std::move(point));
    }
}

void JsonHeaderReader::read_scaling(Value value) {
    const std::string_view text = value.get_string();
    std::vector<std::string> names;
    for (const auto& entry : enum_names(Scaling{})) {
        names.emplace_back(entry.name);
        if (entry.name != text) continue;
        builder_->state_scaling(entry.value, *place_);
        return;
    }
    fail(fmt::format("unknown scaling '{}'", excerpt(text)),
         fmt::format("write one of {}", join(names, ", ")));
}

void JsonHeaderReader::read_tree(Value value) {
    const std::string_view text = value.get_string();
    if (text == "inclusive") {
        builder_->state_inclusive();
    } else if (text != "exclusive") {
        fail(fmt::format("unknown tree '{}'", excerpt(text)), "write exclusive or inclusive");
    }
}

void JsonHeaderReader::read_metadata(Value value) {
    for (auto entry : value.get_object()) {
        const std::string key(std::string_view(entry.unescaped_key()));
        std::string text = json_text(entry.value(), key);
        const auto [known, is_new] = builder_->rest().metadata.emplace(key, text);
        if (!is_new && known->second != text) {
            builder_->note(
                *place_, fmt::format("metadata '{}' differs between runs; the first is kept", excerpt(key)));
        }
    }
}

/// The JSON of a value as it is written, checked, since simdjson passes over what nobody reads.
std::string JsonHeaderReader::json_text(Value value, std::string_view what) {
    const std::string_view text = simdjson::to_json_string(value);
    if (!nlohmann::json::accept(text)) {
        fail(fmt::format("'{}' is not valid JSON", excerpt(what)), "mend the header line");
    }
    return std::string(text);
}

void JsonHeaderReader::fail(std::string message, std::string hint) const {
    throw Error(ErrorKind::input, *place_, std::move(message), std::move(hint));
}

}  // namespace plimsoll::experiment::detail
