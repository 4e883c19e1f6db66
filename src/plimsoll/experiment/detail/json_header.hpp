#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/experiment/detail/ignored_names.hpp"

namespace plimsoll::experiment::detail {

/// Reads the header objects of our own JSON lines, which docs/formats/experiment.md describes.
class JsonHeaderReader {
  public:
    JsonHeaderReader(ExperimentBuilder& builder, IgnoredNames& ignored)
        : builder_(&builder), ignored_(&ignored) {}

    /// Gives the builder what the header says and sets `names` where it names the parameters. The line must
    /// be followed by `Input::padding` readable bytes. Throws an input error with this place.
    void read(std::string_view line, const Place& place, std::vector<std::string>& names);

  private:
    using Value = simdjson::ondemand::value;

    void read_field(std::string_view key, Value value, std::vector<std::string>& names);
    void check_schema(Value value);
    void read_parameters(Value value, std::vector<std::string>& names);
    void read_metrics(Value value);
    void read_regions(Value value);
    void read_points(Value value);
    void read_scaling(Value value);
    void read_tree(Value value);
    void read_metadata(Value value);
    std::string json_text(Value value, std::string_view what);
    [[noreturn]] void fail(std::string message, std::string hint) const;

    ExperimentBuilder* builder_;
    IgnoredNames* ignored_;
    simdjson::ondemand::parser parser_;
    const Place* place_ = nullptr;
    std::vector<std::vector<double>> points_;
};

/// States a metric's unit. Throws an input error where another one was stated before.
void state_unit(ExperimentBuilder& builder, MetricId metric, std::string_view unit, const Place& place);

}  // namespace plimsoll::experiment::detail
