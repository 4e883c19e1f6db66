#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/experiment/detail/repetition_values.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::experiment::detail {

/// The two kinds of lines that one parser reads.
enum class LineDialect {
    json_lines,  ///< our own and Extra-P's
    talpas       ///< other key for the parameters, and nothing is optional
};

/// What one line says. Texts are valid until the next line is parsed.
struct JsonLine {
    struct Param {
        std::string_view name;
        double value;
    };
    struct Summary {
        numeric::Summary statistics;
        bool is_complete = false;
        std::uint32_t repetitions = 0;
    };

    bool is_header = false;  ///< the object has a `schema` and no measurement; nothing else is then set
    bool is_record = false;  ///< the object tells of a run of the program, and measures nothing
    std::vector<Param> params;
    std::string_view region;
    std::string_view metric;
    std::optional<std::string_view> unit;
    RepetitionValues values;
    std::optional<Summary> summary;
    std::vector<std::string_view> unknown_keys;
    bool has_null = false;         ///< a value was null and is left out
    bool has_text_number = false;  ///< a number was written as a string

    void clear();
};

/// Parses lines of JSON, each in place and, once its vectors have grown, without allocating.
class JsonLineParser {
  public:
    explicit JsonLineParser(LineDialect dialect) : dialect_(dialect) {}

    /// The line must be followed by `Input::padding` readable bytes. Throws an input error with this place.
    const JsonLine& parse(std::string_view line, const Place& place);

  private:
    void read_field(std::string_view key, simdjson::ondemand::value value);
    void read_values(simdjson::ondemand::value value);
    void read_params(simdjson::ondemand::value value);
    void read_summary(simdjson::ondemand::value value);
    std::optional<double> read_number(simdjson::ondemand::value value, std::string_view what);
    std::optional<double> read_odd_number(simdjson::ondemand::value value, std::string_view what);
    void check_complete() const;
    [[noreturn]] void fail(std::string message, std::string hint) const;
    [[noreturn]] void fail_missing(std::string_view key) const;
    [[noreturn]] void fail_rest(std::string_view rest) const;
    [[noreturn]] void fail_parse(std::string_view line, const simdjson::simdjson_error& error) const;

    LineDialect dialect_;
    simdjson::ondemand::parser parser_;
    JsonLine line_;
    unsigned seen_ = 0;  // fields of the line, a bit each
    const Place* place_ = nullptr;
};

}  // namespace plimsoll::experiment::detail
