#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/experiment/detail/stored_values.hpp"
#include "plimsoll/experiment/detail/zip.hpp"

namespace plimsoll::experiment::detail {

/// One measurement of experiment.json.
struct StoredMeasurement {
    std::vector<double> coordinate;
    std::optional<double> mean;
    std::optional<double> median;
    std::optional<double> minimum;
    std::optional<double> maximum;
    std::optional<double> deviation;
    std::uint32_t repetitions = 0;
    std::optional<ValuePosition> values;
};

/// What reading experiment.json tells, as it goes through the text.
class Extrap4Listener {
  public:
    Extrap4Listener() = default;
    Extrap4Listener(const Extrap4Listener&) = delete;
    Extrap4Listener& operator=(const Extrap4Listener&) = delete;
    virtual ~Extrap4Listener() = default;

    /// A part that is small or passed on as it is, by its keys: parameters; callpaths, main, tags; modelers
    /// ...
    virtual void part(const std::vector<std::string>& keys, std::string json) = 0;
    virtual void measurement(const std::string& region, const std::string& metric,
                             const StoredMeasurement& stored) = 0;
};

/// Reads experiment.json in one pass, without holding it. Throws an input error with the byte at which the
/// text is not JSON or has another structure.
void read_extrap4_json(ZipMember& member, const Place& place, Extrap4Listener& listener);

}  // namespace plimsoll::experiment::detail
