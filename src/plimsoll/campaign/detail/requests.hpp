#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "plimsoll/campaign/engine.hpp"
#include "plimsoll/campaign/folder.hpp"

namespace plimsoll::campaign {

/// Answers a command's question: a JSON object with what its verb asks for. Throws usage and input errors
/// that are the asker's, and the store's.
[[nodiscard]] nlohmann::json answer(Engine& engine, Store& store, const nlohmann::json& question, Now now);

/// A member of a question. Throws an input error where it is absent or of another kind.
template <class Value>
[[nodiscard]] Value member(const nlohmann::json& question, const char* key);

/// Counts of a job by the states' names, those that are not zero.
[[nodiscard]] nlohmann::json counts_json(const StateCounts& counts);

}  // namespace plimsoll::campaign
