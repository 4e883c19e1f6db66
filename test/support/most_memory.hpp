#pragma once

#include <sys/resource.h>

#include <cstddef>

namespace plimsoll::test {

/// The most memory that this process has ever had, in bytes.
inline std::size_t most_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;  // Linux tells KiB
}

}  // namespace plimsoll::test
