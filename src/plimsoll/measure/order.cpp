#include "plimsoll/measure/order.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace plimsoll::measure {

namespace {

/// A number below `limit`, each alike. std::uniform_int_distribution differs between libraries.
std::uint64_t below(std::uint64_t limit, std::mt19937_64& random) {
    const std::uint64_t surplus = (~limit + 1) % limit;  // 2^64 mod limit numbers would come once more
    for (;;) {
        const std::uint64_t drawn = random();
        if (drawn >= surplus) return drawn % limit;
    }
}

}  // namespace

std::vector<std::size_t> block_order(std::size_t count, std::uint64_t seed, std::size_t block) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    constexpr std::uint64_t spread = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio: blocks get far seeds
    std::mt19937_64 random(seed ^ (spread * (block + 1)));
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i, random)]);
    return order;
}

}  // namespace plimsoll::measure
