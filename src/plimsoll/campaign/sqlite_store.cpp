#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <numeric>

#include "plimsoll/campaign/store.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/sqlite.hpp"

namespace plimsoll::campaign {

namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr std::int64_t application = 0x506c696d;  ///< "Plim": says in the file's head whose it is
constexpr std::int64_t schema_version = 1;
constexpr std::uint32_t lines_per_chunk = 4096;

// State numbers are those of TaskState; the table `state` gives their names to whoever looks at the file.
constexpr const char* schema = R"(
create table state (number integer primary key, name text not null);
create table job (
    id integer primary key, spec text not null, count integer not null, priority integer not null,
    base integer not null, counts text not null, submitted integer not null, finished integer not null);
create index unfinished_job on job (id) where finished = 0;
create table after_job (job integer not null, parent integer not null, primary key (job, parent)) without rowid;
create index child_job on after_job (parent);
create table line (
    job integer not null, first integer not null, text text not null, primary key (job, first)) without rowid;
create table task (
    job integer not null, task integer not null, state integer not null, attempt integer not null,
    failures integer not null, crashes integer not null, token integer not null, worker integer not null,
    not_before integer not null, primary key (job, task)) without rowid;
create table task_range (
    job integer not null, first integer not null, count integer not null, state integer not null,
    primary key (job, first)) without rowid;
create table attempt (
    job integer not null, task integer not null, attempt integer not null, token integer not null,
    worker integer not null, outcome integer not null, leased integer not null, started integer not null,
    ended integer not null, exit_code integer not null, signal integer not null, wall_s real not null,
    user_s real not null, system_s real not null, peak_memory_bytes integer not null, reason text,
    output_at integer not null, primary key (job, task, attempt)) without rowid;
create table worker (
    id integer primary key, session text not null, name text, host text, resources text, stream text,
    registered integer not null);
create table event (
    number integer primary key, time integer not null, job integer not null, first integer not null,
    count integer not null, attempt integer not null, "from" integer not null, "to" integer not null, note text);
create table mark (name text primary key, value integer not null) without rowid;
insert into mark values ('token', 0);
)";

constexpr const char* damaged_hint =
    "run 'plimsoll campaign doctor'; what is whole can be saved with 'sqlite3 FILE .recover'";

constexpr int new_task = -1;  ///< in the column `from`

std::string counts_text(const StateCounts& counts) { return fmt::format("{}", fmt::join(counts, " ")); }

StateCounts counts_from(std::string_view text) {
    StateCounts counts{};
    std::size_t state = 0;
    std::uint64_t number = 0;
    for (const char c : text) {
        if (c == ' ') {
            counts[state] = static_cast<std::uint32_t>(number);
            state = std::min(state + 1, counts.size() - 1);
            number = 0;
        } else {
            number = 10 * number + static_cast<std::uint64_t>(c - '0');
        }
    }
    counts[state] = static_cast<std::uint32_t>(number);
    return counts;
}

std::int64_t number_of(TaskState state) { return static_cast<std::int64_t>(state); }

class SqliteStore : public Store {
  public:
    SqliteStore(const std::string& path, Durability durability) : database_(prepared(path, durability)) {}

    void commit(const Batch& batch) override {
        database_.execute("begin immediate");
        try {
            write(batch);
            database_.execute("commit");
        } catch (const Error&) {
            database_.roll_back();
            throw;
        }
    }

    Marks marks() override {
        return {.last_job = {database_.number("select max(id) from job")},
                .last_worker = {database_.number("select max(id) from worker")},
                .last_token = {database_.number("select value from mark where name = 'token'")},
                .last_event = database_.number("select time from event order by number desc limit 1")};
    }

    void each_unfinished_job(
        const std::function<void(const JobRecord&, const std::vector<JobId>&)>& visit) override {
        Statement select(database_,
                         "select id, spec, count, priority, base, counts, submitted, finished from job "
                         "where finished = 0 order by id");
        while (select.next()) {
            const JobRecord record = job_of(select);
            visit(record, parents(record.id));
        }
    }

    void each_task(JobId job, const std::function<void(const TaskRecord&)>& visit) override {
        tasks_.with(job.value, std::uint32_t{0}, -1, std::numeric_limits<std::int64_t>::max());
        while (tasks_.next()) visit(task_of(tasks_));
    }

    std::vector<RangeRecord> ranges(JobId job) override {
        ranges_.with(job.value);
        std::vector<RangeRecord> found;
        while (ranges_.next()) {
            found.push_back({.job = job,
                             .first = static_cast<std::uint32_t>(ranges_.integer(0)),
                             .count = static_cast<std::uint32_t>(ranges_.integer(1)),
                             .state = static_cast<TaskState>(ranges_.integer(2))});
        }
        return found;
    }

    std::optional<JobRecord> job(JobId id) override {
        job_.with(id.value);
        std::optional<JobRecord> found;
        while (job_.next()) found = job_of(job_);
        return found;
    }

    std::vector<JobRecord> jobs(JobId before, std::size_t limit) override {
        Statement select(database_,
                         "select id, spec, count, priority, base, counts, submitted, finished from job "
                         "where ?1 = 0 or id < ?1 order by id desc limit ?2");
        select.with(before.value, static_cast<std::int64_t>(limit));
        std::vector<JobRecord> found;
        while (select.next()) found.push_back(job_of(select));
        return found;
    }

    std::vector<JobId> parents(JobId id) override {
        parents_.with(id.value);
        std::vector<JobId> found;
        while (parents_.next()) found.push_back({parents_.integer(0)});
        return found;
    }

    std::vector<JobId> children(JobId id) override {
        Statement select(database_, "select job from after_job where parent = ?1 order by job");
        select.with(id.value);
        std::vector<JobId> found;
        while (select.next()) found.push_back({select.integer(0)});
        return found;
    }

    std::optional<TaskRecord> task(TaskId id) override {
        tasks_.with(id.job.value, id.index, -1, 1);
        std::optional<TaskRecord> found;
        while (tasks_.next()) {
            const TaskRecord record = task_of(tasks_);
            if (record.id == id) found = record;
        }
        return found;
    }

    std::vector<TaskRecord> tasks(JobId job, std::uint32_t from, std::optional<TaskState> state,
                                  std::size_t limit) override {
        tasks_.with(job.value, from, state ? number_of(*state) : -1, static_cast<std::int64_t>(limit));
        std::vector<TaskRecord> found;
        while (tasks_.next()) found.push_back(task_of(tasks_));
        return found;
    }

    std::vector<AttemptRecord> attempts(TaskId id) override {
        Statement select(
            database_,
            "select attempt, token, worker, outcome, leased, started, ended, exit_code, signal, wall_s, "
            "user_s, system_s, peak_memory_bytes, reason, output_at from attempt "
            "where job = ?1 and task = ?2 order by attempt");
        select.with(id.job.value, id.index);
        std::vector<AttemptRecord> found;
        while (select.next()) {
            found.push_back({.id = id,
                             .attempt = static_cast<std::int32_t>(select.integer(0)),
                             .token = {select.integer(1)},
                             .worker = {select.integer(2)},
                             .outcome = static_cast<TaskState>(select.integer(3)),
                             .leased = select.integer(4),
                             .started = select.integer(5),
                             .ended = select.integer(6),
                             .result = {.exit_code = static_cast<int>(select.integer(7)),
                                        .signal = static_cast<int>(select.integer(8)),
                                        .wall_s = select.real(9),
                                        .user_s = select.real(10),
                                        .system_s = select.real(11),
                                        .peak_memory_bytes = select.integer(12),
                                        .reason = select.text(13),
                                        .output_at = select.integer(14)}});
        }
        return found;
    }

    std::vector<Event> events(std::int64_t after, JobId job, std::size_t limit) override {
        Statement select(database_,
                         "select number, time, job, first, count, attempt, \"from\", \"to\", note from event "
                         "where number > ?1 and (?2 = 0 or job = ?2) order by number limit ?3");
        select.with(after, job.value, static_cast<std::int64_t>(limit));
        std::vector<Event> found;
        while (select.next()) {
            Event event{.number = select.integer(0),
                        .time = select.integer(1),
                        .job = {select.integer(2)},
                        .first = static_cast<std::uint32_t>(select.integer(3)),
                        .count = static_cast<std::uint32_t>(select.integer(4)),
                        .attempt = static_cast<std::int32_t>(select.integer(5)),
                        .to = static_cast<TaskState>(select.integer(7)),
                        .note = select.text(8)};
            if (select.integer(6) != new_task) event.from = static_cast<TaskState>(select.integer(6));
            found.push_back(std::move(event));
        }
        return found;
    }

    std::optional<WorkerRecord> worker(WorkerId id) override {
        Statement select(
            database_,
            "select id, session, name, host, resources, stream, registered from worker where id = ?1");
        select.with(id.value);
        std::optional<WorkerRecord> found;
        while (select.next()) found = worker_of(select);
        return found;
    }

    std::vector<WorkerRecord> workers(std::size_t limit) override {
        Statement select(database_,
                         "select id, session, name, host, resources, stream, registered from worker "
                         "order by id desc limit ?1");
        select.with(static_cast<std::int64_t>(limit));
        std::vector<WorkerRecord> found;
        while (select.next()) found.push_back(worker_of(select));
        return found;
    }

    std::vector<std::string> lines(JobId job, std::uint32_t first, std::size_t limit) override {
        line_.with(job.value, first - first % lines_per_chunk);
        std::vector<std::string> found;
        while (found.size() < limit && line_.next()) {
            std::uint32_t at = static_cast<std::uint32_t>(line_.integer(0));
            std::string_view text = line_.view(1);
            for (std::size_t end = text.find('\n'); end != std::string_view::npos && found.size() < limit;
                 end = text.find('\n')) {
                if (at++ >= first) found.emplace_back(text.substr(0, end));
                text.remove_prefix(end + 1);
            }
        }
        line_.leave();
        return found;
    }

  private:
    static Database prepared(const std::string& path, Durability durability) {
        Database database(path, sqlite::Access::create, damaged_hint);
        database.execute("pragma locking_mode = exclusive");
        database.execute("pragma journal_mode = wal");
        database.execute(durability == Durability::full ? "pragma synchronous = full"
                                                        : "pragma synchronous = normal");
        database.execute("pragma wal_autocheckpoint = 4000");
        database.execute("pragma cache_size = -32768");
        const bool is_new = database.number("select count(*) from sqlite_master") == 0;
        if (is_new) {
            database.execute("begin immediate");
            database.execute(schema);
            for (const auto& [state, name] : enum_names(TaskState{})) {
                Statement(database, "insert into state values (?1, ?2)").with(number_of(state), name).run();
            }
            database.execute(fmt::format("pragma application_id = {}", application).c_str());
            database.execute(fmt::format("pragma user_version = {}", schema_version).c_str());
            database.execute("commit");
        }
        if (database.number("pragma application_id") != application) {
            throw Error(ErrorKind::input, fmt::format("{}: this database is no campaign", path),
                        "give the folder of a campaign, or make one with 'plimsoll campaign init'");
        }
        if (const std::int64_t version = database.number("pragma user_version"); version != schema_version) {
            throw Error(ErrorKind::input,
                        fmt::format("{}: schema {} is not known, only {}", path, version, schema_version),
                        "open it with the plimsoll that made it");
        }
        return database;
    }

    void write(const Batch& batch) {
        for (const Batch::NewJob& job : batch.new_jobs) write(job);
        for (const JobUpdate& job : batch.jobs) {
            update_job_.with(job.id.value, number_of(job.base), counts_text(job.counts), job.finished).run();
        }
        for (const TaskRecord& task : batch.tasks) {
            put_task_
                .with(task.id.job.value, task.id.index, number_of(task.state), task.attempt, task.failures,
                      task.crashes, task.token.value, task.worker.value, task.not_before)
                .run();
        }
        for (const RangeRecord& range : batch.ranges) {
            if (range.state) {
                put_range_.with(range.job.value, range.first, range.count, number_of(*range.state)).run();
            } else {
                remove_range_.with(range.job.value, range.first).run();
            }
        }
        for (const AttemptRecord& attempt : batch.attempts) {
            const AttemptResult& result = attempt.result;
            put_attempt_
                .with(attempt.id.job.value, attempt.id.index, attempt.attempt, attempt.token.value,
                      attempt.worker.value, number_of(attempt.outcome), attempt.leased, attempt.started,
                      attempt.ended, result.exit_code, result.signal, result.wall_s, result.user_s,
                      result.system_s, result.peak_memory_bytes, result.reason, result.output_at)
                .run();
        }
        for (const WorkerRecord& worker : batch.workers) {
            put_worker_
                .with(worker.id.value, worker.session, worker.name, worker.host, worker.resources,
                      worker.stream, worker.registered)
                .run();
        }
        for (const Event& event : batch.events) {
            put_event_
                .with(event.time, event.job.value, event.first, event.count, event.attempt,
                      event.from ? number_of(*event.from) : new_task, number_of(event.to), event.note)
                .run();
        }
        put_token_.with(batch.last_token.value).run();
    }

    void write(const Batch::NewJob& job) {
        const JobRecord& record = job.record;
        put_job_
            .with(record.id.value, record.spec, record.count, record.priority, number_of(record.base),
                  counts_text(record.counts), record.submitted, record.finished)
            .run();
        for (const JobId parent : job.after) put_parent_.with(record.id.value, parent.value).run();
        std::string_view rest = job.lines;
        for (std::uint32_t first = 0; !rest.empty(); first += lines_per_chunk) {
            std::size_t end = 0;
            for (std::uint32_t i = 0; i < lines_per_chunk && end < rest.size(); ++i)
                end = std::min(rest.find('\n', end), rest.size() - 1) + 1;
            put_line_.with(record.id.value, first, rest.substr(0, end)).run();
            rest.remove_prefix(end);
        }
    }

    static JobRecord job_of(const Statement& row) {
        return {.id = {row.integer(0)},
                .spec = row.text(1),
                .count = static_cast<std::uint32_t>(row.integer(2)),
                .priority = static_cast<int>(row.integer(3)),
                .base = static_cast<TaskState>(row.integer(4)),
                .counts = counts_from(row.view(5)),
                .submitted = row.integer(6),
                .finished = row.integer(7)};
    }

    static TaskRecord task_of(const Statement& row) {
        return {.id = {.job = {row.integer(0)}, .index = static_cast<std::uint32_t>(row.integer(1))},
                .state = static_cast<TaskState>(row.integer(2)),
                .attempt = static_cast<std::int32_t>(row.integer(3)),
                .failures = static_cast<std::int32_t>(row.integer(4)),
                .crashes = static_cast<std::int32_t>(row.integer(5)),
                .token = {row.integer(6)},
                .worker = {row.integer(7)},
                .not_before = row.integer(8)};
    }

    static WorkerRecord worker_of(const Statement& row) {
        return {.id = {row.integer(0)},
                .session = row.text(1),
                .name = row.text(2),
                .host = row.text(3),
                .resources = row.text(4),
                .stream = row.text(5),
                .registered = row.integer(6)};
    }

    Database database_;
    Statement put_job_{database_, "insert into job values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"};
    Statement update_job_{database_, "update job set base = ?2, counts = ?3, finished = ?4 where id = ?1"};
    Statement put_parent_{database_, "insert or ignore into after_job values (?1, ?2)"};
    Statement put_line_{database_, "insert into line values (?1, ?2, ?3)"};
    Statement put_task_{database_, "insert or replace into task values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"};
    Statement put_range_{database_, "insert or replace into task_range values (?1, ?2, ?3, ?4)"};
    Statement remove_range_{database_, "delete from task_range where job = ?1 and first = ?2"};
    Statement put_attempt_{database_,
                           "insert or replace into attempt values "
                           "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"};
    Statement put_worker_{database_, "insert or replace into worker values (?1, ?2, ?3, ?4, ?5, ?6, ?7)"};
    Statement put_event_{database_,
                         "insert into event (time, job, first, count, attempt, \"from\", \"to\", note) "
                         "values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"};
    Statement put_token_{database_, "update mark set value = max(value, ?1) where name = 'token'"};
    Statement job_{
        database_,
        "select id, spec, count, priority, base, counts, submitted, finished from job where id = ?1"};
    Statement parents_{database_, "select parent from after_job where job = ?1 order by parent"};
    Statement tasks_{
        database_,
        "select job, task, state, attempt, failures, crashes, token, worker, not_before from task "
        "where job = ?1 and task >= ?2 and (?3 < 0 or state = ?3) order by task limit ?4"};
    Statement ranges_{database_, "select first, count, state from task_range where job = ?1 order by first"};
    Statement line_{database_, "select first, text from line where job = ?1 and first >= ?2 order by first"};
};

}  // namespace

void check_sqlite_store(const std::string& path) {
    if (std::error_code ignored; !std::filesystem::exists(path, ignored)) return;
    Database database(path, sqlite::Access::create, damaged_hint);
    const std::string found = database.text("pragma integrity_check");
    if (found == "ok") return;
    throw Error(ErrorKind::input, fmt::format("{}: {}", path, found),
                "restore it from a copy; what is whole can be saved with 'sqlite3 FILE .recover'");
}

std::unique_ptr<Store> open_sqlite_store(const std::string& path, Durability durability) {
    return std::make_unique<SqliteStore>(path, durability);
}

}  // namespace plimsoll::campaign
