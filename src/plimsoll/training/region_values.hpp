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
    /// `measurements`, where they are given, are those that the models were fitted to. Throws an input error
    /// where a time or a number of bytes is in a unit of something else.
    RegionValues(const model::FitDocument& models, const experiment::Experiment* measurements,
                 double coverage);

    /// In s, or bytes, whatever the unit of the metric. Nothing where the region has neither a model nor, at
    /// this point, a measurement.
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

    /// A model, and what a unit of its metric is in s or bytes.
    struct Scaled {
        model::RegionModel model;
        double unit = 1.0;
    };
    std::map<Key, Scaled> models_;
    std::map<Key, std::vector<std::pair<std::vector<double>, Estimate>>> measured_;
    double coverage_;
};

/// What a unit of a metric of trainings is in s, of `time`, or in bytes; 1 where none is stated, and of
/// counts. Throws an input error that names the region where it is a unit of something else.
[[nodiscard]] double factor_of_unit(std::string_view region, std::string_view metric, std::string_view unit);

/// The mean of independent values with the interval of Student's distribution; of one value, that value.
[[nodiscard]] Estimate mean_of(const std::vector<double>& values, double coverage);

}  // namespace plimsoll::training
