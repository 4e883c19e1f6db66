#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/model/document.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::training {

/// A value with the interval in which it lies; both ends are the value where there is none.
using model::Estimate;

/// Values of regions at points: by their models, or as they were measured where no model came out, as of a
/// training that was profiled in one configuration alone.
class RegionValues {
  public:
    /// `measurements`, where they are given, are those that the models were fitted to.
    RegionValues(const model::FitDocument& models, const experiment::Experiment* measurements,
                 double coverage);

    /// Nothing where the region has neither a model nor, at this point, a measurement.
    [[nodiscard]] std::optional<Estimate> at(std::string_view region, std::string_view metric,
                                             const std::vector<double>& point) const;
    /// Whether there is a value at some point.
    [[nodiscard]] bool has(std::string_view region, std::string_view metric) const;
    /// Null where there is none; lives as long as this.
    [[nodiscard]] const model::RegionModel* model(std::string_view region, std::string_view metric) const;
    [[nodiscard]] bool has_model(std::string_view region, std::string_view metric) const;
    /// Points where a region was measured, in their order; none where measurements were not given.
    [[nodiscard]] std::vector<std::vector<double>> measured_points(std::string_view region,
                                                                   std::string_view metric) const;

  private:
    using Key = std::pair<std::string, std::string>;  // region, metric

    std::map<Key, model::RegionModel> models_;
    std::map<Key, std::vector<std::pair<std::vector<double>, Estimate>>> measured_;
    double coverage_;
};

/// The mean of independent values with the interval of Student's distribution; of one value, that value.
[[nodiscard]] Estimate mean_of(const std::vector<double>& values, double coverage);

}  // namespace plimsoll::training
