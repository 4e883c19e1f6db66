#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plimsoll/core/input.hpp"
#include "plimsoll/experiment/reader.hpp"

namespace plimsoll::profile::detail {

/// The whole of a small JSON file. Throws an input error with the line where it is none.
[[nodiscard]] nlohmann::json read_json(Input& input);

/// Whether a file begins with an object that names a key within what was seen of it.
[[nodiscard]] bool has_key(const experiment::Probe& probe, std::string_view key);

/// A number, or nothing where a key is absent or something else.
[[nodiscard]] std::optional<double> number_at(const nlohmann::json& object, const char* key);

/// A text, or the one given where a key is absent or something else.
[[nodiscard]] std::string text_at(const nlohmann::json& object, const char* key, const char* otherwise = "");

}  // namespace plimsoll::profile::detail
