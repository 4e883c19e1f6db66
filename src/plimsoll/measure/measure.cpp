#include "plimsoll/measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/duration.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/measure/detail/run_reader.hpp"
#include "plimsoll/measure/detail/run_watch.hpp"
#include "plimsoll/measure/detail/scratch_folder.hpp"
#include "plimsoll/measure/detail/task_maker.hpp"
#include "plimsoll/measure/order.hpp"

namespace plimsoll::measure {

namespace {

std::optional<Seconds> timeout_of(const MeasureOptions& options) {
    if (options.timeout.empty()) return std::nullopt;
    return duration_of("--timeout", options.timeout);
}

class Session {
  public:
    Session(const Subject& subject, const MeasureOptions& options, const Destination& destination,
            const Runner& runner, Progress& progress)
        : subject_(subject),
          options_(options),
          runner_(runner),
          progress_(progress),
          timeout_(timeout_of(options)),
          tasks_(subject),
          reader_(subject, tasks_),
          file_(destination.path, destination.existing, subject.points, subject.metrics, identity_of(subject),
                destination.metadata),
          scratch_(destination.scratch),
          states_(subject.points.points.size()) {
        result_.points.resize(states_.size());
        for (PointResult& point : result_.points) point.values.resize(subject.metrics.size());
        for (const RunRecord& record : file_.past()) {
            next_run_ = std::max(next_run_, record.number + 1);
            if (!record.failure.empty()) continue;
            ++states_[record.point].attempts;
            ++result_.continued_from;
            add_values(record);
        }
    }

    Result run() {
        try {
            measure_blocks();
        } catch (const Cancelled&) {
            result_.interrupted = true;
        }
        if (file_.was_repaired())
            result_.notes.emplace_back("the last run of the file was unfinished and is made again");
        for (const std::string& name : tasks_.unused_parameters())
            result_.notes.push_back(
                fmt::format("the parameter '{}' stands in no argument, environment or input of the program: "
                            "only PLIMSOLL_PARAMETERS tells of it",
                            name));
        result_.notes.insert(result_.notes.end(), reader_.notes().begin(), reader_.notes().end());
        add_wide_intervals();
        if (std::string note = watch_.note(); !note.empty()) result_.notes.push_back(std::move(note));
        return std::move(result_);
    }

  private:
    struct State {
        std::size_t attempts = 0;  ///< runs that count, and failures of this session
        std::size_t failures = 0;
        bool is_warm = false;
    };

    static Identity identity_of(const Subject& subject) {
        Identity identity{.command = subject.command,
                          .environment = {},
                          .input = subject.input,
                          .folder = subject.folder,
                          .metrics = {}};
        for (const auto& [name, value] : subject.environment)
            identity.environment.push_back(fmt::format("{}={}", name, value));
        for (const MetricChoice& metric : subject.metrics) identity.metrics.push_back(metric.written);
        return identity;
    }

    [[nodiscard]] std::size_t repetitions() const { return static_cast<std::size_t>(options_.repetitions); }

    /// A point that only fails is given up, so that the others have their turn.
    [[nodiscard]] bool is_given_up(std::size_t point) const {
        constexpr std::size_t enough = 2;
        return result_.points[point].runs == 0 && states_[point].failures >= enough;
    }

    /// The metric whose interval decides: the first with values.
    [[nodiscard]] const std::vector<double>& deciding_values(std::size_t point) const {
        const auto& values = result_.points[point].values;
        const auto found =
            std::ranges::find_if(values, [](const auto& of_metric) { return !of_metric.empty(); });
        return found == values.end() ? values.front() : *found;
    }

    [[nodiscard]] bool is_narrow(std::size_t point) const {
        const auto interval = confidence_interval(deciding_values(point), options_.interval_of);
        return interval && interval->relative_half_width() <= options_.until_interval.share;
    }

    [[nodiscard]] bool is_wanted(std::size_t point) const {
        if (is_given_up(point)) return false;
        const std::size_t attempts = states_[point].attempts;
        if (attempts < repetitions()) return true;
        if (options_.until_interval.share == 0.0) return false;
        return attempts < static_cast<std::size_t>(options_.max_repetitions) && !is_narrow(point);
    }

    /// Runs that the blocks up to the fixed number of repetitions still take.
    [[nodiscard]] std::size_t fixed_runs() const {
        std::size_t count = 0;
        for (const State& state : states_) {
            if (state.attempts >= repetitions()) continue;
            count += repetitions() - state.attempts + static_cast<std::size_t>(options_.warmups);
        }
        return count;
    }

    void measure_blocks() {
        {
            Activity activity(progress_, "measuring", static_cast<std::int64_t>(fixed_runs()));
            activity.step(0);
            for (std::size_t block = 0; block < repetitions(); ++block) measure_block(block, activity);
        }
        for (std::size_t block = repetitions(); any_wanted(); ++block) {
            std::int64_t runs = 0;
            for (std::size_t point = 0; point < states_.size(); ++point) runs += is_wanted(point) ? 1 : 0;
            Activity activity(progress_, fmt::format("measuring further, block {}", block + 1), runs);
            measure_block(block, activity);
        }
    }

    [[nodiscard]] bool any_wanted() const {
        for (std::size_t point = 0; point < states_.size(); ++point) {
            if (is_wanted(point)) return true;
        }
        return false;
    }

    void measure_block(std::size_t block, Activity& activity) {
        bool is_quiet = !options_.require_quiet.on;
        for (const std::size_t point : block_order(states_.size(), options_.seed, block)) {
            if (states_[point].attempts > block || !is_wanted(point)) continue;
            if (!std::exchange(is_quiet, true)) detail::require_quiet(activity);
            warm_up(point, activity);
            measure_point(point, activity);
        }
    }

    void warm_up(std::size_t point, Activity& activity) {
        if (std::exchange(states_[point].is_warm, true)) return;
        for (int i = 0; i < options_.warmups; ++i) {
            const Task task{
                .command = tasks_.command(subject_.points.points[point], 0, next_run_++, scratch_.fresh()),
                .timeout = timeout_};
            // What fails here fails again in the run that counts, and is told there.
            (void)outcome_of(task, activity);
            activity.step();
        }
    }

    Outcome outcome_of(const Task& task, Activity& activity) {
        try {
            Outcome outcome = runner_(task, activity);
            any_started_ = true;
            return outcome;
        } catch (const Error& error) {
            // What never starts will not start at the next point either.
            if (!any_started_ && tasks_.has_one_program()) throw;
            Outcome outcome;
            outcome.failure = fmt::format("{}; {}", error.what(), error.hint());
            return outcome;
        }
    }

    void measure_point(std::size_t point, Activity& activity) {
        State& state = states_[point];
        RunRecord record{.number = next_run_++, .point = point, .repetition = state.attempts + 1};
        const detail::RunFiles files = scratch_.fresh();
        const Task task{
            .command = tasks_.command(subject_.points.points[point], record.repetition, record.number, files),
            .timeout = timeout_};
        reader_.before(record);
        watch_.before();
        const Outcome outcome = outcome_of(task, activity);
        if (!outcome.is_elsewhere) record.others = watch_.after(outcome.exit);
        const std::vector<std::string> lines = reader_.read(outcome, files, record);
        file_.append(record, lines);
        ++state.attempts;
        ++result_.runs;
        if (record.failure.empty()) {
            add_values(record);
        } else {
            ++state.failures;
            ++result_.points[point].failures;
            result_.failures.push_back(std::move(record));
        }
        activity.step();
    }

    void add_values(const RunRecord& record) {
        PointResult& point = result_.points[record.point];
        ++point.runs;
        for (std::size_t k = 0; k < record.values.size(); ++k) {
            if (record.values[k]) point.values[k].push_back(*record.values[k]);
        }
    }

    void add_wide_intervals() {
        if (options_.until_interval.share == 0.0 || result_.interrupted) return;
        std::size_t wide = 0;
        for (std::size_t point = 0; point < states_.size(); ++point)
            wide += result_.points[point].runs > 0 && !is_narrow(point) ? 1 : 0;
        if (wide == 0) return;
        result_.notes.push_back(
            fmt::format("the interval of {} is wider than +-{:.3g} % after {}", counted(wide, "point"),
                        100.0 * options_.until_interval.share,
                        counted(static_cast<std::size_t>(options_.max_repetitions), "run")));
    }

    const Subject& subject_;
    const MeasureOptions& options_;
    const Runner& runner_;
    Progress& progress_;
    std::optional<Seconds> timeout_;
    detail::TaskMaker tasks_;
    detail::RunReader reader_;
    RunFile file_;
    detail::ScratchFolder scratch_;
    detail::RunWatch watch_;
    std::vector<State> states_;
    Result result_;
    std::size_t next_run_ = 1;
    bool any_started_ = false;
};

void check(const Subject& subject, const MeasureOptions& options) {
    if (subject.command.empty() || subject.command.front().empty())
        throw Error(ErrorKind::usage, "no program is given",
                    "write its command line behind --, such as -- ./app --size {n}");
    if (subject.points.names.empty())
        throw Error(ErrorKind::usage, "no parameter is given",
                    "say what varies: --parameter n=1000,2000,4000");
    if (subject.metrics.empty())
        throw Error(ErrorKind::usage, "no metric is given", "say what to measure: --metric time");
    if (options.until_interval.share > 0.0 && options.max_repetitions < options.repetitions)
        throw Error(ErrorKind::usage,
                    fmt::format("--max-repetitions {} is less than --repetitions {}", options.max_repetitions,
                                options.repetitions),
                    "raise --max-repetitions");
}

}  // namespace

Result measure(const Subject& subject, const MeasureOptions& options, const Destination& destination,
               const Runner& runner, Progress& progress) {
    check(subject, options);
    return Session(subject, options, destination, runner, progress).run();
}

std::vector<PlannedRun> plan_runs(const Subject& subject, const MeasureOptions& options) {
    check(subject, options);
    (void)timeout_of(options);
    const detail::TaskMaker tasks(subject);
    std::vector<PlannedRun> runs;
    const auto add = [&](std::size_t point, std::size_t repetition) {
        runs.push_back(
            {.point = point,
             .repetition = repetition,
             .command = tasks.command(subject.points.points[point], repetition, runs.size() + 1, {})});
    };
    for (std::size_t block = 0; block < static_cast<std::size_t>(options.repetitions); ++block) {
        for (const std::size_t point : block_order(subject.points.points.size(), options.seed, block)) {
            for (int i = 0; block == 0 && i < options.warmups; ++i) add(point, 0);
            add(point, block + 1);
        }
    }
    return runs;
}

}  // namespace plimsoll::measure
