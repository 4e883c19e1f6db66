#pragma once

#include <cstdint>
#include <string>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/manifest.hpp"
#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint::detail {

/// A record whose size and checksum are known. Throws an input error where it is missing or another one.
[[nodiscard]] std::string checked_record(Storage& storage, const std::string& path, std::uint64_t bytes,
                                         std::uint64_t checksum);

/// The manifest that a commit record names.
[[nodiscard]] Manifest checked_manifest(Storage& storage, const std::string& save_folder,
                                        const CommitRecord& commit);

}  // namespace plimsoll::checkpoint::detail
