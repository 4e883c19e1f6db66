#include "plimsoll/experiment/detail/json_line.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "plimsoll/core/input.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/excerpt.hpp"
#include "plimsoll/experiment/detail/json_sketch.hpp"

namespace plimsoll::experiment::detail {

static_assert(Input::padding >= simdjson::SIMDJSON_PADDING, "simdjson reads that far behind a line");

namespace {

using simdjson::ondemand::json_type;
using simdjson::ondemand::value;

enum Field : unsigned {
    params = 1,
    region = 2,
    metric = 4,
    unit = 8,
    values = 16,
    summary = 32,
    schema = 64,
    run = 128
};

struct Key {
    std::string_view name;
    Field field;
};
constexpr std::array line_keys{Key{"params", params}, Key{"region", region},   Key{"callpath", region},
                               Key{"metric", metric}, Key{"value", values},    Key{"values", values},
                               Key{"unit", unit},     Key{"summary", summary}, Key{"schema", schema},
                               Key{"run", run}};
constexpr std::array talpas_keys{Key{"parameters", params}, Key{"metric", metric}, Key{"callpath", region},
                                 Key{"value", values}};

std::span<const Key> keys_of(LineDialect dialect) {
    if (dialect == LineDialect::talpas) return talpas_keys;
    return line_keys;
}

/// The bracket that closes where a comma promised more; empty where there is none.
std::optional<char> bracket_behind_comma(std::string_view json) {
    bool in_string = false;
    bool behind_comma = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string) {
            i += c == '\\' ? 1 : 0;
            in_string = c != '"';
            continue;
        }
        if (behind_comma && (c == '}' || c == ']')) return c;
        in_string = c == '"';
        if (c != ' ' && c != '\t') behind_comma = c == ',';
    }
    return std::nullopt;
}

bool is_finite(const std::optional<double>& number) { return number && std::isfinite(*number); }

std::string_view kind_of(value& v) {
    switch (v.type().value()) {
        case json_type::array: return "a list";
        case json_type::object: return "an object";
        case json_type::number: return "a number";
        case json_type::string: return "a string";
        case json_type::boolean: return "true or false";
        case json_type::null: break;
    }
    return "null";
}

}  // namespace

void JsonLine::clear() {
    is_header = false;
    is_record = false;
    params.clear();
    region = "<root>";
    metric = "<default>";
    unit.reset();
    values.clear();
    summary.reset();
    unknown_keys.clear();
    has_null = false;
    has_text_number = false;
}

const JsonLine& JsonLineParser::parse(std::string_view line, const Place& place) {
    place_ = &place;
    seen_ = 0;
    line_.clear();
    try {
        simdjson::ondemand::document document = parser_.iterate(
            simdjson::padded_string_view(line.data(), line.size(), line.size() + Input::padding));
        simdjson::ondemand::object object = document.get_object();
        for (auto field : object) {
            const std::string_view key = field.unescaped_key();
            read_field(key, field.value());
        }
        const char* rest = nullptr;
        const bool is_at_end = document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
        if (!is_at_end) fail_rest(trim(line.substr(static_cast<std::size_t>(rest - line.data()))));
    } catch (const simdjson::simdjson_error& error) {
        fail_parse(line, error);
    }
    line_.is_header = (seen_ & schema) != 0 && (seen_ & (params | values | summary)) == 0;
    constexpr unsigned of_measurements = params | region | metric | unit | values | summary;
    line_.is_record = (seen_ & run) != 0 && (seen_ & (of_measurements | schema)) == 0;
    if (!line_.is_header && !line_.is_record) check_complete();
    return line_;
}

void JsonLineParser::read_field(std::string_view key, value v) {
    Field field{};
    for (const Key& known : keys_of(dialect_)) {
        if (known.name == key) field = known.field;
    }
    if (field == Field{}) {
        line_.unknown_keys.push_back(key);
        return;
    }
    if ((seen_ & field) != 0) fail(fmt::format("'{}' is given twice", key), "keep one of the two");
    seen_ |= field;
    const auto text = [&]() -> std::string_view {
        if (v.type() != json_type::string) {
            fail(fmt::format("'{}' is {}, not a string", key, kind_of(v)), "write it in double quotes");
        }
        return v.get_string();
    };
    switch (field) {
        case params: read_params(v); break;
        case region: line_.region = text(); break;
        case metric: line_.metric = text(); break;
        case unit: line_.unit = text(); break;
        case values: read_values(v); break;
        case summary: read_summary(v); break;
        case schema:
        case run: break;
    }
}

void JsonLineParser::read_params(value v) {
    if (v.type() != json_type::object) {
        fail(fmt::format("the parameters are {}, not an object", kind_of(v)),
             R"(write them by name, such as {"p": 4, "n": 1000})");
    }
    for (auto field : v.get_object()) {
        const std::string_view name = field.unescaped_key();
        const auto number = read_number(field.value(), "a parameter");
        if (!number)
            fail(fmt::format("parameter '{}' is null", name), "give the number that the program ran with");
        line_.params.push_back({.name = name, .value = *number});
    }
}

void JsonLineParser::read_values(value v) {
    const auto add = [&](value single) {
        const auto number = read_number(single, "a value");
        line_.has_null |= !number;
        return number;
    };
    if (v.type() != json_type::array) {
        if (const auto number = add(v)) line_.values.add(*number);
        return;
    }
    for (auto element : v.get_array()) {
        value repetition = element.value();
        if (repetition.type() == json_type::array) {
            line_.values.begin_repetition();
            for (auto location : repetition.get_array()) {
                if (const auto number = add(location.value())) line_.values.add_location(*number);
            }
        } else if (const auto number = add(repetition)) {
            line_.values.add(*number);
        }
    }
}

void JsonLineParser::read_summary(value v) {
    if (v.type() != json_type::object) {
        fail(fmt::format("'summary' is {}, not an object", kind_of(v)),
             R"(write {"mean": ..., "median": ...})");
    }
    constexpr std::array<std::string_view, 6> names{"mean",    "median",    "minimum",
                                                    "maximum", "deviation", "repetitions"};
    std::array<std::optional<double>, names.size()> numbers;
    for (auto field : v.get_object()) {
        const std::string_view name = field.unescaped_key();
        std::size_t i = 0;
        while (i < names.size() && names[i] != name) ++i;
        if (i == names.size()) {
            line_.unknown_keys.push_back(name);
        } else {
            numbers[i] = read_number(field.value(), "a statistic");
        }
    }
    for (std::size_t required = 0; required < 2; ++required) {
        if (!numbers[required]) {
            fail(fmt::format("the summary has no '{}'", names[required]), "give mean and median at least");
        }
    }
    const double repetitions = numbers[5].value_or(0.0);
    if (!(repetitions >= 0.0 && repetitions <= std::numeric_limits<std::uint32_t>::max()) ||
        repetitions != std::floor(repetitions)) {
        fail(fmt::format("{} is no number of repetitions", shortest(repetitions)), "give a whole number");
    }
    line_.summary = {.statistics = {.mean = *numbers[0], .median = *numbers[1]},
                     .is_complete = is_finite(numbers[2]) && is_finite(numbers[3]) && is_finite(numbers[4]),
                     .repetitions = static_cast<std::uint32_t>(repetitions)};
    if (line_.summary->is_complete) {
        line_.summary->statistics.minimum = *numbers[2];
        line_.summary->statistics.maximum = *numbers[3];
        line_.summary->statistics.deviation = *numbers[4];
    }
}

/// Empty where the value is null. A string is read as the number that it holds.
std::optional<double> JsonLineParser::read_number(value v, std::string_view what) {
    double number = 0.0;
    if (v.get_double().get(number) == simdjson::SUCCESS) return number;
    return read_odd_number(v, what);
}

/// What is no number in JSON, or none that fits.
std::optional<double> JsonLineParser::read_odd_number(value v, std::string_view what) {
    const json_type type = v.type();
    if (type == json_type::number) {
        const std::string_view token = v.raw_json_token();
        // A number too large for a double is valid JSON, and infinite as in Python.
        if (const auto infinite = parse_number(trim(token)); infinite && std::isinf(*infinite))
            return infinite;
        const auto meant = parse_number(trim(token));
        fail(fmt::format("{} '{}' is not a number in JSON", what, excerpt(trim(token))),
             meant ? fmt::format("write it as {}", shortest(*meant)) : "write numbers as 12, 1.5 or 1e6");
    }
    if (type == json_type::null) {
        if (!v.is_null()) throw simdjson::simdjson_error(simdjson::N_ATOM_ERROR);
        return std::nullopt;
    }
    if (type != json_type::string) {
        fail(fmt::format("{} is {}, not a number", what, kind_of(v)), "write numbers as 12, 1.5 or 1e6");
    }
    const std::string_view text = v.get_string();
    const auto number = parse_number(trim(text));
    if (!number)
        fail(fmt::format("{} '{}' is not a number", what, excerpt(text)), "write numbers as 12, 1.5 or 1e6");
    line_.has_text_number |= std::isfinite(*number);
    return number;
}

void JsonLineParser::check_complete() const {
    const bool is_talpas = dialect_ == LineDialect::talpas;
    if ((seen_ & params) == 0) fail_missing(is_talpas ? "parameters" : "params");
    if ((seen_ & (values | summary)) == 0) fail_missing("value");
    if (is_talpas && (seen_ & metric) == 0) fail_missing("metric");
    if (is_talpas && (seen_ & region) == 0) fail_missing("callpath");
    if ((seen_ & values) != 0 && (seen_ & summary) != 0) {
        fail("has both values and a summary", "drop 'summary': it follows from the values");
    }
}

void JsonLineParser::fail(std::string message, std::string hint) const {
    throw Error(ErrorKind::input, *place_, std::move(message), std::move(hint));
}

void JsonLineParser::fail_missing(std::string_view key) const {
    const std::vector<std::string> candidate{std::string(key)};
    std::string hint = dialect_ == LineDialect::talpas
                           ? "a Talpas line has the keys parameters, metric, callpath and value"
                           : R"(write lines such as {"params": {"p": 4}, "region": "main", "value": 1.5})";
    for (const std::string_view unknown : line_.unknown_keys) {
        if (nearest(unknown, candidate) || (key == "params" && unknown.starts_with("param")))
            hint = fmt::format("did you mean '{}' where it says '{}'?", key, excerpt(unknown));
    }
    fail(fmt::format("the line has no '{}'", key), std::move(hint));
}

/// Something stands behind the object.
void JsonLineParser::fail_rest(std::string_view rest) const {
    if (rest.starts_with('}') || rest.starts_with(']')) {
        fail(fmt::format("'{}' stands behind the object", excerpt(rest)),
             "drop it, or open the bracket that it closes");
    }
    fail("more than one JSON object on the line", "give each object a line of its own");
}

void JsonLineParser::fail_parse(std::string_view line, const simdjson::simdjson_error& error) const {
    const std::string_view content = trim(line);
    if (error.error() == simdjson::UTF8_ERROR) {
        fail("the line is not UTF-8", "write names in UTF-8");
    }
    if (!content.starts_with('{')) {
        fail(fmt::format("'{}' is not a JSON object", excerpt(content)),
             "write one JSON object on each line");
    }
    if (dialect_ == LineDialect::json_lines) expect_commas(content, *place_);
    if (content.ends_with(',') && trim(content.substr(0, content.size() - 1)).ends_with('}')) {
        fail("a comma stands behind the object",
             "drop the comma: in JSON lines nothing separates the objects");
    }
    if (const auto bracket = bracket_behind_comma(content)) {
        fail(fmt::format("a comma stands before '{}'", *bracket), "drop the comma");
    }
    if (!content.ends_with('}')) {
        fail("the line ends in the middle of its object",
             "drop the line if its program was stopped while writing it");
    }
    fail(fmt::format("is not valid JSON ({})", error.what()), "write one JSON object on each line");
}

}  // namespace plimsoll::experiment::detail
