#include "app/commands/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/maintenance.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using checkpoint::Catalog;
using checkpoint::SavedState;
using checkpoint::SaveEntry;
using checkpoint::Storage;

/// Its records, or what is wrong with them.
ListedSave listed(Storage& storage, const std::string& folder, const SaveEntry& entry) {
    ListedSave save{
        .name = entry.name, .step = entry.commit.step, .sequence = entry.commit.sequence, .pin = entry.pin};
    try {
        const SavedState state(storage, folder, entry);
        save.written = state.manifest().written;
        save.ranks = state.ranks();
        save.arrays = state.array_names().size();
        for (const checkpoint::Part& part : state.parts()) {
            for (const checkpoint::PackRecord& pack : part.packs) save.bytes += pack.bytes;
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
        save.damage = checkpoint::verify_save(storage, folder, entry, checkpoint::Depth::records);
    }
    return save;
}

}  // namespace

const SaveEntry& find_save(const Catalog& catalog, const std::string& folder, const std::string& word) {
    if (catalog.saves.empty()) {
        throw Error(ErrorKind::input, Place{.file = folder}, "holds no save that is complete",
                    fmt::format("see what is there: plimsoll checkpoint ls {}", folder));
    }
    if (word.empty()) return catalog.saves.front();
    const auto step = parse_whole(word);
    std::vector<std::string> names;
    for (const SaveEntry& entry : catalog.saves) {
        if (entry.name == word ||
            (step && *step >= 0 && entry.commit.step == static_cast<std::uint64_t>(*step)))
            return entry;
        names.push_back(step ? fmt::format("{}", entry.commit.step) : entry.name);
    }
    const auto near = nearest(word, names);
    throw Error(ErrorKind::usage, fmt::format("there is no save '{}' in {}", word, folder),
                near ? fmt::format("did you mean '{}'?", *near)
                     : fmt::format("see which there are: plimsoll checkpoint ls {}", folder));
}

CheckpointList list_checkpoints(const CheckpointRequest& request) {
    const auto storage = checkpoint::pwrite_storage();
    const Catalog catalog = read_catalog(*storage, request.folder);
    CheckpointList list{.broken = catalog.broken, .unfinished = catalog.unfinished};
    for (const SaveEntry& entry : catalog.saves)
        list.saves.push_back(listed(*storage, request.folder, entry));
    for (const Catalog::Broken& broken : catalog.broken)
        list.notes.push_back(fmt::format("{} is no save: {}", broken.name, broken.reason));
    if (!catalog.unfinished.empty())
        list.notes.push_back(
            fmt::format("{} not complete, or being removed", counted(catalog.unfinished.size(), "folder")));
    return list;
}

CheckpointContent show_checkpoint(const CheckpointRequest& request) {
    const auto storage = checkpoint::pwrite_storage();
    const Catalog catalog = read_catalog(*storage, request.folder);
    const SaveEntry& entry = find_save(catalog, request.folder, request.save);
    CheckpointContent content{.save = listed(*storage, request.folder, entry)};
    SavedState state(*storage, request.folder, entry);
    std::map<std::string, CheckpointContent::Array> arrays;
    for (const checkpoint::Part& part : state.parts()) {
        for (const checkpoint::StoredArray& piece : part.arrays) {
            CheckpointContent::Array& array = arrays[piece.name];
            if (array.pieces++ == 0) {
                array.name = piece.name;
                array.type = std::string(enum_name(piece.type));
                array.shape = piece.block.global;
                array.is_own = piece.owner.has_value();
            }
            array.bytes += piece.bytes;
        }
        for (const checkpoint::PackRecord& pack : part.packs)
            content.files.push_back({fmt::format("{}/{}", entry.name, pack.file), pack.bytes});
    }
    for (auto& [name, array] : arrays) content.arrays.push_back(std::move(array));
    return content;
}

CheckpointHealth verify_checkpoints(const CheckpointRequest& request, Progress& progress) {
    const auto storage = checkpoint::pwrite_storage();
    const Catalog catalog = read_catalog(*storage, request.folder);
    CheckpointHealth health{.deep = request.deep, .broken = catalog.broken};
    Activity activity(progress, "verifying", std::ssize(catalog.saves));
    bool is_well = catalog.broken.empty();
    for (const SaveEntry& entry : catalog.saves) {
        ListedSave save = listed(*storage, request.folder, entry);
        save.damage =
            checkpoint::verify_save(*storage, request.folder, entry,
                                    request.deep ? checkpoint::Depth::bytes : checkpoint::Depth::records);
        is_well = is_well && save.damage.empty();
        if (save.damage.empty() && !health.restorable) health.restorable = entry.name;
        health.saves.push_back(std::move(save));
        activity.step();
    }
    const bool is_empty = catalog.saves.empty() && catalog.broken.empty();
    if (!is_well) health.verdict = CheckpointVerdict::repairable;
    if (!health.restorable && !is_empty) health.verdict = CheckpointVerdict::lost;
    return health;
}

int exit_code(CheckpointVerdict verdict) {
    constexpr int lost = 4;
    switch (verdict) {
        case CheckpointVerdict::good: return 0;
        case CheckpointVerdict::repairable: return 1;
        case CheckpointVerdict::lost: break;
    }
    return lost;
}

CheckpointPruning prune_checkpoints(const CheckpointRequest& request, Progress& progress) {
    const auto storage = checkpoint::pwrite_storage();
    std::optional<checkpoint::Maintenance> maintenance;
    if (!request.dry_run) maintenance.emplace(*storage, request.folder);
    const Catalog catalog = read_catalog(*storage, request.folder);
    CheckpointPruning pruning{.dry_run = request.dry_run};
    Activity activity(progress, "pruning", std::ssize(catalog.saves));
    int kept = 0;
    for (const SaveEntry& entry : catalog.saves) {
        const ListedSave save = listed(*storage, request.folder, entry);
        // A damaged save does not count, and stays: what is left of it may be all there is.
        const bool stays = kept < request.keep || entry.pin || !save.damage.empty();
        if (save.damage.empty()) ++kept;
        if (stays || (maintenance && !remove_save(*storage, request.folder, entry.name))) {
            pruning.kept.push_back(entry.name);
        } else {
            pruning.removed.push_back(entry.name);
            pruning.bytes += save.bytes;
        }
        activity.step();
    }
    return pruning;
}

CheckpointPin pin_checkpoint(const CheckpointRequest& request) {
    const auto storage = checkpoint::pwrite_storage();
    const Catalog catalog = read_catalog(*storage, request.folder);
    const SaveEntry& entry = find_save(catalog, request.folder, request.save);
    if (request.removes_pin) {
        if (entry.pin) unpin_save(*storage, request.folder, entry.name);
        return {.save = entry.name, .pin = std::nullopt};
    }
    if (!pin_save(*storage, request.folder, entry.name, request.tag)) {
        throw Error(ErrorKind::environment, fmt::format("{} has been removed meanwhile", entry.name),
                    "pin a newer save");
    }
    return {.save = entry.name, .pin = request.tag};
}

}  // namespace plimsoll::app
