#include "plimsoll/experiment/detail/table_records.hpp"

#include <algorithm>
#include <array>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::size_t longest_record = std::size_t{1}
                                       << 20U;  // a quote that is never closed must not fill the memory

}  // namespace

char separator_of(std::string_view header) {
    constexpr std::array<char, 3> separators{'\t', ';', ','};
    std::array<std::size_t, 3> counts{};
    bool quoted = false;
    for (const char c : header) {
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        for (std::size_t i = 0; i < separators.size(); ++i) counts[i] += c == separators[i] ? 1 : 0;
    }
    const auto* const most = std::max_element(counts.begin(), counts.end());
    return *most == 0 ? '\0' : separators[static_cast<std::size_t>(most - counts.begin())];
}

std::optional<double> cell_number(std::string_view cell, char separator) {
    cell = trim(cell);
    if (const auto number = parse_number(cell)) return number;
    const std::size_t comma = cell.find(',');
    std::array<char, 64> digits{};
    const bool has_decimal_comma = separator != ',' && comma != std::string_view::npos &&
                                   cell.find(',', comma + 1) == std::string_view::npos &&
                                   cell.find('.') == std::string_view::npos && cell.size() <= digits.size();
    if (!has_decimal_comma) return std::nullopt;
    std::copy(cell.begin(), cell.end(), digits.begin());
    digits[comma] = '.';
    return parse_number({digits.data(), cell.size()});
}

bool is_missing(std::string_view cell) {
    cell = trim(cell);
    constexpr std::array<std::string_view, 9> words{"",     "-",    "NA",   "N/A", "n/a",
                                                    "NULL", "null", "None", "--"};
    return cell.size() <= 4 && std::find(words.begin(), words.end(), cell) != words.end();
}

bool TableRecords::next_line(std::string_view& line) {
    while (lines_.next(line)) {
        if (line.starts_with('#')) {
            if (separator_ != '\0' && comments_++ == 0) first_comment_ = lines_.number();
        } else if (!trim(line).empty()) {
            line_ = lines_.number();
            return true;
        }
    }
    return false;
}

bool TableRecords::next(std::vector<std::string_view>& cells) {
    cells.clear();
    std::string_view line;
    if (!next_line(line)) return false;
    if (separator_ == '\0') separator_ = separator_of(line);
    if (line.find('"') == std::string_view::npos) {
        split_plain(line, cells);
    } else {
        split_quoted(line, cells);
    }
    return true;
}

void TableRecords::split_plain(std::string_view line, std::vector<std::string_view>& cells) const {
    std::size_t begin = 0;
    for (std::size_t end = line.find(separator_); end != std::string_view::npos;
         end = line.find(separator_, begin)) {
        cells.push_back(line.substr(begin, end - begin));
        begin = end + 1;
    }
    cells.push_back(line.substr(begin));
}

void TableRecords::split_quoted(std::string_view line, std::vector<std::string_view>& cells) {
    text_.clear();
    ends_.clear();
    bool inside = false;   // of quotes
    bool at_start = true;  // of a cell, blanks aside
    for (;;) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            const char c = line[i];
            if (inside) {
                const bool doubled = c == '"' && i + 1 < line.size() && line[i + 1] == '"';
                inside = c != '"' || doubled;
                if (inside) text_.push_back(c);
                if (doubled) ++i;
            } else if (c == separator_) {
                ends_.push_back(text_.size());
                at_start = true;
            } else if (c == '"' && at_start) {
                inside = true;
                at_start = false;
                text_.resize(ends_.empty() ? 0 : ends_.back());
            } else {
                at_start = at_start && c == ' ';
                text_.push_back(c);
            }
        }
        if (!inside) break;
        if (text_.size() > longest_record || !lines_.next(line)) {
            throw Error(ErrorKind::input, Place{.file = lines_.file(), .line = line_},
                        "a quote that opens in this row is not closed",
                        "close the quote, or double a quote that is meant");
        }
        text_.push_back('\n');
    }
    ends_.push_back(text_.size());
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
        cells.push_back(std::string_view(text_).substr(begin, end - begin));
        begin = end;
    }
}

}  // namespace plimsoll::experiment::detail
