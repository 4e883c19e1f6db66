#include "kernels/serial_part.hpp"

namespace plimsoll::kernels {

namespace {

constexpr std::uint64_t multiplier = 6364136223846793005U;
constexpr std::uint64_t increment = 1442695040888963407U;

}  // namespace

std::uint64_t walk(std::uint64_t state, std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps; ++i) {
        state = state * multiplier + increment;
    }
    return state;
}

std::uint64_t jump(std::uint64_t state, std::uint64_t steps) {
    std::uint64_t factor = multiplier;  // state * factor + offset takes 1, 2, 4, ... steps at once
    std::uint64_t offset = increment;
    for (; steps > 0; steps /= 2) {
        if (steps % 2 == 1) {
            state = state * factor + offset;
        }
        offset *= factor + 1;
        factor *= factor;
    }
    return state;
}

std::uint64_t digest(std::span<const std::uint64_t> values) {
    std::uint64_t result = 0;
    for (const std::uint64_t value : values) {
        result = result * multiplier + value;
    }
    return result;
}

std::uint64_t digest_by_powers(std::span<const std::uint64_t> values) {
    std::uint64_t result = 0;
    std::uint64_t power = 1;
    for (std::size_t i = values.size(); i > 0; --i) {
        result += values[i - 1] * power;
        power *= multiplier;
    }
    return result;
}

}  // namespace plimsoll::kernels
