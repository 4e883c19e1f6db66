#pragma once

#include <memory>
#include <string>

#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint {

/// The right to remove from a checkpoint folder, as long as it lives; a program that saves there has it too.
/// What a killed program left is set right first. Throws an input error where it is no such folder, and an
/// environment error where a program saves to it.
class Maintenance {
  public:
    Maintenance(Storage& storage, const std::string& folder);

  private:
    std::unique_ptr<FolderLock> lock_;
};

}  // namespace plimsoll::checkpoint
