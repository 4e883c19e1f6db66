#include "plimsoll/checkpoint/detail/folder_setup.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/detail/checksum.hpp"
#include "plimsoll/checkpoint/detail/folder_files.hpp"
#include "plimsoll/checkpoint/detail/json_fields.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

constexpr const char* folder_schema = "plimsoll.checkpoint/1";
constexpr std::uint64_t longest_format = 65536;  ///< bytes

void make_with_parents(Storage& storage, const std::string& folder) {
    if (folder.empty() || storage.exists(folder)) {
        if (!folder.empty()) storage.make_folder(folder);  // throws where it is no folder
        return;
    }
    const std::size_t slash = folder.find_last_not_of('/') == std::string::npos
                                  ? std::string::npos
                                  : folder.rfind('/', folder.find_last_not_of('/'));
    const std::string parent = slash == std::string::npos ? "." : slash == 0 ? "/" : folder.substr(0, slash);
    if (parent != "." && parent != "/") make_with_parents(storage, parent);
    if (storage.make_folder(folder)) storage.sync_folder(parent);
}

/// A program that was killed may take a moment to be gone.
std::unique_ptr<FolderLock> lock_of(Storage& storage, const std::string& folder) {
    constexpr int tries = 100;
    constexpr auto pause = std::chrono::milliseconds(50);
    for (int i = 0; i < tries; ++i) {
        if (auto lock = storage.lock(folder)) return lock;
        std::this_thread::sleep_for(pause);
    }
    throw Error(ErrorKind::environment, Place{.file = folder}, "another program saves to it",
                "wait until it has ended, or choose another folder");
}

void write_format(Storage& storage, const std::string& folder) {
    const std::string path = folder + "/" + format_file;
    storage.remove_file(path + ".new");
    write_small(storage, path + ".new",
                fmt::format("{{\"schema\": \"{}\", \"folder\": \"{}\"}}\n", folder_schema, random_id()));
    storage.rename(path + ".new", path);
    storage.sync_folder(folder);
}

void set_right(Storage& storage, const std::string& folder) {
    for (const std::string& name : storage.list(folder)) {
        const std::string path = path_in(folder, name);
        if (name.starts_with(lost_prefix)) {
            remove_with_files(storage, path);
        } else if (name.starts_with(outdated_prefix)) {
            const std::string save = name.substr(std::string(outdated_prefix).size());
            if (commit_of(storage, path) && storage.exists(pin_path(folder, save))) {
                storage.rename(path, path_in(folder, save));
                storage.sync_folder(folder);
                continue;
            }
            storage.remove_file(path_in(path, commit_file));
            storage.sync_folder(path);
            remove_with_files(storage, path);
        }
    }
    for (const std::string& name : storage.list(folder)) {
        if (!name.starts_with(unfinished_prefix)) continue;
        const std::string path = path_in(folder, name);
        if (const auto commit = commit_of(storage, path)) {
            storage.sync_folder(path);
            publish_save(storage, folder, path, commit->step);
        } else {
            storage.rename(path,
                           path_in(folder, lost_prefix + name.substr(std::string(unfinished_prefix).size())));
        }
    }
}

}  // namespace

void check_format(Storage& storage, const std::string& folder) {
    const std::string path = folder + "/" + format_file;
    const std::string text = read_small(storage, path, longest_format);
    const Fields fields(text, path);
    if (const std::string schema = fields.text("schema"); schema != folder_schema) {
        throw Error(ErrorKind::input, Place{.file = path},
                    fmt::format("is of schema '{}', where '{}' is understood", schema, folder_schema),
                    "use the version of plimsoll that wrote it, or a later one");
    }
}

void publish_save(Storage& storage, const std::string& folder, const std::string& temporary,
                  std::uint64_t step) {
    std::string name = save_name(step);
    for (int attempt = 2; storage.exists(path_in(folder, name)); ++attempt)
        name = fmt::format("{}.{}", save_name(step), attempt);
    storage.rename(temporary, folder + "/" + name);
    storage.sync_folder(folder);
}

FolderSetup set_up_folder(Storage& storage, const std::string& folder) {
    make_with_parents(storage, folder);
    FolderSetup setup{.lock = lock_of(storage, folder)};
    if (storage.exists(folder + "/" + format_file)) {
        check_format(storage, folder);
    } else {
        write_format(storage, folder);
    }
    set_right(storage, folder);
    for (const SaveEntry& entry : read_catalog(storage, folder).saves)
        setup.next_sequence = std::max(setup.next_sequence, entry.commit.sequence + 1);
    return setup;
}

}  // namespace plimsoll::checkpoint::detail
