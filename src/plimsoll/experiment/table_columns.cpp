#include "plimsoll/experiment/detail/table_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "plimsoll/core/text.hpp"

namespace plimsoll::experiment::detail {

namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 8> region_names{"region", "callpath", "call_path", "call path",
                                                       "kernel", "function", "name",      "path"};
constexpr std::array<std::string_view, 1> metric_names{"metric"};
constexpr std::array<std::string_view, 2> unit_names{"unit", "units"};
constexpr std::array<std::string_view, 2> value_names{"value", "values"};
/// Columns that number the rows or the runs.
constexpr std::array<std::string_view, 9> counter_names{"",      "repetition", "rep", "run", "iteration",
                                                        "trial", "index",      "id",  "seed"};
constexpr std::array<std::string_view, 21> parameter_names{
    "p",     "n",         "np",      "nprocs", "procs",        "processes",  "processors",
    "ranks", "mpi_ranks", "nranks",  "tasks",  "nodes",        "threads",    "workers",
    "cores", "gpus",      "devices", "size",   "problem_size", "batch_size", "nnodes"};
/// Last words of the names of measured quantities: `time`, `wall_time`, `gross_runtime`.
constexpr std::array<std::string_view, 14> measured_words{
    "time",    "times",   "runtime", "walltime", "wall",      "elapsed",    "duration",
    "seconds", "latency", "energy",  "power",    "bandwidth", "throughput", "flops"};
/// What columns of repetitions are called, with a number: `rep1`, `time_run_2`.
constexpr std::array<std::string_view, 7> repetition_words{"rep",  "reps",      "repetition", "run",
                                                           "iter", "iteration", "trial"};
/// The same as units, behind another word: `wall_s`.
constexpr std::array<std::string_view, 5> time_units{"s", "ms", "us", "ns", "sec"};

bool is_one_of(std::string_view word, Names names) {
    return std::find(names.begin(), names.end(), word) != names.end();
}

std::string_view last_word(std::string_view name) {
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    std::size_t begin = name.size();
    while (begin > 0 && is_letter(name[begin - 1])) --begin;
    return name.substr(begin);
}

bool is_measured(const Column& column) {
    const std::string name = lower_case(column.name);
    const std::string_view word = last_word(name);
    return is_one_of(word, measured_words) || is_one_of(column.unit, time_units) ||
           (word.size() < name.size() && is_one_of(word, time_units));
}

/// Whether a column holds a statistic of what was measured: `min`, `time_max`; `n_max` may be a parameter.
bool is_statistic(const Column& column) {
    static constexpr std::array<std::string_view, 17> words{
        "min", "max", "avg", "mean",     "average", "median",  "std",    "stddev",   "stdev",
        "sd",  "dev", "var", "variance", "minimum", "maximum", "stderr", "deviation"};
    const std::string name = lower_case(column.name);
    const std::string_view word = last_word(name);
    if (!is_one_of(word, words)) return false;
    const std::string_view rest = std::string_view(name).substr(0, name.size() - word.size());
    return rest.empty() || is_one_of(last_word(rest.substr(0, rest.size() - 1)), measured_words);
}

/// What stands before a number at the end of a column's name: `time_rep` of `time_rep_2`. Empty without one.
std::string_view before_number(std::string_view name) {
    const std::size_t end = name.find_last_not_of("0123456789");
    if (end == std::string_view::npos || end + 1 == name.size()) return {};
    return name.substr(0, name.find_last_not_of("_-. #", end) + 1);
}

/// The metric of a column of repetitions, `time` of `time_rep2`; "value" of `rep2`, which names none. Empty
/// where the name is not that of a repetition.
std::string repeated_metric(const Column& column) {
    const std::string_view stem = before_number(column.name);
    const std::string word = lower_case(last_word(stem));
    if (!is_one_of(word, repetition_words)) return {};
    const std::string_view rest = stem.substr(0, stem.size() - word.size());
    if (rest.empty()) return "value";
    return std::string(rest.substr(0, rest.find_last_not_of("_-. #") + 1));
}

/// The titles of some columns, for messages; those without one are passed over.
std::string titles(const TableSample& table, std::span<const std::size_t> columns) {
    std::vector<std::string> names;
    for (const std::size_t column : columns) {
        if (!table.columns[column].title.empty()) names.push_back(table.columns[column].title);
    }
    return join(names, ", ");
}

/// Gives each column its role, the certain ones first.
class RoleFinder {
  public:
    RoleFinder(const TableSample& table, const ReadOptions& options, const Place& place)
        : table_(table), options_(options), place_(place), taken_(table.columns.size(), false) {}

    ColumnRoles find();

  private:
    [[nodiscard]] std::size_t column_named(std::string_view name, std::string_view option) const;
    std::vector<std::size_t> chosen(const std::string& list, std::string_view option);
    std::optional<std::size_t> usual(Names names);
    void find_values();
    bool find_repetitions();
    void find_chosen_repetitions();
    void name_repetitions();
    void refuse_cell(bool (*is_named_so)(const Column&), std::string_view hint) const;
    void refuse_first_cell(bool (*is_named_so)(const Column&), std::string_view hint) const;
    void find_parameters();
    void expect_different_metrics() const;
    [[nodiscard]] bool may_count(std::size_t column) const;
    [[noreturn]] void give_up(std::string_view what, std::string_view option) const;

    const TableSample& table_;
    const ReadOptions& options_;
    const Place& place_;
    std::vector<bool> taken_;
    ColumnRoles roles_;
};

/// The column of a name that the user gave: as it stands in the header, or without unit, or in another case.
std::size_t RoleFinder::column_named(std::string_view name, std::string_view option) const {
    const auto count = [&](auto&& fits) {
        return std::count_if(table_.columns.begin(), table_.columns.end(), fits);
    };
    const auto position = [&](auto&& fits) {
        return static_cast<std::size_t>(std::find_if(table_.columns.begin(), table_.columns.end(), fits) -
                                        table_.columns.begin());
    };
    const auto is_title = [&](const Column& c) { return c.title == name; };
    const auto is_name = [&](const Column& c) { return c.name == name; };
    const auto is_like = [&](const Column& c) { return lower_case(c.name) == lower_case(name); };
    if (count(is_title) == 1) return position(is_title);
    if (count(is_name) == 1) return position(is_name);
    if (count(is_title) > 1 || count(is_name) > 1) {
        throw Error(ErrorKind::input, place_, fmt::format("there are several columns '{}'", name),
                    "give each column a name of its own");
    }
    if (count(is_like) == 1) return position(is_like);
    std::vector<std::string> names;
    for (const Column& column : table_.columns) names.push_back(column.title);
    const auto near = nearest(name, names);
    throw Error(
        ErrorKind::usage, place_, fmt::format("there is no column '{}' for --{}", name, option),
        near ? fmt::format("did you mean '{}'?", *near) : fmt::format("choose one of {}", join(names, ", ")));
}

std::vector<std::size_t> RoleFinder::chosen(const std::string& list, std::string_view option) {
    std::vector<std::size_t> columns;
    if (list.empty()) return columns;
    // A title may hold a comma itself.
    const bool is_title = std::any_of(table_.columns.begin(), table_.columns.end(),
                                      [&](const Column& column) { return column.title == list; });
    for (const std::string_view name : is_title ? std::vector<std::string_view>{list} : split(list, ',')) {
        const std::size_t column = column_named(trim(name), option);
        if (taken_[column]) {
            throw Error(ErrorKind::usage, place_,
                        fmt::format("--{} takes column '{}', which has a role already", option,
                                    table_.columns[column].title),
                        "name each column once");
        }
        taken_[column] = true;
        columns.push_back(column);
    }
    return columns;
}

/// The column with the first of some names that is there and has no role.
std::optional<std::size_t> RoleFinder::usual(Names names) {
    for (const std::string_view name : names) {
        for (std::size_t i = 0; i < table_.columns.size(); ++i) {
            if (taken_[i] || lower_case(table_.columns[i].name) != name) continue;
            taken_[i] = true;
            roles_.guessed = true;
            return i;
        }
    }
    return std::nullopt;
}

/// Whether a column could be a parameter or a metric: numbers without a role that do not number the rows.
bool RoleFinder::may_count(std::size_t column) const {
    const Column& c = table_.columns[column];
    const std::string name = lower_case(c.name);
    return !taken_[column] && c.kind == CellKind::number && !is_one_of(name, counter_names) &&
           !name.starts_with("unnamed");
}

/// Columns of repetitions by their names, two or more of each metric.
bool RoleFinder::find_repetitions() {
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
        if (!may_count(i)) continue;
        const std::string metric = repeated_metric(table_.columns[i]);
        const auto is_another = [&](std::size_t k) {
            return k != i && may_count(k) && repeated_metric(table_.columns[k]) == metric;
        };
        bool any_other = false;
        for (std::size_t k = 0; k < table_.columns.size(); ++k) any_other = any_other || is_another(k);
        if (metric.empty() || !any_other) continue;
        roles_.values.push_back(i);
        roles_.repeated.push_back(metric);
    }
    return !roles_.values.empty();
}

/// Value columns that the user named may be repetitions by their names.
void RoleFinder::find_chosen_repetitions() {
    std::vector<std::string> metrics;
    for (const std::size_t i : roles_.values) metrics.push_back(repeated_metric(table_.columns[i]));
    const auto is_repeated = [&](const std::string& metric) {
        return !metric.empty() && std::count(metrics.begin(), metrics.end(), metric) > 1;
    };
    if (!std::all_of(metrics.begin(), metrics.end(), is_repeated)) return;
    roles_.repeated = metrics;
    roles_.guessed = true;
}

/// The metric of columns that the user calls repetitions: what all their names have before a number.
void RoleFinder::name_repetitions() {
    std::string metric;
    for (std::size_t k = 0; k < roles_.values.size(); ++k) {
        const Column& column = table_.columns[roles_.values[k]];
        std::string own = repeated_metric(column);
        if (own.empty()) own = before_number(column.name);
        if (own.empty() || (k > 0 && own != metric)) own = "value";
        metric = own;
    }
    roles_.repeated.assign(roles_.values.size(), metric);
}

/// Where a role cannot be known since some row or cell is wrong, that is what to say.
void RoleFinder::refuse_cell(bool (*is_named_so)(const Column&), std::string_view hint) const {
    const bool is_meant = std::any_of(table_.columns.begin(), table_.columns.end(), is_named_so);
    try {
        refuse_first_cell(is_named_so, hint);
    } catch (const Error& error) {
        if (!is_meant) throw ForeignTable(error);
        throw;
    }
}

void RoleFinder::refuse_first_cell(bool (*is_named_so)(const Column&), std::string_view hint) const {
    if (table_.wrong_row) {
        refuse_row(table_, table_.wrong_row->cells, {.file = place_.file, .line = table_.wrong_row->line});
    }
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
        const Column& column = table_.columns[i];
        if (taken_[i] || column.kind != CellKind::text) continue;
        const bool is_like_number =
            !column.text.empty() && (std::isdigit(static_cast<unsigned char>(column.text.front())) != 0);
        if (is_like_number || is_named_so(column))
            refuse_value(column, column.text, {.file = place_.file, .line = column.text_line}, hint);
    }
}

void RoleFinder::give_up(std::string_view what, std::string_view option) const {
    std::vector<std::string> names;
    for (const Column& column : table_.columns) names.push_back(column.title);
    throw ForeignTable(Error(ErrorKind::input, place_,
                             fmt::format("cannot tell which column holds {}: {}", what, join(names, ", ")),
                             fmt::format("name it with --{}", option)));
}

void RoleFinder::find_values() {
    if (!roles_.values.empty()) return;
    roles_.guessed = true;
    if (const auto value = usual(value_names)) {
        roles_.values.push_back(*value);
        return;
    }
    if (find_repetitions()) {
        for (const std::size_t i : roles_.values) taken_[i] = true;
        return;
    }
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
        if (!may_count(i)) continue;
        numbers.push_back(i);
        if (is_measured(table_.columns[i])) roles_.values.push_back(i);
    }
    // Where the parameters are known, or all but one have a parameter's name, what remains is the metric.
    if (roles_.values.empty()) {
        if (roles_.parameters.empty()) {
            std::erase_if(numbers, [&](std::size_t i) {
                return is_one_of(lower_case(table_.columns[i].name), parameter_names);
            });
        }
        if (numbers.size() == 1) roles_.values = numbers;
    }
    if (roles_.values.empty() || (roles_.metric && roles_.values.size() > 1)) {
        refuse_cell(
            [](const Column& column) {
                return is_measured(column) || is_one_of(lower_case(column.name), value_names);
            },
            wrong_value_hint);
        give_up("the values", "value-column");
    }
    for (const std::size_t i : roles_.values) taken_[i] = true;
}

void RoleFinder::find_parameters() {
    if (!roles_.parameters.empty()) return;
    roles_.guessed = true;
    const std::size_t first_value = *std::min_element(roles_.values.begin(), roles_.values.end());
    for (std::size_t i = 0; i < first_value; ++i) {
        if (!may_count(i)) continue;
        const bool is_result = is_statistic(table_.columns[i]) || is_measured(table_.columns[i]);
        (is_result ? roles_.statistics : roles_.parameters).push_back(i);
    }
    for (std::size_t i = 0; roles_.parameters.empty() && i < table_.columns.size(); ++i) {
        if (may_count(i) && is_one_of(lower_case(table_.columns[i].name), parameter_names))
            roles_.parameters.push_back(i);
    }
    if (roles_.parameters.empty()) {
        refuse_cell([](const Column& column) { return is_one_of(lower_case(column.name), parameter_names); },
                    wrong_parameter_hint);
        give_up("a parameter", "parameter-columns");
    }
    for (const std::size_t i : roles_.parameters) taken_[i] = true;
}

/// Two columns of one metric would be repetitions of each other.
void RoleFinder::expect_different_metrics() const {
    for (std::size_t i = 0; i < roles_.values.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const Column& a = table_.columns[roles_.values[j]];
            const Column& b = table_.columns[roles_.values[i]];
            if (a.name != b.name || !roles_.repeated.empty()) continue;
            throw Error(
                ErrorKind::input, place_,
                fmt::format("the columns '{}' and '{}' are both the metric '{}'", a.title, b.title, a.name),
                "give each column a name of its own, or choose with --value-column");
        }
    }
}

ColumnRoles RoleFinder::find() {
    roles_.parameters = chosen(options_.parameter_columns, "parameter-columns");
    roles_.region = chosen(options_.region_column, "region-column");
    const auto metric = chosen(options_.metric_column, "metric-column");
    roles_.values = chosen(options_.value_column, "value-column");
    const auto repetitions = chosen(options_.repetition_columns, "repetition-columns");
    if (!repetitions.empty() && !roles_.values.empty()) {
        throw Error(ErrorKind::usage, place_, "both --value-column and --repetition-columns name the values",
                    "give one of them");
    }
    if (!repetitions.empty()) {
        roles_.values = repetitions;
        name_repetitions();
    } else if (roles_.values.size() > 1) {
        find_chosen_repetitions();
    }
    if (metric.size() > 1) {
        throw Error(ErrorKind::usage, place_, "--metric-column names several columns", "name one");
    }
    if (roles_.region.empty()) {
        if (const auto region = usual(region_names)) roles_.region.push_back(*region);
    }
    roles_.metric = metric.empty() ? usual(metric_names) : std::optional(metric.front());
    if (roles_.metric && roles_.values.size() > 1 && roles_.repeated.empty()) {
        throw Error(ErrorKind::usage, place_,
                    fmt::format("column '{}' names the metric, and yet there are several value columns",
                                table_.columns[*roles_.metric].title),
                    "name one column with --value-column");
    }
    find_values();
    find_parameters();
    expect_different_metrics();
    if (roles_.values.size() == 1 || !roles_.repeated.empty()) roles_.unit = usual(unit_names);
    for (std::size_t i = 0; i < taken_.size(); ++i) {
        if (!taken_[i]) roles_.left_out.push_back(i);
    }
    return roles_;
}

}  // namespace

ColumnRoles find_roles(const TableSample& table, const ReadOptions& options, const Place& place) {
    return RoleFinder(table, options, place).find();
}

std::string describe_roles(const TableSample& table, const ColumnRoles& roles) {
    std::string text = fmt::format("parameters: {}", titles(table, roles.parameters));
    if (!roles.region.empty()) text += fmt::format("; region: {}", titles(table, roles.region));
    if (roles.metric) text += fmt::format("; metric: {}", table.columns[*roles.metric].title);
    text += fmt::format("; {}: {}", roles.repeated.empty() ? "values" : "repetitions",
                        titles(table, roles.values));
    if (const std::string names = titles(table, roles.left_out); !names.empty())
        text += "; left out: " + names;
    if (const std::string names = titles(table, roles.statistics); !names.empty()) {
        text += fmt::format("; {} measured, it seems: name parameters with --parameter-columns",
                            roles.statistics.size() == 1 ? names + " is" : names + " are");
    }
    return text;
}

}  // namespace plimsoll::experiment::detail
