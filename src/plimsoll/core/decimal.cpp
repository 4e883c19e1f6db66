#include "plimsoll/core/decimal.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace plimsoll {

namespace {

// All the powers of ten that are a double exactly and that up to `most_digits` decimals can ask for.
constexpr std::array<double, 20> powers_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                                  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
constexpr std::ptrdiff_t most_digits = 19;  // which 64 bits hold
constexpr std::uint64_t largest_exact = std::uint64_t{1} << 53U;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::from_chars_result read_decimal(const char* first, const char* last, double& value) {
    const bool is_negative = first != last && *first == '-';
    const char* const begin = first + (is_negative ? 1 : 0);
    const char* at = begin;
    std::uint64_t digits = 0;
    for (; at != last && is_digit(*at); ++at) digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
    std::ptrdiff_t count = at - begin;
    std::ptrdiff_t decimals = 0;
    if (count > 0 && at != last && *at == '.') {
        const char* const point = at++;
        for (; at != last && is_digit(*at); ++at)
            digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
        decimals = at - point - 1;
        count = decimals == 0 ? 0 : count + decimals;  // "1." is for the other
    }
    const bool goes_on = at != last && (*at == 'e' || *at == 'E' || *at == '.');
    if (count == 0 || count > most_digits || digits > largest_exact || goes_on) {
        return std::from_chars(first, last, value);
    }
    const double magnitude = static_cast<double>(digits) / powers_of_ten[static_cast<std::size_t>(decimals)];
    value = is_negative ? -magnitude : magnitude;
    return {.ptr = at, .ec = {}};
}

}  // namespace plimsoll
