#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plimsoll/model/detail/axis_plan.hpp"
#include "plimsoll/model/detail/basic_search.hpp"
#include "plimsoll/model/detail/combination_search.hpp"
#include "plimsoll/model/detail/refining_search.hpp"
#include "plimsoll/model/detail/segmented_search.hpp"
#include "plimsoll/model/fit.hpp"

namespace plimsoll::model::detail {

/// The search along one parameter by the chosen modeler, at fixed points.
class AxisSearch {
  public:
    AxisSearch(std::span<const double> x, std::size_t axis, const FitOptions& options,
               std::span<const Form> forms);

    struct Result {
        Function function;                   ///< in the parameter `axis`
        std::optional<Form> form;            ///< of its one term, where it has one and no segments
        const FormDesign* design = nullptr;  ///< of the form
        SearchScores scores;
        [[nodiscard]] bool is_constant() const { return function.terms.empty() && function.segments.empty(); }
    };

    [[nodiscard]] Result fit(std::span<const double> y);
    [[nodiscard]] bool dropped_logarithms() const;

  private:
    [[nodiscard]] Function function_of(const SingleModel& model) const;
    [[nodiscard]] Result result_of(const SingleModel& model) const;
    [[nodiscard]] Result result_of(const SegmentedModel& model, std::span<const double> y) const;

    std::size_t axis_;
    std::optional<BasicSearch> basic_;
    std::optional<RefiningSearch> refining_;
    std::optional<SegmentedSearch> segmented_;
};

/// Extra-P's search for all series that are measured at the same points in the same order. Everything that
/// does not depend on the values is prepared once. One object serves one thread.
class SeriesSearch {
  public:
    /// `points` is [values x parameters], row-major. The options and forms outlive the search.
    SeriesSearch(std::span<const double> points, std::size_t parameters, const FitOptions& options,
                 std::span<const Form> forms);

    /// A parameter some of whose values are too small for logarithms.
    struct DroppedLogarithms {
        std::size_t parameter;
        double smallest;
    };
    [[nodiscard]] std::span<const DroppedLogarithms> dropped_logarithms() const {
        return dropped_logarithms_;
    }

    /// Parameters with too few values for segments, where these are asked for, each with their number.
    struct TooFewForSegments {
        std::size_t parameter;
        std::size_t values;
    };
    [[nodiscard]] std::span<const TooFewForSegments> too_few_for_segments() const {
        return too_few_for_segments_;
    }

    /// Fills in function, scores, quality and what else follows from the values.
    void fit(std::span<const double> values, Fit& fit);

  private:
    struct AxisTerm;

    void add_search(std::span<const double> x, std::span<const Form> forms);
    void fit_one_parameter(std::span<const double> values, Fit& fit);
    void fit_several(std::span<const double> values, Fit& fit);
    void take_combination(std::span<const AxisTerm> terms, std::span<const double> values, Fit& fit);
    static void report_equals(const Combination& best, std::span<const AxisTerm> terms, Fit& fit);
    const ProductTable& table_of(std::span<const AxisTerm> terms);
    [[nodiscard]] std::vector<double> axis_values(const AxisTerm& term) const;

    std::vector<double> points_;
    std::size_t parameters_;
    const FitOptions* options_;
    std::vector<AxisPlan> plans_;
    std::vector<AxisSearch> searches_;
    std::vector<DroppedLogarithms> dropped_logarithms_;
    std::vector<TooFewForSegments> too_few_for_segments_;
    std::map<std::size_t, std::vector<CombinationForm>> forms_;  ///< by the number of axes with a term
    std::map<std::vector<std::int64_t>, ProductTable> tables_;   ///< by the axes' forms
    std::unique_ptr<ProductTable> uncached_;
    std::vector<double> scratch_;
};

}  // namespace plimsoll::model::detail
