#include "plimsoll/training/sample_need.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/model/predictive.hpp"

namespace plimsoll::training {

SampleNeed::SampleNeed(const model::FitDocument& models, double coverage) : coverage_(coverage) {
    constexpr const char* hint = "measure the samples that trainings needed with five global batches or more";
    if (models.parameters.size() != 1) {
        throw Error(
            ErrorKind::input,
            "samples depend on one parameter, the global batch, here on " + join(models.parameters, ", "),
            hint);
    }
    const auto found =
        std::find_if(models.models.begin(), models.models.end(),
                     [](const model::RegionModel& m) { return m.status == model::Status::ok; });
    if (found == models.models.end())
        throw Error(ErrorKind::input, "the samples that are needed have no model", hint);
    model_ = *found;
    if (!models.smallest.empty()) smallest_ = models.smallest.front();
    if (!models.largest.empty()) largest_ = models.largest.front();
}

Estimate SampleNeed::at(double global_batch) const {
    return model::predicted(model_.posterior, model_.function, std::array{global_batch}, coverage_);
}

std::optional<double> SampleNeed::critical_batch() const {
    if (!(smallest_ > 0.0) || !(largest_ > 0.0)) return std::nullopt;
    constexpr double far = 1000.0;
    constexpr int halvings = 60;
    double low = smallest_;
    double high = far * largest_;
    const double twice = 2.0 * at(low).value;
    if (!(at(high).value > twice)) return std::nullopt;
    for (int i = 0; i < halvings; ++i) {
        const double middle = std::sqrt(low * high);
        (at(middle).value > twice ? high : low) = middle;
    }
    return high;
}

}  // namespace plimsoll::training
