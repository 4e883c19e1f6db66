#include <algorithm>
#include <array>

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
void look_at(TableSample& table, std::vector<Count>& counts, std::span<const std::string_view> cells) {
    ++table.rows;
    table.rows_agree = table.rows_agree && cells.size() == table.columns.size();
    for (std::size_t i = 0; i < std::min(cells.size(), table.columns.size()); ++i) {
        if (is_missing(cells[i])) continue;
        ++(cell_number(cells[i], table.separator) ? counts[i].numbers : counts[i].texts);
    }
}

}  // namespace

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
        while (table.rows < most_rows && records.next(cells)) look_at(table, counts, cells);
    } catch (const Error&) {
        // A quote that is open where the sample ends is closed later.
        if (is_whole) throw;
    }
    for (std::size_t i = 0; i < counts.size(); ++i) table.columns[i].kind = counts[i].kind();
    return table;
}

}  // namespace plimsoll::experiment::detail
