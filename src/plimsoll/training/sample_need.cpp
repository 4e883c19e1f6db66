#include "plimsoll/training/sample_need.hpp"

#include <algorithm>
#include <cmath>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::training {

SampleNeed::SampleNeed(const model::FitDocument& models, double coverage)
    : model_(models), coverage_(coverage) {
    constexpr const char* hint = "measure the samples that trainings needed with five global batches or more";
    if (models.parameters.size() != 1) {
        throw Error(
            ErrorKind::input,
            "samples depend on one parameter, the global batch, here on " + join(models.parameters, ", "),
            hint);
    }
    std::erase_if(model_.models, [](const model::RegionModel& m) { return m.status != model::Status::ok; });
    if (model_.models.empty())
        throw Error(ErrorKind::input, "the samples that are needed have no model", hint);
    model_.models.erase(model_.models.begin() + 1, model_.models.end());
    model_.models.front().predictions.clear();
}

Estimate SampleNeed::at(double global_batch) const { return estimate_at(model_, {global_batch}, coverage_); }

std::optional<double> SampleNeed::critical_batch() const {
    if (model_.smallest.empty() || model_.largest.empty()) return std::nullopt;
    constexpr double far = 1000.0;
    constexpr int halvings = 60;
    double low = model_.smallest.front();
    double high = far * model_.largest.front();
    const double twice = 2.0 * at(low).value;
    if (!(at(high).value > twice)) return std::nullopt;
    for (int i = 0; i < halvings; ++i) {
        const double middle = std::sqrt(low * high);
        (at(middle).value > twice ? high : low) = middle;
    }
    return high;
}

}  // namespace plimsoll::training
