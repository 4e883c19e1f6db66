#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "plimsoll/checkpoint/element_type.hpp"
#include "plimsoll/checkpoint/layout.hpp"

namespace plimsoll::checkpoint {

/// When an array is copied for a save.
enum class Capture {
    copied,  ///< before `save` returns
    lazy     ///< while the program goes on: its pages are write-protected until then
};

/// An array that a session saves and restores.
struct ProtectedArray {
    std::string name;
    ElementType type = ElementType::uint8;
    Layout layout;
    std::function<std::span<std::byte>()> bytes;  ///< where it is now
    std::function<void(std::uint64_t)> resize;    ///< to so many elements; none where the size is fixed
    Capture capture = Capture::copied;
};

}  // namespace plimsoll::checkpoint
