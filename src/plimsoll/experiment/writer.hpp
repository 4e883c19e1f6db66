#pragma once

#include <string>

#include "plimsoll/core/file.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/experiment.hpp"

namespace plimsoll::experiment {

/// Writes an experiment in our own JSON lines: one header, one line per region, metric and point. All that
/// an Experiment holds is kept, but for its notes: they speak of the files that were read. The format is
/// described in docs/formats/experiment.md.
void write_json_lines(const Experiment& experiment, OutputFile& file, Progress& progress);

/// Writes Extra-P's experiment file (`.extra-p`), readable by Extra-P 4 and by us, with raw values.
void write_extrap4(const Experiment& experiment, const std::string& path, Progress& progress);

}  // namespace plimsoll::experiment
