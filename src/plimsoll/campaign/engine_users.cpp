// What users ask of the engine: cancel, hold, release, retry, explain.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "plimsoll/campaign/engine.hpp"
#include "plimsoll/core/byte_size.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::campaign {

namespace {

bool inside(IndexRange range, std::uint32_t index) { return range.first <= index && index < range.last; }

bool ended_badly(TaskState state) { return is_final(state) && state != TaskState::succeeded; }

}  // namespace

/// Tasks of a range that something has happened to, in order. Goes over the live ones, which are few.
std::vector<TaskId> Engine::touched_within(const Job& job, IndexRange range) const {
    std::vector<TaskId> found;
    for (const auto& [id, task] : touched_) {
        if (id.job == job.id && inside(range, id.index)) found.push_back(id);
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::uint32_t Engine::cancel(JobId id, IndexRange range, Now now) {
    const auto place = jobs_.find(id);
    if (place == jobs_.end()) return 0;
    Job& job = place->second;
    const std::uint32_t before = count_of(job.counts, TaskState::cancelled);
    std::uint32_t changed = 0;
    forget_returned(job, range);
    for (const TaskId& task_id : touched_within(job, range)) {
        Touched& task = touched_.at(task_id);
        if (is_live(task.record.state)) {
            stops_.emplace_back(task.record.worker, task.record.token);
            task.attempt.outcome = TaskState::cancelled;
            task.attempt.ended = now.wall;
            batch_.attempts.push_back(task.attempt);
        }
        step(job, task, TaskState::cancelled, "", now);
        touched_.erase(task_id);
    }
    end_untouched(job, range, TaskState::cancelled, "", now);
    changed = count_of(job.counts, TaskState::cancelled) - before;
    finish_if_done(id, now);
    return changed;
}

std::uint32_t Engine::hold(JobId id, IndexRange range, Now now) {
    const auto place = jobs_.find(id);
    if (place == jobs_.end()) return 0;
    Job& job = place->second;
    const std::uint32_t before = count_of(job.counts, TaskState::held);
    forget_returned(job, range);
    for (const TaskId& task_id : touched_within(job, range)) {
        Touched& task = touched_.at(task_id);
        if (task.record.state != TaskState::ready) continue;
        step(job, task, TaskState::held, "", now);
    }
    const auto parts = job.untouched.within(range);
    for (const IndexRange& part : parts) change(job, part, 0, job.base, TaskState::held, "", now);
    if (!parts.empty()) {
        job.untouched.remove(range);
        change_held(job, [&](IndexSet& set) {
            for (const IndexRange& part : parts) set.insert(part);
        });
    }
    enqueue(job);
    return count_of(job.counts, TaskState::held) - before;
}

std::uint32_t Engine::release(JobId id, IndexRange range, Now now) {
    const auto place = jobs_.find(id);
    if (place == jobs_.end()) return 0;
    Job& job = place->second;
    const std::uint32_t before = count_of(job.counts, TaskState::held);
    for (const TaskId& task_id : touched_within(job, range)) {
        Touched& task = touched_.at(task_id);
        if (task.record.state != TaskState::held) continue;
        step(job, task, TaskState::ready, "", now);
        return_task(job, task);
    }
    const auto parts = job.held.within(range);
    if (!parts.empty()) {
        change_held(job, [&](IndexSet& set) { set.remove(range); });
        for (const IndexRange& part : parts) {
            change(job, part, 0, TaskState::held, job.base, "", now);
            job.untouched.insert(part);
        }
    }
    enqueue(job);
    return before - count_of(job.counts, TaskState::held);
}

/// Tasks of a range that ended otherwise than well.
std::vector<IndexRange> Engine::to_retry(const JobRecord& record, IndexRange range) {
    IndexSet again;
    IndexSet untouched({0, record.count});
    for (const RangeRecord& part : store_->ranges(record.id)) {
        const IndexRange indexes{part.first, part.first + part.count};
        untouched.remove(indexes);
        if (part.state && ended_badly(*part.state)) again.insert(indexes);
    }
    store_->each_task(record.id, [&](const TaskRecord& task) {
        untouched.remove({task.id.index, task.id.index + 1});
        if (ended_badly(task.state)) again.insert({task.id.index, task.id.index + 1});
    });
    if (ended_badly(record.base)) {
        for (const IndexRange& part : untouched.ranges()) again.insert(part);
    }
    return again.within(range);
}

/// The job's spec for some of its tasks alone.
JobSpec Engine::spec_for(const JobRecord& record, const std::vector<IndexRange>& parts) {
    JobSpec spec = spec_from_json(record.spec);
    spec.retry_of = record.id;
    spec.held = false;
    spec.count = 0;
    for (const IndexRange& part : parts) {
        spec.count += part.size();
        if (spec.entries == EntryKind::single) continue;
        const auto lines = store_->lines(record.id, part.first, part.size());
        for (std::uint32_t i = 0; i < part.size(); ++i) {
            spec.lines += i < lines.size()
                              ? lines[i]
                              : fmt::format("{}", spec.first + spec.step * (std::int64_t{part.first} + i));
            spec.lines += '\n';
        }
    }
    return spec;
}

std::vector<Retried> Engine::retry(const std::vector<std::pair<JobId, IndexRange>>& chosen, Now now) {
    flush();
    struct Again {
        JobRecord record;
        std::vector<IndexRange> parts;
        bool is_chosen = false;
    };
    std::map<JobId, Again> again;  // parents before children, since those have the lower ids
    const auto add = [&](JobId id, std::span<const IndexRange> ranges, bool is_chosen) {
        const auto record = store_->job(id);
        if (!record || again.contains(id)) return;
        std::vector<IndexRange> parts;
        for (const IndexRange& range : ranges) {
            const auto some = to_retry(*record, {range.first, std::min(range.last, record->count)});
            parts.insert(parts.end(), some.begin(), some.end());
        }
        if (!parts.empty()) again.emplace(id, Again{*record, std::move(parts), is_chosen});
    };
    std::map<JobId, IndexSet> wanted;
    for (const auto& [id, range] : chosen) wanted[id].insert(range);
    for (const auto& [id, ranges] : wanted) add(id, ranges.ranges(), true);
    // What was skipped because of them, and because of that, comes along.
    for (const auto& [id, entry] : again) {  // it grows meanwhile, behind where we are
        for (const JobId child : store_->children(id)) {
            const auto record = store_->job(child);
            if (record && count_of(record->counts, TaskState::skipped) == record->count)
                add(child, std::array{IndexRange{0, record->count}}, false);
        }
    }
    // All is looked at before anything is submitted: an error leaves nothing behind.
    const auto is_again = [&](JobId id) { return again.contains(id); };
    std::vector<std::pair<JobId, JobSpec>> specs;
    for (auto entry = again.begin(); entry != again.end();) {
        JobSpec spec = spec_for(entry->second.record, entry->second.parts);
        const auto breaking = std::ranges::find_if(spec.after, [&](JobId parent) {
            return !is_again(parent) && !jobs_.contains(parent) && breaks(parent, spec.rule);
        });
        if (breaking == spec.after.end()) {
            specs.emplace_back(entry->first, std::move(spec));
            ++entry;
            continue;
        }
        if (entry->second.is_chosen) {
            throw Error(ErrorKind::usage,
                        fmt::format("job {} would be skipped again: it comes after job {}, which did not end "
                                    "as its rule wants",
                                    entry->first.value, breaking->value),
                        fmt::format("bring both back: plimsoll campaign retry {} {}", breaking->value,
                                    entry->first.value));
        }
        entry = again.erase(entry);
    }
    std::map<JobId, JobId> fresh;
    std::vector<Retried> retried;
    for (auto& [id, spec] : specs) {
        for (JobId& parent : spec.after) {
            if (const auto found = fresh.find(parent); found != fresh.end()) parent = found->second;
        }
        const std::uint32_t tasks = spec.count;
        fresh[id] = submit(std::move(spec), now);
        retried.push_back({.job = id, .fresh = fresh[id], .tasks = tasks});
    }
    return retried;
}

/// Whether a job that has ended keeps those that come after it by that rule from running.
bool Engine::breaks(JobId ended, AfterRule rule) {
    const auto record = store_->job(ended);
    const bool well = record && count_of(record->counts, TaskState::succeeded) == record->count;
    return rule == (well ? AfterRule::failed : AfterRule::ok);
}

std::string Engine::why_ready(const Job& job, Now now) const {
    const Queue& queue = *job.terms->queue;
    if (workers_.empty()) return "no worker is there; start one with 'plimsoll campaign worker'";
    std::string lacking;
    bool too_short = false;
    if (std::ranges::none_of(workers_, [](const auto& entry) { return entry.second.is_here; }))
        return "no worker has come back yet since the server was started";
    for (const auto& [id, worker] : workers_) {
        if (!worker.is_here) continue;
        if (fits(worker, queue, false, now)) {
            std::size_t ahead = 0;
            for (const auto& [key, other] : queues_) {
                for (const Rank& rank : other.jobs) {
                    if (rank < Rank{-job.terms->policy.priority, job.id}) ++ahead;
                }
            }
            return ahead == 0
                       ? "next in line: every worker that it fits on is busy"
                       : fmt::format("behind {}: workers take the highest priority first, then the oldest",
                                     counted(ahead, "job"));
        }
        const std::string lacks = worker.resources.lacking(job.terms->policy.resources);
        if (lacks.empty())
            too_short = true;
        else
            lacking = lacks;
    }
    if (too_short) {
        return fmt::format("no worker stays for the {:.6g} s that it asks for; start one that does",
                           job.terms->policy.min_time_s);
    }
    std::int64_t most = 0;
    for (const auto& [id, worker] : workers_) most = std::max(most, worker.resources.thousandths(lacking));
    const auto amount = [&](std::int64_t thousandths) {
        const double number = static_cast<double>(thousandths) / 1000.0;
        return lacking == "memory" ? byte_size_text(number) : shortest(number);
    };
    return fmt::format("no worker is large enough: it asks for {} {}, and the largest worker has {}",
                       amount(job.terms->policy.resources.thousandths(lacking)),
                       lacking == "memory" ? "of memory" : lacking, amount(most));
}

std::vector<std::string> Engine::explain(TaskId id, Now now) {
    const auto where = state(id);
    if (!where) {
        throw Error(ErrorKind::input, fmt::format("there is no task {}.{}", id.job.value, id.index),
                    "see 'plimsoll campaign ls'");
    }
    flush();
    std::vector<std::string> reasons;
    const auto job = jobs_.find(id.job);
    const auto touched = touched_.find(id);
    switch (*where) {
        case TaskState::waiting: {
            std::vector<std::string> parents;
            for (const JobId parent : store_->parents(id.job)) {
                if (jobs_.contains(parent)) parents.push_back(fmt::format("{}", parent.value));
            }
            reasons.push_back(fmt::format("waits for job{} {} to end", parents.size() == 1 ? "" : "s",
                                          join(parents, ", ")));
            break;
        }
        case TaskState::held:
            reasons.push_back(
                fmt::format("held: 'plimsoll campaign release {}' lets it go on", id.job.value));
            break;
        case TaskState::ready:
            if (touched != touched_.end() && touched->second.not_before > now.steady) {
                const std::chrono::duration<double> wait = touched->second.not_before - now.steady;
                reasons.push_back(
                    fmt::format("failed {}; the next try begins in {:.1f} s",
                                counted(static_cast<std::size_t>(touched->second.record.failures), "time"),
                                wait.count()));
            }
            reasons.push_back(why_ready(job->second, now));
            break;
        case TaskState::leased:
            reasons.push_back(fmt::format("next at worker {}, which has not started it yet",
                                          touched->second.record.worker.value));
            break;
        case TaskState::running:
            reasons.push_back(fmt::format("runs at worker {}, attempt {}",
                                          touched->second.record.worker.value,
                                          touched->second.record.attempt));
            break;
        default: reasons.push_back(fmt::format("it is {}", enum_name(*where))); break;
    }
    for (const AttemptRecord& attempt : store_->attempts(id)) {
        const AttemptResult& result = attempt.result;
        std::string text = fmt::format("attempt {} {} at worker {}", attempt.attempt,
                                       enum_name(attempt.outcome), attempt.worker.value);
        if (result.signal != 0)
            text += fmt::format(", signal {}", result.signal);
        else if (result.exit_code >= 0)
            text += fmt::format(", exit code {}", result.exit_code);
        if (!result.reason.empty()) text += ": " + result.reason;
        reasons.push_back(std::move(text));
    }
    return reasons;
}

}  // namespace plimsoll::campaign
