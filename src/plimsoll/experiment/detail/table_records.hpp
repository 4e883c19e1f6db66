#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/input.hpp"

namespace plimsoll::experiment::detail {

/// The separator of a table by its header line: tab, semicolon or comma, whichever stands most often outside
/// quotes; '\0' where none does.
[[nodiscard]] char separator_of(std::string_view header);

/// The number in a cell. A comma is the decimal point where it does not separate columns.
[[nodiscard]] std::optional<double> cell_number(std::string_view cell, char separator);

/// Whether a cell says that there is no value: empty, NA, null and the like.
[[nodiscard]] bool is_missing(std::string_view cell);

/// The records of a table, header included, quoted as RFC 4180 describes. Blank lines and lines that begin
/// with
/// `#` are passed over. The separator is found from the first record.
class TableRecords {
  public:
    explicit TableRecords(Input& input) : lines_(input) {}

    /// The cells of the next record, valid until the next call. False at the end.
    /// Throws an input error for a quote that is not closed.
    bool next(std::vector<std::string_view>& cells);

    [[nodiscard]] char separator() const { return separator_; }
    /// Line at which the record last returned begins.
    [[nodiscard]] std::uint64_t line() const { return line_; }
    /// Comment lines behind the header, and the first of them.
    [[nodiscard]] std::size_t comments() const { return comments_; }
    [[nodiscard]] std::uint64_t first_comment() const { return first_comment_; }

  private:
    bool next_line(std::string_view& line);
    void split_plain(std::string_view line, std::vector<std::string_view>& cells) const;
    void split_quoted(std::string_view line, std::vector<std::string_view>& cells);

    LineReader lines_;
    char separator_ = '\0';
    std::uint64_t line_ = 0;
    std::size_t comments_ = 0;
    std::uint64_t first_comment_ = 0;
    std::string text_;  ///< of a record with quotes, without them
    std::vector<std::size_t> ends_;
};

}  // namespace plimsoll::experiment::detail
