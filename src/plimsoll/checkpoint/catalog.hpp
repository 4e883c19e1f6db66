#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plimsoll/checkpoint/manifest.hpp"
#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint {

/// A save that is complete, as far as its commit record tells.
struct SaveEntry {
    std::string name;  ///< of its folder: "v00000042"
    CommitRecord commit;
    std::optional<std::string> pin;  ///< its tag, where retention must leave it
};

/// What a checkpoint folder holds.
struct Catalog {
    struct Broken {
        std::string name;
        std::string reason;
    };
    std::vector<SaveEntry> saves;         ///< the newest first
    std::vector<Broken> broken;           ///< folders named like saves without a commit record that holds
    std::vector<std::string> unfinished;  ///< folders of saves that were being written, or are being removed
};

/// Reads the commit records of a folder. Throws an input error where it is no checkpoint folder.
[[nodiscard]] Catalog read_catalog(Storage& storage, const std::string& folder);

/// "v00000042", the name of a step's first save.
[[nodiscard]] std::string save_name(std::uint64_t step);

/// Keeps a save from being removed by retention. Returns false where it has gone meanwhile.
bool pin_save(Storage& storage, const std::string& folder, const std::string& save, const std::string& tag);
void unpin_save(Storage& storage, const std::string& folder, const std::string& save);

/// The saves that retention removes where it keeps the newest `keep`, and those that are pinned.
[[nodiscard]] std::vector<SaveEntry> beyond_retention(const Catalog& catalog, std::uint64_t keep);

/// Removes a save, in an order that leaves no damaged one behind whenever it is cut off; false where it was
/// pinned meanwhile and stays.
bool remove_save(Storage& storage, const std::string& folder, const std::string& save);

// How folders of saves begin that are not there for readers.
inline constexpr const char* unfinished_prefix =
    ".tmp-";  ///< being written; complete where it has a commit record
inline constexpr const char* outdated_prefix = ".old-";  ///< being removed
inline constexpr const char* lost_prefix = ".lost-";     ///< was being written when its program died

}  // namespace plimsoll::checkpoint
