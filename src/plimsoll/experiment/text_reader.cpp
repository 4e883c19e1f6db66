#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/excerpt.hpp"
#include "plimsoll/experiment/detail/formats.hpp"
#include "plimsoll/experiment/detail/text_points.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::array<std::string_view, 5> keywords{"PARAMETER", "POINTS", "REGION", "METRIC", "DATA"};

std::string upper_case(std::string_view word) {
    std::string upper(word);
    for (char& c : upper) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return upper;
}

bool is_keyword(std::string_view word) {
    return std::find(keywords.begin(), keywords.end(), upper_case(word)) != keywords.end();
}

/// Whether the line holds nothing to read; else it begins with its first character that is not blank.
bool is_passed_over(std::string_view& line) {
    line = trim(line);
    return line.empty() || line.front() == '#';
}

/// Runs of blanks become one blank, as in Extra-P.
std::string name_from(std::string_view text) {
    std::string name;
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
        if (!name.empty()) name.push_back(' ');
        name += word;
    }
    return name;
}

class TextReader {
  public:
    explicit TextReader(ExperimentBuilder& builder) : builder_(&builder) {}

    void read(Input& input) {
        place_.file = input.name();
        LineReader lines(input);
        std::string_view line;
        while (lines.next(line)) {
            place_.line = lines.number();
            if (!is_passed_over(line)) read_line(line);
        }
        finish();
    }

  private:
    void read_line(std::string_view line) {
        const std::string_view keyword = take_word(line);
        const std::string upper = upper_case(keyword.substr(0, 16));
        if (upper == "DATA") {
            read_data(line);
        } else if (upper == "REGION") {
            read_region(line);
        } else if (upper == "METRIC") {
            end_block();
            metric_ = name_from(line);
        } else if (upper == "POINTS") {
            read_points(line);
        } else if (upper == "PARAMETER") {
            read_parameters(line);
        } else {
            fail_keyword(keyword, upper);
        }
    }

    void read_parameters(std::string_view text) {
        if (has_data_) begin_part();
        if (!points_.empty()) fail("PARAMETER comes after POINTS", "move the line up, before POINTS");
        std::string_view name = take_word(text);
        if (name.empty()) fail("PARAMETER names nothing", "write a name after it, such as 'PARAMETER p'");
        for (; !name.empty(); name = take_word(text)) {
            if (std::find(parameters_.begin(), parameters_.end(), name) == parameters_.end()) {
                parameters_.emplace_back(name);
            } else {
                builder_->note(place_, fmt::format("parameter '{}' is named again", excerpt(name)));
            }
        }
    }

    /// Two files may have been joined: what follows has its own parameters and points.
    void begin_part() {
        end_block();
        note_empty_region();
        parameters_.clear();
        points_.clear();
        block_seen_.clear();
        region_ = "<root>";
        metric_.clear();
        region_line_ = 0;
        has_data_ = false;
    }

    void read_points(std::string_view text) {
        if (parameters_.empty()) fail_without_parameter();
        if (points_.empty()) builder_->set_parameters(parameters_, place_);
        const std::vector<double> coordinates = parse_points(text, parameters_.size(), place_);
        if (coordinates.empty())
            fail("POINTS lists nothing", "write the points after it, such as 'POINTS 4 8 16'");
        for (std::size_t i = 0; i < coordinates.size(); i += parameters_.size()) {
            points_.push_back(builder_->point({coordinates.data() + i, parameters_.size()}, place_));
        }
    }

    void read_region(std::string_view text) {
        end_block();
        note_empty_region();
        region_ = name_from(text);
        region_line_ = place_.line;
        if (region_.empty()) fail("REGION names nothing", "write a name after it, such as 'REGION main'");
    }

    void read_data(std::string_view text) {
        if (points_.empty()) fail_without_points();
        if (!series_) begin_block();
        if (next_point_ == points_.size()) {
            fail(fmt::format("DATA line {} of '{}', but there are {}", next_point_ + 1, excerpt(region_),
                             counted(points_.size(), "point")),
                 "give as many DATA lines as POINTS lists points");
        }
        values_.clear();
        while (const auto value = take_number(text, "DATA value", place_)) values_.push_back(*value);
        if (values_.empty()) builder_->note(place_, "a DATA line has no value; its point counts as missing");
        builder_->add_repetitions(*series_, points_[next_point_++], values_, place_);
        last_data_line_ = place_.line;
    }

    void begin_block() {
        series_ = builder_->series(builder_->region(region_), builder_->metric(metric_));
        next_point_ = 0;
        has_data_ = true;
        region_line_ = 0;
        const std::size_t position = static_cast<std::size_t>(*series_);
        if (block_seen_.size() <= position) block_seen_.resize(position + 1);
        if (block_seen_[position]) {
            builder_->note(place_,
                           fmt::format("'{}' / '{}' comes again; its values count as further repetitions",
                                       excerpt(region_), excerpt(metric_)));
        }
        block_seen_[position] = true;
    }

    void end_block() {
        if (series_ && next_point_ < points_.size()) {
            builder_->note(Place{.file = place_.file, .line = last_data_line_},
                           fmt::format("'{}' / '{}' has DATA for {} of {} points", excerpt(region_),
                                       excerpt(metric_), next_point_, points_.size()));
        }
        series_.reset();
    }

    void note_empty_region() {
        if (region_line_ == 0) return;
        builder_->note(Place{.file = place_.file, .line = region_line_},
                       fmt::format("region '{}' has no DATA lines", excerpt(region_)));
    }

    void finish() {
        end_block();
        note_empty_region();
        place_.line = 0;
        if (parameters_.empty()) fail_without_parameter();
        if (points_.empty()) fail_without_points();
    }

    [[noreturn]] void fail_without_parameter() const {
        fail(place_.line == 0 ? "the file has no PARAMETER line" : "no PARAMETER line stands before this one",
             "name the parameters first, such as 'PARAMETER p'");
    }

    [[noreturn]] void fail_without_points() const {
        if (parameters_.empty()) fail_without_parameter();
        fail(place_.line == 0 ? "the file has no POINTS line" : "no POINTS line stands before this one",
             "list the points before the first DATA line, such as 'POINTS 4 8 16'");
    }

    [[noreturn]] void fail_keyword(std::string_view keyword, const std::string& upper) const {
        std::string hint = "begin each line with PARAMETER, POINTS, REGION, METRIC or DATA";
        const std::vector<std::string> known(keywords.begin(), keywords.end());
        if (keyword.front() == '{' || keyword.front() == '[') {
            hint = "the file looks like JSON: leave out --format, so that the format is detected";
        } else if (const auto near = nearest(upper, known)) {
            hint = fmt::format("did you mean '{}'?", *near);
        }
        fail(fmt::format("unknown keyword '{}'", excerpt(keyword)), std::move(hint));
    }

    [[noreturn]] void fail(std::string message, std::string hint) const {
        throw Error(ErrorKind::input, place_, std::move(message), std::move(hint));
    }

    ExperimentBuilder* builder_;
    Place place_;
    std::vector<std::string> parameters_;
    std::vector<PointId> points_;  // as written, repeated ones included
    std::string region_ = "<root>";
    std::string metric_;
    std::uint64_t region_line_ = 0;  // of a REGION that has no DATA yet, else 0
    bool has_data_ = false;

    // The block of DATA lines that belong to one REGION and METRIC.
    std::optional<SeriesId> series_;
    std::size_t next_point_ = 0;
    std::uint64_t last_data_line_ = 0;
    std::vector<double> values_;
    std::vector<bool> block_seen_;  // by series
};

}  // namespace

bool is_text(const Probe& probe) {
    bool has_keyword_word = false;
    for (std::string_view line : split(probe.head, '\n')) {
        if (is_passed_over(line)) continue;
        std::string_view rest = line;
        const std::string_view word = take_word(rest);
        if (has_keyword_word) {
            // The first line could also be the header of a table whose separator is a tab.
            if (is_keyword(word)) return true;
            continue;
        }
        const bool is_upper =
            word.size() > 2 && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
        if (!is_keyword(word) && !is_upper) return false;
        // A licence begins with a word in capitals too: a mistyped keyword is near to one, or others follow.
        const std::vector<std::string> known(keywords.begin(), keywords.end());
        const bool is_near = is_keyword(word) || nearest(word, known).has_value();
        if (is_near && line.find_first_of("\t,;") == std::string_view::npos) return true;
        has_keyword_word = true;
    }
    return false;
}

void read_text(Input& input, ExperimentBuilder& builder, const ReadOptions& /*options*/) {
    TextReader(builder).read(input);
}

}  // namespace plimsoll::experiment::detail
