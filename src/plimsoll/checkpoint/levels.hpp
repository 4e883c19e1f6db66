#pragma once

#include <cstdint>
#include <string>

namespace plimsoll::checkpoint {

/// Saves on the disks of the nodes themselves, ahead of those in the folder that all ranks see.
struct LocalLevel {
    std::string folder;  ///< on the node's own disk; ranks of a node may name the same; empty: no such level
    std::uint64_t keep = 2;          ///< newest saves that stay there; at least 2
    std::uint64_t shared_every = 1;  ///< every so many-th save goes on to the shared folder
};

}  // namespace plimsoll::checkpoint
