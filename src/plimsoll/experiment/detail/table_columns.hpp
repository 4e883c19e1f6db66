#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/experiment/reader.hpp"

namespace plimsoll::experiment::detail {

enum class CellKind { empty, number, text };

/// One column by its header and its first rows.
struct Column {
    std::string title;  ///< as it stands in the header
    std::string name;   ///< without the unit: `time` of `time [s]`
    std::string unit;
    CellKind kind = CellKind::empty;  ///< of most cells
    std::string text;                 ///< the first cell that is no number, if any
    std::uint64_t text_line = 0;      ///< where it stands
};

/// The beginning of a table.
struct TableSample {
    std::vector<Column> columns;
    char separator = '\0';
    std::uint64_t header_line = 0;
    std::size_t rows = 0;
    bool rows_agree = true;  ///< each has as many cells as the header
    /// The first row with more or fewer cells, empty ones at its end aside.
    struct WrongRow {
        std::uint64_t line;
        std::size_t cells;
    };
    std::optional<WrongRow> wrong_row;
};

/// Throws the input error of a row that has not as many cells as the header.
[[noreturn]] void refuse_row(const TableSample& table, std::size_t cells, const Place& place);

inline constexpr std::string_view wrong_value_hint =
    "correct the value, or leave the cell empty where there is none";
inline constexpr std::string_view wrong_parameter_hint =
    "give the number that the program ran with, or choose with --parameter-columns";

/// Throws the input error of a cell that is no number. The hint is for others than columns
/// of numbers with units.
[[noreturn]] void refuse_value(const Column& column, std::string_view cell, const Place& place,
                               std::string_view hint);

/// Looks at the header and the first rows; a last row that is cut off is left out. Throws an input error for
/// a quote that is not closed in a whole file.
[[nodiscard]] TableSample sample_table(const std::string& name, std::string_view head, bool is_whole);

/// A table that is none of measurements, it seems, since nothing tells what its columns hold. It is an input
/// error where the table is named, and left out of a folder with other files.
class ForeignTable : public Error {
  public:
    explicit ForeignTable(const Error& error) : Error(error) {}
};

/// What each column is, by position.
struct ColumnRoles {
    std::vector<std::size_t> parameters;
    std::vector<std::size_t> region;  ///< joined by `->` where there are several
    std::optional<std::size_t> metric;
    std::optional<std::size_t> unit;
    std::vector<std::size_t> values;  ///< one with a metric column, else one for each metric
    /// Where value columns hold repetitions: the metric that each of them is of.
    std::vector<std::string> repeated;
    std::vector<std::size_t> left_out;
    std::vector<std::size_t> statistics;  ///< of those left out, which stand where parameters do
    bool guessed = false;                 ///< a role that the options do not tell
};

/// Finds the roles from the options, and by usual names where they say nothing.
///
/// Throws a usage error for a column that is not there, and an input error where the roles cannot be known:
/// `ForeignTable` where no column has a usual name either.
[[nodiscard]] ColumnRoles find_roles(const TableSample& table, const ReadOptions& options,
                                     const Place& place);

/// "parameters: p, n; region: path; metric: what; values: value; left out: host".
[[nodiscard]] std::string describe_roles(const TableSample& table, const ColumnRoles& roles);

}  // namespace plimsoll::experiment::detail
