#include <archive.h>
#include <archive_entry.h>

#include <string>

#include "fuzz/reader_fuzz.hpp"

namespace {

void add_member(archive* writer, const char* name, std::string_view content) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    archive_write_zip_set_compression_store(writer);
    archive_write_header(writer, entry);
    archive_write_data(writer, content.data(), content.size());
    archive_entry_free(entry);
}

/// An archive of a document, which ends at the first zero byte, and one array of values behind it. The sums
/// of the archive are right, so that the reader gets to its content.
std::string archive_of(std::string_view bytes) {
    const std::string_view document = bytes.substr(0, bytes.find('\0'));
    const std::string_view array = bytes.substr(std::min(bytes.size(), document.size() + 1));
    const std::string values = std::string("Extra-P VALUES\0\0", 16) + std::string(array);
    const std::string index("Extra-P INDEX\0\0\0\x01\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0", 32);
    std::string packed(2 * bytes.size() + 4096, '\0');
    std::size_t used = 0;
    archive* const writer = archive_write_new();
    archive_write_set_format_zip(writer);
    archive_write_open_memory(writer, packed.data(), packed.size(), &used);
    add_member(writer, "values/0.vals", values);
    add_member(writer, "values/0.indx", index);
    add_member(writer, "experiment.json", document);
    archive_write_close(writer);
    archive_write_free(writer);
    packed.resize(used);
    return packed;
}

}  // namespace

/// What begins as an archive is read as one, anything else as the content of one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (bytes.starts_with("PK")) return plimsoll::fuzz::read_with("extra-p", data, size);
    const std::string packed = archive_of(bytes);
    return plimsoll::fuzz::read_with("extra-p", reinterpret_cast<const std::uint8_t*>(packed.data()),
                                     packed.size());
}
