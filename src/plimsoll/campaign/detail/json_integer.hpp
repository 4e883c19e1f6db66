#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace plimsoll::campaign {

/// An integer that fits. Throws json::type_error for anything else, where `get` would round, wrap around or
/// be undefined.
template <std::integral Int>
[[nodiscard]] Int integer_of(const nlohmann::json& from) {
    if (from.is_number_unsigned()) {
        if (const auto number = from.get<std::uint64_t>(); std::in_range<Int>(number))
            return static_cast<Int>(number);
    } else if (from.is_number_integer()) {
        if (const auto number = from.get<std::int64_t>(); std::in_range<Int>(number))
            return static_cast<Int>(number);
    }
    throw nlohmann::json::type_error::create(302, "this is no such integer", &from);
}

/// The same of a member, or the one given where it is absent.
template <std::integral Int>
[[nodiscard]] Int integer_at(const nlohmann::json& object, const char* key, Int otherwise) {
    const auto found = object.find(key);
    return found == object.end() ? otherwise : integer_of<Int>(*found);
}

}  // namespace plimsoll::campaign
