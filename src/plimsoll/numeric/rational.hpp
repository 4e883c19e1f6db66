#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::numeric {

/// A fraction in lowest terms with a positive denominator.
class Rational {
  public:
    constexpr Rational() = default;
    constexpr Rational(std::int64_t whole)
        : numerator_(whole) {}  // NOLINT(google-explicit-constructor): a number
    Rational(std::int64_t numerator, std::int64_t denominator);

    [[nodiscard]] constexpr std::int64_t numerator() const { return numerator_; }
    [[nodiscard]] constexpr std::int64_t denominator() const { return denominator_; }
    [[nodiscard]] constexpr double value() const {
        return static_cast<double>(numerator_) / static_cast<double>(denominator_);
    }
    [[nodiscard]] constexpr bool is_zero() const { return numerator_ == 0; }
    [[nodiscard]] constexpr bool is_whole() const { return denominator_ == 1; }

    [[nodiscard]] Rational operator-() const;
    friend bool operator==(const Rational&, const Rational&) = default;
    friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

  private:
    std::int64_t numerator_ = 0;
    std::int64_t denominator_ = 1;
};

/// (a + c) / (b + d) of a/b and c/d, which lies between them.
[[nodiscard]] Rational mediant(const Rational& a, const Rational& b);

/// "3/4", "-2", or a decimal such as "0.75"; empty where the text is none of these or needs more than 15
/// digits.
[[nodiscard]] std::optional<Rational> parse_rational(std::string_view text);

/// "3/4", or "2" for a whole number.
[[nodiscard]] std::string to_text(const Rational& rational);

}  // namespace plimsoll::numeric
