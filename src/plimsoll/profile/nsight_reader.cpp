#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/sqlite.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/nsight_steps.hpp"
#include "plimsoll/profile/detail/nsight_tables.hpp"
#include "plimsoll/profile/detail/timeline.hpp"
#include "plimsoll/profile/path_pattern.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr double nano = 1e-9;
constexpr const char* damaged_hint = "export the report again with 'nsys export --type sqlite'";

// Kinds of NVTX events. Source: the table ENUM_NSYS_EVENT_TYPE of exports.
constexpr std::int64_t nvtx_category = 33;
constexpr std::int64_t nvtx_push_pop_range = 59;
constexpr std::int64_t nvtx_start_end_range = 60;

constexpr const char* nvtx_table = "NVTX_EVENTS";

using Kind = Timeline::Kind;

/// Of numbers that are identifiers of a process, or of a thread of it, what both have in common.
std::uint64_t process_of(std::int64_t global) { return static_cast<std::uint64_t>(global) >> 24U; }

class Reader {
  public:
    Reader(Input& input, Sink& sink, sqlite::Database& database)
        : input_(&input), sink_(&sink), database_(&database) {}

    void read() {
        // What a file says of itself is not to be run.
        database_->execute("pragma trusted_schema = off");
        database_->execute("pragma cell_size_check = on");
        find_tables();
        if (!has("StringIds", "value")) fail("has no table StringIds, and is no export of Nsight Systems");
        read_strings();
        read_ranks();
        read_metadata();
        read_categories();
        read_ranges();
        for (const NsightSource& source : nsight_sources()) read_source(source);
        note_other_tables();
        deliver();
    }

  private:
    struct Process {
        explicit Process(Names& names) : timeline(names, nano) {}
        Timeline timeline;
        std::vector<MarkedRange> marked;
        std::optional<std::int64_t> rank;
        bool has_ranges = false;
    };

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(ErrorKind::input, Place{.file = input_->name()}, what, damaged_hint);
    }

    void find_tables() {
        sqlite::Statement tables(
            *database_, "select name from pragma_table_list where schema = 'main' and type = 'table'");
        std::vector<std::string> names;
        while (tables.next()) names.push_back(tables.text(0));
        sqlite::Statement columns(*database_, "select name from pragma_table_info(?1)");
        for (const std::string& name : names) {
            columns.with(name);
            std::set<std::string>& known = columns_[name];
            while (columns.next()) known.insert(columns.text(0));
        }
    }

    [[nodiscard]] bool has(const std::string& table, const std::string& column) const {
        const auto found = columns_.find(table);
        return found != columns_.end() && found->second.contains(column);
    }

    /// A column in SQL; null where the table has none of that name.
    [[nodiscard]] std::string column(const std::string& table, const std::string& name) const {
        return has(table, name) ? fmt::format("\"{}\"", name) : "null";
    }

    /// Visits the rows of a query over a table, counting them as read.
    template <class Visit>
    void each_row(const std::string& sql, const Visit& visit) {
        constexpr std::uint32_t often = 1U << 12U;
        sqlite::Statement rows(*database_, sql.c_str());
        for (std::uint32_t i = 0; rows.next(); ++i) {
            if (i % often == 0) input_->poll();
            visit(rows);
        }
    }

    void read_strings() {
        each_row("select id, value from StringIds", [&](const sqlite::Statement& row) {
            strings_.emplace(row.integer(0), names_.id(row.view(1)));
        });
    }

    [[nodiscard]] std::string_view string(std::int64_t id) const {
        const auto found = strings_.find(id);
        return found == strings_.end() ? std::string_view() : std::string_view(names_.text(found->second));
    }

    Process& process(std::int64_t global) {
        return processes_.try_emplace(process_of(global), names_).first->second;
    }

    void read_ranks() {
        if (!has("MPI_RANKS", "rank") || !has("MPI_RANKS", "globalTid")) return;
        each_row("select globalTid, rank from MPI_RANKS", [&](const sqlite::Statement& row) {
            const std::int64_t rank = row.integer(1);
            if (rank >= 0 && rank < most_ranks) ranks_[process_of(row.integer(0))] = rank;
        });
    }

    /// What the export says of the machine; texts that are long or of several lines say too much.
    void read_metadata() {
        constexpr std::size_t longest = 200;
        const auto keep = [&](std::string_view name, std::string_view value) {
            if (!name.empty() && !value.empty() && value.size() < longest &&
                value.find('\n') == std::string_view::npos)
                metadata_.emplace(name, value);
        };
        for (const char* const table : {"TARGET_INFO_SYSTEM_ENV", "META_DATA_CAPTURE"}) {
            if (!has(table, "name") || !has(table, "value")) continue;
            each_row(fmt::format("select name, value from {}", table),
                     [&](const sqlite::Statement& row) { keep(row.view(0), row.view(1)); });
        }
        if (has("TARGET_INFO_GPU", "name")) {
            each_row("select name from TARGET_INFO_GPU limit 1",
                     [&](const sqlite::Statement& row) { keep("device", row.view(0)); });
        }
    }

    /// A text that stands in the row, or among the strings.
    std::string_view text_of(const sqlite::Statement& row, int text, int id) const {
        return row.is_null(text) && !row.is_null(id) ? string(row.integer(id)) : row.view(text);
    }

    [[nodiscard]] std::string nvtx_query(const char* condition) const {
        return fmt::format("select {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {} from {} {}", nvtx("start"),
                           nvtx("end"), nvtx("text"), nvtx("textId"), nvtx("globalTid"), nvtx("category"),
                           nvtx("domainId"), nvtx("eventType"), nvtx("uint64Value"), nvtx("int64Value"),
                           nvtx("uint32Value"), nvtx("int32Value"), nvtx_table, condition);
    }
    [[nodiscard]] std::string nvtx(const char* name) const { return column(nvtx_table, name); }

    using CategoryKey = std::tuple<std::uint64_t, std::int64_t, std::int64_t>;  // process, domain, category

    static CategoryKey category_key(const sqlite::Statement& row) {
        return {process_of(row.integer(4)), row.integer(6), row.integer(5)};
    }

    void read_categories() {
        if (!has(nvtx_table, "eventType") || !has(nvtx_table, "category")) return;
        each_row(nvtx_query(fmt::format("where eventType = {}", nvtx_category).c_str()),
                 [&](const sqlite::Statement& row) {
                     categories_.insert_or_assign(category_key(row), names_.id(text_of(row, 2, 3)));
                 });
    }

    void read_ranges() {
        if (!has(nvtx_table, "start") || !has(nvtx_table, "end")) return;
        const bool has_types = has(nvtx_table, "eventType");
        const std::string condition =
            has_types ? fmt::format("where eventType in ({}, {})", nvtx_push_pop_range, nvtx_start_end_range)
                      : std::string("where \"end\" is not null");
        each_row(nvtx_query(condition.c_str()), [&](const sqlite::Statement& row) {
            Timeline::Event event;
            if (!take_time(row, event)) return;
            const std::string_view text = without_arguments(text_of(row, 2, 3));
            if (text.empty()) return;
            const std::int64_t global = row.integer(4);
            Process& process = this->process(global);
            process.has_ranges = true;
            event.track = track(global);
            const bool is_nested = !has_types || row.integer(7) == nvtx_push_pop_range;
            const auto category = categories_.find(category_key(row));
            const std::string_view category_name =
                category == categories_.end() ? std::string_view() : names_.text(category->second);
            if (const auto mark = step_mark(text, category_name)) {
                event.name = names_.id(mark->name);
                process.marked.push_back({.mark = *mark, .event = event, .is_nested = is_nested});
                process.marked.back().mark.name = names_.text(event.name);
                return;
            }
            event.name = names_.id(text);
            // NCCL says with its ranges how much is moved.
            if (is_collective_kernel(text)) event.bytes = payload(row);
            if (is_nested) {
                process.timeline.add(event);
            } else {
                ++unnested_;
            }
        });
    }

    static double payload(const sqlite::Statement& row) {
        for (const int value : {8, 9, 10, 11}) {
            if (!row.is_null(value)) return std::max(0.0, row.real(value));
        }
        return 0.0;
    }

    /// Begin and end stand first in each query. False for what has no end, or one before its begin.
    bool take_time(const sqlite::Statement& row, Timeline::Event& event) {
        // Since 1970 there have been more nanoseconds than a double tells apart: they count from the first
        // event.
        const std::int64_t begin = row.integer(0);
        std::int64_t since = 0;
        std::int64_t duration = 0;
        const bool is_whole = !row.is_null(0) && !row.is_null(1) &&
                              !__builtin_sub_overflow(begin, first_time_.value_or(begin), &since) &&
                              !__builtin_sub_overflow(row.integer(1), begin, &duration) && duration >= 0;
        if (!is_whole) {
            ++endless_;
            return false;
        }
        if (!first_time_) first_time_ = begin;
        event.begin = static_cast<double>(since);
        event.duration = static_cast<double>(duration);
        return true;
    }

    std::uint32_t track(std::int64_t global) {
        return tracks_.try_emplace(global, static_cast<std::uint32_t>(tracks_.size())).first->second;
    }

    void read_source(const NsightSource& source) {
        const std::string table = source.table;
        if (!has(table, "start") || !has(table, "end")) return;
        const auto* const named = std::find_if(source.name_columns.begin(), source.name_columns.end(),
                                               [&](const char* c) { return has(table, c); });
        const std::string name = named == source.name_columns.end() ? "null" : column(table, *named);
        const bool is_host = source.kind == Kind::host;
        // A wait for several requests has a row for each.
        const char* const distinct = table == "MPI_START_WAIT_EVENTS" ? "distinct " : "";
        const std::string sql = fmt::format(
            "select {}{}, {}, {}, {}, {}, {}, {} from {}", distinct, column(table, "start"),
            column(table, "end"), name, column(table, source.process_column), column(table, "correlationId"),
            column(table, source.bytes_column), is_host ? "null" : column(table, "deviceId"), table);
        const bool knows_process = has(table, source.process_column);
        // Older versions do not say which process a kernel belongs to, but which call started it.
        const bool needs_callers =
            std::any_of(nsight_sources().begin(), nsight_sources().end(), [&](const NsightSource& other) {
                return columns_.contains(other.table) && !has(other.table, other.process_column);
            });
        each_row(sql, [&](const sqlite::Statement& row) {
            Timeline::Event event{.kind = source.kind};
            if (!take_time(row, event)) return;
            // Others than the runtime count their calls too, for themselves.
            const bool is_launch = !is_host || table == nsight_runtime_table;
            if (is_launch && !row.is_null(4)) event.correlation = static_cast<std::uint32_t>(row.integer(4));
            event.bytes = std::max(0.0, row.real(5));
            event.name = name_of(source, row);
            if (source.kind == Kind::kernel && is_collective_kernel(names_.text(event.name)))
                event.kind = Kind::collective;
            std::int64_t global = row.integer(3);
            if (!knows_process) {
                const auto caller = caller_of_.find(event.correlation);
                if (caller != caller_of_.end()) global = caller->second;
            } else if (needs_callers && table == nsight_runtime_table) {
                caller_of_.emplace(event.correlation, global);
            }
            event.track = is_host ? track(global) : static_cast<std::uint32_t>(row.integer(6));
            process(global).timeline.add(event);
        });
    }

    std::uint32_t name_of(const NsightSource& source, const sqlite::Statement& row) {
        if (row.is_null(2))
            return names_.id(*source.fixed_name != '\0' ? source.fixed_name : "(without a name)");
        if (source.kind == Kind::copy) return names_.id(nsight_copy_name(row.integer(2)));
        if (source.kind == Kind::wait) return names_.id(nsight_wait_name(row.integer(2)));
        const auto found = strings_.find(row.integer(2));
        if (found == strings_.end()) return names_.id("(without a name)");
        if (source.kind != Kind::host) return found->second;
        return names_.id(without_version(names_.text(found->second)));
    }

    void note_other_tables() {
        std::vector<std::string> others;
        for (const auto& entry : columns_) {
            const std::string& table = entry.first;
            const bool is_read =
                table == nvtx_table ||
                std::any_of(nsight_sources().begin(), nsight_sources().end(),
                            [&](const NsightSource& source) { return table == source.table; });
            if (!is_read && !is_nsight_description(table) && entry.second.contains("start"))
                others.push_back(table);
        }
        if (!others.empty())
            sink_->builder.detail(Place{.file = input_->name()},
                                  fmt::format("left out: the tables {}", join(others, ", ")));
        if (endless_ > 0) note(fmt::format("left out: {} without an end", counted(endless_, "event")));
    }

    void note(const std::string& text) { sink_->builder.note(Place{.file = input_->name()}, text); }

    /// Of several processes those count that do what is measured: steps, else MPI, else work that is named.
    std::vector<Process*> measured_processes() {
        std::vector<Process*> all;
        for (auto& [id, process] : processes_) {
            if (process.timeline.is_empty()) continue;
            const auto rank = ranks_.find(id);
            if (rank != ranks_.end()) process.rank = rank->second;
            all.push_back(&process);
        }
        const auto keep = [&](auto&& matters) {
            if (std::any_of(all.begin(), all.end(), matters))
                std::erase_if(all, [&](Process* process) { return !matters(process); });
        };
        keep([](const Process* process) { return process->timeline.has_steps(); });
        keep([](const Process* process) { return process->rank.has_value(); });
        keep([](const Process* process) {
            return process->has_ranges || process->timeline.has_device_work();
        });
        return all;
    }

    void deliver() {
        std::size_t warm_up = 0;
        for (auto& [id, process] : processes_) {
            const LeftOut left_out = add_steps(process.timeline, process.marked);
            warm_up += left_out.warm_up;
            unnested_ += left_out.unnested;
        }
        if (unnested_ > 0)
            note(fmt::format("left out: {} that may begin and end on different threads",
                             counted(unnested_, "range")));
        if (warm_up > 0)
            note(fmt::format("left out: {} of the first epoch, which is warm-up", counted(warm_up, "step")));
        const std::vector<Process*> measured = measured_processes();
        const std::optional<std::int64_t> file_rank = rank_of_name(input_->name());
        std::int64_t next = 0;
        for (Process* const process : measured) {
            Part about;
            about.place = {.file = input_->name()};
            about.metadata = metadata_;
            about.rank = process->rank ? process->rank : file_rank;
            if (!process->rank && measured.size() > 1) {
                // Processes of one rank where the file is that of one; else they are taken for the ranks.
                if (!about.rank) {
                    about.rank = next;
                    about.is_rank_guessed = true;
                }
                about.thread = next;
            }
            process->timeline.deliver(*sink_, about);
            ++next;
        }
        if (measured.size() > 1 && !file_rank && !measured.front()->rank)
            note(fmt::format("which ranks its {} processes are is not said, and guessed by their order",
                             measured.size()));
    }

    static constexpr std::int64_t most_ranks = 1'000'000'000;

    Input* input_;
    Sink* sink_;
    sqlite::Database* database_;
    std::map<std::string, std::set<std::string>> columns_;
    Names names_;
    std::unordered_map<std::int64_t, std::uint32_t> strings_;
    std::map<std::uint64_t, Process> processes_;
    std::map<std::uint64_t, std::int64_t> ranks_;
    std::map<CategoryKey, std::uint32_t> categories_;
    std::unordered_map<std::int64_t, std::uint32_t> tracks_;
    std::unordered_map<std::uint32_t, std::int64_t> caller_of_;  ///< process by correlation
    std::map<std::string, std::string> metadata_;
    std::optional<std::int64_t> first_time_;  ///< of an event, ns
    std::size_t endless_ = 0;
    std::size_t unnested_ = 0;
};

}  // namespace

bool is_nsight(const experiment::Probe& probe) {
    if (!probe.head.starts_with(std::string_view("SQLite format 3\0", 16))) return false;
    // The names of tables stand on the first pages, since exports begin with those of enumerations and
    // strings.
    const std::array<std::string_view, 4> tables{"StringIds", "CUPTI_ACTIVITY_KIND_", nvtx_table,
                                                 "ENUM_NSYS_"};
    return std::any_of(tables.begin(), tables.end(), [&](std::string_view table) {
        return probe.head.find(table) != std::string_view::npos;
    });
}

void read_nsight(Input& input, Sink& sink) {
    if (const auto file = input.plain_file()) {
        sqlite::Database database(*file, sqlite::Access::read_only, damaged_hint);
        Reader(input, sink, database).read();
        input.count_bytes(input.size());
        return;
    }
    std::string content;
    constexpr std::size_t block = std::size_t{1} << 20U;
    constexpr std::size_t most_bytes = std::size_t{1} << 30U;  // all of it is in memory
    for (std::string_view piece = input.take(block); !piece.empty(); piece = input.take(block)) {
        content += piece;
        if (content.size() > most_bytes) {
            throw Error(ErrorKind::input, Place{.file = input.name()},
                        fmt::format("is larger than {} MiB where it is unpacked", most_bytes >> 20U),
                        "unpack it into a file, and name that");
        }
    }
    // Without a file beside it there is no journal to write ahead to: versions 2 are such, versions 1 are
    // not.
    constexpr std::size_t versions = 18;
    if (content.size() > versions + 1) content[versions] = content[versions + 1] = 1;
    sqlite::Database database(input.name(), content, damaged_hint);
    Reader(input, sink, database).read();
}

}  // namespace plimsoll::profile::detail
