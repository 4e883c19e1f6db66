#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plimsoll/model/detail/posterior/axis_functions.hpp"
#include "plimsoll/model/detail/posterior/moments.hpp"

namespace plimsoll::model::detail {

inline constexpr std::size_t most_columns = 6;
inline constexpr std::size_t most_slots = 6;

/// One column of a form: the product of the functions in some slots. The constant is the empty product.
struct Column {
    std::uint8_t slots = 0;     ///< bit s: slot s is a factor
    bool is_taken_off = false;  ///< the coefficient is negative, as in c0 - c1/p
    [[nodiscard]] bool is_constant() const { return slots == 0; }
    friend bool operator==(const Column&, const Column&) = default;
};

/// What columns a form has, whatever the functions in its slots.
struct Structure {
    std::vector<Column> columns;
    double log_mass = 0.0;           ///< logarithm of the prior probability of all its forms together
    bool has_free_exponents = true;  ///< whether exponents off the list are looked for as well

    [[nodiscard]] std::uint8_t slots() const;
    [[nodiscard]] bool has_constant() const { return columns.front().is_constant(); }
};

/// Forms that share slots. Slots of the same parameter with the same functions take them in rising order, so
/// that t + t' is there once.
struct FormFamily {
    std::vector<Slot> slots;
    std::vector<Structure> structures;
};

/// Functions that may occur in one parameter, best first.
struct FunctionsInQuestion {
    std::vector<FunctionId> functions;
    std::vector<double> misfits;  ///< as in a slot
};

/// The forms for one parameter, with their prior probabilities. The masses were set by judgement and a few
/// trials on synthetic data: see docs/decisions/0009.
[[nodiscard]] std::vector<FormFamily> families_of_one(const AxisTable& table);

/// The forms for several parameters, all of which vary.
///
/// `kept` holds for each parameter the functions that may occur in it (those that the points along it do not
/// rule out), `leading` the few best of these for forms with many terms, `in_sums` some more for products of
/// sums, `falls` whether values fall along it somewhere. Products and sums of all parameters have most of the
/// mass.
[[nodiscard]] std::vector<FormFamily> form_families(std::span<const AxisTable* const> tables,
                                                    std::span<const FunctionsInQuestion> kept,
                                                    std::span<const FunctionsInQuestion> leading,
                                                    std::span<const FunctionsInQuestion> in_sums,
                                                    const std::vector<bool>& falls);

}  // namespace plimsoll::model::detail
