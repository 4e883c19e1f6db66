#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "plimsoll/core/options.hpp"

namespace plimsoll::checkpoint {

/// What one element of an array is. The names are those of the safetensors format.
enum class ElementType {
    boolean,
    uint8,
    int8,
    uint16,
    int16,
    float16,
    bfloat16,
    uint32,
    int32,
    float32,
    uint64,
    int64,
    float64
};
[[nodiscard]] constexpr std::array<EnumName<ElementType>, 13> enum_names(ElementType) {
    return {{{ElementType::boolean, "BOOL"},
             {ElementType::uint8, "U8"},
             {ElementType::int8, "I8"},
             {ElementType::uint16, "U16"},
             {ElementType::int16, "I16"},
             {ElementType::float16, "F16"},
             {ElementType::bfloat16, "BF16"},
             {ElementType::uint32, "U32"},
             {ElementType::int32, "I32"},
             {ElementType::float32, "F32"},
             {ElementType::uint64, "U64"},
             {ElementType::int64, "I64"},
             {ElementType::float64, "F64"}}};
}

/// Bytes of one element: 1, 2, 4 or 8.
[[nodiscard]] std::uint64_t size_of(ElementType type);

/// The type of a name in a safetensors header; empty where it is none of ours.
[[nodiscard]] std::optional<ElementType> element_type(std::string_view name);

/// C++ types whose arrays can be protected as they are. The 16-bit floats have no type here: protect their
/// bits as they lie in memory, by `Session::protect_bytes`.
template <class T>
concept Element = std::same_as<T, bool> || std::same_as<T, std::byte> || std::same_as<T, char> ||
    std::same_as<T, float> || std::same_as<T, double> ||(std::integral<T> && sizeof(T) <= 8);

template <Element T>
[[nodiscard]] constexpr ElementType element_type_of() {
    if constexpr (std::same_as<T, bool>) {
        return ElementType::boolean;
    } else if constexpr (std::same_as<T, float>) {
        return ElementType::float32;
    } else if constexpr (std::same_as<T, double>) {
        return ElementType::float64;
    } else if constexpr (std::same_as<T, std::byte> || std::same_as<T, char>) {
        return ElementType::uint8;
    } else if constexpr (std::signed_integral<T>) {
        return sizeof(T) == 1   ? ElementType::int8
               : sizeof(T) == 2 ? ElementType::int16
               : sizeof(T) == 4 ? ElementType::int32
                                : ElementType::int64;
    } else {
        return sizeof(T) == 1   ? ElementType::uint8
               : sizeof(T) == 2 ? ElementType::uint16
               : sizeof(T) == 4 ? ElementType::uint32
                                : ElementType::uint64;
    }
}

}  // namespace plimsoll::checkpoint
