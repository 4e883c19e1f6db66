#include <fmt/format.h>

#include <string>

#include "plimsoll/core/error.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/json_input.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr double nano = 1e-9;

/// Whether a key of a region is a time, all of which are in nanoseconds. DLB 3.5 spells one of them wrong.
bool is_time(std::string_view key) {
    return key.ends_with("Time") || key.find("Normd") != std::string_view::npos ||
           key.find("Nomrd") != std::string_view::npos;
}

/// What says how large the run was, and is nothing to model.
bool is_size(std::string_view key) {
    return key == "numCpus" || key == "numMpiRanks" || key == "numNodes" || key == "numGpus" ||
           key == "avgCpus";
}

}  // namespace

bool is_talp(const experiment::Probe& probe) {
    return has_key(probe, "dlbVersion") || (has_key(probe, "usefulTime") && has_key(probe, "elapsedTime"));
}

void read_talp(Input& input, Sink& sink) {
    const nlohmann::json document = read_json(input);
    const Place place{.file = input.name()};
    const auto application = document.is_object() ? document.find("Application") : document.end();
    if (application == document.end() || !application->is_object()) {
        throw Error(ErrorKind::input, place, "holds no 'Application' with regions",
                    "write the report again with DLB_ARGS='--talp --talp-output-file=FILE.json'");
    }
    Part part;
    part.place = place;
    nlohmann::json sizes = document.value("resources", nlohmann::json::object());
    for (const auto& [name, region] : application->items()) {
        if (!region.is_object()) continue;
        const experiment::RegionId id = sink.builder.region(name);
        for (const auto& [key, value] : region.items()) {
            if (!value.is_number()) continue;
            const auto number = value.get<double>();
            if (is_size(key)) {
                if (sizes.is_object() && !sizes.contains(key)) sizes[key] = value;
                continue;
            }
            if (number < 0.0) {
                sink.builder.note(place,
                                  fmt::format("{} of region '{}' is negative, and is left out", key, name));
                continue;
            }
            const bool time = is_time(key);
            const experiment::MetricId metric =
                sink.metric(key == "elapsedTime" ? "time" : key, time ? "s" : "");
            part.add(id, metric, time ? nano * number : number);
        }
    }
    if (part.values().empty()) return;
    if (const auto ranks = number_at(sizes, "numMpiRanks"); ranks && *ranks >= 1.0 && *ranks < 1e9)
        part.processes = static_cast<std::int64_t>(*ranks);
    const auto keep = [&](const nlohmann::json& object) {
        if (!object.is_object()) return;
        for (const auto& [key, value] : object.items()) {
            if (value.is_string()) {
                part.metadata.emplace(key, value.get<std::string>());
            } else if (value.is_primitive()) {
                part.metadata.emplace(key, value.dump());
            }
        }
    };
    keep(document);
    keep(sizes);
    keep(document.value("metadata", nlohmann::json()));
    sink.parts.push_back(std::move(part));
}

}  // namespace plimsoll::profile::detail
