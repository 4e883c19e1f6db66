#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "app/commands/inputs.hpp"
#include "plimsoll/core/options.hpp"

namespace plimsoll::app {

/// What `convert` writes.
enum class OutputFormat {
    by_name,  ///< by the ending of the file's name: .extra-p, else JSON lines; .csv and the like are refused
    json_lines,
    extra_p
};
[[nodiscard]] constexpr std::array<EnumName<OutputFormat>, 3> enum_names(OutputFormat) {
    return {{{OutputFormat::by_name, "by-name"},
             {OutputFormat::json_lines, "jsonl"},
             {OutputFormat::extra_p, "extra-p"}}};
}

struct ConvertRequest {
    Inputs inputs;
    std::string output = "-";
    OutputFormat to = OutputFormat::by_name;
};

/// A parameter, and which values of it there are.
struct ConvertedParameter {
    std::string name;
    std::size_t values = 0;  ///< different ones
    double smallest = 0.0;
    double largest = 0.0;
    std::string origin;  ///< where it was found; empty where the file itself lists its parameters
};

/// The document `plimsoll.convert/1`: what was understood and what was left out.
struct ConvertReport {
    std::map<std::string, std::size_t> inputs;  ///< files by their format
    std::vector<ConvertedParameter> parameters;
    std::string output;
    std::string format;
    std::size_t regions = 0;
    std::size_t metrics = 0;
    std::size_t points = 0;
    std::size_t measurements = 0;
    std::vector<std::string> notes;
};

/// Writes the measurements in another format; the file appears whole or not at all.
[[nodiscard]] ConvertReport convert(const ConvertRequest& request, Progress& progress);

}  // namespace plimsoll::app
