#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::campaign {

/// Amounts of named things that tasks need and workers have: `cpus`, `gpus`, `memory` (bytes), or the user's
/// own.
///
/// Kept in thousandths, so that half a GPU is exact and sums come out even. Names are sorted; an amount of
/// zero is left out.
class Resources {
  public:
    struct Amount {
        std::string name;
        std::int64_t thousandths = 0;
        auto operator<=>(const Amount&) const =
            default;  // NOLINT(modernize-use-nullptr): a false alarm on <=>
    };

    /// The most that there is of one thing: a petabyte. Sums of what many workers have fit as well.
    static constexpr double most = 1e15;

    /// Throws a usage error where the amount is negative, not finite or more than `most`.
    void set(std::string_view name, double amount);
    void set_thousandths(std::string_view name, std::int64_t amount);
    [[nodiscard]] std::int64_t thousandths(std::string_view name) const;
    [[nodiscard]] const std::vector<Amount>& amounts() const { return amounts_; }

    void add(const Resources& other);
    void subtract(const Resources& other);
    /// Whether each amount is there.
    [[nodiscard]] bool covers(const Resources& wanted) const;
    /// The first name that is wanted and not there, else empty.
    [[nodiscard]] std::string lacking(const Resources& wanted) const;

    /// "cpus=2 gpus=0.5".
    [[nodiscard]] std::string text() const;

    auto operator<=>(const Resources&) const =
        default;  // NOLINT(modernize-use-nullptr): a false alarm on <=>

  private:
    std::vector<Amount> amounts_;
};

}  // namespace plimsoll::campaign
