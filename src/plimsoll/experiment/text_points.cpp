#include "plimsoll/experiment/detail/text_points.hpp"

#include <fmt/format.h>

#include "plimsoll/core/decimal.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/excerpt.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

[[noreturn]] void fail(const Place& place, std::string message, std::string hint) {
    throw Error(ErrorKind::input, place, std::move(message), std::move(hint));
}

/// Points written with parentheses. A pair of parentheses that holds as many numbers as there are parameters,
/// those of pairs within it included, is a point.
class PointGroups {
  public:
    PointGroups(std::string_view text, std::size_t parameters, const Place& place)
        : text_(text), parameters_(parameters), place_(&place) {}

    std::vector<double> parse() {
        for (std::size_t i = 0; i < text_.size();) {
            if (text_[i] == '(') {
                open(i++);
            } else if (text_[i] == ')') {
                close(i++);
            } else if (is_blank(text_[i])) {
                ++i;
            } else {
                const std::size_t end = std::min(text_.find_first_of(" \t\r\n\v\f()", i), text_.size());
                add(text_.substr(i, end - i));
                i = end;
            }
        }
        if (!open_.empty()) {
            fail(*place_, fmt::format("the group '{}' is not closed", excerpt(text_.substr(group_begin_))),
                 "end each point with ')'");
        }
        return std::move(points_);
    }

  private:
    void open(std::size_t position) {
        if (open_.empty()) {
            group_begin_ = position;
            points_before_ = points_.size();
        }
        open_.push_back(pending_.size());
    }

    void add(std::string_view word) {
        if (open_.empty()) {
            fail(*place_, fmt::format("'{}' stands outside the parentheses", excerpt(word)),
                 "put each point in parentheses, or none");
        }
        pending_.push_back(parse_word(word, "coordinate", *place_));
    }

    void close(std::size_t position) {
        if (open_.empty()) fail(*place_, "a ')' closes nothing", "begin each point with '('");
        const std::size_t first = open_.back();
        open_.pop_back();
        if (pending_.size() - first == parameters_) {
            points_.insert(points_.end(), pending_.begin() + static_cast<std::ptrdiff_t>(first),
                           pending_.end());
            pending_.resize(first);
        }
        if (!open_.empty()) return;
        const bool is_empty = points_.size() == points_before_;
        if (pending_.empty() && !is_empty) return;
        fail(*place_,
             fmt::format("the group '{}' has {} for {}",
                         excerpt(text_.substr(group_begin_, position + 1 - group_begin_)),
                         counted(pending_.size(), "number"), counted(parameters_, "parameter")),
             "give each point one number for each parameter");
    }

    std::string_view text_;
    std::size_t parameters_;
    const Place* place_;
    std::vector<double> points_;
    std::vector<double> pending_;    // numbers of the open groups that are in no point yet
    std::vector<std::size_t> open_;  // where in `pending_` the numbers of each open group begin
    std::size_t group_begin_ = 0;    // of the outermost group, in the text
    std::size_t points_before_ = 0;  // length of `points_` at its beginning
};

}  // namespace

std::string_view take_word(std::string_view& text) {
    std::size_t begin = 0;
    while (begin < text.size() && is_blank(text[begin])) ++begin;
    std::size_t end = begin;
    while (end < text.size() && !is_blank(text[end])) ++end;
    const std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return word;
}

std::optional<double> take_number(std::string_view& text, std::string_view what, const Place& place) {
    std::size_t begin = 0;
    while (begin < text.size() && is_blank(text[begin])) ++begin;
    text.remove_prefix(begin);
    if (text.empty()) return std::nullopt;
    // Most words are plain numbers: their end is found by reading them.
    double value = 0.0;
    const char* const last = text.data() + text.size();
    const auto [end, status] = read_decimal(text.data(), last, value);
    if (status == std::errc{} && (end == last || is_blank(*end))) {
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        return value;
    }
    return parse_word(take_word(text), what, place);
}

double parse_word(std::string_view word, std::string_view what, const Place& place) {
    if (const auto number = parse_number(word)) return *number;
    fail(place, fmt::format("{} '{}' is not a number", what, excerpt(word)),
         "write numbers as 12, 1.5 or 1e6, separated by blanks");
}

std::vector<double> parse_points(std::string_view text, std::size_t parameters, const Place& place) {
    if (text.find_first_of("()") != std::string_view::npos)
        return PointGroups(text, parameters, place).parse();
    std::vector<double> points;
    std::string_view rest = text;
    std::string_view group;  // the numbers since the last whole point
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
        if (points.size() % parameters == 0) group = text.substr(text.size() - rest.size() - word.size());
        points.push_back(parse_word(word, "coordinate", place));
    }
    if (const std::size_t left_over = points.size() % parameters; left_over != 0) {
        fail(place,
             fmt::format("the last group '{}' has {} for {}", excerpt(trim(group)),
                         counted(left_over, "number"), counted(parameters, "parameter")),
             "give each point one number for each parameter");
    }
    return points;
}

}  // namespace plimsoll::experiment::detail
