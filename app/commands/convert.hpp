#pragma once

#include <array>
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

/// The document `plimsoll.convert/1`: what was understood and what was left out.
struct ConvertReport {
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
