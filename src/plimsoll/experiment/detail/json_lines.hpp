#pragma once

#include <string>
#include <vector>

#include "plimsoll/core/input.hpp"
#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/experiment/detail/ignored_names.hpp"
#include "plimsoll/experiment/detail/json_header.hpp"
#include "plimsoll/experiment/detail/json_line.hpp"
#include "plimsoll/experiment/detail/json_relaxer.hpp"

namespace plimsoll::experiment::detail {

/// Reads a file of JSON lines or Talpas lines into a builder.
class JsonLinesReader {
  public:
    JsonLinesReader(ExperimentBuilder& builder, LineDialect dialect);

    void read(Input& input);

  private:
    void read_line(std::string_view line);
    void read_relaxed(std::string_view line);
    void add(const JsonLine& line);
    void set_coordinates(const JsonLine& line);
    SeriesId series_of(const JsonLine& line);

    ExperimentBuilder* builder_;
    LineDialect dialect_;
    JsonLineParser parser_;
    IgnoredNames ignored_;
    JsonHeaderReader header_reader_;
    JsonRelaxer relaxer_;
    std::string strict_;  // a line made strict, with its padding

    Place place_;
    std::vector<std::string> names_;  // of the parameters, in the order of the last header or the first line
    std::vector<double> coordinates_;
    std::vector<std::uint64_t> line_of_;  // line that last gave each parameter

    // The series of the line before, since lines of one region and metric mostly stand together.
    std::string region_;
    std::string metric_;
    SeriesId series_{};
    bool has_series_ = false;

    bool text_numbers_noted_ = false;
    bool meets_literals_ = false;  // a line had NaN or Infinity: others may well have them too
};

}  // namespace plimsoll::experiment::detail
