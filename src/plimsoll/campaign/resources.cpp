#include "plimsoll/campaign/resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {

namespace {

constexpr double parts = 1000.0;  ///< of one unit

}  // namespace

void Resources::set(std::string_view name, double amount) {
    if (!(amount >= 0.0 && amount <= most))
        throw Error(ErrorKind::usage, fmt::format("{} of '{}' is no amount", amount, name),
                    fmt::format("give a number from 0 to {:.0e}", most));
    set_thousandths(name, std::llround(amount * parts));
}

void Resources::set_thousandths(std::string_view name, std::int64_t amount) {
    const auto place = std::lower_bound(amounts_.begin(), amounts_.end(), name,
                                        [](const Amount& a, std::string_view n) { return a.name < n; });
    const bool there = place != amounts_.end() && place->name == name;
    if (there && amount == 0) {
        amounts_.erase(place);
    } else if (there) {
        place->thousandths = amount;
    } else if (amount != 0) {
        amounts_.insert(place, {std::string(name), amount});
    }
}

std::int64_t Resources::thousandths(std::string_view name) const {
    for (const Amount& amount : amounts_) {
        if (amount.name == name) return amount.thousandths;
    }
    return 0;
}

void Resources::add(const Resources& other) {
    for (const Amount& amount : other.amounts_)
        set_thousandths(amount.name, thousandths(amount.name) + amount.thousandths);
}

void Resources::subtract(const Resources& other) {
    for (const Amount& amount : other.amounts_)
        set_thousandths(amount.name, thousandths(amount.name) - amount.thousandths);
}

bool Resources::covers(const Resources& wanted) const {
    return std::all_of(wanted.amounts_.begin(), wanted.amounts_.end(), [this](const Amount& amount) {
        return thousandths(amount.name) >= amount.thousandths;
    });
}

std::string Resources::lacking(const Resources& wanted) const {
    for (const Amount& amount : wanted.amounts_) {
        if (thousandths(amount.name) < amount.thousandths) return amount.name;
    }
    return {};
}

std::string Resources::text() const {
    std::string result;
    for (const Amount& amount : amounts_) {
        if (!result.empty()) result += ' ';
        result += fmt::format("{}={:.12g}", amount.name, static_cast<double>(amount.thousandths) / parts);
    }
    return result;
}

}  // namespace plimsoll::campaign
