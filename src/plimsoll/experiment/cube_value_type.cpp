#include "plimsoll/experiment/detail/cube_value_type.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstring>
#include <type_traits>

namespace plimsoll::experiment::detail {

namespace {

/// What differences are taken in: exact for counts up to 2^64, else double.
template <class Stored>
using Work = std::conditional_t<std::same_as<Stored, std::uint64_t>, std::uint64_t, double>;

template <class Stored>
Work<Stored> load(CubeRow row, std::size_t location, ByteOrder order) {
    std::array<char, sizeof(Stored)> bytes{};
    std::memcpy(bytes.data(), row + location * sizeof(Stored), sizeof(Stored));
    if (order == ByteOrder::swapped) std::ranges::reverse(bytes);
    const auto value = std::bit_cast<Stored>(bytes);
    if constexpr (std::same_as<Stored, std::uint64_t>) {
        // Cube's own library passes such counts through double and back, where from 2^64 - 1024 on they
        // become zero: they stand for a count that fell below zero.
        if (value >= std::uint64_t{0} - 1024) return 0;
    }
    return static_cast<Work<Stored>>(value);
}

template <class Stored>
void own_values(CubeRow row, std::span<const CubeRow> below, ByteOrder order, std::span<double> values) {
    for (std::size_t location = 0; location < values.size(); ++location) {
        Work<Stored> value = load<Stored>(row, location, order);
        for (const CubeRow child : below) {
            const Work<Stored> part = load<Stored>(child, location, order);
            value = std::unsigned_integral<Stored> && part > value ? Work<Stored>{} : value - part;
        }
        values[location] = static_cast<double>(value);
    }
}

/// A minimum or maximum over a sub-tree has no part that is a node's own: it is kept as it is.
void stored_doubles(CubeRow row, std::span<const CubeRow> /*below*/, ByteOrder order,
                    std::span<double> values) {
    own_values<double>(row, {}, order, values);
}

template <class Stored>
constexpr CubeValueType type(std::string_view name) {
    return {.name = name, .size = sizeof(Stored), .join = CubeJoin::sum, .own_values = own_values<Stored>};
}

/// Cube 4's names; FLOAT has 8 bytes there, and an INTEGER twice those of an INT.
constexpr std::array types{
    type<double>("DOUBLE"),
    type<double>("FLOAT"),
    type<std::uint64_t>("UINT64"),
    type<std::uint64_t>("UNSIGNED INTEGER"),
    type<std::int64_t>("INT64"),
    type<std::int64_t>("INTEGER"),
    type<std::int64_t>("SIGNED INTEGER"),
    type<std::uint32_t>("UINT32"),
    type<std::uint32_t>("UNSIGNED INT"),
    type<std::int32_t>("INT32"),
    type<std::int32_t>("INT"),
    type<std::int32_t>("SIGNED INT"),
    type<std::uint16_t>("UINT16"),
    type<std::uint16_t>("UNSIGNED SHORT INT"),
    type<std::int16_t>("INT16"),
    type<std::int16_t>("SHORT INT"),
    type<std::int16_t>("SIGNED SHORT INT"),
    type<std::uint8_t>("UINT8"),
    type<std::uint8_t>("CHAR"),
    type<std::int8_t>("INT8"),
    CubeValueType{.name = "MINDOUBLE", .size = 8, .join = CubeJoin::minimum, .own_values = stored_doubles},
    CubeValueType{.name = "MAXDOUBLE", .size = 8, .join = CubeJoin::maximum, .own_values = stored_doubles},
};

}  // namespace

const CubeValueType* find_cube_value_type(std::string_view name) {
    const auto* const found = std::ranges::find(types, name, &CubeValueType::name);
    return found == types.end() ? nullptr : found;
}

}  // namespace plimsoll::experiment::detail
