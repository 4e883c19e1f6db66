#include "plimsoll/plan/amount.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <optional>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::plan {

namespace {

struct Unit {
    std::string_view name;  ///< in small letters
    CostKind kind;
    double size = 1.0;
};
constexpr double joules_of_a_kwh = 3.6e6;
constexpr std::array units{Unit{"node-h", CostKind::node_hours},
                           Unit{"node-hours", CostKind::node_hours},
                           Unit{"core-h", CostKind::core_hours},
                           Unit{"core-hours", CostKind::core_hours},
                           Unit{"gpu-h", CostKind::device_hours},
                           Unit{"gpu-hours", CostKind::device_hours},
                           Unit{"device-h", CostKind::device_hours},
                           Unit{"wh", CostKind::energy, 1e-3},
                           Unit{"kwh", CostKind::energy},
                           Unit{"mwh", CostKind::energy, 1e3},
                           Unit{"kj", CostKind::energy, 1e3 / joules_of_a_kwh},
                           Unit{"mj", CostKind::energy, 1e6 / joules_of_a_kwh},
                           Unit{"gj", CostKind::energy, 1e9 / joules_of_a_kwh}};

std::optional<Unit> find_unit(std::string_view text) {
    const std::string name = lower_case(text);
    for (const Unit& unit : units) {
        if (unit.name == name) return unit;
    }
    return std::nullopt;
}

/// "EUR" of "EUR", "eur" or "€"; empty where it is no currency.
std::string currency_of(std::string_view text) {
    if (text == "€") return "EUR";
    if (text == "$") return "USD";
    if (text == "£") return "GBP";
    std::string code;
    for (const char c : text) {
        if (std::isalpha(static_cast<unsigned char>(c)) == 0) return {};
        code.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
    }
    const bool is_unit = find_unit(text).has_value() || code == "MIN" || code == "DAY" || code == "GPU";
    return code.size() == 3 && !is_unit ? code : std::string();
}

/// What stands behind the number at the beginning of a text, and the number.
struct Split {
    std::optional<double> number;
    std::string_view unit;
};

Split split_number(std::string_view text) {
    text = trim(text);
    std::size_t end = 0;
    const auto is_part = [&](std::size_t i) {
        const char c = text[i];
        if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_') return true;
        if (c == '+' || c == '-') return i == 0 || text[i - 1] == 'e' || text[i - 1] == 'E';
        // An exponent has digits or a sign behind it; EUR has not.
        if ((c != 'e' && c != 'E') || i + 1 >= text.size()) return false;
        const char next = text[i + 1];
        return std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '+' || next == '-';
    };
    while (end < text.size() && is_part(end)) ++end;
    return {.number = parse_number(text.substr(0, end)), .unit = trim(text.substr(end))};
}

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view is_no,
                         const char* hint) {
    throw Error(ErrorKind::usage, fmt::format("{}: '{}' is no {}", what, text, is_no), hint);
}

bool is_amount(const std::optional<double>& number) {
    return number && std::isfinite(*number) && *number >= 0.0;
}

}  // namespace

std::string unit_of(CostKind kind, const std::string& currency) {
    switch (kind) {
        case CostKind::money: return currency;
        case CostKind::node_hours: return "node-h";
        case CostKind::core_hours: return "core-h";
        case CostKind::device_hours: return "GPU-h";
        case CostKind::energy: return "kWh";
    }
    return {};
}

Amount parse_amount(std::string_view what, std::string_view text) {
    constexpr const char* hint =
        "write a number with its unit: 5000EUR, 20000core-h, 300node-h, 40GPU-h or 50kWh";
    const Split parts = split_number(text);
    if (!is_amount(parts.number)) refuse(what, text, "amount", hint);
    if (const auto unit = find_unit(parts.unit))
        return {.kind = unit->kind, .value = *parts.number * unit->size, .currency = {}};
    std::string currency = currency_of(parts.unit);
    if (currency.empty()) refuse(what, text, "amount", hint);
    return {.kind = CostKind::money, .value = *parts.number, .currency = std::move(currency)};
}

Price parse_price(std::string_view what, std::string_view text) {
    constexpr const char* hint = "write it as 2.40EUR/node-h, 1.80EUR/GPU-h, 0.03EUR/core-h or 0.25EUR/kWh";
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) refuse(what, text, "price", hint);
    const Split parts = split_number(text.substr(0, slash));
    const auto unit = find_unit(trim(text.substr(slash + 1)));
    std::string currency = currency_of(parts.unit);
    if (!is_amount(parts.number) || !unit || currency.empty()) refuse(what, text, "price", hint);
    return {.value = *parts.number / unit->size, .currency = std::move(currency), .per = unit->kind};
}

std::string amount_text(const Amount& amount) {
    constexpr double least_in_cents = 0.995;  // less is written with three digits
    constexpr double with_cents = 1000.0;
    constexpr double written_out = 1e9;
    const std::string unit = unit_of(amount.kind, amount.currency);
    const double size = std::abs(amount.value);
    constexpr double with_digits = 9999.5;  // four of them say less beyond
    if (size >= written_out) return fmt::format("{:.4g} {}", amount.value, unit);
    if (amount.kind != CostKind::money)
        return size >= with_digits ? fmt::format("{:.0f} {}", amount.value, unit)
                                   : fmt::format("{:.4g} {}", amount.value, unit);
    if (size < least_in_cents) return fmt::format("{:.3g} {}", amount.value, unit);
    return size < with_cents ? fmt::format("{:.2f} {}", amount.value, unit)
                             : fmt::format("{:.0f} {}", amount.value, unit);
}

}  // namespace plimsoll::plan
