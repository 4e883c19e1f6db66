#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/plan_workload.hpp"
#include "app/report/documents.hpp"
#include "app/report/model_values.hpp"
#include "app/report/scale_line.hpp"
#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/report/page.hpp"

namespace plimsoll::app {

/// All that a report shows of one experiment.
struct ReportData {
    std::string name;
    const model::FitDocument* document = nullptr;
    const experiment::Experiment* experiment = nullptr;  ///< none where models came from a file alone
    model::Statistic statistic = model::Statistic::mean;
    double coverage = 0.9;
    std::vector<double> target;  ///< [parameters]
    ModelValues values;
    std::optional<ScaleLine> line;
    std::string why_no_line;
    const PlannedWork* work = nullptr;  ///< where there is a line
    std::vector<std::string> notes_of_line;
    std::string comparison;  ///< plimsoll.compare/1, where there is an earlier version
    std::vector<std::string> notes;
};

/// Models in one block of details.
constexpr std::size_t details_of_a_block = 64;

/// Writes the blocks of data of a page: `report`, `document-N` for each document, and where there is an
/// experiment `details-N` for each 64 models, and for each point of the grid `value-N`, `low-N` and `high-N`.
/// Their content is docs/formats/report.md.
void write_data(report::Page& page, const ReportData* experiment,
                const std::vector<ShownDocument>& documents);

}  // namespace plimsoll::app
