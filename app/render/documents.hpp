#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/checkpoint.hpp"
#include "app/commands/compare.hpp"
#include "app/commands/convert.hpp"
#include "app/commands/expect.hpp"
#include "app/commands/fit.hpp"
#include "app/commands/formats.hpp"
#include "app/commands/measure.hpp"
#include "app/commands/plan_config.hpp"
#include "app/commands/plot.hpp"
#include "app/commands/predict.hpp"
#include "app/commands/rank.hpp"
#include "app/commands/show.hpp"
#include "app/commands/training.hpp"
#include "app/report/build.hpp"
#include "app/report/serve.hpp"
#include "app/terminal.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/model/formula.hpp"

namespace plimsoll::app {

// What commands return, as text for a person and as JSON for a script. The JSON of models is model::to_json.

/// A table for each metric, ranked by the predicted share at the last point; with a style of formulas, these
/// alone.
[[nodiscard]] std::string to_text(const model::FitDocument& document,
                                  std::optional<model::FormulaStyle> formulas, const Style& style);

/// For each region that fits a pattern why its model is what it is, or why it has none.
[[nodiscard]] std::string explanations_text(const model::FitDocument& document,
                                            const std::vector<std::string>& patterns, const Style& style);

/// That models are in a file now, and how to predict by them.
[[nodiscard]] std::string next_step(const model::FitDocument& document, const std::string& file);

[[nodiscard]] std::string to_text(const PredictReport& report, const Style& style);
/// Region, metric, point and value, separated by tabs.
[[nodiscard]] std::string to_lines(const PredictReport& report);
[[nodiscard]] std::string to_json(const PredictReport& report);

[[nodiscard]] std::string to_text(const RankReport& report, const Style& style);
/// Region, metric, point and rank, separated by tabs, in order.
[[nodiscard]] std::string to_lines(const RankReport& report);
[[nodiscard]] std::string to_json(const RankReport& report);

[[nodiscard]] std::string to_text(const CompareReport& report, const Style& style);
/// Verdict, region, metric, ratio and, of models, the point of what changed, separated by tabs.
[[nodiscard]] std::string to_lines(const CompareReport& report);
[[nodiscard]] std::string to_json(const CompareReport& report);

[[nodiscard]] std::string to_text(const ExpectReport& report, const Style& style);
/// Verdict, line, region and metric of what fails, separated by tabs.
[[nodiscard]] std::string to_lines(const ExpectReport& report);
[[nodiscard]] std::string to_json(const ExpectReport& report);

[[nodiscard]] std::string to_text(const ShowReport& report, const Style& style);
/// The paths of the regions.
[[nodiscard]] std::string to_lines(const ShowReport& report);
[[nodiscard]] std::string to_json(const ShowReport& report);

/// Charts for a terminal.
[[nodiscard]] std::string to_text(const PlotReport& report, const Style& style, bool colored);
/// Region, metric, curve, parameter, value and both ends of the interval, separated by tabs; where a picture
/// was written, its file.
[[nodiscard]] std::string to_lines(const PlotReport& report);
[[nodiscard]] std::string to_json(const PlotReport& report);
/// Which picture was written.
[[nodiscard]] std::string next_step(const PlotReport& report);

[[nodiscard]] std::string to_text(const MeasureReport& report, const Style& style);
/// What the file holds now, and the likely next command.
[[nodiscard]] std::string next_step(const MeasureReport& report);
[[nodiscard]] std::string to_json(const MeasureReport& report);

/// What was read: files by format, and each parameter.
[[nodiscard]] std::string understood_text(const ConvertReport& report);
[[nodiscard]] std::string to_text(const ConvertReport& report);
[[nodiscard]] std::string to_json(const ConvertReport& report);

[[nodiscard]] std::string to_text(const TrainingReport& report, const Style& style);
/// Point and time of the training, or of a step where the data set is not known, separated by a tab.
[[nodiscard]] std::string to_lines(const TrainingReport& report);
[[nodiscard]] std::string to_json(const TrainingReport& report);

[[nodiscard]] std::string to_text(const PlanConfigReport& report, const Style& style);
/// Answer, machine, point and nodes, separated by tabs.
[[nodiscard]] std::string to_lines(const PlanConfigReport& report);
[[nodiscard]] std::string to_json(const PlanConfigReport& report);

/// What was written, and how to look at it.
[[nodiscard]] std::string to_text(const ReportReport& report);
[[nodiscard]] std::string to_json(const ReportReport& report);
[[nodiscard]] std::string to_json(const ServedReport& served);

[[nodiscard]] std::string to_text(const FormatsReport& report, const Style& style);
/// The names of the formats.
[[nodiscard]] std::string to_lines(const FormatsReport& report);
[[nodiscard]] std::string to_json(const FormatsReport& report);

[[nodiscard]] std::string to_text(const CheckpointList& list, const Style& style);
/// The names of the saves.
[[nodiscard]] std::string to_lines(const CheckpointList& list);
[[nodiscard]] std::string to_json(const CheckpointList& list);

[[nodiscard]] std::string to_text(const CheckpointContent& content, const Style& style);
/// The names of the arrays.
[[nodiscard]] std::string to_lines(const CheckpointContent& content);
[[nodiscard]] std::string to_json(const CheckpointContent& content);

[[nodiscard]] std::string to_text(const CheckpointHealth& health, const Style& style);
/// The verdict.
[[nodiscard]] std::string to_lines(const CheckpointHealth& health);
[[nodiscard]] std::string to_json(const CheckpointHealth& health);

[[nodiscard]] std::string to_text(const CheckpointPruning& pruning);
/// The names of what was removed.
[[nodiscard]] std::string to_lines(const CheckpointPruning& pruning);
[[nodiscard]] std::string to_json(const CheckpointPruning& pruning);

[[nodiscard]] std::string to_text(const CheckpointPin& pin);
/// The name of the save.
[[nodiscard]] std::string to_lines(const CheckpointPin& pin);
[[nodiscard]] std::string to_json(const CheckpointPin& pin);

[[nodiscard]] std::string to_text(const CheckpointExport& written);
/// The names of the arrays.
[[nodiscard]] std::string to_lines(const CheckpointExport& written);
[[nodiscard]] std::string to_json(const CheckpointExport& written);

[[nodiscard]] std::string to_text(const CheckpointDiff& diff, const Style& style);
/// Verdict and name of what is not the same, separated by a tab.
[[nodiscard]] std::string to_lines(const CheckpointDiff& diff);
[[nodiscard]] std::string to_json(const CheckpointDiff& diff);

/// The document `plimsoll.error/1`.
[[nodiscard]] std::string to_json(const Error& error);

}  // namespace plimsoll::app
