#include "plimsoll/numeric/rational.hpp"

#include <fmt/format.h>

#include <charconv>
#include <numeric>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::numeric {

namespace {

std::optional<std::int64_t> parse_whole(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr std::int64_t limit = 1'000'000'000'000'000;
    if (status != std::errc{} || end != text.data() + text.size() || value > limit || value < -limit)
        return std::nullopt;
    return value;
}

}  // namespace

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
    PLIMSOLL_EXPECT(denominator != 0);
    const std::int64_t divisor = std::gcd(numerator, denominator) * (denominator < 0 ? -1 : 1);
    numerator_ = numerator / divisor;
    denominator_ = denominator / divisor;
}

Rational Rational::operator-() const {
    Rational negated = *this;
    negated.numerator_ = -negated.numerator_;
    return negated;
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    __extension__ using Wide = __int128;
    const Wide left = Wide{a.numerator()} * b.denominator();
    const Wide right = Wide{b.numerator()} * a.denominator();
    return left < right   ? std::strong_ordering::less
           : left > right ? std::strong_ordering::greater
                          : std::strong_ordering::equal;
}

Rational mediant(const Rational& a, const Rational& b) {
    return {a.numerator() + b.numerator(), a.denominator() + b.denominator()};
}

std::optional<Rational> parse_rational(std::string_view text) {
    text = trim(text);
    if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
        const auto numerator = parse_whole(trim(text.substr(0, slash)));
        const auto denominator = parse_whole(trim(text.substr(slash + 1)));
        if (!numerator || !denominator || *denominator == 0) return std::nullopt;
        return Rational(*numerator, *denominator);
    }
    const std::size_t point = text.find('.');
    if (point == std::string_view::npos) {
        const auto whole = parse_whole(text);
        return whole ? std::optional(Rational(*whole)) : std::nullopt;
    }
    std::string digits(text.substr(0, point));
    const std::string_view decimals = text.substr(point + 1);
    if (decimals.size() > 15 || decimals.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    std::int64_t scale = 1;
    for (std::size_t i = 0; i < decimals.size(); ++i) scale *= 10;
    digits += decimals;
    const auto whole = parse_whole(digits);
    return whole ? std::optional(Rational(*whole, scale)) : std::nullopt;
}

std::string to_text(const Rational& rational) {
    return rational.is_whole() ? fmt::format("{}", rational.numerator())
                               : fmt::format("{}/{}", rational.numerator(), rational.denominator());
}

}  // namespace plimsoll::numeric
