#pragma once

#include <array>
#include <string>
#include <string_view>

#include "plimsoll/core/options.hpp"

namespace plimsoll::plan {

/// What a job is paid with.
enum class CostKind { money, node_hours, core_hours, device_hours, energy };
[[nodiscard]] constexpr std::array<EnumName<CostKind>, 5> enum_names(CostKind) {
    return {{{CostKind::money, "money"},
             {CostKind::node_hours, "node-hours"},
             {CostKind::core_hours, "core-hours"},
             {CostKind::device_hours, "gpu-hours"},
             {CostKind::energy, "energy"}}};
}

/// So much of it: money in a currency, hours, or kWh.
struct Amount {
    CostKind kind = CostKind::money;
    double value = 0.0;
    std::string currency;  ///< three capitals; of money alone
};

/// "EUR", "node-h", "core-h", "GPU-h", "kWh".
[[nodiscard]] std::string unit_of(CostKind kind, const std::string& currency);

/// `5000EUR`, `5000 EUR`, `20000core-h`, `300node-h`, `40GPU-h`, `50kWh`, `3MJ`. Not negative. Throws an
/// error of kind usage that begins with `what`, such as "--budget".
[[nodiscard]] Amount parse_amount(std::string_view what, std::string_view text);

/// What a unit of use costs: `2.40EUR/node-h`.
struct Price {
    double value = 0.0;
    std::string currency;
    CostKind per = CostKind::node_hours;  ///< never money
};

/// As `parse_amount`, of `2.40EUR/node-h`, `1.80EUR/GPU-h`, `0.03EUR/core-h`, `0.25EUR/kWh`.
[[nodiscard]] Price parse_price(std::string_view what, std::string_view text);

/// "1234 EUR", "12.50 EUR", "0.042 EUR", "385.2 node-h": money with cents from one to a thousand.
[[nodiscard]] std::string amount_text(const Amount& amount);

}  // namespace plimsoll::plan
