#include "plimsoll/model/detail/posterior/form_family.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::model::detail {

namespace {

constexpr double falling_share = 0.1;  // of a slot's prior, where falling functions are among its own

Slot make_slot(const AxisTable& table, std::span<const FunctionId> functions) {
    Slot slot{.table = &table, .functions = {}, .log_prior = {}, .misfits = {}};
    for (const FunctionId f : functions) {
        if (table.is_usable(f)) slot.functions.push_back(f);
    }
    // Each function has the prior it would have if none had been ruled out: the rest could not have won.
    const FunctionId first_falling = falling_functions().front();
    const auto rising = static_cast<double>(rising_functions().size());
    const auto falling = static_cast<double>(falling_functions().size());
    for (const FunctionId f : slot.functions) {
        slot.log_prior.push_back(f < first_falling ? std::log((1.0 - falling_share) / rising)
                                                   : std::log(falling_share / falling));
    }
    return slot;
}

/// A slot for functions that are all usable.
Slot make_slot(const AxisTable& table, const FunctionsInQuestion& in_question) {
    Slot slot = make_slot(table, in_question.functions);
    slot.misfits = in_question.misfits;
    return slot;
}

/// A slot whose functions are alike likely.
Slot make_even_slot(const AxisTable& table, std::span<const FunctionId> functions) {
    Slot slot = make_slot(table, functions);
    const double each = -std::log(static_cast<double>(std::max<std::size_t>(functions.size(), 1)));
    slot.log_prior.assign(slot.functions.size(), each);
    return slot;
}

Structure structure(double mass, std::vector<Column> columns) {
    return {.columns = std::move(columns), .log_mass = std::log(mass)};
}

constexpr Column constant{};
constexpr Column slot_0{.slots = 0b1};
constexpr Column slot_1{.slots = 0b10};
constexpr Column slot_2{.slots = 0b100};

/// Sums of two and three functions of one parameter: overhead beside divided work, two algorithms in a
/// region. More often than not with a constant: hardly a program has no part that stays.
void add_sums(const AxisTable& table, std::vector<FormFamily>& families) {
    const auto sum = [](double mass, std::vector<Column> columns) {
        Structure s = structure(mass, std::move(columns));
        s.has_free_exponents = false;
        return s;
    };
    const Column taken_off{.slots = 0b1, .is_taken_off = true};
    FormFamily falling_and_rising{
        .slots = {make_even_slot(table, falling_functions()), make_even_slot(table, common_functions())},
        .structures = {}};
    falling_and_rising.structures.push_back(sum(0.033, {slot_0, slot_1}));
    falling_and_rising.structures.push_back(sum(0.09, {constant, slot_0, slot_1}));
    falling_and_rising.structures.push_back(sum(0.02, {constant, taken_off, slot_1}));
    Structure saturating = structure(0.02, {constant, taken_off});
    saturating.has_free_exponents = false;
    falling_and_rising.structures.push_back(saturating);
    FormFamily two_rising{
        .slots = {make_even_slot(table, common_functions()), make_even_slot(table, common_functions())},
        .structures = {}};
    two_rising.structures.push_back(sum(0.03, {slot_0, slot_1}));
    two_rising.structures.push_back(sum(0.06, {constant, slot_0, slot_1}));
    FormFamily three{
        .slots = {make_even_slot(table, falling_functions()), make_even_slot(table, common_functions()),
                  make_even_slot(table, common_functions())},
        .structures = {}};
    three.structures.push_back(sum(0.01, {slot_0, slot_1, slot_2}));
    three.structures.push_back(sum(0.01, {constant, slot_0, slot_1, slot_2}));
    for (FormFamily* family : {&falling_and_rising, &two_rising, &three}) {
        const bool is_empty = std::any_of(family->slots.begin(), family->slots.end(),
                                          [](const Slot& slot) { return slot.functions.empty(); });
        if (!is_empty) families.push_back(std::move(*family));
    }
}

/// Adds a structure without and with a constant.
void add_pair(FormFamily& family, double without, double with, std::vector<Column> columns,
              bool has_free_exponents) {
    family.structures.push_back(structure(without, columns));
    family.structures.back().has_free_exponents = has_free_exponents;
    columns.insert(columns.begin(), constant);
    if (columns.size() > most_columns) return;
    family.structures.push_back(structure(with, std::move(columns)));
    family.structures.back().has_free_exponents = has_free_exponents;
}

/// Sums over the blocks of a partition of the parameters of the product of each block's functions.
void add_partitions(FormFamily& family, std::span<const std::size_t> members, double mass) {
    std::vector<std::vector<Column>> partitions;
    std::vector<Column> blocks;
    const auto extend = [&](auto&& self, std::size_t next) -> void {
        if (next == members.size()) {
            if (blocks.size() < most_columns) partitions.push_back(blocks);
            return;
        }
        const auto bit = static_cast<std::uint8_t>(1U << members[next]);
        // By index: the calls below add blocks and take them away again.
        for (std::size_t b = 0; b < blocks.size(); ++b) {  // NOLINT(modernize-loop-convert)
            const Column before = blocks[b];
            blocks[b].slots = static_cast<std::uint8_t>(before.slots | bit);
            self(self, next + 1);
            blocks[b] = before;
        }
        blocks.push_back({.slots = bit});
        self(self, next + 1);
        blocks.pop_back();
    };
    extend(extend, 0);
    // Most of the mass to the product and the plain sum, which are by far the most common.
    for (const std::vector<Column>& partition : partitions) {
        const bool is_common = partition.size() == 1 || partition.size() == members.size();
        constexpr double commons = 2.0;
        const double others = static_cast<double>(partitions.size()) - commons;
        const double share = others <= 0.0 ? mass / static_cast<double>(partitions.size())
                             : is_common   ? 0.7 * mass / commons
                                           : 0.3 * mass / others;
        add_pair(family, 0.55 * share, 0.45 * share, partition, is_common);
    }
}

/// A term of some parameters beside the product of these and one more: x + x z.
void add_interactions(FormFamily& family, std::size_t slots, double mass) {
    std::vector<std::vector<Column>> pairs;
    const auto all = static_cast<std::uint8_t>((1U << slots) - 1U);
    for (std::uint8_t whole = 1; whole <= all; ++whole) {
        for (std::uint8_t part = 1; part < whole; ++part) {
            if ((part & whole) == part) pairs.push_back({{.slots = part}, {.slots = whole}});
        }
    }
    if (slots == 3) {  // two products that share a parameter: x y + x z
        for (std::uint8_t a = 1; a <= all; ++a) {
            for (std::uint8_t b = static_cast<std::uint8_t>(a + 1); b <= all; ++b) {
                const bool overlap = (a & b) != 0 && (a & b) != a && (a & b) != b;
                if (overlap) pairs.push_back({{.slots = a}, {.slots = b}});
            }
        }
    }
    const double share = mass / static_cast<double>(pairs.size());
    for (const std::vector<Column>& pair : pairs) {
        add_pair(family, 0.5 * share, 0.33 * share, pair, false);
        // log2(p / p0) n is log2(p) n less a multiple of n.
        const bool is_part = (pair[0].slots & pair[1].slots) == pair[0].slots;
        if (!is_part) continue;
        const Column less{.slots = pair[0].slots, .is_taken_off = true};
        add_pair(family, 0.1 * share, 0.07 * share, {less, pair[1]}, false);
    }
}

/// Three products of the parameters that together depend on all of them: 1 + x + z + x z, 1 + x y + x z + y.
FormFamily three_products(std::span<const AxisTable* const> tables,
                          std::span<const FunctionsInQuestion> leading) {
    FormFamily family;
    for (std::size_t axis = 0; axis < tables.size(); ++axis) {
        family.slots.push_back(make_slot(*tables[axis], leading[axis]));
    }
    const auto all = static_cast<std::uint8_t>((1U << tables.size()) - 1U);
    std::vector<std::vector<Column>> triples;
    for (std::uint8_t a = 1; a <= all; ++a) {
        for (auto b = static_cast<std::uint8_t>(a + 1); b <= all; ++b) {
            for (auto c = static_cast<std::uint8_t>(b + 1); c <= all; ++c) {
                const bool is_partition =
                    (a & b) == 0 && (a & c) == 0 && (b & c) == 0;  // stands with the others
                if ((a | b | c) != all || is_partition) continue;
                triples.push_back({{.slots = a}, {.slots = b}, {.slots = c}});
            }
        }
    }
    const double mass = tables.size() == 2 ? 0.01 : 0.04;
    for (const std::vector<Column>& triple : triples) {
        const double share = mass / static_cast<double>(triples.size());
        add_pair(family, 0.4 * share, 0.6 * share, triple, false);
    }
    return family;
}

/// (a + b x) (c + d y z) with each of the three parameters for x, and all four coefficients free: a network's
/// time grows with the product of its depth and the work of a layer, beside first layers and what each layer
/// costs to start. Over few points such a sum is like a power that is off by a little, so more functions of
/// each parameter than the leading ones of other sums are tried.
FormFamily products_of_sums(std::span<const AxisTable* const> tables,
                            std::span<const FunctionsInQuestion> in_question) {
    constexpr double mass = 0.08;
    FormFamily family;
    for (std::size_t axis = 0; axis < tables.size(); ++axis)
        family.slots.push_back(make_slot(*tables[axis], in_question[axis]));
    const auto all = static_cast<std::uint8_t>((1U << tables.size()) - 1U);
    for (std::size_t axis = 0; axis < tables.size(); ++axis) {
        const auto alone = static_cast<std::uint8_t>(1U << axis);
        const double share = mass / static_cast<double>(tables.size());
        add_pair(family, 0.4 * share, 0.6 * share,
                 {{.slots = alone}, {.slots = static_cast<std::uint8_t>(all & ~alone)}, {.slots = all}},
                 false);
    }
    return family;
}

/// Work divided along one parameter, beside an overhead that grows with it: d z + t', d z + t' z.
void add_strong_scaling(std::span<const AxisTable* const> tables, std::span<const FunctionsInQuestion> kept,
                        std::size_t axis, std::vector<FormFamily>& families) {
    for (std::size_t other = 0; other < tables.size(); ++other) {
        if (other == axis) continue;
        FormFamily family{.slots = {make_even_slot(*tables[axis], falling_functions()),
                                    make_slot(*tables[other], kept[other]),
                                    make_even_slot(*tables[axis], common_functions())},
                          .structures = {}};
        const bool is_empty = std::any_of(family.slots.begin(), family.slots.end(),
                                          [](const Slot& slot) { return slot.functions.empty(); });
        if (is_empty) continue;
        const double share = 0.05 / static_cast<double>(tables.size() - 1);
        add_pair(family, 0.3 * share, 0.3 * share, {{.slots = 0b011}, {.slots = 0b100}}, false);
        add_pair(family, 0.1 * share, 0.1 * share, {{.slots = 0b011}, {.slots = 0b110}}, false);
        add_pair(family, 0.1 * share, 0.1 * share, {{.slots = 0b001}, {.slots = 0b100}}, false);
        families.push_back(std::move(family));
    }
}

}  // namespace

std::uint8_t Structure::slots() const {
    std::uint8_t used = 0;
    for (const Column& column : columns) used = static_cast<std::uint8_t>(used | column.slots);
    return used;
}

std::vector<FormFamily> families_of_one(const AxisTable& table) {
    std::vector<FormFamily> families;
    families.push_back({.slots = {make_even_slot(table, rising_functions())},
                        .structures = {structure(0.13, {constant}), structure(0.13, {slot_0}),
                                       structure(0.30, {constant, slot_0})}});
    FormFamily falling{.slots = {make_even_slot(table, falling_functions())},
                       .structures = {structure(0.05, {slot_0}), structure(0.06, {constant, slot_0})}};
    if (!falling.slots.front().functions.empty()) families.push_back(std::move(falling));
    add_sums(table, families);
    return families;
}

std::vector<FormFamily> form_families(std::span<const AxisTable* const> tables,
                                      std::span<const FunctionsInQuestion> kept,
                                      std::span<const FunctionsInQuestion> leading,
                                      std::span<const FunctionsInQuestion> in_sums,
                                      const std::vector<bool>& falls) {
    FormFamily main;
    for (std::size_t axis = 0; axis < tables.size(); ++axis) {
        main.slots.push_back(make_slot(*tables[axis], kept[axis]));
    }
    main.structures.push_back(structure(0.03, {constant}));
    // Subsets of the parameters on which the values depend, most mass to all of them.
    const std::size_t slots = tables.size();
    const double singles = slots == 2 ? 0.16 : 0.10;
    for (std::size_t axis = 0; axis < slots; ++axis) {
        const double share = singles / static_cast<double>(slots);
        add_pair(main, 0.5 * share, 0.5 * share, {{.slots = static_cast<std::uint8_t>(1U << axis)}}, true);
    }
    const auto all = static_cast<std::uint8_t>((1U << slots) - 1U);
    std::vector<std::vector<std::size_t>> subsets;
    for (std::uint8_t subset = 1; subset < all; ++subset) {
        std::vector<std::size_t> members;
        for (std::size_t s = 0; s < slots; ++s) {
            if ((subset >> s & 1U) != 0) members.push_back(s);
        }
        if (members.size() >= 2) subsets.push_back(std::move(members));
    }
    for (const std::vector<std::size_t>& subset : subsets) {
        add_partitions(main, subset, 0.12 / static_cast<double>(subsets.size()));
    }
    std::vector<std::size_t> everyone(slots);
    for (std::size_t s = 0; s < slots; ++s) everyone[s] = s;
    add_partitions(main, everyone, slots == 2 ? 0.65 : 0.55);
    add_interactions(main, slots, slots == 2 ? 0.13 : 0.16);
    std::vector<FormFamily> families;
    families.push_back(std::move(main));
    families.push_back(three_products(tables, leading));
    if (slots == 3) families.push_back(products_of_sums(tables, in_sums));
    for (std::size_t axis = 0; axis < slots; ++axis) {
        if (falls[axis]) add_strong_scaling(tables, kept, axis, families);
    }
    return families;
}

}  // namespace plimsoll::model::detail
