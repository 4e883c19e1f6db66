#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/text_input.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr std::string_view mark = "# darshan log version:";
constexpr std::string_view total_mark = "total_";
constexpr std::string_view group = "io";
constexpr std::size_t longest_beginning = 200;  // bytes, with blanks in front of the mark

// Of a binary log: eight bytes for the version, then a number of eight bytes, 6567223.
constexpr std::size_t version_size = 8;
constexpr std::string_view magic("75d\0\0\0\0\0", 8);
constexpr std::string_view magic_big_endian("\0\0\0\0\0d57", 8);

/// What the names of a module's counters begin with.
struct Module {
    std::string_view prefix;
    std::string_view region;
};
constexpr std::array modules{Module{"POSIX_", "POSIX"},
                             Module{"MPIIO_", "MPI-IO"},
                             Module{"STDIO_", "STDIO"},
                             Module{"H5F_", "H5F"},
                             Module{"H5D_", "H5D"},
                             Module{"PNETCDF_FILE_", "PNETCDF_FILE"},
                             Module{"PNETCDF_VAR_", "PNETCDF_VAR"},
                             Module{"DFS_", "DFS"},
                             Module{"DAOS_", "DAOS"}};

/// What the names of counters end with that count calls, and so add up over files and processes. Of the
/// others, most are positions, sizes, histograms and times of the day.
constexpr std::array<std::string_view, 10> calls{"OPENS", "CREATES", "READS", "WRITES", "SEEKS",
                                                 "STATS", "FLUSHES", "SYNCS", "MMAPS",  "WAITS"};

struct Meaning {
    std::string name;
    std::string_view unit;
    Joining joining = Joining::sum;
    bool is_time = false;  ///< part of the whole time
};

std::optional<Meaning> meaning_of(std::string_view counter) {
    if (counter == "BYTES_READ" || counter == "BYTES_WRITTEN")
        return Meaning{.name = lower_case(counter), .unit = "B"};
    if (counter.starts_with("F_")) {
        const std::string_view time = counter.substr(2);
        if (time == "MAX_READ_TIME" || time == "MAX_WRITE_TIME")
            return Meaning{.name = lower_case(time), .unit = "s", .joining = Joining::largest};
        if (time == "READ_TIME" || time == "WRITE_TIME" || time == "META_TIME" || time == "WAIT_TIME")
            return Meaning{.name = lower_case(time), .unit = "s", .is_time = true};
        return std::nullopt;
    }
    if (counter.starts_with("CONSEC_") || counter.starts_with("SEQ_"))
        return std::nullopt;  // some of the calls
    const bool counts = std::any_of(calls.begin(), calls.end(), [counter](std::string_view ending) {
        return counter.ends_with(ending) &&
               (counter.size() == ending.size() || counter[counter.size() - ending.size() - 1] == '_' ||
                ending == "SYNCS");
    });
    if (counts) return Meaning{.name = lower_case(counter), .unit = ""};
    return std::nullopt;
}

class Reader {
  public:
    Reader(Input& input, Sink& sink) : lines_(input, longest_line), sink_(&sink) {
        part_.place = {.file = input.name()};
        totals_.place = part_.place;
    }

    void read() {
        std::string_view line;
        while (lines_.next(line)) {
            if (!lines_.is_whole()) fail("the file ends within a line");
            if (line.starts_with('#')) {
                read_header(line.substr(1));
            } else if (line.starts_with(total_mark)) {
                read_total(line.substr(total_mark.size()));
            } else if (!trim(line).empty()) {
                read_row(line);
            }
        }
        // Totals say the same as the rows, where both are there.
        for (const Part::Value& value : totals_.values()) {
            if (!regions_.contains(value.region)) part_.add(value.region, value.metric, value.value);
        }
        if (run_time_) {
            part_.add(sink_->builder.region("run"), sink_->metric("time", "s"), *run_time_);
        }
        sink_->parts.push_back(std::move(part_));
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(ErrorKind::input, Place{.file = lines_.file(), .line = lines_.number()}, what,
                    "write the text again: darshan-parser LOG > LOG.txt");
    }

    /// "# nprocs: 2"
    void read_header(std::string_view line) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || line.starts_with("  ")) return;
        const std::string_view key = trim(line.substr(0, colon));
        const std::string_view value = trim(line.substr(colon + 1));
        if (key == "nprocs") {
            const auto number = parse_whole(value);
            if (!number || *number < 1 || *number > 1'000'000'000)
                fail(fmt::format("'{}' is no number of processes", value));
            part_.processes = *number;
        } else if (key == "run time") {
            run_time_ = finite(value);
        } else if (key == "*WARNING*" || key == "*ERROR*") {
            note_warning(value);
        } else if (key == "exe" || key == "jobid" || key == "darshan log version") {
            part_.metadata.emplace(key, value);
        } else if (key == "metadata") {
            const std::size_t equals = value.find('=');
            if (equals == std::string_view::npos) return;
            part_.metadata.emplace(trim(value.substr(0, equals)), trim(value.substr(equals + 1)));
        }
    }

    /// "The POSIX module contains incomplete data!": it had no memory left for further files.
    void note_warning(std::string_view text) const {
        constexpr std::string_view begin = "The ";
        constexpr std::string_view end = " module contains incomplete data";
        const std::size_t at = text.find(end);
        sink_->builder.note(
            part_.place,
            text.starts_with(begin) && at != std::string_view::npos && at > begin.size()
                ? fmt::format("Darshan had no memory for all that {} did: its values are too small; run with "
                              "a larger DARSHAN_MODMEM",
                              text.substr(begin.size(), at - begin.size()))
                : fmt::format("darshan-parser warns of the log: {}", text));
    }

    [[nodiscard]] double finite(std::string_view text) const {
        return finite_number(parse_number(text), text, [&](const std::string& what) { fail(what); });
    }

    /// module, rank, record, counter, value, file, mount point, file system
    void read_row(std::string_view line) {
        constexpr std::size_t columns = 8;
        std::array<std::string_view, columns> fields;
        std::size_t count = 0;
        for (std::string_view rest = line; count < columns; ++count) {
            const std::size_t tab = rest.find('\t');
            fields[count] = rest.substr(0, tab);
            if (tab == std::string_view::npos) {
                ++count;
                break;
            }
            rest.remove_prefix(tab + 1);
        }
        if (count < columns) fail(fmt::format("a row has {} columns of {}", count, columns));
        const auto region = add(part_, fields[3], fields[4]);
        if (region) regions_.insert(*region);
    }

    /// "POSIX_OPENS: 173"
    void read_total(std::string_view line) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) fail("a total has no value");
        (void)add(totals_, line.substr(0, colon), trim(line.substr(colon + 1)));
    }

    std::optional<experiment::RegionId> add(Part& part, std::string_view counter, std::string_view text) {
        const auto* const module = std::find_if(modules.begin(), modules.end(), [counter](const Module& m) {
            return counter.starts_with(m.prefix);
        });
        if (module == modules.end()) return std::nullopt;
        const auto meaning = meaning_of(counter.substr(module->prefix.size()));
        if (!meaning) return std::nullopt;
        const double value = finite(text);
        const experiment::RegionId region =
            sink_->builder.region(experiment::path_below(group, module->region));
        if (value < 0.0) return region;  // Darshan could not count it
        part.add(region, sink_->metric(meaning->name, meaning->unit), value, 0, meaning->joining);
        if (meaning->is_time) part.add(region, sink_->metric("time", "s"), value);
        return region;
    }

    LineReader lines_;
    Sink* sink_;
    Part part_;
    Part totals_;
    std::set<experiment::RegionId> regions_;  ///< that rows were read of
    std::optional<double> run_time_;
};

/// The file beside a binary log that holds its text; nothing where there is none.
std::optional<std::string> text_beside(const std::string& log) {
    const std::string without_ending = std::filesystem::path(log).replace_extension().string();
    for (const std::string& name : {log, without_ending}) {
        for (const char* const ending : {".txt", ".txt.gz"}) {
            std::error_code unknown;
            if (!std::filesystem::is_regular_file(name + ending, unknown)) continue;
            Input text(name + ending);
            if (trim(text.peek(longest_beginning)).starts_with(mark)) return text.name();
        }
    }
    return std::nullopt;
}

bool is_binary(std::string_view head) {
    if (head.size() < version_size + magic.size() || head[0] < '1' || head[0] > '9') return false;
    const std::string_view number = head.substr(version_size, magic.size());
    return number == magic || number == magic_big_endian;
}

}  // namespace

bool is_darshan(const experiment::Probe& probe) {
    return trim(probe.head).starts_with(mark) || is_binary(probe.head);
}

void read_darshan(Input& input, Sink& sink) {
    if (is_binary(input.peek(version_size + magic.size()))) {
        const Place place{.file = input.name()};
        if (const auto text = text_beside(input.name())) {
            sink.builder.note(
                place, fmt::format("is a binary log of Darshan, and is left out: '{}' is its text", *text));
            sink.is_left_out = true;
            return;
        }
        throw Error(
            ErrorKind::input, place, "is a binary log of Darshan, which only Darshan reads",
            fmt::format("make a text of it, and read that: darshan-parser {0} > {0}.txt", input.name()));
    }
    Reader(input, sink).read();
}

}  // namespace plimsoll::profile::detail
