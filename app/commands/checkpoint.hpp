#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/checkpoint/saved_state.hpp"
#include "plimsoll/core/progress.hpp"

namespace plimsoll::app {

/// One command line of `plimsoll checkpoint`.
struct CheckpointRequest {
    std::string folder;
    std::string save;  ///< a step, or the name of a save's folder; empty: the newest
    bool deep = false;
    int keep = 2;
    bool dry_run = false;
    std::string tag;
    bool removes_pin = false;
    std::string other;   ///< of `diff`: the save compared with; empty: the newest
    std::string output;  ///< of `export`: a file
};

/// What is told of one save.
struct ListedSave {
    std::string name;
    std::uint64_t step = 0;
    std::uint64_t sequence = 0;
    std::string written;      ///< ISO 8601, UTC
    std::uint64_t ranks = 0;  ///< that wrote it
    std::uint64_t arrays = 0;
    std::uint64_t bytes = 0;  ///< of its packs
    std::optional<std::string> pin;
    std::vector<checkpoint::Damage> damage;
};

/// The document `plimsoll.checkpoint-ls/1`.
struct CheckpointList {
    std::vector<ListedSave> saves;  ///< the newest first
    std::vector<checkpoint::Catalog::Broken> broken;
    std::vector<std::string> unfinished;
    std::vector<std::string> notes;
};
[[nodiscard]] CheckpointList list_checkpoints(const CheckpointRequest& request);

/// The document `plimsoll.checkpoint-show/1`.
struct CheckpointContent {
    struct Array {
        std::string name;
        std::string type;
        checkpoint::Shape shape;
        bool is_own = false;       ///< each rank has one of its own; the shape is that of the first
        std::uint64_t pieces = 0;  ///< that it is stored in
        std::uint64_t bytes = 0;
    };
    struct File {
        std::string name;
        std::uint64_t bytes = 0;
    };
    ListedSave save;
    std::vector<Array> arrays;
    std::vector<File> files;
};
[[nodiscard]] CheckpointContent show_checkpoint(const CheckpointRequest& request);

/// What can be done with a folder of checkpoints.
enum class CheckpointVerdict {
    good,        ///< all saves are whole
    repairable,  ///< something is damaged, and a save is whole
    lost         ///< nothing can be restored
};
/// The document `plimsoll.checkpoint-verify/1`.
struct CheckpointHealth {
    bool deep = false;
    CheckpointVerdict verdict = CheckpointVerdict::good;
    std::optional<std::string> restorable;  ///< the newest save that is whole
    std::vector<ListedSave> saves;
    std::vector<checkpoint::Catalog::Broken> broken;
};
[[nodiscard]] CheckpointHealth verify_checkpoints(const CheckpointRequest& request, Progress& progress);
/// 0, 1 and 4.
[[nodiscard]] int exit_code(CheckpointVerdict verdict);

/// The document `plimsoll.checkpoint-prune/1`.
struct CheckpointPruning {
    bool dry_run = false;
    std::vector<std::string> removed;
    std::vector<std::string> kept;
    std::uint64_t bytes = 0;  ///< of the packs removed
};
[[nodiscard]] CheckpointPruning prune_checkpoints(const CheckpointRequest& request, Progress& progress);

/// The document `plimsoll.checkpoint-pin/1`.
struct CheckpointPin {
    std::string save;
    std::optional<std::string> pin;  ///< its tag; empty: it is not pinned any more
};
[[nodiscard]] CheckpointPin pin_checkpoint(const CheckpointRequest& request);

/// The document `plimsoll.checkpoint-export/1`.
struct CheckpointExport {
    std::string save;
    std::string output;
    std::vector<std::string> arrays;  ///< as they are named in the file
    std::uint64_t bytes = 0;          ///< of the file
};
/// Writes the arrays of a save to one safetensors file, each whole, whatever ranks held its pieces.
[[nodiscard]] CheckpointExport export_checkpoint(const CheckpointRequest& request, Progress& progress);

/// How an array of one save stands to that of another.
enum class ArrayVerdict { same, different, other_type_or_shape, only_before, only_after };
[[nodiscard]] constexpr std::array<EnumName<ArrayVerdict>, 5> enum_names(ArrayVerdict) {
    return {{{ArrayVerdict::same, "same"},
             {ArrayVerdict::different, "different"},
             {ArrayVerdict::other_type_or_shape, "other type or shape"},
             {ArrayVerdict::only_before, "only before"},
             {ArrayVerdict::only_after, "only after"}}};
}

/// The document `plimsoll.checkpoint-diff/1`.
struct CheckpointDiff {
    using Verdict = ArrayVerdict;
    struct Array {
        std::string name;
        Verdict verdict = Verdict::same;
        std::uint64_t elements = 0;     ///< of the first save's array
        std::uint64_t different = 0;    ///< of them, in any bit
        std::optional<double> largest;  ///< largest absolute difference, of numbers alone
    };
    std::string before;
    std::string after;
    std::vector<Array> arrays;

    [[nodiscard]] bool differs() const;
};
/// Compares two saves of a folder, array by array, bit by bit.
[[nodiscard]] CheckpointDiff compare_checkpoints(const CheckpointRequest& request, Progress& progress);

/// The save that a step or a name means, the newest where it is empty. Throws where there is none.
[[nodiscard]] const checkpoint::SaveEntry& find_save(const checkpoint::Catalog& catalog,
                                                     const std::string& folder, const std::string& word);

}  // namespace plimsoll::app
