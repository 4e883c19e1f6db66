#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/launch/template.hpp"
#include "plimsoll/measure/design.hpp"
#include "plimsoll/measure/metric.hpp"
#include "plimsoll/measure/options.hpp"
#include "plimsoll/measure/run_file.hpp"
#include "plimsoll/measure/runner.hpp"

namespace plimsoll::measure {

/// A program, and what of it is measured where.
struct Subject {
    std::vector<std::string> command;  ///< templates, as all that follow
    std::vector<std::pair<std::string, std::string>> environment;
    std::string input;   ///< file that standard input comes from; empty: none
    std::string folder;  ///< that runs work in; empty: ours
    Points points;
    std::vector<MetricChoice> metrics;
};

/// The values of one point.
struct PointResult {
    std::size_t runs = 0;                     ///< that succeeded
    std::size_t failures = 0;                 ///< of this session; those before are tried again
    std::vector<std::vector<double>> values;  ///< [metrics][runs]; empty for a file
};

/// What a session of measuring came to.
struct Result {
    std::vector<PointResult> points;  ///< [points]
    std::vector<RunRecord> failures;  ///< of this session
    std::size_t runs = 0;             ///< of this session, warm-ups left aside
    std::size_t continued_from = 0;   ///< runs that were in the file
    bool interrupted = false;         ///< the user asked to stop: the same command goes on from here
    std::vector<std::string> notes;
};

/// One run that is still to be made.
struct PlannedRun {
    std::size_t point = 0;
    std::size_t repetition = 0;  ///< from 1; 0 for a warm-up
    launch::Command command;
};

/// Where the measurements go, and facts for the header of the file.
struct Destination {
    std::string path;
    Existing existing = Existing::continued;
    std::map<std::string, std::string> metadata;
    std::string
        scratch;  ///< folder below which runs leave what is read of them; empty: that of temporary files
};

/// Runs the program at every point, block by block, and appends each run to a file as it ends; continues
/// where a former session stopped.
///
/// Throws a usage error for templates and options that are wrong, and what RunFile and the runner throw.
[[nodiscard]] Result measure(const Subject& subject, const MeasureOptions& options,
                             const Destination& destination, const Runner& runner, Progress& progress);

/// The runs that `measure` would make of an empty file, without the further ones of --until-interval.
[[nodiscard]] std::vector<PlannedRun> plan_runs(const Subject& subject, const MeasureOptions& options);

}  // namespace plimsoll::measure
