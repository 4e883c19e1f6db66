#pragma once

#include <string>
#include <vector>

#include "plimsoll/measure/design.hpp"

namespace plimsoll::measure {

/// What a program wrote of its regions in one run.
struct RegionLines {
    std::vector<std::string> lines;  ///< of our JSON lines, without newlines, with the run's parameters
    std::vector<std::string> notes;
};

/// What several values of one region and metric are.
enum class SeveralValues {
    as_written,       ///< as the format of the file has it
    of_one_execution  ///< of the processes and threads of one run, whatever wrote them: a line each, or lists
};

/// Reads a file of any format that experiments have, and gives its measurements the parameters of the run,
/// whatever the file says they are. Throws an input error where it cannot be read, or holds several points.
[[nodiscard]] RegionLines read_regions(const std::string& path, const std::vector<std::string>& names,
                                       const Point& point, SeveralValues several = SeveralValues::as_written);

/// {"n":1000,"threads":2}
[[nodiscard]] std::string parameters_json(const std::vector<std::string>& names, const Point& point);

}  // namespace plimsoll::measure
