#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "plimsoll/checkpoint/element_type.hpp"
#include "plimsoll/checkpoint/layout.hpp"

namespace plimsoll::checkpoint {

/// An array that a session saves and restores.
struct ProtectedArray {
    std::string name;
    ElementType type = ElementType::uint8;
    Layout layout;
    std::function<std::span<std::byte>()> bytes;  ///< where it is now
    std::function<void(std::uint64_t)> resize;    ///< to so many elements; none where the size is fixed
};

}  // namespace plimsoll::checkpoint
