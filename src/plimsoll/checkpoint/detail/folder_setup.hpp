#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint::detail {

struct FolderSetup {
    std::unique_ptr<FolderLock> lock;
    std::uint64_t next_sequence = 1;
};

/// Makes a checkpoint folder where there is none, keeps other programs from writing to it, and sets right
/// what a killed program left: saves that only lack their name get it, those not complete are set aside until
/// the next time, and removals are finished.
[[nodiscard]] FolderSetup set_up_folder(Storage& storage, const std::string& folder);

/// Gives a complete save that is still in its temporary folder the name that readers look for.
void publish_save(Storage& storage, const std::string& folder, const std::string& temporary,
                  std::uint64_t step);

/// Throws an input error where a later version, which this one does not understand, wrote the folder.
void check_format(Storage& storage, const std::string& folder);

}  // namespace plimsoll::checkpoint::detail
