#pragma once

#include <optional>

#include "plimsoll/model/document.hpp"
#include "plimsoll/training/region_values.hpp"

namespace plimsoll::training {

/// Samples that a training needs until it is as accurate as wanted, by its global batch.
///
/// Larger batches waste samples: beyond the critical batch size, more of them are needed than time is gained.
/// Source: McCandlish, Kaplan, Amodei, "An empirical model of large-batch training", arXiv 1812.06162, 2018.
class SampleNeed {
  public:
    /// Of models of one parameter, the global batch: that of the metric `samples`, else the only one. Throws
    /// an input error where there are several parameters, or models of other metrics alone, or none.
    SampleNeed(const model::FitDocument& models, double coverage);

    /// Not a number, or not above zero, where the model says nothing sound.
    [[nodiscard]] Estimate at(double global_batch) const;

    /// The batch at which twice as many samples are needed as the fewest, those of steps with one sample:
    /// B_crit of S = S_min (1 + B / B_crit). Nothing where a thousand times the largest measured batch does
    /// not need as many.
    [[nodiscard]] std::optional<double> critical_batch() const;

  private:
    model::RegionModel model_;
    double largest_ = 0.0;  ///< batch measured; 0 where it is not known
    double coverage_;
};

}  // namespace plimsoll::training
