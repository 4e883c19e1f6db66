#pragma once

#include <chrono>
#include <map>
#include <string>

#include "plimsoll/launch/launcher.hpp"

namespace plimsoll::measure {

/// Where measurements come from, by name; values are JSON. What cannot be told is absent.
///
/// `host`, `kernel`, `cpu` (model), `cores`, `governor`, `turbo`, `environment` (variables that decide how
/// programs run in parallel), `git` (commit of the folder, `-dirty` behind it where files differ), `folder`,
/// `date`.
[[nodiscard]] std::map<std::string, std::string> provenance(
    launch::Launcher& launcher, std::chrono::milliseconds patience_with_git = std::chrono::seconds(10));

/// Now, as ISO 8601 in UTC: "2026-01-31T12:00:00Z".
[[nodiscard]] std::string date_now();

}  // namespace plimsoll::measure
