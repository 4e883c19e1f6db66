#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/table_columns.hpp"
#include "plimsoll/experiment/detail/table_records.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::size_t most_rows = 200;

/// Splits a unit off a title: `time [s]`, `wall (s)`. A last word such as `_s` tells the unit and stays.
Column column_of(std::string_view title) {
    title = trim(title);
    Column column{.title = std::string(title), .name = std::string(title), .unit = {}};
    for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
        const std::size_t begin = title.rfind(open);
        if (!title.ends_with(close) || begin == std::string_view::npos) continue;
        const std::string_view name = trim(title.substr(0, begin));
        const std::string_view unit = trim(title.substr(begin + 1, title.size() - begin - 2));
        if (name.empty() || unit.empty()) continue;
        column.name = name;
        column.unit = unit;
        return column;
    }
    constexpr std::array<std::string_view, 4> suffixes{"_s", "_ms", "_us", "_ns"};
    for (const std::string_view suffix : suffixes) {
        if (title.size() > suffix.size() && title.ends_with(suffix)) column.unit = suffix.substr(1);
    }
    return column;
}

/// What the cells of a column are most of the time: one that is mistyped does not change what the column
/// holds.
struct Count {
    std::size_t numbers = 0;
    std::size_t texts = 0;

    [[nodiscard]] CellKind kind() const {
        if (numbers + texts == 0) return CellKind::empty;
        return numbers >= texts ? CellKind::number : CellKind::text;
    }
};

/// Takes a row into the sample.
void look_at(TableSample& table, std::vector<Count>& counts, std::span<const std::string_view> cells,
             std::uint64_t line) {
    ++table.rows;
    std::size_t filled = cells.size();
    while (filled > table.columns.size() && trim(cells[filled - 1]).empty()) --filled;
    if (filled != table.columns.size() && !table.wrong_row) table.wrong_row = {.line = line, .cells = filled};
    table.rows_agree = table.rows_agree && cells.size() == table.columns.size();
    for (std::size_t i = 0; i < std::min(cells.size(), table.columns.size()); ++i) {
        if (is_missing(cells[i])) continue;
        const bool is_number = cell_number(cells[i], table.separator).has_value();
        ++(is_number ? counts[i].numbers : counts[i].texts);
        Column& column = table.columns[i];
        if (is_number || column.text_line != 0) continue;
        column.text = trim(cells[i]);
        column.text_line = line;
    }
}

}  // namespace

void refuse_row(const TableSample& table, std::size_t cells, const Place& place) {
    throw Error(
        ErrorKind::input, place,
        fmt::format("the row has {}, but the header {}", counted(cells, "cell"), table.columns.size()),
        "quote cells in which the separator stands");
}

void refuse_value(const Column& column, std::string_view cell, const Place& place, std::string_view hint) {
    constexpr std::size_t most = 60;
    const std::string shown =
        cell.size() > most ? fmt::format("{}...", cell.substr(0, most)) : std::string(cell);
    std::size_t end = cell.size();  // of a number before its unit: `12.31s`
    while (end > 0 && !parse_number(cell.substr(0, end))) --end;
    const std::string_view unit = trim(cell.substr(end));
    const bool has_unit = column.kind == CellKind::text && end > 0 && !unit.empty() &&
                          std::isalpha(static_cast<unsigned char>(unit[0])) != 0;
    throw Error(ErrorKind::input, place,
                fmt::format("column '{}': '{}' is not a number", column.title, shown),
                has_unit ? fmt::format("write the unit in the header, '{} [{}]', and numbers alone below it",
                                       column.name, unit)
                         : std::string(hint));
}

TableSample sample_table(const std::string& name, std::string_view head, bool is_whole) {
    if (!is_whole) head = head.substr(0, head.rfind('\n') + 1);
    Input input(name, head);
    TableRecords records(input);
    TableSample table;
    std::vector<Count> counts;
    std::vector<std::string_view> cells;
    try {
        if (!records.next(cells)) return table;
        table.separator = records.separator();
        table.header_line = records.line();
        for (const std::string_view title : cells) table.columns.push_back(column_of(title));
        counts.resize(cells.size());
        while (table.rows < most_rows && records.next(cells)) look_at(table, counts, cells, records.line());
    } catch (const Error&) {
        // A quote that is open where the sample ends is closed later.
        if (is_whole) throw;
    }
    for (std::size_t i = 0; i < counts.size(); ++i) table.columns[i].kind = counts[i].kind();
    return table;
}

}  // namespace plimsoll::experiment::detail
