#include "plimsoll/model/detail/posterior/screening.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/model/detail/posterior/form_batch.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t log_powers = 3;    // 0, 1 and 2
constexpr std::size_t most_kept = 4096;  // before the worst are dropped
constexpr double no_prior = 0.0;
double misfit_of(const Slot& slot, std::size_t function) {
    return slot.misfits.empty() ? 0.0 : slot.misfits[function];
}

/// Number of the slot's functions whose misfit is at most that large.
std::size_t count_below(const Slot& slot, double misfit) {
    if (slot.misfits.empty()) return slot.functions.size();
    return static_cast<std::size_t>(std::upper_bound(slot.misfits.begin(), slot.misfits.end(), misfit) -
                                    slot.misfits.begin());
}

/// Whether two slots stand for the same choice, so that their order makes no other form.
bool are_alike(const Slot& a, const Slot& b) { return a.table == b.table && a.functions == b.functions; }

/// In an order that is the same on every run.
bool is_better(const Candidate& a, const Candidate& b) {
    if (a.log_evidence != b.log_evidence) return a.log_evidence > b.log_evidence;
    if (a.family != b.family) return a.family < b.family;
    if (a.structure != b.structure) return a.structure < b.structure;
    return a.choice < b.choice;
}

/// Whether each column of the family's forms is the constant or the function in one slot.
bool has_single_functions(const FormFamily& family) {
    return std::ranges::all_of(family.structures, [](const Structure& structure) {
        return std::ranges::all_of(structure.columns,
                                   [](const Column& column) { return std::popcount(column.slots) <= 1; });
    });
}

/// Whether a form has a constant beside other columns, and it is no less than zero.
bool weighs_constant(const Structure& structure, const FormEvidence& evidence) {
    return structure.has_constant() && structure.columns.size() > 1 && !evidence.may_be_negative();
}

/// Each thread's own, made where a thread first needs it: memory of threads is cleared at every start of one.
template <std::size_t columns>
FormBatch<columns>& batch_of_thread() {
    static thread_local const auto batch = std::make_unique<FormBatch<columns>>();
    return *batch;
}

/// Calls `rate` with the number of a structure's columns as a constant.
template <class Rate>
void with_columns(const Structure& structure, Rate rate) {
    switch (structure.columns.size()) {
        case 1: rate(std::integral_constant<std::size_t, 1>()); break;
        case 2: rate(std::integral_constant<std::size_t, 2>()); break;
        case 3: rate(std::integral_constant<std::size_t, 3>()); break;
        case 4: rate(std::integral_constant<std::size_t, 4>()); break;
        case 5: rate(std::integral_constant<std::size_t, 5>()); break;
        default: rate(std::integral_constant<std::size_t, 6>()); break;
    }
}

}  // namespace

void Screening::clear() {
    kept_.clear();
    best_ = -infinity;
    best_of_kind_.clear();
    rss_of_kind_.clear();
}

void Screening::keep(const Candidate& candidate) {
    if (!(candidate.log_evidence > best_ - margin)) return;
    best_ = std::max(best_, candidate.log_evidence);
    kept_.push_back(candidate);
    if (kept_.size() >= most_kept) drop_the_rest(most_kept / 2);
}

void Screening::drop_the_rest(std::size_t count) {
    std::erase_if(kept_, [&](const Candidate& c) { return !(c.log_evidence > best_ - margin); });
    if (kept_.size() <= count) return;
    std::nth_element(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(count), kept_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.log_evidence > b.log_evidence; });
    kept_.resize(count);
}

const std::vector<Candidate>& Screening::best(std::size_t count) {
    drop_the_rest(count);
    std::sort(kept_.begin(), kept_.end(), is_better);
    return kept_;
}

void Screening::fill_tables(const FormFamily& family, MomentTree& tree, std::span<const double> values,
                            std::span<const double> weights, std::span<const double> sizes) {
    slots_ = family.slots.size();
    PLIMSOLL_EXPECT(slots_ <= most_slots);
    std::size_t moment_stride = 1;
    std::size_t sum_stride = 1;
    for (std::size_t s = slots_; s-- > 0;) {
        functions_[s] = family.slots[s].functions.size();
        moment_strides_[s] = moment_stride;
        sum_strides_[s] = sum_stride;
        moment_stride *= 1 + 2 * functions_[s];
        sum_stride *= 1 + functions_[s];
    }
    is_of_pairs_ = has_single_functions(family);
    total_ = 0.0;
    scratch_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        scratch_[i] = weights[i] * values[i];
        total_ += scratch_[i] * values[i];
    }
    const auto fill = [&](auto& source) {
        source.sums(scratch_, sums_);
        for (std::size_t i = 0; i < values.size(); ++i) scratch_[i] = 1.0 / sizes[i];
        source.maxima(scratch_, inverse_maxima_);
    };
    if (is_of_pairs_) {
        pairs_.choose(family.slots, values.size());
        pairs_.pairs(weights, moments_);
        fill(pairs_);
    } else {
        tree.choose(family.slots);
        tree.moments(weights, moments_);
        fill(tree);
    }
    for (double& value : inverse_maxima_) value = 1.0 / (value * value);
    // Batches read a few entries more than there are.
    for (std::vector<double>* table : {&moments_, &sums_, &inverse_maxima_}) {
        table->resize(table->size() + lanes);
    }
}

void Screening::rate(std::size_t number, const FormFamily& family, MomentTree& tree,
                     const FormEvidence& evidence, std::span<const double> values,
                     std::span<const double> weights, std::span<const double> sizes) {
    fill_tables(family, tree, values, weights, sizes);
    log_powers_.resize(slots_);
    for (std::size_t s = 0; s < slots_; ++s) {
        log_powers_[s].clear();
        for (const FunctionId f : family.slots[s].functions) {
            log_powers_[s].push_back(static_cast<std::uint8_t>(axis_functions()[f].log_exponent.numerator()));
        }
    }
    for (std::size_t s = 0; s < family.structures.size(); ++s) {
        // Four columns through five points leave next to nothing to be judged by.
        const std::size_t columns = family.structures[s].columns.size();
        if (columns + (columns > 3 ? 2 : 0) >= values.size()) continue;
        Candidate candidate{.log_evidence = -infinity,
                            .family = static_cast<std::uint16_t>(number),
                            .structure = static_cast<std::uint16_t>(s)};
        rate_structure(candidate, family, family.structures[s], evidence);
    }
}

/// As below, of columns that are single functions.
Entries Screening::entries_of_functions(unsigned a, unsigned b) const {
    Entries entries{.first = moments_.data()};
    if (a == b && a != 0) entries.first += pairs_.size() * pairs_.size();
    for (std::size_t s = 0; s < slots_; ++s) {
        if (((a | b) >> s & 1U) == 0) continue;
        // The earlier slot of two has the rows.
        const bool is_row = a != b && ((a | b) >> s) > 1U;
        const std::size_t stride = is_row ? pairs_.size() : 1;
        entries.first += pairs_.place(s) * stride;
        entries.strides[s] = stride;
    }
    return entries;
}

Entries Screening::entries_of_pair(unsigned a, unsigned b) const {
    if (is_of_pairs_) return entries_of_functions(a, b);
    Entries entries{.first = moments_.data()};
    for (std::size_t s = 0; s < slots_; ++s) {
        const unsigned power = (a >> s & 1U) + (b >> s & 1U);
        if (power == 0) continue;
        entries.first += (power == 1 ? 1 : 1 + functions_[s]) * moment_strides_[s];
        entries.strides[s] = moment_strides_[s];
    }
    return entries;
}

Entries Screening::entries_of_column(const std::vector<double>& table, unsigned a) const {
    Entries entries{.first = table.data()};
    for (std::size_t s = 0; s < slots_; ++s) {
        if ((a >> s & 1U) == 0) continue;
        entries.first += is_of_pairs_ ? pairs_.place(s) : sum_strides_[s];
        entries.strides[s] = is_of_pairs_ ? 1 : sum_strides_[s];
    }
    return entries;
}

void Screening::rate_structure(const Candidate& candidate, const FormFamily& family,
                               const Structure& structure, const FormEvidence& evidence) {
    with_columns(structure, [&](auto columns) {
        rate_forms<decltype(columns)::value>(candidate, family, structure, evidence);
    });
}

void Screening::rate_again(std::vector<Candidate>& candidates, std::span<const FormFamily> families,
                           const std::function<MomentTree&(const FormFamily&)>& tree_of,
                           const FormEvidence& evidence, std::span<const double> values,
                           std::span<const double> weights, std::span<const double> sizes) {
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        if (a.family != b.family) return a.family < b.family;
        if (a.structure != b.structure) return a.structure < b.structure;
        return a.choice < b.choice;
    });
    const FormFamily* last = nullptr;
    for (std::size_t begin = 0, end = 0; begin < candidates.size(); begin = end) {
        const FormFamily& family = families[candidates[begin].family];
        const Structure& structure = family.structures[candidates[begin].structure];
        while (end < candidates.size() && candidates[end].family == candidates[begin].family &&
               candidates[end].structure == candidates[begin].structure) {
            ++end;
        }
        if (&family != last) {
            MomentTree& tree = tree_of(family);
            fill_tables(family, tree, values, weights, sizes);
        }
        last = &family;
        with_columns(structure, [&](auto columns) {
            rate_forms_again<decltype(columns)::value>(std::span(candidates).subspan(begin, end - begin),
                                                       structure, evidence);
        });
    }
    std::sort(candidates.begin(), candidates.end(), is_better);
}

template <std::size_t columns>
auto Screening::entries_of(const Structure& structure) const
    -> std::array<Entries, columns*(columns + 1) / 2 + 2 * columns> {
    constexpr std::size_t pairs = FormBatch<columns>::pairs;
    std::array<Entries, FormBatch<columns>::rows> entries;
    for (std::size_t a = 0, pair = 0; a < columns; ++a) {
        const unsigned of_a = structure.columns[a].slots;
        for (std::size_t b = 0; b <= a; ++b, ++pair) {
            entries[pair] = entries_of_pair(of_a, structure.columns[b].slots);
        }
        entries[pairs + a] = entries_of_column(sums_, of_a);
        entries[pairs + columns + a] = entries_of_column(inverse_maxima_, of_a);
    }
    return entries;
}

template <std::size_t columns>
void Screening::rate_forms_again(std::span<Candidate> candidates, const Structure& structure,
                                 const FormEvidence& evidence) {
    using Batch = FormBatch<columns>;
    Batch& batch = batch_of_thread<columns>();
    const auto entries = entries_of<columns>(structure);
    const bool has_constant = weighs_constant(structure, evidence);
    for (std::size_t begin = 0; begin < candidates.size(); begin += Batch::size) {
        const std::span<Candidate> some =
            candidates.subspan(begin, std::min(Batch::size, candidates.size() - begin));
        batch.clear();
        for (; batch.count < some.size(); ++batch.count) {
            const Candidate& form = some[batch.count];
            for (std::size_t row = 0; row < Batch::rows; ++row) {
                const double* from = entries[row].first;
                for (std::size_t s = 0; s < slots_; ++s) from += form.choice[s] * entries[row].strides[s];
                batch.equations[row][batch.count] = *from;
            }
            batch.log_prior[batch.count] = form.log_prior;
        }
        batch.solve(total_);
        const std::size_t width = batch.width();
        const auto rating = std::span(batch.rating).first(width);
        evidence.rough_log_evidence(std::span(batch.rss).first(width),
                                    std::span(batch.determinant).first(width), columns, rating);
        batch.judge();
        if (has_constant) {
            batch.find_constant();
            evidence.add_density_of_constant(batch.rss, batch.constant_share, batch.constant_deviation,
                                             columns, rating);
        }
        for (std::size_t j = 0; j < some.size(); ++j) some[j].log_evidence = batch.rating[j];
    }
}

/// Makes the first function with each power of logarithms in each slot what a kind's free exponents start
/// from, as long as no form of the kind is rated: where the lines of points leave no listed exponent.
void Screening::start_kinds(const FormFamily& family, std::span<const std::size_t> used,
                            std::span<Candidate> kinds) const {
    const bool has_lines =
        std::ranges::all_of(used, [&](std::size_t s) { return !family.slots[s].misfits.empty(); });
    if (!has_lines) return;
    const std::size_t started =
        used.size() > 2 ? 1 : kinds.size();  // of more parameters, without logarithms alone
    for (std::size_t kind = 0; kind < started; ++kind) {
        std::size_t rest = kind;
        bool has_all = true;
        for (std::size_t u = used.size(); u-- > 0; rest /= log_powers) {
            const std::vector<std::uint8_t>& powers = log_powers_[used[u]];
            const auto first = std::ranges::find(powers, static_cast<std::uint8_t>(rest % log_powers));
            has_all = has_all && first != powers.end();
            if (has_all) kinds[kind].choice[used[u]] = static_cast<std::uint8_t>(first - powers.begin());
        }
        kinds[kind].log_evidence = has_all ? 0.0 : -infinity;
    }
}

/// Rates all forms of a structure, a batch at a time. The functions of the last slot change fastest.
template <std::size_t columns>
void Screening::rate_forms(Candidate candidate, const FormFamily& family, const Structure& structure,
                           const FormEvidence& evidence) {
    std::array<std::size_t, most_slots> used{};
    std::size_t count = 0;
    for (std::size_t s = 0; s < slots_; ++s) {
        if ((structure.slots() >> s & 1U) == 0) continue;
        if (functions_[s] == 0) return;
        used[count++] = s;
    }
    std::size_t first_kind = 0;
    const bool has_kinds = structure.has_free_exponents && count > 0;
    if (has_kinds) {
        std::size_t kinds = 1;
        for (std::size_t u = 0; u < count; ++u) kinds *= log_powers;
        first_kind = best_of_kind_.size();
        best_of_kind_.resize(first_kind + kinds, candidate);
        rss_of_kind_.resize(first_kind + kinds, infinity);
        start_kinds(family, std::span(used).first(count), std::span(best_of_kind_).subspan(first_kind));
    }
    const std::size_t inner = count == 0 ? 0 : used[count - 1];
    // Of the forms with the candidate's functions in all slots but the innermost.
    const auto first_kind_of_run = [&] {
        std::size_t kind = 0;
        for (std::size_t u = 0; u + 1 < count; ++u) {
            kind = kind * log_powers + log_powers_[used[u]][candidate.choice[used[u]]];
        }
        return first_kind + kind * log_powers;
    };

    FormBatch<columns>& batch = batch_of_thread<columns>();
    batch.clear();
    constexpr std::size_t rows = FormBatch<columns>::rows;
    const std::array<Entries, rows> entries = entries_of<columns>(structure);
    std::array<std::size_t, rows> inner_strides{};
    for (std::size_t row = 0; row < rows; ++row) inner_strides[row] = entries[row].strides[inner];
    // Where each row starts, in entries from its first, by how many of the outer slots have their function.
    std::array<std::array<std::size_t, rows>, most_slots> starts{};
    std::array<std::array<std::size_t, rows>, most_slots> strides{};
    for (std::size_t u = 0; u + 1 < count; ++u) {
        for (std::size_t row = 0; row < rows; ++row) strides[u][row] = entries[row].strides[used[u]];
    }
    const auto take_next = [&](std::size_t u) {
        for (std::size_t row = 0; row < rows; ++row) starts[u + 1][row] += strides[u][row];
        for (std::size_t v = u + 2; v < count; ++v) starts[v] = starts[u + 1];
    };
    const bool has_constant = weighs_constant(structure, evidence);
    const double most_gain = has_constant ? FormEvidence::most_of_constant : 0.0;
    const auto rate_batch = [&] {
        batch.solve(total_);
        const std::size_t width = batch.width();
        const auto rating = std::span(batch.rating).first(width);
        evidence.rough_log_evidence(std::span(batch.rss).first(width),
                                    std::span(batch.determinant).first(width), columns, rating);
        const double best_of_batch = batch.judge();
        const bool is_promising = best_of_batch + most_gain > best_ - margin;
        const bool is_needed = has_kinds || is_promising;
        if (has_constant && is_promising) {
            batch.find_constant();
            evidence.add_density_of_constant(batch.rss, batch.constant_share, batch.constant_deviation,
                                             columns, rating);
        }
        for (std::size_t j = 0; is_needed && j < batch.count; ++j) {
            const double log_evidence = batch.rating[j];
            if (log_evidence == -infinity) continue;
            const auto& run = batch.runs[batch.run[j]];
            const std::size_t kind = has_kinds ? run.kind + log_powers_[inner][batch.choice[j]] : 0;
            const bool leads_its_kind = has_kinds && batch.rss[j] < rss_of_kind_[kind];
            if (!leads_its_kind && !(log_evidence > best_ - margin)) continue;
            if (!has_right_signs(structure, batch, j, evidence)) continue;
            Candidate form = run.form;
            if (count > 0) form.choice[inner] = batch.choice[j];
            form.log_prior = batch.log_prior[j];
            if (leads_its_kind) {
                rss_of_kind_[kind] = batch.rss[j];
                best_of_kind_[kind] = form;
                best_of_kind_[kind].log_evidence = 0.0;
            }
            form.log_evidence = log_evidence;
            keep(form);
        }
        batch.clear();
    };
    const auto add_run = [&](std::size_t first, std::size_t width, double log_prior) {
        std::array<const double*, rows> sources;
        for (std::size_t row = 0; row < rows; ++row) {
            sources[row] = entries[row].first + starts[count == 0 ? 0 : count - 1][row];
        }
        const std::size_t kind = has_kinds ? first_kind_of_run() : 0;
        const double* log_priors = count == 0 ? &no_prior : family.slots[inner].log_prior.data();
        while (first < width) {
            const std::size_t some = std::min(width - first, FormBatch<columns>::size - batch.count);
            batch.add({.form = candidate, .kind = kind}, sources, inner_strides, first, some);
            for (std::size_t j = batch.count - some; j < batch.count; ++j, ++first) {
                batch.choice[j] = static_cast<std::uint8_t>(first);
                batch.log_prior[j] = log_prior + log_priors[first];
            }
            if (batch.count == FormBatch<columns>::size) rate_batch();
        }
    };

    if (count == 0) {
        add_run(0, 1, structure.log_mass);
        rate_batch();
        return;
    }
    std::array<std::array<bool, most_slots>, most_slots> alike{};
    for (std::size_t v = 0; v < count; ++v) {
        for (std::size_t u = 0; u < v; ++u) {
            alike[u][v] = are_alike(family.slots[used[u]], family.slots[used[v]]);
        }
    }
    while (true) {
        // Of two slots with the same parameter and functions, the later one takes a later function.
        std::size_t first = 0;
        bool is_new = true;
        double misfit = 0.0;
        double log_prior = structure.log_mass;
        for (std::size_t u = 0; u + 1 < count; ++u) {
            const std::size_t choice = candidate.choice[used[u]];
            log_prior += family.slots[used[u]].log_prior[choice];
            misfit += misfit_of(family.slots[used[u]], choice);
            for (std::size_t v = u + 1; v < count; ++v) {
                if (!alike[u][v]) continue;
                if (v + 1 == count) {
                    first = std::max<std::size_t>(first, choice + 1U);
                    log_prior += std::log(2.0);  // the other order is the same form
                } else if (candidate.choice[used[v]] <= choice) {
                    is_new = false;
                }
            }
        }
        const std::size_t width = count_below(family.slots[inner], 1.0 - misfit);
        if (is_new && first < width) add_run(first, width, log_prior);
        std::size_t u = count - 1;
        while (u-- > 0) {
            if (++candidate.choice[used[u]] < functions_[used[u]]) break;
            candidate.choice[used[u]] = 0;
        }
        if (u == static_cast<std::size_t>(-1)) break;
        take_next(u);
    }
    if (batch.count > 0) rate_batch();
}

}  // namespace plimsoll::model::detail
