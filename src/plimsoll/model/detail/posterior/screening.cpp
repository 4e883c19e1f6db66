#include "plimsoll/model/detail/posterior/screening.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/vectorised.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t log_powers = 3;    // 0, 1 and 2
constexpr std::size_t most_kept = 4096;  // before the worst are dropped
// Part of a column, squared, that the others leave unexplained; below it the sums have lost their digits.
constexpr double dependent = 1e-10;
// Deviations that a coefficient may lie on the wrong side of zero, by the number of columns: with many, their
// errors are so tied together that each alone says little.
constexpr double most_deviations[] = {0.0, 4.0, 4.0, 2.0, 1.0, 1.0, 1.0};

double misfit_of(const Slot& slot, std::size_t function) {
    return slot.misfits.empty() ? 0.0 : slot.misfits[function];
}

/// Number of the slot's functions whose misfit is at most that large.
std::size_t count_below(const Slot& slot, double misfit) {
    if (slot.misfits.empty()) return slot.functions.size();
    return static_cast<std::size_t>(std::upper_bound(slot.misfits.begin(), slot.misfits.end(), misfit) -
                                    slot.misfits.begin());
}

/// Forms of one structure, solved side by side: normal equations, and L D L' of each form's matrix.
template <std::size_t columns>
struct Batch {
    static constexpr std::size_t size = 64;
    static constexpr std::size_t pairs = columns * (columns + 1) / 2;
    /// Lower triangles by rows, then right-hand sides, then inverse squares of the columns' largest shares.
    double equations[pairs + 2 * columns][size];
    double lower[columns][columns][size];     ///< L below its diagonal of ones
    double unscaled[columns][columns][size];  ///< L D
    double inverse_pivots[columns][size];
    double reduced[columns][size];  ///< the solution of L z = b
    double rss[size];
    double determinant[size];
    double soundness[size];  ///< not positive where a column is explained by the others
    double rating[size];
    Candidate forms[size];  ///< with the logarithm of the prior
    std::size_t count = 0;

    PLIMSOLL_VECTORISED void solve(double total);
};

/// Signs of the columns do not change residuals or determinant, so none are set.
template <std::size_t columns>
void Batch<columns>::solve(double total) {
    std::fill(rss, rss + size, total);
    std::fill(determinant, determinant + size, 1.0);
    std::fill(soundness, soundness + size, infinity);
    for (std::size_t a = 0; a < columns; ++a) {
        const auto* gram = &equations[a * (a + 1) / 2];
        for (std::size_t b = 0; b < a; ++b) {
            for (std::size_t j = 0; j < size; ++j) unscaled[a][b][j] = gram[b][j];
            for (std::size_t c = 0; c < b; ++c) {
                for (std::size_t j = 0; j < size; ++j) {
                    unscaled[a][b][j] -= lower[a][c][j] * unscaled[b][c][j];
                }
            }
            for (std::size_t j = 0; j < size; ++j) lower[a][b][j] = unscaled[a][b][j] * inverse_pivots[b][j];
        }
        double pivots[size];
        for (std::size_t j = 0; j < size; ++j) pivots[j] = gram[a][j];
        for (std::size_t j = 0; j < size; ++j) reduced[a][j] = equations[pairs + a][j];
        for (std::size_t c = 0; c < a; ++c) {
            for (std::size_t j = 0; j < size; ++j) {
                pivots[j] -= lower[a][c][j] * unscaled[a][c][j];
                reduced[a][j] -= lower[a][c][j] * reduced[c][j];
            }
        }
        const double* scale = equations[pairs + columns + a];
        for (std::size_t j = 0; j < size; ++j) {
            const double left = pivots[j] - dependent * gram[a][j];
            soundness[j] = left < soundness[j] ? left : soundness[j];
            determinant[j] *= pivots[j] * scale[j];
            inverse_pivots[a][j] = 1.0 / pivots[j];
            rss[j] -= reduced[a][j] * reduced[a][j] * inverse_pivots[a][j];
        }
    }
    for (double& value : rss) value = value > 0.0 ? value : 0.0;
}

/// Whether no coefficient of a form is negative beyond what noise explains; a form without that column is
/// better then.
template <std::size_t columns>
bool has_right_signs(const Structure& structure, const Batch<columns>& batch, std::size_t j,
                     const FormEvidence& evidence) {
    if (evidence.may_be_negative()) return true;
    double coefficients[columns];
    bool is_right = true;
    for (std::size_t a = columns; a-- > 0;) {
        double value = batch.reduced[a][j] * batch.inverse_pivots[a][j];
        for (std::size_t b = a + 1; b < columns; ++b) value -= batch.lower[b][a][j] * coefficients[b];
        coefficients[a] = value;
        is_right = is_right && (value < 0.0) == structure.columns[a].is_taken_off;
    }
    if (is_right) return true;
    double inverse[columns][columns];
    for (std::size_t a = 0; a < columns; ++a) {
        inverse[a][a] = 1.0;
        for (std::size_t b = a; b-- > 0;) {
            double sum = 0.0;
            for (std::size_t c = b; c < a; ++c) sum -= batch.lower[a][c][j] * inverse[c][b];
            inverse[a][b] = sum;
        }
    }
    const double variance = evidence.largest_variance(batch.rss[j], columns);
    for (std::size_t a = 0; a < columns; ++a) {
        const double towards = structure.columns[a].is_taken_off ? -coefficients[a] : coefficients[a];
        if (towards >= 0.0) continue;
        double g = 0.0;
        for (std::size_t b = a; b < columns; ++b) {
            g += inverse[b][a] * inverse[b][a] * batch.inverse_pivots[b][j];
        }
        if (towards * towards > most_deviations[columns] * most_deviations[columns] * variance * g)
            return false;
    }
    return true;
}

/// Whether two slots stand for the same choice, so that their order makes no other form.
bool are_alike(const Slot& a, const Slot& b) { return a.table == b.table && a.functions == b.functions; }

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
    std::sort(kept_.begin(), kept_.end(), [](const Candidate& a, const Candidate& b) {
        if (a.log_evidence != b.log_evidence) return a.log_evidence > b.log_evidence;
        if (a.family != b.family) return a.family < b.family;
        if (a.structure != b.structure) return a.structure < b.structure;
        return a.choice < b.choice;
    });
    return kept_;
}

void Screening::rate(std::size_t number, const FormFamily& family, MomentTree& tree,
                     const FormEvidence& evidence, std::span<const double> values,
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
    total_ = 0.0;
    scratch_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        scratch_[i] = weights[i] * values[i];
        total_ += scratch_[i] * values[i];
    }
    tree.moments(weights, moments_);
    tree.sums(scratch_, sums_);
    for (std::size_t i = 0; i < values.size(); ++i) scratch_[i] = 1.0 / sizes[i];
    tree.maxima(scratch_, inverse_maxima_);
    for (double& value : inverse_maxima_) value = 1.0 / (value * value);
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

Entries Screening::entries_of_pair(unsigned a, unsigned b) const {
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
        entries.first += sum_strides_[s];
        entries.strides[s] = sum_strides_[s];
    }
    return entries;
}

void Screening::rate_structure(const Candidate& candidate, const FormFamily& family,
                               const Structure& structure, const FormEvidence& evidence) {
    switch (structure.columns.size()) {
        case 1: rate_forms<1>(candidate, family, structure, evidence); break;
        case 2: rate_forms<2>(candidate, family, structure, evidence); break;
        case 3: rate_forms<3>(candidate, family, structure, evidence); break;
        case 4: rate_forms<4>(candidate, family, structure, evidence); break;
        case 5: rate_forms<5>(candidate, family, structure, evidence); break;
        default: rate_forms<6>(candidate, family, structure, evidence); break;
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
    }
    const auto kind_of = [&](const Candidate& form) {
        std::size_t kind = 0;
        for (std::size_t u = 0; u < count; ++u) {
            kind = kind * log_powers + log_powers_[used[u]][form.choice[used[u]]];
        }
        return first_kind + kind;
    };

    static thread_local Batch<columns> batch;
    constexpr std::size_t rows = Batch<columns>::pairs + 2 * columns;
    std::array<Entries, rows> entries;
    for (std::size_t a = 0, pair = 0; a < columns; ++a) {
        const unsigned of_a = structure.columns[a].slots;
        for (std::size_t b = 0; b <= a; ++b, ++pair) {
            entries[pair] = entries_of_pair(of_a, structure.columns[b].slots);
        }
        entries[Batch<columns>::pairs + a] = entries_of_column(sums_, of_a);
        entries[Batch<columns>::pairs + columns + a] = entries_of_column(inverse_maxima_, of_a);
    }
    const auto rate_batch = [&] {
        // Unused places repeat the last form, so that nothing overflows there.
        for (auto& row : batch.equations) {
            std::fill(row + batch.count, row + Batch<columns>::size, row[batch.count - 1]);
        }
        batch.solve(total_);
        evidence.rough_log_evidence(batch.rss, batch.determinant, columns, batch.rating);
        for (std::size_t j = 0; j < batch.count; ++j) {
            if (!(batch.soundness[j] > 0.0) || !(batch.determinant[j] > 1e-300)) continue;
            Candidate& form = batch.forms[j];
            form.log_evidence += batch.rating[j];
            const std::size_t kind = has_kinds ? kind_of(form) : 0;
            const bool leads_its_kind = has_kinds && batch.rss[j] < rss_of_kind_[kind];
            if (!leads_its_kind && !(form.log_evidence > best_ - margin)) continue;
            if (!has_right_signs(structure, batch, j, evidence)) continue;
            if (leads_its_kind) {
                rss_of_kind_[kind] = batch.rss[j];
                best_of_kind_[kind] = form;
                best_of_kind_[kind].log_evidence = 0.0;
            }
            keep(form);
        }
        batch.count = 0;
    };
    const auto add_row = [&](std::size_t first, std::size_t width, double log_prior) {
        const std::size_t inner = count == 0 ? 0 : used[count - 1];
        std::array<const double*, rows> sources;
        for (std::size_t row = 0; row < rows; ++row) {
            sources[row] = entries[row].first;
            for (std::size_t u = 0; u + 1 < count; ++u) {
                sources[row] += candidate.choice[used[u]] * entries[row].strides[used[u]];
            }
        }
        while (first < width) {
            const std::size_t some = std::min(width - first, Batch<columns>::size - batch.count);
            for (std::size_t row = 0; row < rows; ++row) {
                const std::size_t stride = entries[row].strides[inner];
                const double* source = sources[row] + first * stride;
                double* target = batch.equations[row] + batch.count;
                for (std::size_t j = 0; j < some; ++j) target[j] = source[j * stride];
            }
            for (std::size_t j = 0; j < some; ++j) {
                Candidate& form = batch.forms[batch.count + j];
                form = candidate;
                form.log_evidence = log_prior;
                if (count == 0) continue;
                form.log_evidence += family.slots[inner].log_prior[first + j];
                form.choice[inner] = static_cast<std::uint8_t>(first + j);
            }
            first += some;
            batch.count += some;
            if (batch.count == Batch<columns>::size) rate_batch();
        }
    };

    if (count == 0) {
        add_row(0, 1, structure.log_mass);
        rate_batch();
        return;
    }
    const Slot& inner = family.slots[used[count - 1]];
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
        const std::size_t width = count_below(inner, 1.0 - misfit);
        if (is_new && first < width) add_row(first, width, log_prior);
        std::size_t u = count - 1;
        while (u-- > 0) {
            if (++candidate.choice[used[u]] < functions_[used[u]]) break;
            candidate.choice[used[u]] = 0;
        }
        if (u == static_cast<std::size_t>(-1)) break;
    }
    if (batch.count > 0) rate_batch();
}

}  // namespace plimsoll::model::detail
