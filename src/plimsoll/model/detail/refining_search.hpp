#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "plimsoll/model/detail/basic_search.hpp"

namespace plimsoll::model::detail {

/// Extra-P's refining modeler: starts from whole exponents and narrows them by mediants while that pays.
class RefiningSearch {
  public:
    RefiningSearch(std::span<const double> x, const FitOptions& options);

    /// Prepares forms on demand: one search object serves one thread.
    [[nodiscard]] SingleModel fit(const Values& values);

    /// Whether logarithms are wanted, but left out since x reaches below 1.
    [[nodiscard]] bool dropped_logarithms() const { return options_->logarithms && !logarithms_; }

  private:
    struct Slice;
    struct Best;

    const FormDesign* design(const Form& form);
    Best best_of(std::span<const Form> forms, const Values& values);
    std::vector<Slice> coarse_slices() const;
    Best refine(Slice& slice, const Values& values);

    std::vector<double> x_;
    const FitOptions* options_;
    bool logarithms_;
    std::map<Form, std::unique_ptr<FormDesign>> designs_;
};

}  // namespace plimsoll::model::detail
