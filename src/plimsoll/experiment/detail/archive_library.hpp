#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <memory>

namespace plimsoll::experiment::detail {

/// A function of libarchive, which is loaded when the first is asked for: with the ten libraries that it
/// brings along, every start of the program would take half as long again. Throws an internal error where it
/// is missing.
[[nodiscard]] void* archive_symbol(const char* name);

}  // namespace plimsoll::experiment::detail

/// The functions of libarchive that we use, under their own names. A macro, since the name is also that of
/// the symbol.
namespace plimsoll::experiment::detail::lazy {

// NOLINTBEGIN(*-macro-usage,*-reinterpret-cast,*-identifier-naming)
#define PLIMSOLL_LAZY_ARCHIVE_FUNCTION(name)                                                     \
    template <class... Arguments>                                                                \
    auto name(Arguments... arguments) {                                                          \
        static const auto function = reinterpret_cast<decltype(&::name)>(archive_symbol(#name)); \
        return function(arguments...);                                                           \
    }

PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_entry_free)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_entry_new)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_entry_pathname)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_entry_set_filetype)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_entry_set_pathname)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_entry_set_perm)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_entry_set_size)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_error_string)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_free)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_read_data)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_read_data_block)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_read_new)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_read_next_header)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_read_open)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_read_open_memory)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_read_set_options)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_read_support_format_tar)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_read_support_format_zip_seekable)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_set_error)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_write_close)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_write_data)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_write_header)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_write_new)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_write_open)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_write_set_bytes_in_last_block)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_write_set_format_zip)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_write_set_options)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_write_zip_set_compression_deflate)
PLIMSOLL_LAZY_ARCHIVE_FUNCTION(archive_write_zip_set_compression_store)

#undef PLIMSOLL_LAZY_ARCHIVE_FUNCTION
// NOLINTEND(*-macro-usage,*-reinterpret-cast,*-identifier-naming)

}  // namespace plimsoll::experiment::detail::lazy
