#pragma once

#include <optional>
#include <string>

#include "plimsoll/checkpoint/manifest.hpp"
#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint::detail {

// Names in a checkpoint folder and in the folders of its saves.
inline constexpr const char* format_file = "FORMAT";
inline constexpr const char* pins_folder = "pins";
inline constexpr const char* manifest_file = "MANIFEST.json";
inline constexpr const char* commit_file = "COMMIT";

[[nodiscard]] std::string pin_path(const std::string& folder, const std::string& save);

/// The commit record of a save; empty where there is none that holds.
[[nodiscard]] std::optional<CommitRecord> commit_of(Storage& storage, const std::string& save_folder);

/// "part-0003.json", "pack-0003.0.safetensors", "failed-0003".
[[nodiscard]] std::string part_name(std::uint64_t rank);
[[nodiscard]] std::string pack_name(std::uint64_t rank, std::uint64_t number);
[[nodiscard]] std::string failure_name(std::uint64_t rank);

}  // namespace plimsoll::checkpoint::detail
