#include "plimsoll/measure/run_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/measure/provenance.hpp"
#include "plimsoll/measure/region_file.hpp"

namespace plimsoll::measure {

namespace {

using Json = nlohmann::json;

[[noreturn]] void fail_to_write(const std::string& path, int code) {
    throw Error(ErrorKind::environment, Place{.file = path},
                fmt::format("cannot write: {}", std::strerror(code)),
                code == ENOSPC ? "free some space, and start the same command again"
                               : "choose a folder that you may write to");
}

[[noreturn]] void refuse_other(const std::string& path, const std::string& what) {
    throw Error(ErrorKind::input, Place{.file = path}, what,
                "choose another file with -o, or replace this one with --fresh");
}

[[noreturn]] void refuse_damage(const std::string& path, std::size_t line) {
    throw Error(ErrorKind::input, Place{.file = path, .line = line}, "the record of a run is damaged",
                "mend or drop this line and those of its measurements, or choose another file with -o");
}

std::string quoted_list(const std::vector<std::string>& texts) {
    std::vector<std::string> quoted;
    quoted.reserve(texts.size());
    for (const std::string& text : texts) quoted.push_back(json_quote(text));
    return fmt::format("[{}]", join(quoted, ","));
}

std::string identity_json(const Identity& identity) {
    return fmt::format(R"({{"command":{},"environment":{},"input":{},"folder":{},"metrics":{}}})",
                       quoted_list(identity.command), quoted_list(identity.environment),
                       json_quote(identity.input), json_quote(identity.folder),
                       quoted_list(identity.metrics));
}

std::string points_json(const Points& points) {
    std::vector<std::string> rows;
    for (const Point& point : points.points) {
        std::vector<std::string> numbers;
        for (const Value& value : point) numbers.push_back(shortest(value.number));
        rows.push_back(fmt::format("[{}]", join(numbers, ",")));
    }
    return fmt::format("[{}]", join(rows, ","));
}

std::string header_line(const Points& points, const std::vector<MetricChoice>& metrics,
                        const Identity& identity, const std::map<std::string, std::string>& metadata) {
    std::vector<std::string> units;
    for (const MetricChoice& metric : metrics) {
        if (!metric.unit.empty())
            units.push_back(
                fmt::format(R"({}:{{"unit":{}}})", json_quote(metric.name), json_quote(metric.unit)));
    }
    std::vector<std::string> facts;
    facts.reserve(metadata.size() + 1);
    for (const auto& [name, value] : metadata) facts.push_back(fmt::format("{}:{}", json_quote(name), value));
    facts.push_back(fmt::format(R"("measure":{})", identity_json(identity)));
    return fmt::format(
               R"({{"schema":"plimsoll.experiment/1","parameters":{},"metrics":{{{}}},"points":{},"metadata":{{{}}}}})",
               quoted_list(points.names), join(units, ","), points_json(points), join(facts, ",")) +
           "\n";
}

std::string record_line(const RunRecord& record, const Points& points, std::size_t lines) {
    std::string text = fmt::format(R"({{"run":{{"number":{},"params":{},"repetition":{},"status":"{}")",
                                   record.number, parameters_json(points.names, points.points[record.point]),
                                   record.repetition, record.failure.empty() ? "ok" : "failed");
    if (!record.failure.empty()) text += fmt::format(R"(,"reason":{})", json_quote(record.failure));
    text += fmt::format(R"(,"exit":{},"signal":{},"wall_s":{},"date":"{}")", record.exit.code,
                        record.exit.signal, shortest(record.exit.wall.count()), date_now());
    if (record.others) text += fmt::format(R"(,"others":{:.4f})", *record.others);
    if (!record.error_lines.empty()) text += fmt::format(R"(,"stderr":{})", quoted_list(record.error_lines));
    return text + fmt::format(R"(,"lines":{}}}}})", lines) + "\n";
}

using detail::Line;

std::vector<Line> lines_of(std::string_view content) {
    std::vector<Line> lines;
    for (std::size_t begin = 0; begin < content.size();) {
        const std::size_t end = content.find('\n', begin);
        const bool is_whole = end != std::string_view::npos;
        lines.push_back({.text = content.substr(begin, end - begin), .begin = begin, .is_whole = is_whole});
        begin = is_whole ? end + 1 : content.size();
    }
    return lines;
}

bool begins_a_run(std::string_view line) { return line.starts_with(R"({"run":{)"); }

/// How many lines belong to a record; empty where it is torn.
std::optional<std::size_t> count_of_lines(std::string_view record) {
    const Json parsed = Json::parse(record, nullptr, false);
    if (!parsed.is_object() || !parsed["run"].is_object()) return std::nullopt;
    const Json lines = parsed["run"].value("lines", Json());
    return lines.is_number_unsigned() ? std::optional(lines.get<std::size_t>()) : std::nullopt;
}

/// Names the first thing in which another command's measurements differ.
void compare(const Json& theirs, const Json& ours, const std::string& path) {
    for (const auto& [name, value] : ours.items()) {
        const Json known = theirs.value(name, Json());
        if (known != value)
            refuse_other(path, fmt::format("was measured by another command: '{}' was {} and is now {}", name,
                                           known.dump(), value.dump()));
    }
}

}  // namespace

RunFile::RunFile(const std::string& path, Existing existing, const Points& points,
                 const std::vector<MetricChoice>& metrics, const Identity& identity,
                 const std::map<std::string, std::string>& metadata)
    : path_(path), points_(&points), metrics_(&metrics) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw Error(ErrorKind::usage, Place{.file = path}, "is a folder", "name a file inside it");
    constexpr mode_t readable_by_all = 0666;
    file_ =
        launch::Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, readable_by_all));
    if (file_.number() < 0) fail_to_write(path, errno);
    if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        throw Error(ErrorKind::environment, Place{.file = path}, "another plimsoll measures into this file",
                    "wait for it, or choose another file with -o");
    }
    const std::string header = header_line(points, metrics, identity, metadata);
    const bool is_empty = std::filesystem::file_size(path, ignored) == 0;
    if (existing == Existing::replaced && !is_empty) {
        new_header_ = header;
        return;
    }
    const std::string content = read_file(path);
    if (!content.empty()) continue_from(content, identity);
    if (std::filesystem::file_size(path, ignored) == 0) write(header);
}

void RunFile::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file_.number(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_to_write(path_, errno);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fdatasync(file_.number()) != 0 && errno != EINVAL) fail_to_write(path_, errno);
}

void RunFile::continue_from(const std::string& content, const Identity& identity) {
    const std::vector<Line> lines = lines_of(content);
    const auto cut = [&](std::size_t size) {
        was_repaired_ = true;
        if (::ftruncate(file_.number(), static_cast<off_t>(size)) != 0) fail_to_write(path_, errno);
    };
    const Json header = Json::parse(lines.front().text, nullptr, false);
    constexpr std::string_view beginning = R"({"schema":"plimsoll.experiment/1")";
    const std::string_view first = lines.front().text;
    const bool is_torn = lines.size() == 1 && !lines.front().is_whole && header.is_discarded();
    if (is_torn && (first.starts_with(beginning) || beginning.starts_with(first))) {
        cut(0);  // killed while it wrote the header
        return;
    }
    const bool is_ours = header.is_object() && header.contains("metadata") &&
                         header["metadata"].is_object() && header["metadata"].contains("measure") &&
                         header["metadata"]["measure"].is_object();
    if (!is_ours) refuse_other(path_, "holds something that plimsoll measure did not write");
    if (lines.size() == 1) {  // nothing was measured so far: the program did not even start
        cut(0);
        was_repaired_ = false;
        return;
    }
    compare(header["metadata"]["measure"], Json::parse(identity_json(identity)), path_);
    compare({{"parameters", header.value("parameters", Json())}}, {{"parameters", points_->names}}, path_);
    compare({{"points", header.value("points", Json())}}, {{"points", Json::parse(points_json(*points_))}},
            path_);
    // A last line that lacks its newline alone, as some editors leave it, is completed.
    const std::string_view last = lines.back().text;
    if (!lines.back().is_whole && !begins_a_run(last) && Json::accept(last) &&
        ::write(file_.number(), "\n", 1) != 1)
        fail_to_write(path_, errno);
    std::map<std::string, std::size_t> point_of;
    for (std::size_t i = 0; i < points_->points.size(); ++i)
        point_of[Json::parse(parameters_json(points_->names, points_->points[i])).dump()] = i;
    std::map<std::string, std::size_t> metric_of;
    for (std::size_t k = 0; k < metrics_->size(); ++k) metric_of[(*metrics_)[k].name] = k;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (!begins_a_run(lines[i].text)) {
            if (!lines[i].is_whole && Json::parse(lines[i].text, nullptr, false).is_discarded())
                cut(lines[i].begin);
            continue;
        }
        const auto count = count_of_lines(lines[i].text);
        if (!count || *count >= lines.size() - i || !lines[i + *count].is_whole) {
            // Only what stands at the end can be a writer's that was killed.
            for (std::size_t k = i + 1; k < lines.size(); ++k) {
                if (begins_a_run(lines[k].text)) refuse_damage(path_, i + 1);
            }
            cut(lines[i].begin);
            return;
        }
        try {
            keep(std::span(lines).subspan(i, *count + 1), point_of, metric_of);
        } catch (const Json::exception&) {
            refuse_damage(path_, i + 1);
        }
        i += *count;
    }
}

/// Takes in a record with its lines.
void RunFile::keep(std::span<const detail::Line> lines, const std::map<std::string, std::size_t>& point_of,
                   const std::map<std::string, std::size_t>& metric_of) {
    const Json parsed = Json::parse(lines.front().text);
    const Json& run = parsed["run"];
    const auto point = point_of.find(run.value("params", Json()).dump());
    if (point == point_of.end()) return;  // of a file that was joined to this one
    RunRecord record{.number = run.value("number", std::size_t{0}),
                     .point = point->second,
                     .repetition = run.value("repetition", std::size_t{0}),
                     .failure = run.value("status", "") == "ok" ? "" : run.value("reason", "failed"),
                     .values = {}};
    record.exit.code = run.value("exit", 0);
    record.exit.signal = run.value("signal", 0);
    record.exit.wall = Seconds(run.value("wall_s", 0.0));
    record.values.resize(metrics_->size());
    for (const detail::Line& measured : lines.subspan(1)) {
        const Json line = Json::parse(measured.text);
        if (line.value("region", "") != run_region) continue;
        const auto metric = metric_of.find(line.value("metric", ""));
        if (metric != metric_of.end() && line.at("value").is_number())
            record.values[metric->second] = line["value"].get<double>();
    }
    past_.push_back(std::move(record));
}

void RunFile::append(const RunRecord& record, const std::vector<std::string>& lines) {
    std::vector<std::string> all;
    for (std::size_t k = 0; k < record.values.size() && record.failure.empty(); ++k) {
        if (!record.values[k]) continue;
        const MetricChoice& metric = (*metrics_)[k];
        const std::string unit =
            metric.unit.empty() ? "" : fmt::format(R"(,"unit":{})", json_quote(metric.unit));
        all.push_back(fmt::format(R"({{"params":{},"region":"{}","metric":{}{},"value":{}}})",
                                  parameters_json(points_->names, points_->points[record.point]), run_region,
                                  json_quote(metric.name), unit, shortest(*record.values[k])));
    }
    if (record.failure.empty()) all.insert(all.end(), lines.begin(), lines.end());
    std::string text = record_line(record, *points_, all.size());
    for (const std::string& line : all) text += line + "\n";
    if (!new_header_.empty()) {
        if (::ftruncate(file_.number(), 0) != 0) fail_to_write(path_, errno);
        text.insert(0, std::exchange(new_header_, {}));
    }
    write(text);
}

}  // namespace plimsoll::measure
