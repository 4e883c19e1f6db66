#include "plimsoll/profile/detail/json_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20U;  // becomes ten times as much in memory

/// The text with null in place of NaN and Infinity, each byte where it was.
std::string without_bare_words(std::string text) {
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (in_string && text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            in_string = !in_string;
        } else if (!in_string && (text[i] == 'N' || text[i] == 'I' || text[i] == '-')) {
            for (const std::string_view word : {"NaN", "-NaN", "Infinity", "-Infinity"}) {
                if (!std::string_view(text).substr(i).starts_with(word)) continue;
                // Three letters have no room for null, but for what ends the value: 0 would be a number.
                std::string nothing = word.size() < 4 ? "[]" : "null";
                nothing.resize(word.size(), ' ');
                text.replace(i, word.size(), nothing);
                break;
            }
        }
    }
    return text;
}

}  // namespace

nlohmann::json read_json(Input& input) {
    std::string text;
    constexpr std::size_t block = std::size_t{1} << 16U;
    for (std::string_view piece = input.take(block); !piece.empty(); piece = input.take(block)) {
        text += piece;
        if (text.size() > most_bytes) {
            throw Error(
                ErrorKind::input, Place{.file = input.name()},
                fmt::format("is larger than {} MiB, which no file of this format is", most_bytes >> 20U),
                "name the file that the profiler wrote");
        }
    }
    const auto fail = [&](std::uint64_t line, const char* what) {
        throw Error(ErrorKind::input, Place{.file = input.name(), .line = line}, what,
                    "write the file again; a program that was killed leaves a part of it");
    };
    nlohmann::json document;
    try {
        document = nlohmann::json::parse(text, nullptr, false);
        // Some writers put words where JSON has no numbers.
        if (document.is_discarded()) document = nlohmann::json::parse(without_bare_words(text));
    } catch (const nlohmann::json::parse_error& error) {
        const std::size_t end = std::min(error.byte, text.size());
        const auto newlines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
        fail(static_cast<std::uint64_t>(newlines) + 1,
             end >= text.size() ? "the JSON text ends too early" : "this is no JSON text");
    } catch (const nlohmann::json::out_of_range&) {
        fail(0, "a number is too large for any computer");
    }
    return document;
}

bool has_key(const experiment::Probe& probe, std::string_view key) {
    if (!trim(probe.head).starts_with('{')) return false;
    const std::string quoted = fmt::format("\"{}\"", key);
    for (std::size_t at = probe.head.find(quoted); at != std::string_view::npos;
         at = probe.head.find(quoted, at + 1)) {
        if (trim(probe.head.substr(at + quoted.size())).starts_with(':')) return true;
    }
    return false;
}

std::optional<double> number_at(const nlohmann::json& object, const char* key) {
    if (!object.is_object()) return std::nullopt;
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
}

std::string text_at(const nlohmann::json& object, const char* key, const char* otherwise) {
    if (!object.is_object()) return otherwise;
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) return otherwise;
    return found->get<std::string>();
}

}  // namespace plimsoll::profile::detail
