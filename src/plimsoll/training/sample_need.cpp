#include "plimsoll/training/sample_need.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

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
    std::vector<const model::RegionModel*> sound;
    std::vector<std::string> names;
    for (const model::RegionModel& m : models.models) {
        if (m.status != model::Status::ok) continue;
        sound.push_back(&m);
        names.push_back(fmt::format("'{}' of '{}'", m.metric, m.region));
    }
    if (sound.empty()) throw Error(ErrorKind::input, "the samples that are needed have no model", hint);
    auto found = std::find_if(sound.begin(), sound.end(),
                              [](const model::RegionModel* m) { return m->metric == "samples"; });
    if (found == sound.end() && sound.size() > 1)
        throw Error(ErrorKind::input, "which of these are the samples is not clear: " + join(names, ", "),
                    "call the metric 'samples'");
    if (found == sound.end()) found = sound.begin();
    model_ = **found;
    if (!models.largest.empty()) largest_ = models.largest.front();
}

Estimate SampleNeed::at(double global_batch) const {
    return model::predicted(model_.posterior, model_.function, std::array{global_batch}, coverage_);
}

std::optional<double> SampleNeed::critical_batch() const {
    if (!(largest_ > 0.0)) return std::nullopt;
    constexpr double far = 1000.0;
    constexpr int halvings = 60;
    double low = 1.0;
    double high = far * largest_;
    const double twice = 2.0 * at(low).value;
    if (!(twice > 0.0) || !(at(high).value > twice)) return std::nullopt;
    for (int i = 0; i < halvings; ++i) {
        const double middle = std::sqrt(low * high);
        (at(middle).value > twice ? high : low) = middle;
    }
    return high;
}

}  // namespace plimsoll::training
