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
    /// Of models of one parameter, the global batch; the first that came out counts. Throws an input error
    /// where there are several parameters or no model.
    SampleNeed(const model::FitDocument& models, double coverage);

    [[nodiscard]] Estimate at(double global_batch) const;

    /// The batch at which twice as many samples are needed as at the smallest measured one; nothing where a
    /// thousand times the largest measured one does not need as many.
    [[nodiscard]] std::optional<double> critical_batch() const;

  private:
    model::RegionModel model_;
    double smallest_ = 0.0;  ///< batch measured; 0 where it is not known
    double largest_ = 0.0;   ///< likewise
    double coverage_;
};

}  // namespace plimsoll::training
