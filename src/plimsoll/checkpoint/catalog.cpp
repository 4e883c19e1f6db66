#include "plimsoll/checkpoint/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "plimsoll/checkpoint/detail/folder_files.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint {

namespace {

constexpr std::uint64_t longest_tag = 4096;  ///< bytes

/// "v00000042" or "v00000042.2".
bool is_save_name(const std::string& name) {
    constexpr std::size_t digits = 8;
    if (name.size() <= digits || name.front() != 'v') return false;
    const std::size_t point = name.find('.');
    const auto all_digits = [&](std::size_t begin, std::size_t end) {
        return begin < end && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(begin),
                                          name.begin() + static_cast<std::ptrdiff_t>(end),
                                          [](unsigned char c) { return std::isdigit(c) != 0; });
    };
    return point == std::string::npos ? all_digits(1, name.size())
                                      : all_digits(1, point) && all_digits(point + 1, name.size());
}

}  // namespace

namespace detail {

std::string pin_path(const std::string& folder, const std::string& save) {
    return folder + "/" + pins_folder + "/" + save;
}

std::optional<CommitRecord> commit_of(Storage& storage, const std::string& save_folder) {
    const auto file = storage.open(save_folder + "/" + commit_file);
    if (!file || file->size() != commit_bytes) return std::nullopt;
    std::string text(commit_bytes, '\0');
    file->read(0, std::as_writable_bytes(std::span(text)));
    return read_commit(text);
}

}  // namespace detail

std::string save_name(std::uint64_t step) { return fmt::format("v{:08}", step); }

Catalog read_catalog(Storage& storage, const std::string& folder) {
    Catalog catalog;
    bool is_ours = false;
    for (const std::string& name : storage.list(folder)) {
        is_ours = is_ours || name == detail::format_file;
        const bool is_unfinished = name.starts_with(unfinished_prefix);
        if (!is_save_name(name) && !is_unfinished) {
            if (name.starts_with(outdated_prefix) || name.starts_with(lost_prefix))
                catalog.unfinished.push_back(name);
            continue;
        }
        const auto commit = detail::commit_of(storage, path_in(folder, name));
        if (commit) {
            SaveEntry entry{.name = name, .commit = *commit};
            const std::string pin = detail::pin_path(folder, name);
            if (storage.exists(pin)) entry.pin = read_small(storage, pin, longest_tag);
            catalog.saves.push_back(std::move(entry));
        } else if (is_unfinished) {
            catalog.unfinished.push_back(name);
        } else {
            catalog.broken.push_back(
                {name, storage.exists(path_in(path_in(folder, name), detail::commit_file))
                           ? fmt::format("its {} is damaged", detail::commit_file)
                           : fmt::format("it has no {}", detail::commit_file)});
        }
    }
    if (!is_ours && catalog.saves.empty() && catalog.broken.empty()) {
        throw Error(ErrorKind::input, Place{.file = folder}, "is no folder of checkpoints",
                    "name the folder that the program saves to");
    }
    std::sort(catalog.saves.begin(), catalog.saves.end(),
              [](const SaveEntry& a, const SaveEntry& b) { return a.commit.sequence > b.commit.sequence; });
    return catalog;
}

bool pin_save(Storage& storage, const std::string& folder, const std::string& save, const std::string& tag) {
    if (tag.size() > longest_tag)
        throw Error(ErrorKind::usage, fmt::format("a tag of {} bytes is too long", tag.size()),
                    fmt::format("use {} at most", longest_tag));
    const std::string pins = folder + "/" + detail::pins_folder;
    if (storage.make_folder(pins)) storage.sync_folder(folder);
    const std::string path = detail::pin_path(folder, save);
    if (storage.exists(path)) storage.remove_file(path);
    write_small(storage, path, tag);
    storage.sync_folder(pins);
    if (detail::commit_of(storage, folder + "/" + save)) return true;
    unpin_save(storage, folder, save);
    return false;
}

void unpin_save(Storage& storage, const std::string& folder, const std::string& save) {
    storage.remove_file(detail::pin_path(folder, save));
    storage.sync_folder(folder + "/" + detail::pins_folder);
}

std::vector<SaveEntry> beyond_retention(const Catalog& catalog, std::uint64_t keep) {
    std::vector<SaveEntry> outdated;
    std::uint64_t kept = 0;
    for (const SaveEntry& entry : catalog.saves) {
        if (++kept > keep && !entry.pin && is_save_name(entry.name)) outdated.push_back(entry);
    }
    return outdated;
}

bool remove_save(Storage& storage, const std::string& folder, const std::string& save) {
    const std::string from = folder + "/" + save;
    const std::string to = folder + "/" + outdated_prefix + save;
    if (storage.exists(to)) remove_with_files(storage, to);
    storage.rename(from, to);
    // Whoever pins it now finds it gone; whoever has pinned it before is heard.
    if (storage.exists(detail::pin_path(folder, save))) {
        storage.rename(to, from);
        return false;
    }
    storage.sync_folder(folder);
    storage.remove_file(to + "/" + detail::commit_file);
    storage.sync_folder(to);
    remove_with_files(storage, to);
    return true;
}

}  // namespace plimsoll::checkpoint
