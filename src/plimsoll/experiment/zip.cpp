#include "plimsoll/experiment/detail/zip.hpp"

#include <fmt/format.h>

#include <array>

namespace plimsoll::experiment::detail {

namespace {

constexpr std::uint64_t largest_member = std::uint64_t{1} << 32U;
constexpr std::uint64_t harmless_size = std::uint64_t{1} << 26U;  // up to here a high ratio is no danger
constexpr std::uint64_t highest_ratio = 1000;

[[noreturn]] void fail(const Place& place, archive* handle) {
    const char* const reason = lazy::archive_error_string(handle);
    throw Error(ErrorKind::input, place,
                fmt::format("the ZIP archive is damaged: {}", reason == nullptr ? "unknown reason" : reason),
                "copy or write the file again");
}

}  // namespace

std::size_t ZipMember::read(std::span<char> room) {
    const la_ssize_t count = lazy::archive_read_data(handle_, room.data(), room.size());
    if (count < 0) fail(place_, handle_);
    unpacked_ += static_cast<std::uint64_t>(count);
    const bool is_bomb = unpacked_ > harmless_size && unpacked_ / highest_ratio > archive_size_;
    if (is_bomb || unpacked_ > largest_member) {
        throw Error(ErrorKind::input, place_,
                    is_bomb ? "a member of the archive unpacks to more than a thousand times its size"
                            : "a member of the archive exceeds 4 GiB",
                    "save the experiment again: its content cannot be this large");
    }
    return static_cast<std::size_t>(count);
}

std::string ZipMember::rest() {
    std::string content;
    std::array<char, 1U << 16U> block;
    for (std::size_t count = read(block); count > 0; count = read(block)) content.append(block.data(), count);
    return content;
}

void read_zip(std::string_view bytes, const Place& place,
              const std::function<void(const std::string& name, ZipMember& member)>& visit) {
    const ArchiveHandle handle(lazy::archive_read_new());
    lazy::archive_read_support_format_zip_seekable(handle.get());
    if (lazy::archive_read_open_memory(handle.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
        throw Error(ErrorKind::input, place, "this is not a ZIP archive, or it is cut off",
                    "copy the file again, or tell its format with --format");
    }
    for (;;) {
        archive_entry* entry = nullptr;
        const int status = lazy::archive_read_next_header(handle.get(), &entry);
        if (status == ARCHIVE_EOF) return;
        if (status < ARCHIVE_WARN) fail(place, handle.get());
        const char* const name = lazy::archive_entry_pathname(entry);
        if (name == nullptr) continue;
        ZipMember member(handle.get(), bytes.size(), place);
        visit(name, member);
    }
}

ZipWriter::ZipWriter(OutputFile& file)
    : target_(std::make_unique<Target>(Target{.file = &file, .failure = nullptr})),
      handle_(lazy::archive_write_new()) {
    const auto write_block = [](archive*, void* data, const void* bytes, std::size_t count) -> la_ssize_t {
        auto* const target = static_cast<Target*>(data);
        try {
            target->file->write({static_cast<const char*>(bytes), count});
        } catch (...) {
            target->failure = std::current_exception();
            return -1;
        }
        return static_cast<la_ssize_t>(count);
    };
    check(lazy::archive_write_set_format_zip(handle_.get()));
    check(lazy::archive_write_set_options(handle_.get(), "zip:compression-level=1"));
    check(lazy::archive_write_set_bytes_in_last_block(handle_.get(), 1));  // no zeros behind the end
    check(lazy::archive_write_open(handle_.get(), target_.get(), nullptr, write_block, nullptr));
}

void ZipWriter::check(std::int64_t status) {
    if (target_->failure) std::rethrow_exception(target_->failure);
    if (status >= ARCHIVE_WARN) return;
    const char* const reason = lazy::archive_error_string(handle_.get());
    throw Error(ErrorKind::internal,
                fmt::format("cannot write a ZIP archive: {}", reason == nullptr ? "unknown reason" : reason),
                "this is a bug in plimsoll: please report it with the command and its input");
}

namespace {

struct EntryDeleter {
    void operator()(archive_entry* entry) const { lazy::archive_entry_free(entry); }
};

std::unique_ptr<archive_entry, EntryDeleter> file_entry(const std::string& name) {
    std::unique_ptr<archive_entry, EntryDeleter> entry(lazy::archive_entry_new());
    lazy::archive_entry_set_pathname(entry.get(), name.c_str());
    lazy::archive_entry_set_filetype(entry.get(), AE_IFREG);
    lazy::archive_entry_set_perm(entry.get(), mode_t{0644});
    return entry;
}

}  // namespace

void ZipWriter::begin_stored(const std::string& name, std::uint64_t size) {
    const auto entry = file_entry(name);
    lazy::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
    check(lazy::archive_write_zip_set_compression_store(handle_.get()));
    check(lazy::archive_write_header(handle_.get(), entry.get()));
}

void ZipWriter::begin_packed(const std::string& name) {
    const auto entry = file_entry(name);
    check(lazy::archive_write_zip_set_compression_deflate(handle_.get()));
    check(lazy::archive_write_header(handle_.get(), entry.get()));
}

void ZipWriter::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const la_ssize_t count = lazy::archive_write_data(handle_.get(), bytes.data(), bytes.size());
        check(count);
        PLIMSOLL_EXPECT(count > 0);
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void ZipWriter::finish() { check(lazy::archive_write_close(handle_.get())); }

}  // namespace plimsoll::experiment::detail
