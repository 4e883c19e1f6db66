#include "plimsoll/measure/detail/run_reader.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::measure::detail {

namespace {

/// What changes when a file is written; empty where there is none.
std::string stamp(const std::string& path) {
    struct stat state {};
    if (::stat(path.c_str(), &state) != 0) return {};
    return fmt::format("{} {} {}.{}", state.st_ino, state.st_size, state.st_mtim.tv_sec,
                       state.st_mtim.tv_nsec);
}

/// The last lines of a file, for people.
std::vector<std::string> last_lines(const std::string& path) {
    constexpr std::size_t most_lines = 10;
    constexpr std::size_t longest = 300;
    const std::string text = read_file(path);
    std::vector<std::string> lines;
    for (const std::string_view line : split(trim(text), '\n')) lines.emplace_back(line.substr(0, longest));
    if (lines.size() > most_lines) lines.erase(lines.begin(), lines.end() - most_lines);
    if (lines.size() == 1 && lines.front().empty()) lines.clear();
    return lines;
}

std::optional<double> quantity(Source source, const Outcome& outcome) {
    const launch::Usage& usage = outcome.exit.usage;
    const auto number = [](auto count) { return std::optional(static_cast<double>(count)); };
    switch (source) {
        case Source::wall: return outcome.exit.wall.count();
        case Source::user: return usage.user.count();
        case Source::system: return usage.system.count();
        case Source::processor: return (usage.user + usage.system).count();
        case Source::peak_memory: return number(usage.peak_memory_bytes);
        case Source::faults: return number(usage.minor_faults + usage.major_faults);
        case Source::context_switches: return number(usage.voluntary_switches + usage.involuntary_switches);
        case Source::bytes_read: return usage.bytes_read ? number(*usage.bytes_read) : std::nullopt;
        case Source::bytes_written: return usage.bytes_written ? number(*usage.bytes_written) : std::nullopt;
        case Source::energy: return outcome.joules;
        case Source::output:
        case Source::error_output:
        case Source::file: break;
    }
    return std::nullopt;
}

std::string absence_of(const MetricChoice& metric) {
    if (metric.source == Source::energy)
        return fmt::format(
            "'{}' is left out: this machine has no energy counters that may be read "
            "(/sys/class/powercap)",
            metric.name);
    return fmt::format("'{}' is left out: the system does not tell it (/proc/PID/io)", metric.name);
}

}  // namespace

void RunReader::add_note(std::string note) {
    if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
}

void RunReader::before(const RunRecord& record) {
    stamps_.assign(subject_->metrics.size(), {});
    for (std::size_t k = 0; k < subject_->metrics.size(); ++k) {
        if (subject_->metrics[k].source != Source::file) continue;
        stamps_[k] =
            stamp(tasks_->file(k, subject_->points.points[record.point], record.repetition, record.number));
    }
}

void RunReader::read_value(const MetricChoice& metric, std::size_t position, const Outcome& outcome,
                           const RunFiles& files, RunRecord& record) {
    if (metric.source != Source::output && metric.source != Source::error_output) {
        record.values[position] = quantity(metric.source, outcome);
        if (!record.values[position]) add_note(absence_of(metric));
        return;
    }
    const bool is_output = metric.source == Source::output;
    const std::string text = read_file(is_output ? files.out : files.err);
    record.values[position] =
        metric.expression.empty() ? find_beside(text, metric.label) : find_by(text, metric.expression);
    if (record.values[position]) return;
    const std::string stream = is_output ? "output" : "error stream";
    record.failure = metric.expression.empty()
                         ? fmt::format("no number beside '{}' in its {}", metric.label, stream)
                         : fmt::format("no number for /{}/ in its {}", metric.expression, stream);
    record.error_lines = last_lines(is_output ? files.out : files.err);
}

void RunReader::read_lines(const std::string& path, SeveralValues several, RunRecord& record,
                           std::vector<std::string>& lines) {
    try {
        RegionLines regions =
            read_regions(path, subject_->points.names, subject_->points.points[record.point], several);
        for (std::string& note : regions.notes) add_note(std::move(note));
        lines.insert(lines.end(), regions.lines.begin(), regions.lines.end());
    } catch (const Error& error) {
        record.failure = fmt::format("what it wrote cannot be read: {}", error.what());
    }
}

/// What regions and whole runs are both measured by would be counted twice in shares.
void RunReader::note_metrics_of_both(const std::vector<std::string>& lines) {
    for (const MetricChoice& metric : subject_->metrics) {
        if (metric.source == Source::file) continue;
        const std::string named = fmt::format(R"("metric":{})", json_quote(metric.name));
        const bool is_of_both = std::ranges::any_of(
            lines, [&](const std::string& line) { return line.find(named) != std::string::npos; });
        if (is_of_both)
            add_note(
                fmt::format("'{}' is measured of regions, and of whole runs as the region '{}': fit them "
                            "apart, with --region",
                            metric.name, run_region));
    }
}

std::vector<std::string> RunReader::read(const Outcome& outcome, const RunFiles& files, RunRecord& record) {
    record.exit = outcome.exit;
    record.failure = outcome.failure;
    if (!record.failure.empty()) {
        if (std::filesystem::exists(files.err)) record.error_lines = last_lines(files.err);
        return {};
    }
    std::vector<std::string> lines;
    record.values.assign(subject_->metrics.size(), std::nullopt);
    for (std::size_t k = 0; k < subject_->metrics.size() && record.failure.empty(); ++k) {
        const MetricChoice& metric = subject_->metrics[k];
        if (metric.source != Source::file) {
            read_value(metric, k, outcome, files, record);
            continue;
        }
        const std::string path =
            tasks_->file(k, subject_->points.points[record.point], record.repetition, record.number);
        const std::string now = stamp(path);
        if (now.empty() || now == stamps_[k]) {
            record.failure = now.empty() ? fmt::format("it did not write '{}'", path)
                                         : fmt::format("it left '{}' as it was before", path);
            record.error_lines = last_lines(files.err);
            break;
        }
        read_lines(path, SeveralValues::as_written, record, lines);
    }
    std::error_code ignored;
    if (record.failure.empty() && std::filesystem::file_size(files.regions, ignored) > 0 && !ignored)
        read_lines(files.regions, SeveralValues::of_one_execution, record, lines);
    note_metrics_of_both(lines);
    return lines;
}

}  // namespace plimsoll::measure::detail
