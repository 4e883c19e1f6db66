#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plimsoll/model/detail/grid_misfit.hpp"
#include "plimsoll/model/detail/mixture_batch.hpp"
#include "plimsoll/model/grid.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model {

/// The forms of a posterior without laws, made ready for a grid: powers and logarithms are taken once for
/// each value of a parameter. Points are taken along one axis of the grid, the one with most values.
class GridForms {
  public:
    /// `coverage` is that of the intervals, which decides how wide a normal distribution stands for
    /// Student's.
    GridForms(const Posterior& posterior, const Grid& grid, double coverage);

    [[nodiscard]] std::size_t axis() const { return axis_; }

    /// What a thread works with.
    struct Workspace {
        MixtureBatch batch;
        std::vector<std::size_t> places;  ///< of each parameter, the one along the axis does not count
        std::vector<double> products;     ///< [unknowns of a form x points]
        std::vector<double> further;      ///< relative deviation beyond that of the forms, [points]
        std::vector<double> factor;       ///< of the means, [points]
        std::vector<double> across;       ///< of the misfit
    };

    /// The mixtures at points `first`, `first + 1` ... along the axis, with the other places in
    /// `workspace.places`.
    void fill(std::size_t first, std::size_t points, Workspace& workspace) const;

  private:
    /// Values of x^exponent log2(x)^log_exponent, one for each value of a parameter.
    struct Table {
        std::size_t parameter = 0;
        Rational exponent;
        Rational log_exponent;
        std::vector<double> values;
    };
    struct Product {
        double coefficient = 0.0;
        std::vector<std::size_t> tables;
    };
    struct Form {
        double probability = 0.0;
        Range range;
        bool has_constant = false;
        double constant = 0.0;
        double student = 1.0;  ///< what the deviation is multiplied by
        std::vector<Product> terms;
        /// Of each free parameter: its position, and the terms in which it stands.
        std::vector<std::pair<std::size_t, std::vector<std::size_t>>> free;
        std::vector<double> covariance;  ///< lower triangle by rows, entries off the diagonal doubled
    };

    std::size_t table_of(const Factor& factor);
    void fill_form(const Form& form, std::size_t first, std::size_t row, Workspace& workspace) const;
    void find_further(std::size_t first, std::size_t points, Workspace& workspace) const;

    const Posterior* posterior_;
    const Grid* grid_;
    std::size_t axis_ = 0;
    std::vector<Table> tables_;
    std::vector<Form> forms_;
    std::optional<GridMisfit> misfit_;
    std::vector<std::vector<double>> log_of_middle_;  ///< ln(x / middle) of each parameter's values
    std::vector<std::vector<double>> steps_beyond_;   ///< of each parameter's values
};

}  // namespace plimsoll::model
