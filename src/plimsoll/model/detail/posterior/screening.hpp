#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plimsoll/model/detail/posterior/form_evidence.hpp"
#include "plimsoll/model/detail/posterior/form_family.hpp"
#include "plimsoll/model/detail/posterior/pair_moments.hpp"

namespace plimsoll::model::detail {

/// One form: a structure of a family with a function in each of its slots.
struct Candidate {
    double log_evidence = 0.0;  ///< with the prior
    double log_prior = 0.0;
    std::uint16_t family = 0;
    std::uint16_t structure = 0;
    std::array<std::uint8_t, most_slots> choice{};  ///< position among the slot's functions
};

/// Relative variance below which sums of products cannot tell forms apart.
inline constexpr double screening_floor = 2e-6;

/// Where in a table of moments the products of a column, or of two, stand: the first one, and from one choice
/// of each slot to the next.
struct Entries {
    const double* first = nullptr;
    std::array<std::size_t, most_slots> strides{};
};

/// Rates all forms of a family by residuals and determinants from tables of moments, in a few operations
/// each.
class Screening {
  public:
    /// Forms that are this far below the best one in log evidence do not matter.
    static constexpr double margin = 13.0;

    /// Begins a series: nothing rated.
    void clear();
    /// Rates all forms of a family by the sums of `tree`. `evidence` has the values' weights and
    /// priors; `weights` are the same weights, `sizes` what the values are compared with.
    void rate(std::size_t number, const FormFamily& family, MomentTree& tree, const FormEvidence& evidence,
              std::span<const double> values, std::span<const double> weights, std::span<const double> sizes);
    /// Rates forms anew by other weights, best first: all that `rate` left. The families are those that the
    /// forms are of, `tree_of` has the tree of each.
    void rate_again(std::vector<Candidate>& candidates, std::span<const FormFamily> families,
                    const std::function<MomentTree&(const FormFamily&)>& tree_of,
                    const FormEvidence& evidence, std::span<const double> values,
                    std::span<const double> weights, std::span<const double> sizes);
    /// The best forms, best first, at most `count`.
    [[nodiscard]] const std::vector<Candidate>& best(std::size_t count);
    /// The form with the smallest residuals of each kind that may have free exponents: a structure with
    /// certain powers of logarithms. Forms next to the right exponents need not be among the best on the
    /// list.
    [[nodiscard]] const std::vector<Candidate>& best_of_each_kind() const { return best_of_kind_; }

  private:
    [[nodiscard]] Entries entries_of_pair(unsigned a, unsigned b) const;
    [[nodiscard]] Entries entries_of_functions(unsigned a, unsigned b) const;
    [[nodiscard]] Entries entries_of_column(const std::vector<double>& table, unsigned a) const;
    void fill_tables(const FormFamily& family, MomentTree& tree, std::span<const double> values,
                     std::span<const double> weights, std::span<const double> sizes);
    void rate_structure(const Candidate& candidate, const FormFamily& family, const Structure& structure,
                        const FormEvidence& evidence);
    void start_kinds(const FormFamily& family, std::span<const std::size_t> used,
                     std::span<Candidate> kinds) const;
    template <std::size_t columns>
    void rate_forms(Candidate candidate, const FormFamily& family, const Structure& structure,
                    const FormEvidence& evidence);
    template <std::size_t columns>
    [[nodiscard]] std::array<Entries, columns*(columns + 1) / 2 + 2 * columns> entries_of(
        const Structure& structure) const;
    template <std::size_t columns>
    void rate_forms_again(std::span<Candidate> candidates, const Structure& structure,
                          const FormEvidence& evidence);
    void keep(const Candidate& candidate);
    void drop_the_rest(std::size_t count);

    bool is_of_pairs_ = false;  ///< whether the tables are those of `pairs_`, not of a tree
    PairMoments pairs_;
    std::vector<double> moments_;
    std::vector<double> sums_;
    std::vector<double> inverse_maxima_;  ///< squared
    std::array<std::size_t, most_slots> moment_strides_{};
    std::array<std::size_t, most_slots> sum_strides_{};
    std::array<std::size_t, most_slots> functions_{};
    std::size_t slots_ = 0;
    double total_ = 0.0;  ///< weighted sum of squares of the values
    std::vector<Candidate> kept_;
    double best_ = 0.0;
    std::vector<Candidate> best_of_kind_;
    std::vector<double> rss_of_kind_;
    std::vector<std::vector<std::uint8_t>> log_powers_;  ///< of each slot's functions
    std::vector<double> scratch_;
};

}  // namespace plimsoll::model::detail
