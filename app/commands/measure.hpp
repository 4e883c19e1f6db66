#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/measure/measure.hpp"

namespace plimsoll::app {

struct MeasureRequest {
    std::string file;                  ///< of options, TOML; empty: none
    std::vector<std::string> command;  ///< templates
    std::vector<std::string> parameters;
    std::string points;  ///< file of configurations, instead of `parameters`
    std::vector<std::string> metrics;
    std::vector<std::string> environment;  ///< NAME=VALUE
    std::string input;
    std::string folder;
    std::string output = "runs.jsonl";
    std::string campaign;  ///< folder of the campaign whose workers run it; empty: it runs here
    bool fresh = false;
    bool dry_run = false;
    measure::MeasureOptions options;
};

/// What was measured of one metric at one point.
struct MeasuredMetric {
    std::string metric;
    std::string unit;
    std::size_t runs = 0;
    double median = 0.0;
    double spread = 0.0;  ///< robust deviation / |median|; not a number for one run
    double minimum = 0.0;
    double maximum = 0.0;
};

struct MeasuredPoint {
    measure::Point at;
    std::size_t runs = 0;
    std::size_t failures = 0;
    std::vector<MeasuredMetric> metrics;
};

/// A run that failed, or that is planned.
struct MeasuredRun {
    std::size_t number = 0;
    measure::Point at;
    std::size_t repetition = 0;  ///< 0 for a warm-up
    std::string reason;
    std::vector<std::string> error_lines;
    std::vector<std::string> command;
};

/// The document `plimsoll.measure/1`.
struct MeasureReport {
    std::string output;
    std::vector<std::string> parameters;
    std::vector<MeasuredPoint> points;
    std::vector<MeasuredRun> failures;
    std::vector<MeasuredRun> planned;  ///< with --dry-run
    bool dry_run = false;
    std::size_t runs = 0;  ///< of this call
    std::size_t continued_from = 0;
    bool interrupted = false;
    std::vector<std::string> notes;
};

/// Runs a program at all points of a design and keeps what was measured in a file; with `dry_run` only says
/// which runs that would be.
[[nodiscard]] MeasureReport measure_program(const MeasureRequest& request, Progress& progress);

}  // namespace plimsoll::app
