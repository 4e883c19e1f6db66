#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/text_input.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr char separator = '|';
constexpr std::string_view completed = "COMPLETED";

enum class Quantity {
    duration,  ///< [days-]hours:minutes:seconds
    number,
    size,   ///< with K for 1024, and so on
    energy  ///< with K for 1000, and so on
};

/// What becomes a metric. Of columns that say the same, the first that is there is read.
struct Measure {
    std::array<std::string_view, 2> columns;
    std::array<Quantity, 2> quantities;
    std::string_view metric;
    std::string_view unit;
    Joining joining;  ///< of the steps of a job
};
constexpr std::array measures{
    Measure{{"ElapsedRaw", "Elapsed"}, {Quantity::number, Quantity::duration}, "time", "s", Joining::largest},
    Measure{{"TotalCPU", ""}, {Quantity::duration, Quantity::duration}, "cpu_time", "s", Joining::sum},
    Measure{{"UserCPU", ""}, {Quantity::duration, Quantity::duration}, "user", "s", Joining::sum},
    Measure{{"SystemCPU", ""}, {Quantity::duration, Quantity::duration}, "system", "s", Joining::sum},
    Measure{{"MaxRSS", ""}, {Quantity::size, Quantity::size}, "memory", "B", Joining::largest},
    Measure{{"ConsumedEnergyRaw", "ConsumedEnergy"},
            {Quantity::number, Quantity::energy},
            "energy",
            "J",
            Joining::sum}};
using Values = std::array<std::optional<double>, measures.size()>;

/// "3-04:05:06.789" in seconds.
std::optional<double> duration_of(std::string_view text) {
    double days = 0.0;
    if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
        const auto number = parse_whole(text.substr(0, dash));
        if (!number || *number < 0) return std::nullopt;
        days = static_cast<double>(*number);
        text.remove_prefix(dash + 1);
    }
    const auto pieces = split(text, ':');
    if (pieces.size() < 2 || pieces.size() > 3) return std::nullopt;
    double seconds = 0.0;
    constexpr double sixty = 60.0;
    for (const std::string_view piece : pieces) {
        if (piece.empty() || piece.find_first_not_of("0123456789.") != std::string_view::npos)
            return std::nullopt;
        const auto number = parse_number(piece);
        if (!number) return std::nullopt;
        seconds = sixty * seconds + *number;
    }
    constexpr double hours_of_day = 24.0;
    return days * hours_of_day * sixty * sixty + seconds;
}

/// "12.5M": a number with or without a letter for thousands.
std::optional<double> scaled_number(std::string_view text, double thousand) {
    constexpr std::string_view letters = "KMGTPE";
    double factor = 1.0;
    if (const std::size_t power = text.empty() ? std::string_view::npos : letters.find(text.back());
        power != std::string_view::npos) {
        factor = std::pow(thousand, static_cast<double>(power) + 1.0);
        text.remove_suffix(1);
    }
    const auto number = parse_number(text);
    return number ? std::optional(factor * *number) : std::nullopt;
}

std::optional<double> value_of(std::string_view text, Quantity quantity) {
    constexpr double binary = 1024.0;
    constexpr double decimal = 1000.0;
    if (quantity == Quantity::duration) return duration_of(text);
    if (quantity == Quantity::number) return parse_number(text);
    return scaled_number(text, quantity == Quantity::size ? binary : decimal);
}

struct Step {
    std::string name;
    Values values;
};

/// A job with its steps, and all parts of one that runs in several allocations at once.
struct Job {
    std::string id;          ///< without the number of the part
    std::uint64_t line = 0;  ///< its own first one, or that of its first step
    std::string name = "job";
    std::string state;                    ///< of a part that has not completed
    std::set<std::string> allocations;    ///< ids of the lines of the job itself
    std::map<std::string, double> tasks;  ///< of the largest step, by the id of its part
    double nodes = 0.0;
    double processors = 0.0;
    Values values;       ///< of the job's own lines
    Values step_values;  ///< of all steps together that have completed
    std::vector<Step> steps;
    std::unordered_map<std::string, std::size_t> step_of;  ///< in `steps`, by number
    std::unordered_set<std::string> step_ids;              ///< of all lines of steps
    bool has_early_steps = false;                          ///< that stand before its own line
    std::map<std::string, std::string> metadata;
};

constexpr const char* in_order = "let sacct write the file again, and leave its lines in their order";

void combine(std::optional<double>& known, std::optional<double> more, Joining joining) {
    if (!known || !more) {
        if (more) known = more;
    } else if (joining == Joining::sum) {
        *known += *more;
    } else {
        *known = std::max(*known, *more);
    }
}

class Reader {
  public:
    Reader(Input& input, Sink& sink) : lines_(input, longest_line), sink_(&sink) {}

    void read() {
        const std::size_t parts_before = sink_->parts.size();
        std::string_view line;
        while (lines_.next(line)) {
            if (!lines_.is_whole()) fail("the file ends within a line", "let sacct write the file again");
            if (trim(line).empty()) continue;
            auto fields = split(line, separator);
            for (std::string_view& field : fields) field = trim(field);
            if (columns_.empty() || is_header(fields)) {
                read_header(fields);
            } else {
                // With --parsable, a separator stands behind the last field too.
                if (fields.size() == columns_.size() + 1 && fields.back().empty()) fields.pop_back();
                if (fields.size() != columns_.size()) {
                    fail(fmt::format("the line has {}, the header {}", counted(fields.size(), "field"),
                                     columns_.size()),
                         "leave out columns of free text, such as SubmitLine");
                }
                read_line(fields);
            }
        }
        for (Job& job : jobs_) finish_job(std::exchange(job, {}));
        if (sink_->parts.size() == parts_before && left_out_ > 0) {
            throw Error(ErrorKind::input, Place{.file = lines_.file()},
                        fmt::format("none of {} has completed", counted(left_out_, "job")),
                        "give jobs whose state is COMPLETED");
        }
    }

    static bool is_header(const std::vector<std::string_view>& fields) {
        return fields.size() > 1 && std::any_of(fields.begin(), fields.end(),
                                                [](std::string_view field) { return is_id(trim(field)); });
    }

    /// A header as sacct writes it for people.
    static bool is_padded_header(std::string_view line) {
        const auto words = split(line, ' ');
        return line.find(separator) == std::string_view::npos &&
               std::any_of(words.begin(), words.end(), is_id);
    }

  private:
    [[noreturn]] void fail(const std::string& what,
                           const char* hint = "let sacct write the file again, with --parsable2") const {
        throw Error(ErrorKind::input, here(), what, hint);
    }

    static bool is_id(std::string_view column) { return column == "JobID" || column == "JobIDRaw"; }

    void read_header(std::vector<std::string_view> fields) {
        if (fields.size() == 1 && is_padded_header(fields.front()))
            fail("the columns of the table are padded with blanks, and cut", "add --parsable2 to sacct");
        if (!is_header(fields))
            fail("the first line does not name a column 'JobID'", "let sacct write it, without --noheader");
        if (fields.back().empty()) fields.pop_back();
        columns_.clear();
        for (const std::string_view field : fields) columns_.emplace_back(field);
        if (std::find(columns_.begin(), columns_.end(), "State") == columns_.end())
            sink_->builder.note(here(), "there is no column State, so that all jobs count as completed");
    }

    [[nodiscard]] Place here() const { return {.file = lines_.file(), .line = lines_.number()}; }

    /// A field by its column; empty where there is none, or nothing in it.
    static std::string_view field(const std::vector<std::string>& columns,
                                  const std::vector<std::string_view>& fields, std::string_view column) {
        const auto found = std::find(columns.begin(), columns.end(), column);
        if (found == columns.end()) return {};
        const std::string_view text = fields[static_cast<std::size_t>(found - columns.begin())];
        return text == "Unknown" || text == "INVALID" || text == "None" ? std::string_view() : text;
    }

    std::optional<double> value(const std::vector<std::string_view>& fields, std::string_view column,
                                Quantity quantity) const {
        const std::string_view text = field(columns_, fields, column);
        if (text.empty()) return std::nullopt;
        const auto value = value_of(text, quantity);
        if (!value || !std::isfinite(*value) || *value < 0.0) {
            fail(fmt::format("'{}' in column '{}' is no {}", excerpt(text), column,
                             quantity == Quantity::duration ? "time" : "number that can be meant"));
        }
        return value;
    }

    Values values_of(const std::vector<std::string_view>& fields) const {
        Values values;
        for (std::size_t i = 0; i < measures.size(); ++i) {
            for (std::size_t k = 0; k < 2 && !values[i]; ++k)
                values[i] = value(fields, measures[i].columns[k], measures[i].quantities[k]);
            // Where energy is not measured, Slurm says 0, or the largest number that it has.
            constexpr double no_value = 1e18;
            if (measures[i].metric == "energy" && values[i] && (*values[i] == 0.0 || *values[i] > no_value))
                values[i].reset();
        }
        return values;
    }

    /// The first of two columns that is there.
    std::optional<double> count(const std::vector<std::string_view>& fields, std::string_view column,
                                std::string_view otherwise) const {
        if (const auto number = value(fields, column, Quantity::size)) return number;
        return value(fields, otherwise, Quantity::size);
    }

    void read_line(const std::vector<std::string_view>& fields) {
        std::string_view id = field(columns_, fields, "JobID");
        if (id.empty()) id = field(columns_, fields, "JobIDRaw");
        if (id.empty()) fail("the line has no JobID");
        const std::size_t point = std::min(id.find('.'), id.size());
        const std::string part(id.substr(0, point));
        const std::string_view step = id.substr(std::min(point + 1, id.size()));
        const bool is_step = point < id.size();
        Job& job = job_of(part, is_step);
        if (is_step) {
            if (!job.step_ids.emplace(id).second) {
                fail(fmt::format("step {} is there once more, and nothing tells of which start of its job",
                                 id),
                     in_order);
            }
            read_step(job, part, step, fields);
        } else {
            read_job(job, part, fields);
        }
    }

    /// The job of a line. Those of its steps need not stand behind its own, as in a table that was sorted.
    Job& job_of(const std::string& part, bool is_step) {
        const std::string id = part.substr(0, part.find('+'));
        const auto [known, is_new] = last_start_.try_emplace(id, jobs_.size());
        // A job that was run again has its line once more.
        const bool is_start = !is_new && !is_step && jobs_[known->second].allocations.contains(part);
        if (is_start && jobs_[known->second].has_early_steps) {
            fail(fmt::format("job {} was started again, and its steps stand before its lines", id), in_order);
        }
        if (is_new || is_start) {
            known->second = jobs_.size();
            jobs_.push_back({.id = id, .line = lines_.number()});
        }
        Job& job = jobs_[known->second];
        if (is_step && job.allocations.empty()) job.has_early_steps = true;
        if (!is_step && job.allocations.empty()) job.line = lines_.number();
        return job;
    }

    void read_job(Job& job, const std::string& part, const std::vector<std::string_view>& fields) {
        job.allocations.insert(part);
        if (const std::string_view name = field(columns_, fields, "JobName"); !name.empty()) job.name = name;
        const std::string_view state = field(columns_, fields, "State");
        if (!state.empty() && state != completed) job.state = state.substr(0, state.find(' '));
        const Values values = values_of(fields);
        for (std::size_t i = 0; i < values.size(); ++i)
            combine(job.values[i], values[i], measures[i].joining);
        job.nodes += count(fields, "NNodes", "AllocNodes").value_or(0.0);
        job.processors += count(fields, "AllocCPUS", "NCPUS").value_or(0.0);
        for (const char* const column : {"Cluster", "Partition", "Account"}) {
            if (const std::string_view text = field(columns_, fields, column); !text.empty())
                job.metadata.emplace(column, text);
        }
        if (const std::size_t dash = part.find('_'); dash != std::string::npos)
            job.metadata.emplace("array_task", part.substr(dash + 1, part.find('+') - (dash + 1)));
    }

    void read_step(Job& job, const std::string& part, std::string_view number,
                   const std::vector<std::string_view>& fields) {
        const Values values = values_of(fields);
        std::string_view name = field(columns_, fields, "JobName");
        if (name.empty()) name = number;
        if (const std::string_view state = field(columns_, fields, "State");
            !state.empty() && state != completed) {
            sink_->builder.note(
                here(), fmt::format("step '{}' is left out: {}", name, state.substr(0, state.find(' '))));
            return;
        }
        // The script of a job, and what came from outside, last as long as the job, and may count once more
        // what its steps do.
        const bool is_whole_job = number == "batch" || number == "extern" || number == "interactive";
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!is_whole_job || measures[i].metric == "memory")
                combine(job.step_values[i], values[i], measures[i].joining);
        }
        if (is_whole_job) return;
        if (const auto tasks = value(fields, "NTasks", Quantity::size)) {
            double& most = job.tasks[part];
            most = std::max(most, *tasks);
        }
        // A step over several parts has a line for each.
        const auto [found, is_new] = job.step_of.try_emplace(std::string(number), job.steps.size());
        if (is_new) {
            job.steps.push_back({.name = std::string(name), .values = values});
            return;
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            combine(job.steps[found->second].values[i], values[i], measures[i].joining);
    }

    void finish_job(const Job& job) {
        const Place place{.file = lines_.file(), .line = job.line};
        if (!job.state.empty()) {
            sink_->builder.note(place, fmt::format("job '{}' is left out: {}", job.name, job.state));
            ++left_out_;
            return;
        }
        if (job.allocations.empty()) {
            sink_->builder.note(place,
                                fmt::format("job {} has no line of its own: its steps stand for it", job.id));
        }
        Part part;
        part.place = place;
        part.identity = job.id;
        part.metadata = job.metadata;
        add_values(part, job);
        if (part.values().empty()) return;
        if (job.nodes > 0.0) {
            part.parameters.emplace_back("nodes", job.nodes);
            sink_->builder.suggest_parameter("nodes", "");
        }
        constexpr double most = 1e9;
        double tasks = 0.0;
        for (const auto& [id, count] : job.tasks) tasks += count;
        if (tasks >= 1.0 && tasks <= most) part.processes = static_cast<std::int64_t>(tasks);
        if (job.processors > 0.0) part.metadata.emplace("numCpus", shortest(job.processors));
        sink_->parts.push_back(std::move(part));
    }

    void add_values(Part& part, const Job& job) const {
        const experiment::RegionId region = sink_->builder.region(job.name);
        const auto add = [&](experiment::RegionId where, std::size_t i, double value) {
            part.add(where, sink_->metric(measures[i].metric, measures[i].unit), value, 0,
                     measures[i].metric == "memory" ? Joining::largest : Joining::sum);
        };
        for (std::size_t i = 0; i < measures.size(); ++i) {
            // Of memory the job's own line says nothing, of other things not always.
            const auto value = job.values[i] ? job.values[i] : job.step_values[i];
            if (value) add(region, i, *value);
        }
        for (const Step& step : job.steps) {
            const experiment::RegionId below =
                sink_->builder.region(experiment::path_below(job.name, step.name));
            part.add(below, sink_->metric("visits", ""), 1.0);
            for (std::size_t i = 0; i < measures.size(); ++i) {
                if (step.values[i]) add(below, i, *step.values[i]);
            }
        }
        part.is_inclusive = true;
    }

    LineReader lines_;
    Sink* sink_;
    std::vector<std::string> columns_;
    std::vector<Job> jobs_;  ///< in the order of their first lines, each start for itself
    std::unordered_map<std::string, std::size_t> last_start_;  ///< of a job by its id, in `jobs_`
    std::size_t left_out_ = 0;                                 ///< jobs
};

}  // namespace

bool is_sacct(const experiment::Probe& probe) {
    const std::string_view text = trim(probe.head);
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view first = text.substr(0, end);
    if (Reader::is_header(split(first, separator))) return true;
    std::string_view second = text.substr(end);
    second = trim(second.substr(0, second.find('\n', 1)));
    return Reader::is_padded_header(first) && !second.empty() &&
           second.find_first_not_of("- ") == std::string_view::npos;
}

void read_sacct(Input& input, Sink& sink) { Reader(input, sink).read(); }

}  // namespace plimsoll::profile::detail
