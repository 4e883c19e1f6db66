#include "plimsoll/experiment/detail/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/excerpt.hpp"

namespace plimsoll::experiment::detail {

namespace {

bool has_literal(std::string_view line) {
    return line.find("NaN") != std::string_view::npos || line.find("Infinity") != std::string_view::npos;
}

}  // namespace

JsonLinesReader::JsonLinesReader(ExperimentBuilder& builder, LineDialect dialect)
    : builder_(&builder),
      dialect_(dialect),
      parser_(dialect),
      header_reader_(builder, ignored_),
      relaxer_(dialect == LineDialect::talpas ? Semicolons::become_commas : Semicolons::stay) {}

void JsonLinesReader::read(Input& input) {
    place_.file = input.name();
    LineReader lines(input);
    std::string_view line;
    while (lines.next(line)) {
        place_.line = lines.number();
        if (trim(line).empty()) continue;
        if (dialect_ == LineDialect::talpas) {
            read_relaxed(line);
        } else {
            read_line(line);
        }
    }
}

/// Python's NaN and Infinity are no JSON: they are looked for once a line has failed.
void JsonLinesReader::read_line(std::string_view line) {
    if (meets_literals_ && has_literal(line)) {
        read_relaxed(line);
        return;
    }
    const JsonLine* parsed = nullptr;
    try {
        parsed = &parser_.parse(line, place_);
        if (parsed->is_header) {
            header_reader_.read(line, place_, names_);
            return;
        }
    } catch (const Error&) {
        if (!has_literal(line)) throw;
        meets_literals_ = true;
        read_relaxed(line);
        return;
    }
    add(*parsed);
}

void JsonLinesReader::read_relaxed(std::string_view line) {
    strict_.clear();
    relaxer_.append(line, strict_);
    relaxer_.finish(strict_);
    const std::size_t size = strict_.size();
    strict_.append(Input::padding, ' ');
    const std::string_view strict = std::string_view(strict_).substr(0, size);
    const JsonLine& parsed = parser_.parse(strict, place_);
    if (parsed.is_header) {
        header_reader_.read(strict, place_, names_);
    } else {
        add(parsed);
    }
}

void JsonLinesReader::add(const JsonLine& line) {
    if (line.is_record) return;
    for (const std::string_view key : line.unknown_keys) ignored_.note(*builder_, place_, "the key", key);
    if (line.has_text_number && !text_numbers_noted_) {
        builder_->note(place_, std::string(text_number_note));
        text_numbers_noted_ = true;
    }
    set_coordinates(line);
    const SeriesId series = series_of(line);
    const PointId point = builder_->point(coordinates_, place_);
    if (line.summary) {
        const auto& [statistics, is_complete, repetitions] = *line.summary;
        builder_->add_summary(series, point, statistics, is_complete, repetitions, place_);
        return;
    }
    if (line.has_null) builder_->note(place_, "a value is null and is left out");
    if (line.values.empty() && !line.has_null) {
        builder_->note(place_, "a line has no values; its point counts as missing");
    }
    line.values.add_to(*builder_, series, point, place_);
}

void JsonLinesReader::set_coordinates(const JsonLine& line) {
    if (names_.empty()) {
        for (const auto& param : line.params) names_.emplace_back(param.name);
        builder_->set_parameters(names_, place_);
    }
    coordinates_.resize(names_.size());
    line_of_.resize(names_.size());
    std::size_t found_count = 0;
    for (std::size_t i = 0; i < line.params.size(); ++i) {
        const auto& [name, value] = line.params[i];
        std::size_t k = i;  // mostly the same order on each line
        if (k >= names_.size() || names_[k] != name) {
            k = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
        }
        if (k == names_.size()) {
            ignored_.note(*builder_, place_, "the parameter", name);
            continue;
        }
        if (line_of_[k] == place_.line) {
            throw Error(ErrorKind::input, place_, fmt::format("parameter '{}' is given twice", name),
                        "keep one of the two");
        }
        line_of_[k] = place_.line;
        coordinates_[k] = value;
        ++found_count;
    }
    if (found_count == names_.size()) return;
    const auto missing =
        std::find_if(line_of_.begin(), line_of_.end(), [&](auto last) { return last != place_.line; });
    const std::string& name = names_[static_cast<std::size_t>(missing - line_of_.begin())];
    throw Error(ErrorKind::input, place_, fmt::format("parameter '{}' is missing", excerpt(name)),
                fmt::format("give a value for each of {}", join(names_, ", ")));
}

SeriesId JsonLinesReader::series_of(const JsonLine& line) {
    if (!has_series_ || line.region != region_ || line.metric != metric_) {
        region_ = line.region;
        metric_ = line.metric;
        series_ = builder_->series(builder_->region(region_), builder_->metric(metric_));
        has_series_ = true;
    }
    if (line.unit) state_unit(*builder_, builder_->metric(metric_), *line.unit, place_);
    return series_;
}

}  // namespace plimsoll::experiment::detail
