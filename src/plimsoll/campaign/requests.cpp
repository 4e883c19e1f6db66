#include "plimsoll/campaign/detail/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <map>
#include <nlohmann/json.hpp>

#include "plimsoll/campaign/detail/json_integer.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::campaign {

using nlohmann::json;

template <class Value>
Value member(const json& question, const char* key) {
    try {
        if constexpr (std::same_as<Value, std::int64_t>) {
            return integer_of<std::int64_t>(question.at(key));
        } else if constexpr (std::same_as<Value, std::vector<std::int64_t>>) {
            Value numbers;
            for (const json& number : question.at(key)) numbers.push_back(integer_of<std::int64_t>(number));
            return numbers;
        } else {
            return question.at(key).get<Value>();
        }
    } catch (const json::exception&) {
        throw Error(ErrorKind::input,
                    fmt::format("question to the server: '{}' is absent or of another kind", key),
                    "see docs/formats/campaign-protocol.md");
    }
}

template std::int64_t member<std::int64_t>(const json&, const char*);
template double member<double>(const json&, const char*);
template std::string member<std::string>(const json&, const char*);
template std::vector<std::int64_t> member<std::vector<std::int64_t>>(const json&, const char*);

json counts_json(const StateCounts& counts) {
    json object = json::object();
    for (const auto& [state, name] : enum_names(TaskState{})) {
        if (count_of(counts, state) > 0) object[std::string(name)] = count_of(counts, state);
    }
    return object;
}

namespace {

constexpr std::size_t longest_page = 10'000;

json time_json(WallTime time) { return time == 0 ? json(nullptr) : json(static_cast<double>(time) * 1e-6); }

/// One word for a whole job.
std::string_view summary(const StateCounts& counts, std::uint32_t all) {
    const auto is = [&](TaskState state) { return count_of(counts, state) > 0; };
    if (is(TaskState::running) || is(TaskState::leased)) return "running";
    if (is(TaskState::ready)) return "ready";
    if (is(TaskState::waiting)) return "waiting";
    if (is(TaskState::held)) return "held";
    if (count_of(counts, TaskState::succeeded) == all) return "succeeded";
    if (is(TaskState::exhausted)) return "failed";
    return is(TaskState::skipped) ? "skipped" : "cancelled";
}

json job_json(const JobRecord& record) {
    const JobSpec spec = spec_from_json(record.spec);
    json object{{"job", record.id.value},
                {"name", spec.name},
                {"command", spec.command},
                {"tags", spec.tags},
                {"state", summary(record.counts, record.count)},
                {"tasks", record.count},
                {"counts", counts_json(record.counts)},
                {"priority", record.priority},
                {"submitted_s", time_json(record.submitted)},
                {"finished_s", time_json(record.finished)}};
    if (spec.parent.job.value != 0)
        object["parent"] = {{"job", spec.parent.job.value}, {"task", spec.parent.index}};
    if (spec.retry_of.value != 0) object["retry_of"] = spec.retry_of.value;
    return object;
}

json attempt_json(const AttemptRecord& attempt) {
    const AttemptResult& result = attempt.result;
    return {{"attempt", attempt.attempt},
            {"outcome", enum_name(attempt.outcome)},
            {"worker", attempt.worker.value},
            {"leased_s", time_json(attempt.leased)},
            {"started_s", time_json(attempt.started)},
            {"ended_s", time_json(attempt.ended)},
            {"exit_code", result.exit_code < 0 ? json(nullptr) : json(result.exit_code)},
            {"signal", result.signal},
            {"wall_s", result.wall_s},
            {"user_s", result.user_s},
            {"system_s", result.system_s},
            {"peak_memory_bytes", result.peak_memory_bytes},
            {"reason", result.reason},
            {"output_at", result.output_at}};
}

class Answering {
  public:
    Answering(Engine& engine, Store& store, const json& question, Now now)
        : engine_(&engine), store_(&store), question_(&question), now_(now) {}

    json submit() {
        JobSpec spec = spec_from_json(question_->at("spec").dump());
        spec.lines = question_->value("lines", "");
        check_lines(spec);
        const std::uint32_t tasks = spec.count;
        return {{"job", engine_->submit(std::move(spec), now_).value}, {"tasks", tasks}};
    }

    /// Jobs that name each other: `after_names` of each holds names of earlier ones.
    json graph() {
        std::vector<std::pair<JobSpec, std::vector<std::string>>> jobs;
        std::map<std::string, JobId> known;
        for (const json& entry : question_->at("jobs")) {
            JobSpec spec = spec_from_json(entry.at("spec").dump());
            spec.lines = entry.value("lines", "");
            check_lines(spec);
            const auto names = entry.value("after_names", std::vector<std::string>());
            for (const std::string& name : names) {
                if (!known.contains(name)) {
                    throw Error(ErrorKind::input,
                                fmt::format("graph: '{}' comes after '{}', which does not come before it",
                                            spec.name, name),
                                "list a job behind those that it comes after");
                }
            }
            if (!known.try_emplace(spec.name).second) {
                throw Error(ErrorKind::input, fmt::format("graph: two jobs are named '{}'", spec.name),
                            "give each job of a graph a name of its own");
            }
            jobs.emplace_back(std::move(spec), names);
        }
        json ids = json::array();
        for (auto& [spec, names] : jobs) {
            for (const std::string& name : names) spec.after.push_back(known.at(name));
            const std::string name = spec.name;
            const std::uint32_t tasks = spec.count;
            known[name] = engine_->submit(std::move(spec), now_);
            ids.push_back({{"name", name}, {"job", known[name].value}, {"tasks", tasks}});
        }
        return {{"jobs", ids}};
    }

    json ls() {
        engine_->flush();
        json jobs = json::array();
        for (const JobRecord& record :
             store_->jobs({integer_at(*question_, "before", std::int64_t{0})}, limit()))
            jobs.push_back(job_json(record));
        return {{"jobs", jobs}};
    }

    json show() {
        const JobRecord record = known_job();
        json object = job_json(record);
        object["spec"] = json::parse(record.spec);
        object["after"] = json::array();
        for (const JobId parent : store_->parents(record.id)) object["after"].push_back(parent.value);
        std::optional<TaskState> wanted;
        if (const std::string word = question_->value("state", ""); !word.empty()) {
            for (const auto& [state, name] : enum_names(TaskState{})) {
                if (name == word) wanted = state;
            }
        }
        json tasks = json::array();
        for (const TaskRecord& task :
             store_->tasks(record.id, integer_at(*question_, "from", 0U), wanted, limit())) {
            json row{{"task", task.id.index}, {"state", enum_name(task.state)}, {"attempts", json::array()}};
            for (const AttemptRecord& attempt : store_->attempts(task.id))
                row["attempts"].push_back(attempt_json(attempt));
            tasks.push_back(std::move(row));
        }
        object["touched"] = tasks;
        return object;
    }

    json children() {
        const JobRecord record = known_job();
        json ids = json::array();
        for (const JobId child : store_->children(record.id)) ids.push_back(child.value);
        return {{"jobs", ids}};
    }

    /// Where each attempt of some tasks left its output.
    json outputs() {
        const JobRecord record = known_job();
        const JobSpec spec = spec_from_json(record.spec);
        const auto first = static_cast<std::uint32_t>(member<std::int64_t>(*question_, "first"));
        const auto last = static_cast<std::uint32_t>(member<std::int64_t>(*question_, "last"));
        json rows = json::array();
        std::map<WorkerId, std::string> streams;
        for (const TaskRecord& task : store_->tasks(record.id, first, std::nullopt,
                                                    std::min<std::size_t>(last - first, longest_page))) {
            if (task.id.index >= last) break;
            for (const AttemptRecord& attempt : store_->attempts(task.id)) {
                auto [stream, is_new] = streams.try_emplace(attempt.worker);
                if (is_new) {
                    const auto worker = store_->worker(attempt.worker);
                    stream->second = worker ? worker->stream : "";
                }
                // Nobody told of the last block where the worker was lost, or the task taken from it.
                const bool is_told =
                    attempt.outcome != TaskState::lost && attempt.outcome != TaskState::cancelled;
                rows.push_back({{"task", task.id.index},
                                {"attempt", attempt.attempt},
                                {"stream", stream->second},
                                {"at", is_told ? json(attempt.result.output_at) : json(nullptr)}});
            }
            if (is_live(task.state)) {
                const auto worker = store_->worker(task.worker);
                rows.push_back({{"task", task.id.index},
                                {"attempt", task.attempt},
                                {"stream", worker ? worker->stream : ""},
                                {"at", nullptr}});
            }
        }
        return {{"outputs", rows}, {"output", spec.output}, {"errors", spec.errors}};
    }

    template <class Change>
    json change(const Change& change_range) {
        const JobRecord record = known_job();
        return {{"changed", change_range(record.id, range(record))}};
    }

    json cancel() {
        return change([&](JobId id, IndexRange range) { return engine_->cancel(id, range, now_); });
    }
    json hold() {
        return change([&](JobId id, IndexRange range) { return engine_->hold(id, range, now_); });
    }
    json release() {
        return change([&](JobId id, IndexRange range) { return engine_->release(id, range, now_); });
    }
    /// `tasks`: rows of job, first task, last task (excluded).
    json retry() {
        std::vector<std::pair<JobId, IndexRange>> chosen;
        for (const json& row : question_->at("tasks")) {
            const JobId id{integer_of<std::int64_t>(row.at(0))};
            const auto record = engine_->job(id);
            if (!record) {
                throw Error(ErrorKind::usage, fmt::format("there is no job {}", id.value),
                            "see 'plimsoll campaign ls'");
            }
            const json& last = row.at(2);
            chosen.emplace_back(
                id, range_of(*record, integer_of<std::int64_t>(row.at(1)),
                             last.is_null() ? std::int64_t{record->count} : integer_of<std::int64_t>(last)));
        }
        json jobs = json::array();
        for (const Retried& retried : engine_->retry(chosen, now_))
            jobs.push_back(
                {{"job", retried.job.value}, {"new_job", retried.fresh.value}, {"tasks", retried.tasks}});
        return {{"jobs", jobs}};
    }

    json explain() {
        const JobRecord record = known_job();
        const TaskId id{record.id, static_cast<std::uint32_t>(member<std::int64_t>(*question_, "task"))};
        const auto where = id.index < record.count ? engine_->state(id) : std::nullopt;
        json reasons = engine_->explain(id, now_);
        return {{"job", record.id.value},
                {"task", id.index},
                {"state", where ? json(enum_name(*where)) : json(nullptr)},
                {"reasons", reasons}};
    }

    json events() {
        engine_->flush();
        json rows = json::array();
        for (const Event& event : store_->events(integer_at(*question_, "after", std::int64_t{0}),
                                                 {integer_at(*question_, "job", std::int64_t{0})}, limit())) {
            rows.push_back({{"event", event.number},
                            {"time_s", time_json(event.time)},
                            {"job", event.job.value},
                            {"task", event.first},
                            {"count", event.count},
                            {"attempt", event.attempt},
                            {"from", event.from ? json(enum_name(*event.from)) : json(nullptr)},
                            {"to", enum_name(event.to)},
                            {"note", event.note}});
        }
        return {{"events", rows}};
    }

    json workers() {
        json rows = json::array();
        for (const Engine::WorkerView& worker : engine_->workers()) {
            rows.push_back({{"worker", worker.id.value},
                            {"name", worker.name},
                            {"host", worker.host},
                            {"resources", worker.resources},
                            {"running", worker.running},
                            {"queued", worker.queued}});
        }
        return {{"workers", rows}};
    }

    json totals() {
        const Engine::Totals totals = engine_->totals();
        return {{"waiting", totals.waiting}, {"ready", totals.ready},     {"held", totals.held},
                {"leased", totals.leased},   {"running", totals.running}, {"jobs", totals.jobs},
                {"workers", totals.workers}};
    }

    json lines() {
        const JobRecord record = known_job();
        return {{"lines", store_->lines(record.id,
                                        static_cast<std::uint32_t>(member<std::int64_t>(*question_, "first")),
                                        limit())}};
    }

  private:
    [[nodiscard]] std::size_t limit() const {
        return std::min<std::size_t>(integer_at(*question_, "limit", std::size_t{100}), longest_page);
    }

    JobRecord known_job() {
        const JobId id{member<std::int64_t>(*question_, "job")};
        auto record = engine_->job(id);
        if (!record) {
            throw Error(ErrorKind::usage, fmt::format("there is no job {}", id.value),
                        "see 'plimsoll campaign ls'");
        }
        return *std::move(record);
    }

    [[nodiscard]] IndexRange range(const JobRecord& record) const {
        return range_of(record, integer_at(*question_, "first", std::int64_t{0}),
                        integer_at(*question_, "last", std::int64_t{record.count}));
    }

    static IndexRange range_of(const JobRecord& record, std::int64_t first, std::int64_t last) {
        if (first < 0 || first >= last || last > record.count) {
            throw Error(ErrorKind::usage,
                        fmt::format("job {} has no tasks {} to {}", record.id.value, first, last - 1),
                        fmt::format("its tasks are 0 to {}", record.count - 1));
        }
        return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
    }

    static void check_lines(const JobSpec& spec) {
        const bool wanted = spec.entries == EntryKind::lines || spec.entries == EntryKind::json;
        if (!wanted && spec.lines.empty()) return;
        const auto there = std::count(spec.lines.begin(), spec.lines.end(), '\n');
        if (there != spec.count || !spec.lines.ends_with('\n')) {
            throw Error(ErrorKind::input,
                        fmt::format("job description: {} tasks and {} lines", spec.count, there),
                        "give one line for each task, each with its end");
        }
    }

    Engine* engine_;
    Store* store_;
    const json* question_;
    Now now_;
};

}  // namespace

json answer(Engine& engine, Store& store, const json& question, Now now) {
    static const std::map<std::string, json (Answering::*)(), std::less<>> verbs{
        {"submit", &Answering::submit},
        {"graph", &Answering::graph},
        {"ls", &Answering::ls},
        {"show", &Answering::show},
        {"children", &Answering::children},
        {"outputs", &Answering::outputs},
        {"cancel", &Answering::cancel},
        {"hold", &Answering::hold},
        {"release", &Answering::release},
        {"retry", &Answering::retry},
        {"explain", &Answering::explain},
        {"events", &Answering::events},
        {"workers", &Answering::workers},
        {"totals", &Answering::totals},
        {"lines", &Answering::lines}};
    const auto verb = member<std::string>(question, "verb");
    const auto found = verbs.find(verb);
    if (found == verbs.end()) {
        throw Error(ErrorKind::input, fmt::format("the server does not know '{}'", verb),
                    "use one version of plimsoll for a campaign's server, workers and commands");
    }
    try {
        return (Answering(engine, store, question, now).*found->second)();
    } catch (const json::exception& error) {
        throw Error(ErrorKind::input, fmt::format("question '{}' to the server: {}", verb, error.what()),
                    "see docs/formats/campaign-protocol.md");
    }
}

}  // namespace plimsoll::campaign
