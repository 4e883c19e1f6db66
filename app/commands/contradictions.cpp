#include "app/commands/contradictions.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/experiment/experiment.hpp"

namespace plimsoll::app {

namespace {

using model::FitDocument;
using model::RegionModel;

constexpr double plainly = 1.1;  // times as long: what is below may be rounding, or noise of either model

/// A region with the nearest one that it lies in, both with a model of a time.
struct Nested {
    const RegionModel* inner = nullptr;
    const RegionModel* outer = nullptr;
};

std::vector<Nested> nested_regions(const FitDocument& document) {
    std::map<std::pair<std::string_view, std::string_view>, const RegionModel*> known;  // by metric, region
    for (const RegionModel& m : document.models) {
        if (m.status == model::Status::ok &&
            experiment::is_time({.name = m.metric, .unit = m.unit, .tags = {}}))
            known.emplace(std::pair(std::string_view(m.metric), std::string_view(m.region)), &m);
    }
    std::vector<Nested> nested;
    for (const auto& [name, inner] : known) {
        for (std::string_view above = experiment::path_above(name.second); !above.empty();
             above = experiment::path_above(above)) {
            const auto outer = known.find({name.first, above});
            if (outer == known.end()) continue;
            nested.push_back({.inner = inner, .outer = outer->second});
            break;
        }
    }
    return nested;
}

}  // namespace

std::vector<std::string> contradictions(const FitDocument& document) {
    std::vector<std::string> lines;
    if (!document.inclusive) return lines;
    const std::vector<Nested> nested = nested_regions(document);
    if (nested.empty()) return lines;
    for (std::size_t i = 0; i < nested.front().inner->predictions.size(); ++i) {
        std::size_t count = 0;
        double most = 0.0;
        Nested worst;
        for (const Nested& pair : nested) {
            const double inner = pair.inner->predictions[i].value;
            const double outer = pair.outer->predictions[i].value;
            if (!(outer > 0.0) || !(inner > plainly * outer)) continue;
            ++count;
            if (inner / outer <= most) continue;
            most = inner / outer;
            worst = pair;
        }
        if (count == 0) continue;
        const std::string others =
            count > 1 ? fmt::format(", and so with {}", counted(count - 1, "other region")) : "";
        lines.push_back(fmt::format(
            "at {} '{}' is predicted to take {:.2g} times as long as '{}', in which it lies{}: one of these "
            "models is wrong there; look at the intervals and measure nearer to this point",
            assignments(document.parameters, worst.inner->predictions[i].at), worst.inner->region, most,
            worst.outer->region, others));
    }
    return lines;
}

}  // namespace plimsoll::app
