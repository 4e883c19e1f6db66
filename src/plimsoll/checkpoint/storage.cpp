#include "plimsoll/checkpoint/storage.hpp"

#include <fmt/format.h>

#include <utility>

#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint {

std::unique_ptr<Storage> default_storage() {
    auto storage = uring_storage();
    return storage ? std::move(storage) : pwrite_storage();
}

std::string path_in(const std::string& folder, const std::string& name) {
    return fmt::format("{}/{}", folder, name);
}

std::string read_small(Storage& storage, const std::string& path, std::uint64_t most) {
    const auto file = storage.open(path);
    if (!file) return {};
    if (file->size() > most) {
        throw Error(ErrorKind::input, Place{.file = path},
                    fmt::format("has {} bytes, where {} are the most there can be", file->size(), most),
                    "restore from another save");
    }
    std::string text(file->size(), '\0');
    file->read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

void write_small(Storage& storage, const std::string& path, std::string_view content) {
    const auto file = storage.create(path, content.size());
    file->write(0, std::as_bytes(std::span(content)));
    file->sync();
}

void remove_with_files(Storage& storage, const std::string& path) {
    for (const std::string& name : storage.list(path)) storage.remove_file(path_in(path, name));
    storage.remove_folder(path);
}

}  // namespace plimsoll::checkpoint
