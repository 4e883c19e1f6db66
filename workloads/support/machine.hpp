#pragma once

#include <string>

namespace plimsoll::workloads {

/// Where and when a measurement was made, and by what.
struct Machine {
    std::string host;
    std::string cpu;
    std::string date;  ///< ISO 8601, UTC
    std::string compiler;
};

/// This one, now.
[[nodiscard]] Machine this_machine();

/// Members of a JSON object, without its braces: `"host":"node1","cpu":...`.
[[nodiscard]] std::string json_members(const Machine& machine);

}  // namespace plimsoll::workloads
