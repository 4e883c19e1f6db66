#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plimsoll/model/detail/combinations.hpp"
#include "plimsoll/model/fit.hpp"
#include "plimsoll/model/options.hpp"

namespace plimsoll::model::detail {

/// The chosen combination: constant and one coefficient for each product of the form.
struct Combination {
    const CombinationForm* form = nullptr;
    std::vector<double> coefficients;  ///< [constant, products]; empty where a product overflows
    /// Forms that fit as well, to rounding: on a cross of lines, x + y and x + x y span the same functions.
    std::vector<const CombinationForm*> equals;
};

/// Values of every product of axis terms at all points, and their inner products, for one set of axis terms.
///
/// All forms are subsets of the same few products, so one matrix of inner products serves all of them: a form
/// costs a solve with as many unknowns as it has products. Where products are dependent to rounding, the form
/// is solved by singular values with Extra-P's cut-offs.
class ProductTable {
  public:
    /// `axis_values` holds, for each axis with a term, the values of that term at all points.
    ProductTable(std::span<const std::vector<double>> axis_values, std::span<const CombinationForm> forms);

    /// The form that Extra-P's multi-parameter modeler chooses; `y` is [points].
    ///
    /// Where forms fit equally well, rounding decides in Extra-P. Here these forms are solved once more by
    /// the reference LAPACK, which decides as Extra-P does with it and alike on every machine; the others are
    /// reported.
    [[nodiscard]] Combination choose(std::span<const double> y, Ranking ranking) const;

    /// Values of a product of some form at all points; not centered.
    [[nodiscard]] std::span<const double> column(std::uint32_t product) const {
        return columns_[place_of(product)];
    }

  private:
    enum class Refinement { none, once };

    /// A form with the places of its products in the lists below.
    struct PlacedForm {
        const CombinationForm* form;
        std::vector<std::size_t> places;
    };

    /// Room for the solution of any form, so that a form allocates nothing.
    struct Workspace {
        std::vector<double> coefficients;
        std::vector<double> part;   ///< of the Gram matrix
        std::vector<double> lower;  ///< its Cholesky factor
    };

    [[nodiscard]] Workspace make_workspace() const;
    [[nodiscard]] std::size_t place_of(std::uint32_t product) const;
    void add_column(std::uint32_t product, std::span<const std::vector<double>> axis_values);
    [[nodiscard]] std::span<const double> solve(const PlacedForm& form, std::span<const double> y,
                                                std::span<const double> projections, double mean,
                                                Refinement refinement, Workspace& space) const;
    [[nodiscard]] std::vector<double> solve_by_lapack(const PlacedForm& form,
                                                      std::span<const double> y) const;
    [[nodiscard]] double length_ratio(const PlacedForm& form) const;
    [[nodiscard]] bool needs_lapack(const PlacedForm& form) const;
    [[nodiscard]] bool predict(const PlacedForm& form, std::span<const double> coefficients,
                               std::span<const double> y, std::span<double> predictions) const;
    [[nodiscard]] bool factor(const PlacedForm& form, Workspace& space) const;

    std::size_t points_;
    std::vector<PlacedForm> forms_;
    std::vector<std::uint32_t> products_;  ///< those that occur in some form; the lists below are by product
    std::vector<std::vector<double>> columns_;
    std::vector<std::vector<double>> centered_;  ///< divided by its norm
    std::vector<double> means_;
    std::vector<double> norms_;    ///< of the centered column
    std::vector<double> lengths_;  ///< of the column itself
    std::vector<double> gram_;     ///< inner products of centered columns, [products x products]
    bool finite_ = true;
};

/// Scores of predictions, in-sample, as Extra-P reports them for several parameters.
[[nodiscard]] SearchScores score_predictions(std::span<const double> predictions, std::span<const double> y,
                                             std::size_t factor_count);

}  // namespace plimsoll::model::detail
