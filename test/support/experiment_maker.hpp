#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::test {

/// Collects measurements by names, for tests that need no file.
class ExperimentMaker {
  public:
    explicit ExperimentMaker(const std::vector<std::string>& parameters) {
        builder_.set_parameters(parameters, {});
    }

    /// One repetition, with a value for each of its processes.
    ExperimentMaker& run(const std::string& region, const std::string& metric,
                         const std::vector<double>& point, const std::vector<double>& locations) {
        const auto series = builder_.series(builder_.region(region), builder_.metric(metric));
        builder_.add_repetition(series, builder_.point(point, {}), locations, {});
        return *this;
    }
    /// One repetition with one value, whatever number of processes it stands for.
    ExperimentMaker& run(const std::string& region, const std::string& metric,
                         const std::vector<double>& point, double value) {
        const auto series = builder_.series(builder_.region(region), builder_.metric(metric));
        builder_.add_repetitions(series, builder_.point(point, {}), {&value, 1}, {});
        return *this;
    }
    ExperimentMaker& summary(const std::string& region, const std::string& metric,
                             const std::vector<double>& point, const numeric::Summary& summary) {
        const auto series = builder_.series(builder_.region(region), builder_.metric(metric));
        builder_.add_summary(series, builder_.point(point, {}), summary, true, 3, {});
        return *this;
    }
    experiment::Experiment build() { return builder_.build(); }

  private:
    experiment::ExperimentBuilder builder_;
};

/// The measurement of a region where the first parameter has a value; null where there is none.
inline const experiment::Measurement* find_measurement(const experiment::Experiment& experiment,
                                                       std::string_view region, double p,
                                                       std::string_view metric = "time") {
    for (const experiment::Series& s : experiment.series) {
        if (experiment.region(s).path != region || experiment.metric(s).name != metric) continue;
        for (const experiment::Measurement& m : s.measurements) {
            if (experiment.point(m.point)[0] == p) return &m;
        }
    }
    return nullptr;
}

/// Its mean, NaN where there is none.
inline double mean_of(const experiment::Experiment& experiment, std::string_view region, double p,
                      std::string_view metric = "time") {
    const experiment::Measurement* const measurement = find_measurement(experiment, region, p, metric);
    return measurement == nullptr ? std::nan("") : measurement->summary.mean;
}

inline bool has_note(const experiment::Experiment& experiment, std::string_view part) {
    for (const experiment::Note& note : experiment.notes) {
        if (note.message.find(part) != std::string::npos) return true;
    }
    return false;
}

}  // namespace plimsoll::test
