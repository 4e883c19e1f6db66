#include "plimsoll/model/detail/posterior/screening.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plimsoll/core/error.hpp"

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

/// Whether no coefficient is negative beyond what noise explains; a form without that column is better then.
/// `lower` holds L of L D L' below and the solution of L D y = b on its diagonal, `pivots` D.
template <std::size_t columns>
bool has_right_signs(const Structure& structure, const double (&lower)[columns][columns],
                     const double (&pivots)[columns], double rss, const FormEvidence& evidence) {
    if (evidence.may_be_negative()) return true;
    double coefficients[columns];
    double inverse[columns][columns];
    bool is_right = true;
    for (std::size_t a = columns; a-- > 0;) {
        double value = lower[a][a] / pivots[a];
        for (std::size_t b = a + 1; b < columns; ++b) value -= lower[b][a] * coefficients[b];
        coefficients[a] = value;
        is_right = is_right && (value < 0.0) == structure.columns[a].is_taken_off;
    }
    if (is_right) return true;
    const double variance = evidence.largest_variance(std::max(rss, 0.0), columns);
    for (std::size_t a = 0; a < columns; ++a) {
        inverse[a][a] = 1.0;
        for (std::size_t b = a; b-- > 0;) {
            double sum = 0.0;
            for (std::size_t c = b; c < a; ++c) sum -= lower[a][c] * inverse[c][b];
            inverse[a][b] = sum;
        }
    }
    for (std::size_t a = 0; a < columns; ++a) {
        const double towards = structure.columns[a].is_taken_off ? -coefficients[a] : coefficients[a];
        if (towards >= 0.0) continue;
        double g = 0.0;
        for (std::size_t b = a; b < columns; ++b) g += inverse[b][a] * inverse[b][a] / pivots[b];
        if (towards * towards > most_deviations[columns] * most_deviations[columns] * variance * g)
            return false;
    }
    return true;
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
    tree.maxima(scratch_, maxima_);
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

void Screening::rate_structure(Candidate candidate, const FormFamily& family, const Structure& structure,
                               const FormEvidence& evidence) {
    std::array<std::size_t, most_slots> used{};
    std::size_t count = 0;
    for (std::size_t s = 0; s < slots_; ++s) {
        if ((structure.slots() >> s & 1U) == 0) continue;
        if (functions_[s] == 0) return;
        used[count++] = s;
    }
    if (structure.has_free_exponents && count > 0) {
        std::size_t kinds = 1;
        for (std::size_t u = 0; u < count; ++u) kinds *= log_powers;
        first_kind_ = best_of_kind_.size();
        best_of_kind_.resize(first_kind_ + kinds, candidate);
        rss_of_kind_.resize(first_kind_ + kinds, infinity);
    }
    const Slot* inner = count == 0 ? nullptr : &family.slots[used[count - 1]];
    const std::size_t inner_slot = count == 0 ? 0 : used[count - 1];
    while (true) {
        // Of two slots with the same parameter and functions, the later one takes a later function.
        std::size_t first = 0;
        bool is_new = true;
        double log_prior = structure.log_mass;
        for (std::size_t u = 0; u + 1 < count; ++u) {
            log_prior += family.slots[used[u]].log_prior[candidate.choice[used[u]]];
            for (std::size_t v = u + 1; v < count; ++v) {
                const Slot& a = family.slots[used[u]];
                const Slot& b = family.slots[used[v]];
                if (a.table != b.table || a.functions != b.functions) continue;
                if (v + 1 == count) {
                    first = std::max<std::size_t>(first, candidate.choice[used[u]] + 1U);
                    log_prior += std::log(2.0);  // the other order is the same form
                } else if (candidate.choice[used[v]] <= candidate.choice[used[u]]) {
                    is_new = false;
                }
            }
        }
        if (is_new) {
            switch (structure.columns.size()) {
                case 1:
                    rate_row<1>(candidate, structure, inner, inner_slot, log_prior, first, evidence);
                    break;
                case 2:
                    rate_row<2>(candidate, structure, inner, inner_slot, log_prior, first, evidence);
                    break;
                case 3:
                    rate_row<3>(candidate, structure, inner, inner_slot, log_prior, first, evidence);
                    break;
                case 4:
                    rate_row<4>(candidate, structure, inner, inner_slot, log_prior, first, evidence);
                    break;
                case 5:
                    rate_row<5>(candidate, structure, inner, inner_slot, log_prior, first, evidence);
                    break;
                default:
                    rate_row<6>(candidate, structure, inner, inner_slot, log_prior, first, evidence);
                    break;
            }
        }
        if (count < 2) return;
        std::size_t u = count - 1;
        while (u-- > 0) {
            if (++candidate.choice[used[u]] < functions_[used[u]]) break;
            candidate.choice[used[u]] = 0;
        }
        if (u == static_cast<std::size_t>(-1)) return;
    }
}

template <std::size_t columns>
void Screening::rate_row(Candidate candidate, const Structure& structure, const Slot* inner,
                         std::size_t inner_slot, double log_prior, std::size_t first,
                         const FormEvidence& evidence) {
    constexpr std::size_t pairs = columns * (columns + 1) / 2;
    const std::size_t width = inner == nullptr ? 1 : functions_[inner_slot];
    rows_.resize((pairs + 2 * columns + 2) * width);
    double* gram[pairs];
    double* right[columns];
    double* most[columns];
    double* next = rows_.data();
    for (double*& row : gram) row = std::exchange(next, next + width);
    for (double*& row : right) row = std::exchange(next, next + width);
    for (double*& row : most) row = std::exchange(next, next + width);
    double* rss = std::exchange(next, next + width);
    double* determinant = next;

    const auto fill = [&](double* row, const std::vector<double>& table, std::size_t offset,
                          std::size_t stride) {
        if (stride == 0) {
            std::fill(row, row + width, table[offset]);
        } else {
            for (std::size_t j = 0; j < width; ++j) row[j] = table[offset + j * stride];
        }
    };
    std::size_t pair = 0;
    for (std::size_t a = 0; a < columns; ++a) {
        const unsigned of_a = structure.columns[a].slots;
        for (std::size_t b = 0; b <= a; ++b, ++pair) {
            const unsigned of_b = structure.columns[b].slots;
            std::size_t offset = 0;
            std::size_t stride = 0;
            for (std::size_t s = 0; s < slots_; ++s) {
                const unsigned power = (of_a >> s & 1U) + (of_b >> s & 1U);
                if (power == 0) continue;
                offset += (power == 1 ? 1 : 1 + functions_[s]) * moment_strides_[s];
                if (s == inner_slot) {
                    stride = moment_strides_[s];
                } else {
                    offset += candidate.choice[s] * moment_strides_[s];
                }
            }
            fill(gram[pair], moments_, offset, stride);
        }
        std::size_t offset = 0;
        std::size_t stride = 0;
        for (std::size_t s = 0; s < slots_; ++s) {
            if ((of_a >> s & 1U) == 0) continue;
            offset += sum_strides_[s];
            if (s == inner_slot) {
                stride = sum_strides_[s];
            } else {
                offset += candidate.choice[s] * sum_strides_[s];
            }
        }
        fill(right[a], sums_, offset, stride);
        fill(most[a], maxima_, offset, stride);
    }
    // Signs of the columns do not change residuals or determinant, so none are set.
    for (std::size_t j = 0; j < width; ++j) {
        double lower[columns][columns];
        double solution[columns];
        double left = total_;
        double product = 1.0;
        double least = infinity;
        std::size_t at = 0;
        for (std::size_t a = 0; a < columns; ++a) {
            double value = right[a][j];
            double pivot = 0.0;
            for (std::size_t b = 0; b <= a; ++b, ++at) {
                double g = gram[at][j];
                for (std::size_t c = 0; c < b; ++c) g -= lower[a][c] * lower[b][c] * solution[c];
                if (b < a) {
                    lower[a][b] = g / solution[b];
                } else {
                    pivot = g;
                    least = std::min(least, g / gram[at][j]);
                }
            }
            solution[a] = pivot;  // the diagonal of L D L'
            for (std::size_t c = 0; c < a; ++c) value -= lower[a][c] * lower[c][c];
            lower[a][a] = value;
            left -= value * value / pivot;
            product *= pivot / (most[a][j] * most[a][j]);
        }
        const bool is_sound =
            least > dependent && has_right_signs(structure, lower, solution, left, evidence);
        rss[j] = is_sound ? std::max(left, 0.0) : infinity;
        determinant[j] = is_sound ? product : 1.0;
    }
    if (structure.has_free_exponents && inner != nullptr) {
        std::size_t kind = 0;
        for (std::size_t s = 0; s < inner_slot; ++s) {
            if ((structure.slots() >> s & 1U) == 0) continue;
            kind = kind * log_powers + log_powers_[s][candidate.choice[s]];
        }
        for (std::size_t j = first; j < width; ++j) {
            const std::size_t k = first_kind_ + kind * log_powers + log_powers_[inner_slot][j];
            if (!(rss[j] < rss_of_kind_[k])) continue;
            rss_of_kind_[k] = rss[j];
            best_of_kind_[k] = candidate;
            best_of_kind_[k].choice[inner_slot] = static_cast<std::uint8_t>(j);
            best_of_kind_[k].log_evidence = 0.0;
        }
    }
    for (std::size_t j = first; j < width; ++j) {
        if (!(rss[j] < infinity) || !(determinant[j] > 1e-300)) continue;
        candidate.log_evidence = evidence.rough_log_evidence(rss[j], determinant[j], columns) + log_prior;
        if (inner != nullptr) {
            candidate.log_evidence += inner->log_prior[j];
            candidate.choice[inner_slot] = static_cast<std::uint8_t>(j);
        }
        keep(candidate);
    }
}

}  // namespace plimsoll::model::detail
