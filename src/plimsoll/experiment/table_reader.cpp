#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/experiment/detail/formats.hpp"
#include "plimsoll/experiment/detail/table_columns.hpp"
#include "plimsoll/experiment/detail/table_records.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::size_t sample_size = std::size_t{1} << 16U;
constexpr std::string_view root_region = "<root>";  // of rows that name none, as in JSON lines

/// Reads the rows of a table whose columns are known.
class TableReader {
  public:
    TableReader(TableRecords& records, const TableSample& table, const ColumnRoles& roles,
                ExperimentBuilder& builder, const Place& place);

    void read_row(std::vector<std::string_view>& cells);

  private:
    /// A metric of its own, or the values of all metrics of a long table.
    struct ValueColumn {
        std::size_t column;
        MetricId metric{};
        RegionId region{};
        SeriesId series{};  ///< of the region and metric above
        bool known = false;
        std::string metric_text{};
    };
    /// A column that nobody reads. If its text differs from row to row, rows may be joined that do not belong
    /// together.
    struct Ignored {
        std::size_t column;
        std::string text{};
        bool seen = false;
    };

    [[nodiscard]] double coordinate(std::string_view cell, std::size_t column) const;
    [[nodiscard]] RegionId region_of(const std::vector<std::string_view>& cells);
    void read_value(const std::vector<std::string_view>& cells, ValueColumn& value, RegionId region,
                    PointId point);
    void watch(const std::vector<std::string_view>& cells);

    const TableRecords& records_;
    const TableSample& table_;
    const ColumnRoles& roles_;
    ExperimentBuilder& builder_;
    Place place_;
    std::vector<double> coordinates_;
    std::vector<ValueColumn> values_;
    std::vector<Ignored> ignored_;
    std::string path_;
};

TableReader::TableReader(TableRecords& records, const TableSample& table, const ColumnRoles& roles,
                         ExperimentBuilder& builder, const Place& place)
    : records_(records), table_(table), roles_(roles), builder_(builder), place_(place) {
    std::vector<std::string> names;
    for (const std::size_t i : roles.parameters) names.push_back(table.columns[i].name);
    builder.set_parameters(names, place);
    for (const std::size_t i : roles.parameters) {
        if (const Column& column = table.columns[i]; !column.unit.empty()) {
            builder.set_parameter_unit(column.name, column.unit);
        }
    }
    for (std::size_t k = 0; k < roles.values.size(); ++k) {
        values_.push_back({.column = roles.values[k]});
        if (roles.metric) continue;
        const Column& column = table.columns[roles.values[k]];
        values_.back().metric = builder.metric(roles.repeated.empty() ? column.name : roles.repeated[k]);
        if (!column.unit.empty()) builder.set_unit(values_.back().metric, column.unit);
    }
    for (const std::size_t i : roles.left_out) {
        if (table.columns[i].kind == CellKind::text) ignored_.push_back({.column = i});
    }
}

double TableReader::coordinate(std::string_view cell, std::size_t column) const {
    if (const auto number = cell_number(cell, table_.separator)) return *number;
    refuse_value(table_.columns[column], trim(cell), place_, wrong_parameter_hint);
}

RegionId TableReader::region_of(const std::vector<std::string_view>& cells) {
    std::string_view name = root_region;
    if (roles_.region.size() == 1) {
        name = trim(cells[roles_.region.front()]);
    } else if (!roles_.region.empty()) {
        path_.clear();
        for (const std::size_t column : roles_.region) {
            const std::string_view piece = trim(cells[column]);
            if (!piece.empty() && !path_.empty()) path_ += arrow;
            path_ += piece;
        }
        name = path_;
    }
    return builder_.region(name.empty() ? root_region : name);
}

void TableReader::read_value(const std::vector<std::string_view>& cells, ValueColumn& value, RegionId region,
                             PointId point) {
    const std::string_view cell = cells[value.column];
    const auto number = cell_number(cell, table_.separator);
    if (!number && is_missing(cell)) {
        builder_.note(
            place_, fmt::format("column '{}' has no value in this row", table_.columns[value.column].title));
        return;
    }
    if (!number) refuse_value(table_.columns[value.column], trim(cell), place_, wrong_value_hint);
    if (roles_.metric) {
        const std::string_view name = trim(cells[*roles_.metric]);
        if (!value.known || name != value.metric_text) {
            value.metric = builder_.metric(name);
            value.metric_text = name;
            value.known = false;
        }
    }
    if (roles_.unit) builder_.set_unit(value.metric, trim(cells[*roles_.unit]));
    if (!value.known || value.region != region) {
        value.series = builder_.series(region, value.metric);
        value.region = region;
        value.known = true;
    }
    const double repetition = *number;
    builder_.add_repetitions(value.series, point, {&repetition, 1}, place_);
}

/// Tells once of a column left out whose text differs.
void TableReader::watch(const std::vector<std::string_view>& cells) {
    for (Ignored& column : ignored_) {
        if (!column.seen) {
            column.text = cells[column.column];
            column.seen = true;
        } else if (cells[column.column] != column.text) {
            builder_.note(
                place_,
                fmt::format("column '{}' is left out although it differs: rows that differ in nothing else "
                            "count as repetitions (--region-column keeps them apart)",
                            table_.columns[column.column].title));
            column = ignored_.back();
            ignored_.pop_back();
            return;
        }
    }
}

void TableReader::read_row(std::vector<std::string_view>& cells) {
    place_.line = records_.line();
    while (cells.size() > table_.columns.size() && trim(cells.back()).empty()) cells.pop_back();
    if (cells.size() != table_.columns.size()) refuse_row(table_, cells.size(), place_);
    coordinates_.clear();
    for (const std::size_t column : roles_.parameters)
        coordinates_.push_back(coordinate(cells[column], column));
    const PointId point = builder_.point(coordinates_, place_);
    const RegionId region = region_of(cells);
    for (ValueColumn& value : values_) read_value(cells, value, region, point);
    if (!ignored_.empty()) watch(cells);
}

}  // namespace

bool is_table(const Probe& probe) {
    const std::string_view start = trim(probe.head);
    if (start.starts_with('{') || start.starts_with('[') || probe.head.find('\0') != std::string_view::npos)
        return false;
    TableSample table;
    try {
        table = sample_table("probe", probe.head, probe.head.size() < sample_size);
    } catch (const Error&) {
        return probe.path.ends_with(".csv") || probe.path.ends_with(".tsv");
    }
    if (table.columns.size() < 2) return false;
    if (probe.path.ends_with(".csv") || probe.path.ends_with(".tsv")) return true;
    const auto is_number = [](const Column& column) { return column.kind == CellKind::number; };
    return table.rows > 0 && table.rows_agree &&
           std::any_of(table.columns.begin(), table.columns.end(), is_number);
}

void read_table(Input& input, ExperimentBuilder& builder, const ReadOptions& options) {
    const std::string_view head = input.peek(sample_size);
    const TableSample table = sample_table(input.name(), head, head.size() < sample_size);
    Place place{.file = input.name(), .line = table.header_line};
    const auto is_number = [&](const Column& column) { return parse_number(column.title).has_value(); };
    const bool has_numbers = std::any_of(table.columns.begin(), table.columns.end(), is_number);
    const bool roles_are_told = !options.value_column.empty() || !options.parameter_columns.empty();
    if (table.columns.size() < 2 || (has_numbers && !roles_are_told) ||
        std::all_of(table.columns.begin(), table.columns.end(), is_number)) {
        throw ForeignTable(Error(ErrorKind::input, place, "there is no header line with names of columns",
                                 "begin the table with a line such as p,n,region,time"));
    }
    if (table.rows == 0 && head.size() < sample_size) {
        throw Error(ErrorKind::input, place, "the table has a header line and no rows",
                    "check that the program wrote its measurements");
    }
    const ColumnRoles roles = find_roles(table, options, place);
    TableRecords records(input);
    std::vector<std::string_view> cells;
    (void)records.next(cells);
    if (roles.guessed) builder.note(place, describe_roles(table, roles));
    TableReader reader(records, table, roles, builder, place);
    if (options.parameter_columns.empty()) {
        for (const std::size_t i : roles.parameters)
            builder.suggest_parameter(table.columns[i].name, "; --parameter-columns keeps it");
    }
    while (records.next(cells)) reader.read_row(cells);
    if (records.comments() > 0) {
        place.line = records.first_comment();
        builder.note(place,
                     fmt::format("{} with # at the beginning {} taken for {}",
                                 counted(records.comments(), "line"), records.comments() == 1 ? "is" : "are",
                                 records.comments() == 1 ? "a comment" : "comments"));
    }
}

}  // namespace plimsoll::experiment::detail
