#pragma once

#include <memory>

#include "plimsoll/experiment/detail/archive_library.hpp"

namespace plimsoll::experiment::detail {

struct ArchiveDeleter {
    void operator()(archive* handle) const { (void)lazy::archive_free(handle); }
};

/// An archive of libarchive that is read or written.
using ArchiveHandle = std::unique_ptr<archive, ArchiveDeleter>;

}  // namespace plimsoll::experiment::detail
