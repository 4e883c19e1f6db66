#include "plimsoll/campaign/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {

namespace {

using std::chrono::duration;
using std::chrono::duration_cast;

constexpr std::size_t longest_backlog = 1024;  ///< tasks
constexpr double backlog_s = 0.05;             ///< of work that may wait at a worker
constexpr std::chrono::milliseconds rate_window{10};
constexpr double longest_backoff_s = 3600.0;

SteadyTime after(SteadyTime time, double seconds) {
    return time + duration_cast<SteadyTime::duration>(duration<double>(seconds));
}

IndexRange just(std::uint32_t index) { return {index, index + 1}; }

/// Seconds before try number `failures + 1`.
double backoff(const Policy& policy, std::int32_t failures) {
    return std::min(longest_backoff_s, policy.backoff_s * std::exp2(failures - 1));
}

bool worth_a_try(const Policy& policy, TaskState outcome, int code) {
    return outcome != TaskState::failed || policy.retry_codes.empty() ||
           std::find(policy.retry_codes.begin(), policy.retry_codes.end(), code) != policy.retry_codes.end();
}

}  // namespace

Now current_time() {
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return {.steady = std::chrono::steady_clock::now(),
            .wall = duration_cast<std::chrono::microseconds>(wall).count()};
}

Engine::Engine(Store& store, Settings settings, Now now)
    : store_(&store), settings_(settings), marks_(store.marks()) {
    cpus_ = resource_number("cpus");
    load(now);
}

// ---------------------------------------------------------------------------------------- taking up what is
// stored

void Engine::load(Now now) {
    std::vector<std::pair<JobId, std::vector<JobId>>> families;
    store_->each_unfinished_job([&](const JobRecord& record, const std::vector<JobId>& after_jobs) {
        const JobSpec spec = spec_from_json(record.spec);
        Job job{.id = record.id,
                .count = record.count,
                .base = record.base,
                .rule = spec.rule,
                .counts = record.counts};
        job.terms = terms_of(spec.policy);
        job.untouched.insert({0, record.count});
        jobs_.emplace(record.id, std::move(job));
        if (!after_jobs.empty()) families.emplace_back(record.id, after_jobs);
    });
    for (const auto& [child, parents] : families) {
        for (const JobId parent : parents) {
            const auto found = jobs_.find(parent);
            if (found == jobs_.end())
                continue;  // it has ended, as the rule wants, or the child would be skipped
            found->second.children.push_back(child);
            ++jobs_.at(child).parents_open;
        }
    }
    for (auto& entry : jobs_) {
        const JobId id = entry.first;
        Job& job = entry.second;
        for (const RangeRecord& range : store_->ranges(id)) {
            const IndexRange indexes{range.first, range.first + range.count};
            job.untouched.remove(indexes);
            if (range.state == TaskState::held) job.held.insert(indexes);
        }
        IndexRange run{0, 0};  // rows mostly follow each other
        store_->each_task(id, [&](const TaskRecord& record) {
            if (record.id.index != run.last) {
                job.untouched.remove(run);
                run.first = record.id.index;
            }
            run.last = record.id.index + 1;
            if (is_final(record.state)) return;
            Touched task{.record = record, .not_before = now.steady};
            task.attempt = {
                .id = record.id, .attempt = record.attempt, .token = record.token, .worker = record.worker};
            if (record.state == TaskState::ready) {
                const double wait = static_cast<double>(record.not_before - now.wall) * 1e-6;
                if (wait > 0.0) {
                    task.not_before = after(now.steady, std::min(wait, longest_backoff_s));
                    wakes_.emplace(task.not_before, record.id);
                } else {
                    task.is_returned = true;
                    job.returned.push_back(record.id.index);
                }
            } else if (is_live(record.state)) {
                Worker& worker = workers_[record.worker];
                worker.id = record.worker;
                const bool is_running = record.state == TaskState::running;
                worker.leases.emplace(record.token,
                                      Held{.task = record.id, .terms = job.terms, .is_running = is_running});
                ++(record.state == TaskState::running ? worker.running : worker.queued);
            }
            touched_.emplace(record.id, std::move(task));
        });
        job.untouched.remove(run);
        std::make_heap(job.returned.begin(), job.returned.end(), std::greater<>());
        enqueue(job);
    }
    for (auto& [id, worker] : workers_) {
        if (const auto record = store_->worker(id)) {
            worker.session = record->session;
            worker.name = record->name;
            worker.host = record->host;
            worker.stream = record->stream;
        }
        worker.expires = now.steady + settings_.lease;
        worker.window = now.steady;
    }
}

const Engine::Terms* Engine::terms_of(const Policy& policy) {
    const auto [place, is_new] = terms_.try_emplace(policy);
    if (is_new) {
        std::vector<std::pair<std::size_t, std::int64_t>> amounts;
        for (const auto& [name, amount] : policy.resources.amounts())
            amounts.emplace_back(resource_number(name), amount);
        Queue& queue = queues_[{amounts, policy.min_time_s}];
        queue.min_time_s = policy.min_time_s;
        queue.needs.clear();
        for (const auto& [resource, amount] : amounts) queue.needs.push_back({resource, amount});
        queue.needs_cpus = policy.resources.thousandths("cpus") > 0;
        place->second = {.policy = policy, .queue = &queue};
    }
    return &place->second;
}

std::size_t Engine::resource_number(const std::string& name) {
    const auto found = std::find(resource_names_.begin(), resource_names_.end(), name);
    if (found != resource_names_.end()) return static_cast<std::size_t>(found - resource_names_.begin());
    resource_names_.push_back(name);
    for (auto& [id, worker] : workers_) {
        if (!worker.is_here) continue;  // what it has is known when it comes back
        worker.capacity.push_back(worker.resources.thousandths(name));
        worker.free.push_back(worker.capacity.back());
    }
    return resource_names_.size() - 1;
}

std::vector<std::int64_t> Engine::amounts_of(const Resources& resources) {
    for (const auto& [name, amount] : resources.amounts()) (void)resource_number(name);
    std::vector<std::int64_t> amounts;
    for (const std::string& name : resource_names_) amounts.push_back(resources.thousandths(name));
    return amounts;
}

// ---------------------------------------------------------------------------------------------- changes of
// state

void Engine::change(Job& job, IndexRange range, std::int32_t attempt, std::optional<TaskState> from,
                    TaskState to, std::string_view note, Now now) {
    PLIMSOLL_EXPECT(from ? may_follow(*from, to) : !is_final(to));
    if (from) count_of(job.counts, *from) -= range.size();
    count_of(job.counts, to) += range.size();
    batch_.events.push_back({.time = now.wall,
                             .job = job.id,
                             .first = range.first,
                             .count = range.size(),
                             .attempt = attempt,
                             .from = from,
                             .to = to,
                             .note = std::string(note)});
    mark(job);
}

void Engine::step(Job& job, Touched& task, TaskState to, std::string_view note, Now now) {
    change(job, just(task.record.id.index), task.record.attempt, task.record.state, to, note, now);
    task.record.state = to;
    write(task);
}

void Engine::write(Touched& task) {
    if (task.batch == batch_number_) {
        batch_.tasks[task.place] = task.record;
        return;
    }
    task.batch = batch_number_;
    task.place = batch_.tasks.size();
    batch_.tasks.push_back(task.record);
}

void Engine::mark(Job& job) {
    if (job.dirty) return;
    job.dirty = true;
    dirty_jobs_.push_back(job.id);
}

void Engine::enqueue(Job& job) {
    const bool ready = !job.returned.empty() || (job.base == TaskState::ready && !job.untouched.empty());
    if (job.queued == ready) return;
    job.queued = ready;
    const Rank rank{-job.terms->policy.priority, job.id};
    Queue& queue = *job.terms->queue;
    if (!queue.jobs.empty()) {
        heads_.erase({*queue.jobs.begin(), &queue});
        queues_without_cpus_ -= queue.needs_cpus ? 0 : 1;
    }
    if (ready) {
        queue.jobs.insert(rank);
    } else {
        queue.jobs.erase(rank);
    }
    if (!queue.jobs.empty()) {
        heads_.emplace(*queue.jobs.begin(), &queue);
        queues_without_cpus_ += queue.needs_cpus ? 0 : 1;
    }
}

/// The task may be given again.
void Engine::return_task(Job& job, Touched& task) {
    if (std::exchange(task.is_returned, true)) return;
    job.returned.push_back(task.record.id.index);
    std::push_heap(job.returned.begin(), job.returned.end(), std::greater<>());
}

/// The tasks of a range are not given again.
void Engine::forget_returned(Job& job, IndexRange range) {
    const auto inside = [&](std::uint32_t index) { return range.first <= index && index < range.last; };
    for (const std::uint32_t index : job.returned) {
        if (inside(index)) touched_.at({.job = job.id, .index = index}).is_returned = false;
    }
    std::erase_if(job.returned, inside);
    std::make_heap(job.returned.begin(), job.returned.end(), std::greater<>());
}

/// Ends an attempt: writes it, and sends the task on to its next try or to its end.
void Engine::settle(Touched& task, TaskState outcome, std::string_view note, Now now) {
    Job& job = jobs_.at(task.record.id.job);
    const Policy& policy = job.terms->policy;
    const bool ran = task.record.state == TaskState::running;
    task.attempt.outcome = outcome;
    task.attempt.ended = now.wall;
    if (task.attempt.leased == 0) task.attempt.leased = task.attempt.started;
    if (task.attempt.result.reason.empty()) task.attempt.result.reason = std::string(note);
    batch_.attempts.push_back(task.attempt);
    step(job, task, outcome, note, now);
    if (outcome == TaskState::succeeded) {
        touched_.erase(task.record.id);
        finish_if_done(job.id, now);
        return;
    }
    bool again = true;
    double wait = 0.0;
    std::string why;
    if (outcome == TaskState::failed || outcome == TaskState::timed_out) {
        ++task.record.failures;
        again = task.record.failures <= policy.retries &&
                worth_a_try(policy, outcome, task.attempt.result.exit_code);
        wait = backoff(policy, task.record.failures);
    } else if (outcome == TaskState::lost && ran) {
        ++task.record.crashes;
        again = task.record.crashes <= policy.crash_limit;
        if (!again) why = fmt::format("its workers were lost {} times", task.record.crashes);
    }
    if (!again) {
        const JobId id = job.id;
        step(job, task, TaskState::exhausted, why, now);
        touched_.erase(task.record.id);
        finish_if_done(id, now);
        return;
    }
    task.not_before = after(now.steady, wait);
    task.record.not_before = wait > 0.0 ? now.wall + static_cast<WallTime>(wait * 1e6) : 0;
    step(job, task, TaskState::ready, "", now);
    if (wait > 0.0) {
        wakes_.emplace(task.not_before, task.record.id);
    } else {
        return_task(job, task);
    }
    enqueue(job);
}

void Engine::finish_if_done(JobId id, Now now) {
    std::vector<JobId> ended{id};
    while (!ended.empty()) {
        const auto found = jobs_.find(ended.back());
        ended.pop_back();
        if (found == jobs_.end()) continue;
        std::uint32_t done = 0;
        for (const auto& [state, name] : enum_names(TaskState{}))
            done += is_final(state) ? count_of(found->second.counts, state) : 0;
        if (done == found->second.count) finish_job(found->second, now, ended);
    }
}

void Engine::finish_job(Job& job, Now now, std::vector<JobId>& more) {
    enqueue(job);
    batch_.jobs.push_back({.id = job.id, .base = job.base, .counts = job.counts, .finished = now.wall});
    for (const JobId id : job.children) {
        const auto child = jobs_.find(id);
        if (child == jobs_.end()) continue;
        parent_ended(child->second, job.counts, now);
        more.push_back(id);
    }
    jobs_.erase(job.id);
    constexpr std::size_t few_terms = 1024;
    if (terms_.size() > few_terms + 2 * (jobs_.size() + touched_.size())) drop_unused_terms();
}

/// Forgets terms and queues that no job and no lease has; a campaign may see as many as it sees jobs.
void Engine::drop_unused_terms() {
    std::unordered_set<const Terms*> used;
    for (const auto& [id, job] : jobs_) used.insert(job.terms);
    for (const auto& [id, worker] : workers_) {
        for (const auto& [token, held] : worker.leases) used.insert(held.terms);
    }
    std::unordered_set<const Queue*> used_queues;
    for (auto place = terms_.begin(); place != terms_.end();) {
        if (!used.contains(&place->second)) {
            place = terms_.erase(place);
            continue;
        }
        used_queues.insert(place->second.queue);
        ++place;
    }
    std::erase_if(queues_, [&](const auto& entry) { return !used_queues.contains(&entry.second); });
}

void Engine::parent_ended(Job& child, const StateCounts& counts, Now now) {
    std::uint32_t all = 0;
    for (const std::uint32_t count : counts) all += count;
    const bool well = count_of(counts, TaskState::succeeded) == all;
    if (child.rule == (well ? AfterRule::failed : AfterRule::ok)) {
        end_untouched(
            child, {0, child.count}, TaskState::skipped,
            well ? "a job that it comes after succeeded" : "a job that it comes after did not succeed", now);
        return;
    }
    if (--child.parents_open > 0) return;
    for (const IndexRange& range : child.untouched.ranges())
        change(child, range, 0, TaskState::waiting, TaskState::ready, "", now);
    child.base = TaskState::ready;
    mark(child);  // where all its tasks are held, nothing else has changed
    enqueue(child);
}

void Engine::change_held(Job& job, const std::function<void(IndexSet&)>& change_set) {
    for (const IndexRange& range : job.held.ranges())
        batch_.ranges.push_back({.job = job.id, .first = range.first, .count = range.size()});
    change_set(job.held);
    for (const IndexRange& range : job.held.ranges())
        batch_.ranges.push_back(
            {.job = job.id, .first = range.first, .count = range.size(), .state = TaskState::held});
}

/// Ends tasks that nothing has happened to, or that were held before anything did.
void Engine::end_untouched(Job& job, IndexRange range, TaskState to, std::string_view note, Now now) {
    std::vector<IndexRange> ended;
    for (const IndexRange& part : job.untouched.within(range)) {
        change(job, part, 0, job.base, to, note, now);
        ended.push_back(part);
    }
    job.untouched.remove(range);
    const auto held = job.held.within(range);
    if (!held.empty()) change_held(job, [&](IndexSet& set) { set.remove(range); });
    for (const IndexRange& part : held) {
        change(job, part, 0, TaskState::held, to, note, now);
        ended.push_back(part);
    }
    for (const IndexRange& part : ended)
        batch_.ranges.push_back({.job = job.id, .first = part.first, .count = part.size(), .state = to});
    enqueue(job);
}

// --------------------------------------------------------------------------------------------------
// submissions

JobId Engine::submit(JobSpec spec, Now now) {
    std::uint32_t open = 0;
    std::vector<StateCounts> ended;
    for (const JobId parent : spec.after) {
        if (jobs_.contains(parent)) {
            ++open;
            continue;
        }
        if (parent.value > marks_.last_job.value || parent.value <= 0) {
            throw Error(ErrorKind::input, fmt::format("there is no job {} to come after", parent.value),
                        "see 'plimsoll campaign ls'");
        }
        ended.push_back(counts_of_ended(parent));
    }
    const JobId id{++marks_.last_job.value};
    Job& job = jobs_
                   .emplace(id, Job{.id = id,
                                    .count = spec.count,
                                    .base = open + ended.size() > 0 ? TaskState::waiting : TaskState::ready,
                                    .rule = spec.rule})
                   .first->second;
    job.terms = terms_of(spec.policy);
    job.parents_open = open + static_cast<std::uint32_t>(ended.size());
    const IndexRange all{0, spec.count};
    (spec.held ? job.held : job.untouched).insert(all);

    Batch::NewJob stored{.record = {.id = id,
                                    .count = spec.count,
                                    .priority = spec.policy.priority,
                                    .base = job.base,
                                    .submitted = now.wall},
                         .after = spec.after,
                         .lines = std::move(spec.lines)};
    spec.lines.clear();
    stored.record.spec = to_json(spec);
    change(job, all, 0, std::nullopt, spec.held ? TaskState::held : job.base, "", now);
    stored.record.counts = job.counts;
    batch_.new_jobs.push_back(std::move(stored));
    if (spec.held) change_held(job, [](IndexSet&) {});
    for (const JobId parent : spec.after) {
        if (const auto found = jobs_.find(parent); found != jobs_.end()) found->second.children.push_back(id);
    }
    for (const StateCounts& counts : ended) {
        if (!job.untouched.empty() || !job.held.empty()) parent_ended(job, counts, now);
    }
    enqueue(job);
    finish_if_done(id, now);
    return id;
}

/// Of a job that has ended, whether or not that is stored. Nothing is written: a submission of several jobs
/// is stored as a whole.
StateCounts Engine::counts_of_ended(JobId id) {
    const auto ended = std::find_if(batch_.jobs.rbegin(), batch_.jobs.rend(), [&](const auto& record) {
        return record.id == id && record.finished != 0;
    });
    if (ended != batch_.jobs.rend()) return ended->counts;
    const auto record = store_->job(id);
    if (!record) {
        throw Error(ErrorKind::input, fmt::format("there is no job {} to come after", id.value),
                    "see 'plimsoll campaign ls'");
    }
    return record->counts;
}

// ------------------------------------------------------------------------------------------------------
// workers

Welcome Engine::register_worker(const WorkerOffer& offer, Now now) {
    flush();  // what it tells again may stand in the batch
    Welcome welcome;
    auto place = std::find_if(workers_.begin(), workers_.end(),
                              [&](const auto& entry) { return entry.second.session == offer.session; });
    if (place == workers_.end()) {
        const WorkerId id{++marks_.last_worker.value};
        place = workers_.emplace(id, Worker{.id = id, .session = offer.session}).first;
        batch_.workers.push_back({.id = id,
                                  .session = offer.session,
                                  .name = offer.name,
                                  .host = offer.host,
                                  .resources = offer.resources.text(),
                                  .stream = offer.stream,
                                  .registered = now.wall});
    }
    Worker& worker = place->second;
    welcome.worker = worker.id;
    worker.name = offer.name;
    worker.host = offer.host;
    worker.stream = offer.stream;
    worker.resources = offer.resources;
    worker.drains = offer.drains;
    worker.is_here = true;
    worker.expires = now.steady + settings_.lease;
    worker.window = now.steady;
    if (offer.time_left_s > 0.0) worker.leaves = after(now.steady, offer.time_left_s);
    worker.capacity = amounts_of(offer.resources);
    worker.free = worker.capacity;
    for (const auto& [token, held] : worker.leases) {
        for (const Need& need : held.terms->queue->needs) worker.free[need.resource] -= need.amount;
    }

    std::vector<std::pair<Token, TaskId>> unknown;
    for (const auto& [token, held] : worker.leases) {
        if (std::find(offer.has.begin(), offer.has.end(), token) == offer.has.end())
            unknown.emplace_back(token, held.task);
    }
    std::sort(unknown.begin(), unknown.end());
    for (const auto& [token, id] : unknown) {
        const auto found = touched_.find(id);
        const bool live_here = found != touched_.end() && found->second.record.token == token &&
                               is_live(found->second.record.state);
        release_lease(worker.id, token);
        if (live_here) settle(found->second, TaskState::lost, "its worker does not know it", now);
    }
    // What was cancelled meanwhile is a lease still, until the worker says that it has ended.
    for (const Token token : offer.has) {
        const auto lease = worker.leases.find(token);
        const auto task = lease == worker.leases.end() ? touched_.end() : touched_.find(lease->second.task);
        if (task == touched_.end() || task->second.record.token != token ||
            !is_live(task->second.record.state))
            welcome.stop.push_back(token);
    }
    return welcome;
}

bool Engine::fits(const Worker& worker, const Queue& queue, bool now_free, Now now) const {
    if (!worker.is_here) return false;
    if (worker.leaves && *worker.leaves - now.steady < duration<double>(queue.min_time_s)) return false;
    const std::vector<std::int64_t>& there = now_free ? worker.free : worker.capacity;
    return std::all_of(queue.needs.begin(), queue.needs.end(),
                       [&](const Need& need) { return there[need.resource] >= need.amount; });
}

/// Tasks that may wait at a worker: as many as it ends in `backlog_s`, so that short tasks find the next one
/// there and long ones go to whoever is free first.
std::size_t Engine::backlog(const Worker& worker) const {
    return std::min(longest_backlog, static_cast<std::size_t>(worker.rate * backlog_s));
}

/// The first job in rank that the worker has room for.
Engine::Job* Engine::choose(const Worker& worker, Now now) {
    const bool may_wait = worker.queued < backlog(worker);
    if (!may_wait && queues_without_cpus_ == 0 && worker.free[cpus_] <= 0) return nullptr;  // mostly so
    Queue* large = nullptr;  // the first that would fit if the worker were free
    for (const auto& [rank, queue] : heads_) {
        if (fits(worker, *queue, true, now) || (may_wait && fits(worker, *queue, false, now))) {
            if (large != nullptr && keeps_free(worker, *large, now)) return nullptr;
            return &jobs_.at(rank.job);
        }
        if (large == nullptr && fits(worker, *queue, false, now)) large = queue;
    }
    if (large != nullptr) (void)keeps_free(worker, *large, now);
    return nullptr;
}

/// Whether the worker gets nothing now, so that a task finds room that smaller ones have long gone before.
/// One worker at a time.
bool Engine::keeps_free(const Worker& worker, Queue& large, Now now) {
    if (!large.passed) large.passed = now.steady;
    if (now.steady - *large.passed < settings_.patience) return false;
    const auto kept = workers_.find(kept_free_);
    if (kept == workers_.end() || kept->second.drains) kept_free_ = worker.id;
    return kept_free_ == worker.id;
}

Lease Engine::give(Job& job, Worker& worker, Now now) {
    job.terms->queue->passed.reset();
    if (kept_free_ == worker.id) kept_free_ = {};
    const bool again = !job.returned.empty() && (job.base != TaskState::ready || job.untouched.empty() ||
                                                 job.returned.front() < job.untouched.front());
    TaskId id{.job = job.id};
    if (again) {
        std::pop_heap(job.returned.begin(), job.returned.end(), std::greater<>());
        id.index = job.returned.back();
        job.returned.pop_back();
    } else {
        id.index = job.untouched.take_front();
    }
    Touched& task = touched_[id];
    task.record.id = id;
    task.is_returned = false;
    task.record.state = TaskState::ready;
    ++task.record.attempt;
    task.record.token = {++marks_.last_token.value};
    task.record.worker = worker.id;
    task.record.not_before = 0;
    task.attempt = {.id = id,
                    .attempt = task.record.attempt,
                    .token = task.record.token,
                    .worker = worker.id,
                    .leased = now.wall};
    step(job, task, TaskState::leased, "", now);
    for (const Need& need : job.terms->queue->needs) worker.free[need.resource] -= need.amount;
    worker.leases.emplace(task.record.token, Held{.task = id, .terms = job.terms});
    ++worker.queued;
    enqueue(job);
    return {.task = id, .attempt = task.record.attempt, .token = task.record.token};
}

void Engine::lease(WorkerId id, std::size_t most, Now now, std::vector<Lease>& leases) {
    const auto found = workers_.find(id);
    if (found == workers_.end() || found->second.drains) return;
    Worker& worker = found->second;
    if (worker.capacity.size() < resource_names_.size()) worker.capacity.resize(resource_names_.size());
    if (worker.free.size() < resource_names_.size()) worker.free.resize(resource_names_.size());
    for (std::size_t i = 0; i < most; ++i) {
        Job* const job = choose(worker, now);
        if (job == nullptr) return;
        leases.push_back(give(*job, worker, now));
    }
}

void Engine::release_lease(WorkerId id, Token token) {
    const auto place = workers_.find(id);
    if (place == workers_.end()) return;
    Worker& worker = place->second;
    const auto found = worker.leases.find(token);
    if (found == worker.leases.end()) return;
    const auto& needs = found->second.terms->queue->needs;
    if (worker.free.size() >= resource_names_.size()) {
        for (const Need& need : needs) worker.free[need.resource] += need.amount;
    }
    std::size_t& counter = found->second.is_running ? worker.running : worker.queued;
    if (counter > 0) --counter;
    worker.leases.erase(found);
}

/// The task, if this is the lease that it has now.
Engine::Touched* Engine::live(WorkerId worker, const Lease& lease) {
    const auto found = touched_.find(lease.task);
    if (found == touched_.end()) return nullptr;
    const TaskRecord& record = found->second.record;
    return is_live(record.state) && record.token == lease.token && record.worker == worker ? &found->second
                                                                                           : nullptr;
}

/// Logs a word that comes too late: nothing of the task changes.
void Engine::refuse(WorkerId worker, const Lease& lease, std::string_view what, Now now) {
    const auto now_in = state(lease.task);
    if (!now_in) return;  // no such task: nothing to log it with
    batch_.events.push_back({.time = now.wall,
                             .job = lease.task.job,
                             .first = lease.task.index,
                             .attempt = lease.attempt,
                             .from = *now_in,
                             .to = *now_in,
                             .note = fmt::format("refused '{}' of worker {}: token {} is not the task's",
                                                 what, worker.value, lease.token.value)});
}

Engine::Verdict Engine::started(WorkerId worker, const Lease& lease, Now now) {
    Touched* const task = live(worker, lease);
    if (task == nullptr) return Verdict::refused;
    if (task->record.state == TaskState::running) return Verdict::repeated;
    task->attempt.started = now.wall;
    step(jobs_.at(lease.task.job), *task, TaskState::running, "", now);
    Worker& owner = workers_.at(worker);
    if (owner.queued > 0) --owner.queued;
    ++owner.running;
    if (const auto held = owner.leases.find(lease.token); held != owner.leases.end())
        held->second.is_running = true;
    return Verdict::accepted;
}

Engine::Verdict Engine::finished(WorkerId worker, const Lease& lease, TaskState outcome, AttemptResult result,
                                 Now now) {
    PLIMSOLL_EXPECT(outcome == TaskState::succeeded || outcome == TaskState::failed ||
                    outcome == TaskState::timed_out || outcome == TaskState::preempted);
    Touched* const task = live(worker, lease);
    if (task == nullptr) {
        const auto found = touched_.find(lease.task);
        release_lease(worker, lease.token);
        if (found == touched_.end() || found->second.record.token != lease.token) {
            flush();
            const auto attempts = store_->attempts(lease.task);
            const auto same = std::find_if(attempts.begin(), attempts.end(),
                                           [&](const AttemptRecord& a) { return a.token == lease.token; });
            // Of a cancelled attempt it is known that it ends, and how does not matter.
            if (same != attempts.end() && (same->outcome == outcome || same->outcome == TaskState::cancelled))
                return Verdict::repeated;
        }
        refuse(worker, lease, enum_name(outcome), now);
        return Verdict::refused;
    }
    // A program that could not be started fails without having run.
    if (task->record.state == TaskState::leased && outcome != TaskState::failed &&
        outcome != TaskState::preempted)
        started(worker, lease, now);
    const auto place = workers_.find(worker);
    PLIMSOLL_EXPECT(place != workers_.end());
    Worker& owner = place->second;
    ++owner.ended;
    if (const auto passed = now.steady - owner.window; passed >= rate_window) {
        owner.rate = static_cast<double>(owner.ended) / duration<double>(passed).count();
        owner.ended = 0;
        owner.window = now.steady;
    }
    release_lease(worker, lease.token);
    if (task->attempt.started == 0)
        task->attempt.started = now.wall - static_cast<WallTime>(result.wall_s * 1e6);
    task->attempt.result = std::move(result);
    settle(*task, outcome, "", now);
    return Verdict::accepted;
}

void Engine::renew(WorkerId worker, Now now) {
    if (const auto found = workers_.find(worker); found != workers_.end())
        found->second.expires = now.steady + settings_.lease;
}

void Engine::renew_all(Now now) {
    for (auto& [id, worker] : workers_) worker.expires = now.steady + settings_.lease;
}

void Engine::drain(WorkerId worker) {
    if (const auto found = workers_.find(worker); found != workers_.end()) found->second.drains = true;
}

void Engine::remove_worker(WorkerId id, Leaving why, std::string_view note, Now now) {
    const auto place = workers_.find(id);
    if (place == workers_.end()) return;
    std::vector<std::pair<Token, TaskId>> leases;
    for (const auto& [token, held] : place->second.leases) leases.emplace_back(token, held.task);
    std::sort(leases.begin(), leases.end());
    workers_.erase(place);
    for (const auto& [token, task_id] : leases) {
        const auto found = touched_.find(task_id);
        if (found == touched_.end() || found->second.record.token != token ||
            !is_live(found->second.record.state))
            continue;
        settle(found->second, why == Leaving::lost ? TaskState::lost : TaskState::preempted, note, now);
    }
}

void Engine::tick(Now now) {
    while (!wakes_.empty() && wakes_.top().first <= now.steady) {
        const TaskId id = wakes_.top().second;
        const SteadyTime time = wakes_.top().first;
        wakes_.pop();
        const auto found = touched_.find(id);
        if (found == touched_.end() || found->second.record.state != TaskState::ready ||
            found->second.not_before != time)
            continue;
        Job& job = jobs_.at(id.job);
        return_task(job, found->second);
        enqueue(job);
    }
    std::vector<WorkerId> silent;
    for (const auto& [id, worker] : workers_) {
        if (worker.expires <= now.steady) silent.push_back(id);
    }
    for (const WorkerId id : silent)
        remove_worker(id, Leaving::lost, "its worker was silent for a whole lease", now);
}

std::optional<SteadyTime> Engine::next_tick() const {
    std::optional<SteadyTime> next;
    if (!wakes_.empty()) next = wakes_.top().first;
    for (const auto& [id, worker] : workers_) next = next ? std::min(*next, worker.expires) : worker.expires;
    return next;
}

std::vector<std::pair<WorkerId, Token>> Engine::take_stops() { return std::exchange(stops_, {}); }

// ----------------------------------------------------------------------------------------------------
// questions

std::optional<TaskState> Engine::state(TaskId id) {
    if (const auto found = touched_.find(id); found != touched_.end()) return found->second.record.state;
    if (const auto found = jobs_.find(id.job); found != jobs_.end()) {
        if (found->second.untouched.contains(id.index)) return found->second.base;
        if (found->second.held.contains(id.index)) return TaskState::held;
    }
    flush();
    if (const auto record = store_->task(id)) return record->state;
    for (const RangeRecord& range : store_->ranges(id.job)) {
        if (range.first <= id.index && id.index - range.first < range.count) return range.state;
    }
    return std::nullopt;
}

std::optional<JobRecord> Engine::job(JobId id) {
    flush();
    return store_->job(id);
}

Engine::Totals Engine::totals() const {
    Totals totals{.jobs = jobs_.size(), .workers = workers_.size()};
    for (const auto& [id, job] : jobs_) {
        totals.waiting += count_of(job.counts, TaskState::waiting);
        totals.ready += count_of(job.counts, TaskState::ready);
        totals.held += count_of(job.counts, TaskState::held);
        totals.leased += count_of(job.counts, TaskState::leased);
        totals.running += count_of(job.counts, TaskState::running);
    }
    return totals;
}

bool Engine::idle() const {
    const Totals totals = this->totals();
    return totals.ready + totals.leased + totals.running == 0;
}

std::vector<Engine::WorkerView> Engine::workers() const {
    std::vector<WorkerView> views;
    for (const auto& [id, worker] : workers_) {
        views.push_back({.id = id,
                         .name = worker.name,
                         .host = worker.host,
                         .resources = worker.resources.text(),
                         .running = worker.running,
                         .queued = worker.queued});
    }
    return views;
}

void Engine::flush() {
    for (const JobId id : dirty_jobs_) {
        const auto found = jobs_.find(id);
        if (found == jobs_.end()) continue;  // its last record stands in the batch
        found->second.dirty = false;
        batch_.jobs.push_back({.id = id, .base = found->second.base, .counts = found->second.counts});
    }
    dirty_jobs_.clear();
    if (batch_.empty()) return;
    batch_.last_token = marks_.last_token;
    store_->commit(batch_);
    batch_.clear();
    ++batch_number_;
}

}  // namespace plimsoll::campaign
