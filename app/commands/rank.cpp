#include "app/commands/rank.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/error.hpp"

namespace plimsoll::app {

RankReport rank(RankRequest request, Progress& progress) {
    const model::FitDocument document = models_of(request.models, progress);
    if (document.largest.empty()) {
        throw Error(ErrorKind::input, Place{.file = request.models.fit.inputs.paths.front()},
                    "does not say where its measurements end",
                    "write the models again with 'plimsoll fit ... -o models.json'");
    }
    std::vector<std::vector<double>> points;
    for (const std::string& at : request.models.fit.at)
        points.push_back(parse_point(at, document.parameters, document.smallest, document.largest));
    constexpr double usual_step = 4.0;
    if (points.empty()) {
        points.push_back(document.largest);
        for (double& value : points.back()) value *= usual_step;
    }
    RankReport report{.parameters = document.parameters,
                      .by = request.rank.by,
                      .coverage = request.models.fit.fit.coverage,
                      .rankings = {},
                      .notes = notes_of(document)};
    for (const std::vector<double>& point : points)
        report.rankings.push_back(model::rank(document, point, request.rank, report.coverage,
                                              request.models.fit.threads, progress));
    for (std::string& remark : remarks_on_points(document, points)) report.notes.push_back(std::move(remark));
    for (std::string& line : without_model(document)) report.notes.push_back(std::move(line));
    return report;
}

}  // namespace plimsoll::app
