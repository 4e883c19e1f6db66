#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/model/noise.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model {

/// Where a value's standard deviation is known from.
enum class DeviationSource {
    none,         ///< it is not
    repetitions,  ///< they differ by so much
    residuals     ///< of all points together, where there are no repetitions
};
[[nodiscard]] constexpr std::array<EnumName<DeviationSource>, 3> enum_names(DeviationSource) {
    return {{{DeviationSource::none, "none"},
             {DeviationSource::repetitions, "repetitions"},
             {DeviationSource::residuals, "residuals"}}};
}

/// A measured point beside its model.
struct ExplainedPoint {
    std::vector<double> at;       ///< [parameters]
    std::size_t repetitions = 0;  ///< 0 where the input does not say
    double measured = 0.0;        ///< the value that was modelled
    Estimate modelled;
    double residual = 0.0;    ///< (measured - modelled) / |modelled|
    double deviations = 0.0;  ///< the residual over the standard deviation of a value of so many runs
    bool is_outside = false;  ///< by more deviations than `Explanation::limit`
};

/// A form and how probable it is, for a person.
struct ExplainedForm {
    double probability = 0.0;
    Range range{};
    Function function;
    bool is_named = false;  ///< it is the one that is printed as the model
};

/// Why a model is what it is: its forms, the noise, and how far each point is from it.
struct Explanation {
    std::vector<ExplainedForm> forms;  ///< the most probable first
    std::size_t other_forms = 0;
    double other_probability = 0.0;  ///< of these together, the average over the regimes
    Noise noise;
    double misfit = 0.0;  ///< relative deviation that neighbours have in common
    double coverage = 0.9;
    DeviationSource source = DeviationSource::none;
    /// Relative standard deviation of the value of a point with as many runs as the average one.
    double deviation = std::numeric_limits<double>::quiet_NaN();
    /// Deviations that a value exceeds with probability 1 - coverage if noise is all that moves it.
    double limit = std::numeric_limits<double>::quiet_NaN();
    std::vector<ExplainedPoint> points;  ///< by rising coordinates
};

/// Explains the model of a series by its posterior, which has forms. `statistic` and `coverage` are those
/// that the model was made with.
[[nodiscard]] Explanation explain(const experiment::Experiment& experiment, const experiment::Series& series,
                                  const Posterior& posterior, Statistic statistic, double coverage);

/// Writes it as one JSON value.
void write(JsonWriter& json, const Explanation& explanation, const std::vector<std::string>& parameters);

}  // namespace plimsoll::model
