#include "plimsoll/checkpoint/detail/save_records.hpp"

#include <fmt/format.h>

#include "plimsoll/checkpoint/detail/checksum.hpp"
#include "plimsoll/checkpoint/detail/folder_files.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
    throw Error(ErrorKind::input, Place{.file = path}, what, "restore from another save");
}

}  // namespace

std::string checked_record(Storage& storage, const std::string& path, std::uint64_t bytes,
                           std::uint64_t checksum) {
    if (!storage.exists(path)) fail(path, "is missing");
    std::string text = read_small(storage, path, bytes);
    if (text.size() != bytes) fail(path, fmt::format("has {} bytes instead of {}", text.size(), bytes));
    if (detail::checksum(text) != checksum) fail(path, "is damaged: its checksum is another one");
    return text;
}

Manifest checked_manifest(Storage& storage, const std::string& save_folder, const CommitRecord& commit) {
    const std::string path = save_folder + "/" + manifest_file;
    Manifest manifest =
        read_manifest(checked_record(storage, path, commit.manifest_bytes, commit.manifest_checksum), path);
    if (manifest.save != commit.save || manifest.step != commit.step) fail(path, "belongs to another save");
    return manifest;
}

}  // namespace plimsoll::checkpoint::detail
