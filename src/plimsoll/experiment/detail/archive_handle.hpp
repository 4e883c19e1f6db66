#pragma once

#include <archive.h>

#include <memory>

namespace plimsoll::experiment::detail {

struct ArchiveDeleter {
    void operator()(archive* handle) const { (void)archive_free(handle); }
};

/// An archive of libarchive that is read or written.
using ArchiveHandle = std::unique_ptr<archive, ArchiveDeleter>;

}  // namespace plimsoll::experiment::detail
