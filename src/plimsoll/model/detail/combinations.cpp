#include "plimsoll/model/detail/combinations.hpp"

#include "plimsoll/core/error.hpp"

namespace plimsoll::model::detail {

std::vector<CombinationForm> combination_forms(std::size_t axes, Combinations choice) {
    PLIMSOLL_EXPECT(axes >= 1 && axes <= most_axes);
    constexpr std::uint32_t x = 1;
    constexpr std::uint32_t y = 2;
    constexpr std::uint32_t z = 4;
    // Extra-P's lists, in its order.
    if (axes == 2 && choice == Combinations::mixed) return {{x | y}, {x, y}, {x, x | y}, {y, x | y}};
    if (axes == 3 && choice == Combinations::mixed) {
        constexpr std::uint32_t xy = x | y;
        constexpr std::uint32_t xz = x | z;
        constexpr std::uint32_t yz = y | z;
        constexpr std::uint32_t xyz = x | y | z;
        return {{xyz},       {x, y, z},   {xyz, x},     {xyz, y},     {xyz, z},     {xyz, xy},
                {xyz, yz},   {xyz, xz},   {xyz, xy, z}, {xyz, yz, x}, {xyz, xz, y}, {xyz, x, y},
                {xyz, x, z}, {xyz, y, z}, {xy, z},      {xy, z, y},   {xy, z, x},   {xz, y},
                {xz, y, x},  {xz, y, z},  {yz, x},      {yz, x, y},   {yz, x, z}};
    }
    if (axes == 1) return {{x}};
    const CombinationForm product{(std::uint32_t{1} << axes) - 1};
    CombinationForm sum;
    for (std::size_t axis = 0; axis < axes; ++axis) sum.push_back(std::uint32_t{1} << axis);
    return {product, sum};
}

}  // namespace plimsoll::model::detail
