// Built in place of uring_storage.cpp where liburing is not installed.
#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint {

std::unique_ptr<Storage> uring_storage() { return nullptr; }

}  // namespace plimsoll::checkpoint
