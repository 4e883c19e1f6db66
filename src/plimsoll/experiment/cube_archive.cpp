#include "plimsoll/experiment/detail/cube_archive.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <exception>

#include "plimsoll/core/error.hpp"
#include "plimsoll/experiment/detail/archive_handle.hpp"
#include "plimsoll/experiment/detail/tar_checksum.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::size_t chunk_size = 128 * tar_block_size;

/// What libarchive reads from: the input, with header checksums made right.
struct Source {
    Input* input;
    std::string mended;  ///< the chunk handed out last, where it had to be changed
    bool has_wrong_checksums = false;
    std::exception_ptr failure;  ///< of the input, kept while libarchive's frames are on the stack
};

la_ssize_t read_chunk(archive* reader, void* client, const void** block) {
    Source& source = *static_cast<Source*>(client);
    try {
        const std::string_view chunk = source.input->take(chunk_size);
        *block = chunk.data();
        for (std::size_t at = 0; at + tar_block_size <= chunk.size(); at += tar_block_size) {
            const std::string_view header = chunk.substr(at, tar_block_size);
            if (!is_cube_member(tar_member_name(header)) || has_right_checksum(header)) continue;
            if (*block == chunk.data()) source.mended = chunk;
            *block = source.mended.data();
            set_checksum({source.mended.data() + at, tar_block_size});
            source.has_wrong_checksums = true;
        }
        return static_cast<la_ssize_t>(chunk.size());
    } catch (...) {
        source.failure = std::current_exception();
        lazy::archive_set_error(reader, EIO, "the input failed");
        return -1;
    }
}

[[noreturn]] void fail(archive* reader, const Source& source) {
    if (source.failure) std::rethrow_exception(source.failure);
    const char* const reason = lazy::archive_error_string(reader);
    throw Error(ErrorKind::input, Place{.file = source.input->name()},
                fmt::format("is no intact tar archive ({})", reason == nullptr ? "no reason given" : reason),
                "copy the profile again from where it was measured");
}

/// The bytes of the current member.
std::string read_member(archive* reader, const Source& source) {
    std::string content;
    while (true) {
        const void* bytes = nullptr;
        std::size_t size = 0;
        la_int64_t offset = 0;
        const int result = lazy::archive_read_data_block(reader, &bytes, &size, &offset);
        if (result == ARCHIVE_EOF) return content;
        if (result != ARCHIVE_OK) fail(reader, source);
        if (static_cast<std::size_t>(offset) != content.size()) {
            throw Error(ErrorKind::input, Place{.file = source.input->name()},
                        "the archive has a member with holes, which Cube does not write",
                        "copy the profile again from where it was measured");
        }
        content.append(static_cast<const char*>(bytes), size);
    }
}

std::string_view without_current_folder(std::string_view name) {
    return name.starts_with("./") ? name.substr(2) : name;
}

}  // namespace

bool is_cube_member(std::string_view name) {
    name = without_current_folder(name);
    return name == "anchor.xml" || name.ends_with(".index") || name.ends_with(".data");
}

bool begins_as_cube_archive(std::string_view head) {
    return head.size() >= tar_block_size && is_cube_member(tar_member_name(head.substr(0, tar_block_size)));
}

CubeArchive read_cube_archive(Input& input) {
    Source source{.input = &input, .mended = {}, .failure = {}};
    const ArchiveHandle reader(lazy::archive_read_new());
    lazy::archive_read_support_format_tar(reader.get());
    lazy::archive_read_set_options(reader.get(),
                                   "tar:read_concatenated_archives");  // go on behind a block of zeros
    if (lazy::archive_read_open(reader.get(), &source, nullptr, read_chunk, nullptr) != ARCHIVE_OK) {
        fail(reader.get(), source);
    }
    CubeArchive profile;
    archive_entry* entry = nullptr;
    while (true) {
        const int result = lazy::archive_read_next_header(reader.get(), &entry);
        if (result == ARCHIVE_EOF) break;
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN) fail(reader.get(), source);
        const char* const path = lazy::archive_entry_pathname(entry);
        if (path == nullptr || !is_cube_member(path)) continue;
        const std::string name(without_current_folder(path));
        std::string& place = name == "anchor.xml" ? profile.anchor : profile.members[name];
        place = read_member(reader.get(), source);
    }
    if (profile.anchor.empty()) {
        throw Error(ErrorKind::input, Place{.file = input.name()}, "the archive holds no anchor.xml",
                    "check that this is a profile of Cube 4, and that the run that wrote it came to its end");
    }
    profile.has_wrong_checksums = source.has_wrong_checksums;
    return profile;
}

}  // namespace plimsoll::experiment::detail
