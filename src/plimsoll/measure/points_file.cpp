#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/input.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/measure/design.hpp"

namespace plimsoll::measure {

namespace {

using Json = nlohmann::ordered_json;

Value value_of(std::string_view text, const std::string& name, const Place& place) {
    const auto number = parse_number(text);
    if (!number || !std::isfinite(*number)) {
        throw Error(ErrorKind::input, place, fmt::format("'{}' is not a number for '{}'", text, name),
                    "give a number for each parameter");
    }
    return {.number = *number, .text = std::string(text)};
}

void add_name(std::string name, Points& points, const Place& place) {
    try {
        check_parameter_name(name);
    } catch (const Error& error) {
        throw Error(ErrorKind::input, place, error.what(), error.hint());
    }
    points.names.push_back(std::move(name));
}

/// A line {"n": 1000, "threads": 2}, or one with such an object under "params".
void add_json(std::string_view line, Points& points, const Place& place) {
    Json object = Json::parse(line, nullptr, false);
    if (object.is_object() && object.contains("params")) object = Json(object["params"]);
    if (!object.is_object() || object.empty()) {
        throw Error(ErrorKind::input, place, "is not an object of parameters",
                    R"(write lines such as {"n": 1000, "threads": 2})");
    }
    if (points.names.empty()) {
        for (const auto& [name, value] : object.items()) add_name(name, points, place);
    }
    Point point;
    for (const std::string& name : points.names) {
        if (!object.contains(name))
            throw Error(ErrorKind::input, place, fmt::format("has no '{}'", name),
                        fmt::format("give a value for each of {}", join(points.names, ", ")));
        const Json& value = object[name];
        point.push_back(value_of(value.is_string() ? value.get<std::string>() : value.dump(), name, place));
    }
    if (object.size() > points.names.size())
        throw Error(ErrorKind::input, place, "has a parameter that the first line has not",
                    fmt::format("give a value for each of {}, and for no other", join(points.names, ", ")));
    points.points.push_back(std::move(point));
}

void add_row(std::string_view line, char separator, Points& points, const Place& place) {
    const auto cells = split(line, separator);
    if (points.names.empty()) {
        for (const std::string_view cell : cells) add_name(std::string(trim(cell)), points, place);
        return;
    }
    if (cells.size() != points.names.size())
        throw Error(
            ErrorKind::input, place,
            fmt::format("has {}, the first line {}", counted(cells.size(), "cell"), points.names.size()),
            fmt::format("give a value for each of {}", join(points.names, ", ")));
    Point point;
    for (std::size_t k = 0; k < cells.size(); ++k)
        point.push_back(value_of(trim(cells[k]), points.names[k], place));
    points.points.push_back(std::move(point));
}

/// However their numbers are written: 1000 is 1e3.
void refuse_points_given_twice(const Points& points, const std::string& path) {
    const auto numbers_rise = [](const Point* a, const Point* b) {
        return std::ranges::lexicographical_compare(*a, *b, {}, &Value::number, &Value::number);
    };
    std::vector<const Point*> sorted;
    for (const Point& point : points.points) sorted.push_back(&point);
    std::ranges::stable_sort(sorted, numbers_rise);
    const auto twice = std::ranges::adjacent_find(
        sorted, [&](const Point* a, const Point* b) { return !numbers_rise(a, b); });
    if (twice != sorted.end())
        throw Error(ErrorKind::input, Place{.file = path},
                    fmt::format("the point {} stands there twice", describe(points.names, **twice)),
                    "give each point once: --repetitions measures it several times");
}

}  // namespace

Points read_points(const std::string& path) {
    Input input(path);
    LineReader lines(input);
    Points points;
    char separator = ',';
    for (std::string_view line; lines.next(line);) {
        const std::string_view content = trim(line);
        if (content.empty() || content.starts_with('#')) continue;
        const Place place{.file = lines.file(), .line = lines.number()};
        if (content.starts_with('{')) {
            add_json(content, points, place);
            continue;
        }
        if (points.names.empty() && line.find('\t') != std::string_view::npos) separator = '\t';
        if (points.names.empty() && line.find(';') != std::string_view::npos) separator = ';';
        add_row(line, separator, points, place);
    }
    if (points.points.empty()) {
        throw Error(ErrorKind::input, Place{.file = path}, "holds no points",
                    "write the names of the parameters in the first line, and a point in each further one");
    }
    refuse_points_given_twice(points, path);
    return points;
}

}  // namespace plimsoll::measure
