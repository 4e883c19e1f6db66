#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/checkpoint/block.hpp"
#include "plimsoll/checkpoint/element_type.hpp"

namespace plimsoll::checkpoint {

// The records of a save, as docs/formats/checkpoint.md specifies them. Readers throw input errors that name
// the file.

/// Where the bytes of one rank's piece of an array lie.
struct StoredArray {
    std::string name;
    ElementType type = ElementType::uint8;
    std::optional<std::uint64_t>
        owner;  ///< the rank whose own it is; else it is a piece of an array of all ranks
    Block block;
    std::uint64_t pack = 0;  ///< position in the part's list of packs
    std::uint64_t at = 0;    ///< first byte in the pack
    std::uint64_t bytes = 0;
};

/// A safetensors file with its checksums.
struct PackRecord {
    std::string file;  ///< name within the save's folder
    std::uint64_t bytes = 0;
    std::uint64_t chunk_bytes = 0;         ///< that one checksum covers; the last chunk may be shorter
    std::vector<std::uint64_t> checksums;  ///< XXH3, of each chunk
};

/// What one rank has written.
struct Part {
    std::string save;  ///< the save's identity
    std::uint64_t step = 0;
    std::uint64_t rank = 0;
    std::uint64_t ranks = 1;
    std::vector<PackRecord> packs;
    std::vector<StoredArray> arrays;
};
[[nodiscard]] std::string to_json(const Part& part);
[[nodiscard]] Part read_part(const std::string& text, const std::string& file);

/// What a save consists of.
struct Manifest {
    struct PartRecord {
        std::string file;
        std::uint64_t bytes = 0;
        std::uint64_t checksum = 0;
    };
    std::string save;
    std::uint64_t step = 0;
    std::uint64_t sequence = 0;
    std::string written;            ///< ISO 8601, UTC; for people alone
    std::vector<PartRecord> parts;  ///< one for each rank
};
[[nodiscard]] std::string to_json(const Manifest& manifest);
[[nodiscard]] Manifest read_manifest(const std::string& text, const std::string& file);

/// That a save is complete. It is written last, and a save without it does not exist.
struct CommitRecord {
    std::string save;
    std::uint64_t step = 0;
    std::uint64_t sequence = 0;  ///< counts the saves of a folder; the newest save has the highest
    std::uint64_t manifest_bytes = 0;
    std::uint64_t manifest_checksum = 0;
};
inline constexpr std::uint64_t commit_bytes = 4096;
[[nodiscard]] std::string to_text(const CommitRecord& record);
/// Empty where a text is not a whole and unharmed record.
[[nodiscard]] std::optional<CommitRecord> read_commit(const std::string& text);

}  // namespace plimsoll::checkpoint
