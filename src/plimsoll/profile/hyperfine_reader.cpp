#include <fmt/format.h>

#include <cctype>
#include <string>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/json_input.hpp"

namespace plimsoll::profile::detail {

namespace {

/// The command with `{n}` in place of the words that are the value of the parameter n, so that it is the same
/// region for all values.
std::string without_values(const std::string& command,
                           const std::vector<std::pair<std::string, std::string>>& parameters) {
    std::string general = command;
    for (const auto& [name, value] : parameters) {
        if (value.empty()) continue;
        const std::string place = "{" + name + "}";
        const auto is_word = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
        };
        for (std::size_t at = general.find(value); at != std::string::npos; at = general.find(value, at)) {
            const bool begins = at == 0 || !is_word(general[at - 1]);
            const std::size_t end = at + value.size();
            const bool ends = end == general.size() || !is_word(general[end]);
            if (begins && ends) {
                general.replace(at, value.size(), place);
                at += place.size();
            } else {
                at = end;
            }
        }
    }
    return general;
}

}  // namespace

bool is_hyperfine(const experiment::Probe& probe) {
    return has_key(probe, "results") && has_key(probe, "command") && has_key(probe, "mean");
}

void read_hyperfine(Input& input, Sink& sink) {
    const nlohmann::json document = read_json(input);
    const Place place{.file = input.name()};
    const auto results = document.is_object() ? document.find("results") : document.end();
    if (results == document.end() || !results->is_array()) {
        throw Error(ErrorKind::input, place, "holds no list 'results'",
                    "write it again with --export-json FILE");
    }
    for (const nlohmann::json& result : *results) {
        if (!result.is_object() || !result.contains("command") || !result["command"].is_string()) {
            throw Error(ErrorKind::input, place, "a result has no command",
                        "write it again with --export-json FILE");
        }
        std::vector<std::pair<std::string, std::string>> texts;
        std::vector<std::pair<std::string, double>> parameters;
        const auto named = result.find("parameters");
        const nlohmann::json given =
            named != result.end() && named->is_object() ? *named : nlohmann::json::object();
        for (const auto& [name, value] : given.items()) {
            const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
            texts.emplace_back(name, text);
            if (const auto number = parse_number(text)) parameters.emplace_back(name, *number);
        }
        // Values that are no numbers tell commands apart, and stay in them.
        std::erase_if(texts, [](const auto& entry) { return !parse_number(entry.second); });
        const experiment::RegionId region =
            sink.builder.region(without_values(result["command"].get<std::string>(), texts));
        const auto list = [&](const char* key) {
            const auto found = result.find(key);
            return found != result.end() && found->is_array() ? *found : nlohmann::json::array();
        };
        nlohmann::json times = list("times");
        if (times.empty()) {
            if (const auto mean = number_at(result, "mean")) times.push_back(*mean);
        }
        const nlohmann::json codes = list("exit_codes");
        const nlohmann::json memory = list("memory_usage_byte");
        bool first = true;
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (!times[i].is_number()) continue;
            if (i < codes.size() && codes[i].is_number() && codes[i] != 0) {
                sink.builder.note(place, fmt::format("a run of '{}' failed, and is left out",
                                                     result["command"].get<std::string>()));
                continue;
            }
            Part& part = sink.parts.emplace_back();
            part.place = place;
            part.parameters = parameters;
            part.add(region, sink.metric("time", "s"), times[i].get<double>());
            if (i < memory.size() && memory[i].is_number())
                part.add(region, sink.metric("memory", "B"), memory[i].get<double>());
            // Of these, the means over all runs are what there is.
            if (!std::exchange(first, false)) continue;
            for (const char* const key : {"user", "system"}) {
                if (const auto seconds = number_at(result, key))
                    part.add(region, sink.metric(key, "s"), *seconds);
            }
        }
    }
}

}  // namespace plimsoll::profile::detail
