#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/model/function.hpp"
#include "plimsoll/model/options.hpp"
#include "plimsoll/model/posterior.hpp"
#include "plimsoll/model/quality.hpp"

namespace plimsoll::model {

/// Whether a series could be modelled.
enum class Status {
    ok,
    too_few_points,  ///< measured at fewer points than a model needs, while the experiment has more
    failed           ///< the values cannot be modelled; the reason says why
};
[[nodiscard]] constexpr std::array<EnumName<Status>, 3> enum_names(Status) {
    return {{{Status::ok, "ok"}, {Status::too_few_points, "too-few-points"}, {Status::failed, "failed"}}};
}

/// The scores by which the search chose, defined as the search defines them; for comparison with Extra-P's
/// reports. Quality is what models are to be compared by.
struct SearchScores {
    double rss = 0.0;
    double relative_rss = 0.0;
    double normalized_rss = 0.0;
    double smape = 0.0;  ///< per cent
    double adjusted_r2 = 0.0;
    double relative_error = 0.0;
};

/// The model of one region and metric, or the reason why there is none.
struct Fit {
    std::size_t series = 0;  ///< position in the experiment's list
    Status status = Status::ok;
    std::string reason;  ///< for the user, where the status is not ok
    std::size_t points = 0;
    std::size_t repetitions = 0;  ///< most at one point
    Function function;
    Quality quality;
    Posterior posterior;  ///< without forms where the search yields one form only
    SearchScores scores;
    std::vector<std::string> warnings;
    /// Forms that fit the points as well as the function does, each as a sum of terms with coefficient 1.
    std::vector<Function> equals;
};

/// The value of a measurement that is modelled.
[[nodiscard]] double value_of(const experiment::Measurement& measurement, Statistic statistic);

/// Models every series of an experiment; the fits are in the order of the series.
///
/// A series is modelled from 5 points on, or from all points of a smaller experiment (with a warning), where
/// the search over all forms wants three. The result does not depend on the number of threads (0: one per
/// core). Throws a usage error for exponents that cannot be read and for more than six parameters in the
/// search over all forms, an input error for a negative value where none is allowed, Cancelled when stopped.
[[nodiscard]] std::vector<Fit> fit_all(const experiment::Experiment& experiment, const FitOptions& options,
                                       int threads, Progress& progress);

}  // namespace plimsoll::model
