#include "app/campaign/campaign.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <map>
#include <set>

#include "app/campaign/verbs.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using campaign::Client;
using campaign::Folder;

const Style plain(false);

CampaignAnswer make_campaign(const CampaignRequest& request) {
    const Folder folder = Folder::make(request.init_folder, request.init);
    CampaignAnswer answer{.document = document_of("plimsoll.campaign-init/1", {{"folder", folder.path()}}),
                          .lines = folder.path() + "\n"};
    answer.step = fmt::format("made {}; next: plimsoll campaign submit -- COMMAND", folder.path());
    return answer;
}

std::string ago(const json& time) {
    if (!time.is_number()) return "-";
    const auto now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    return time_text(std::max(0.0, now - time.get<double>())) + " ago";
}

bool has_tag(const json& job, const std::string& tag) {
    const auto tags = job.value("tags", std::vector<std::string>());
    return tag.empty() || std::find(tags.begin(), tags.end(), tag) != tags.end();
}

CampaignAnswer list_jobs(const CampaignRequest& request) {
    CampaignAnswer answer;
    const auto client = connect_campaign(Folder::find(request.folder), answer);
    json jobs = json::array();
    bool is_cut = false;
    each_job(*client, [&](const json& job) {
        if (!has_tag(job, request.tag)) return Visited::go_on;
        is_cut = jobs.size() == static_cast<std::size_t>(request.limit);
        if (is_cut) return Visited::enough;
        jobs.push_back(job);
        return Visited::go_on;
    });
    if (is_cut)
        answer.notes.push_back(fmt::format("the newest {}; --limit shows more", counted(jobs.size(), "job")));
    Table table({{"job", Align::right},
                 {"state"},
                 {"tasks", Align::right},
                 {"done", Align::right},
                 {"failed", Align::right},
                 {"submitted"},
                 {"command"}});
    for (const json& job : jobs) {
        const json& counts = job.at("counts");
        answer.lines += fmt::format("{}\n", job.at("job").get<std::int64_t>());
        table.add({fmt::format("{}", job.at("job").get<std::int64_t>()), job.at("state"),
                   fmt::format("{}", job.at("tasks").get<std::int64_t>()),
                   fmt::format("{}", counts.value("succeeded", 0)),
                   fmt::format("{}", counts.value("exhausted", 0)), ago(job.at("submitted_s")),
                   command_text(job)});
    }
    answer.text = table.empty() ? "no jobs\n" : table.text(plain);
    answer.document = document_of("plimsoll.campaign-jobs/1", {{"jobs", std::move(jobs)}});
    return answer;
}

void refuse_unknown_state(const std::string& word) {
    std::vector<std::string> states;
    for (const auto& [state, name] : enum_names(campaign::TaskState{})) states.emplace_back(name);
    if (std::find(states.begin(), states.end(), word) != states.end()) return;
    const auto near = nearest(word, states);
    throw Error(
        ErrorKind::usage, fmt::format("--state: there is no state '{}'", word),
        near ? fmt::format("did you mean '{}'?", *near) : fmt::format("use one of {}", join(states, ", ")));
}

std::string attempt_text(const json& attempt) {
    std::string text = attempt.at("outcome");
    if (attempt.at("signal") != 0)
        text += fmt::format(", signal {}", attempt.at("signal").get<int>());
    else if (attempt.at("exit_code").is_number())
        text += fmt::format(", exit code {}", attempt.at("exit_code").get<int>());
    const std::string reason = attempt.value("reason", "");
    return reason.empty() ? text : text + ": " + reason;
}

CampaignAnswer show_jobs(const CampaignRequest& request) {
    CampaignAnswer answer;
    if (!request.state.empty()) refuse_unknown_state(request.state);
    const auto client = connect_campaign(Folder::find(request.folder), answer);
    json jobs = json::array();
    for (const Choice& choice : choose_tasks(*client, request.selections)) {
        json job = client->ask({{"verb", "show"},
                                {"job", choice.job},
                                {"from", choice.first},
                                {"limit", request.limit},
                                {"state", request.state}});
        if (choice.last >= 0) {
            json& touched = job.at("touched");
            const auto is_before = [&](const json& task) { return task.at("task") < choice.last; };
            touched.erase(std::find_if_not(touched.begin(), touched.end(), is_before), touched.end());
        }
        answer.text += fmt::format(
            "job {}: {}\n  {}, {}: {}\n", choice.job, command_text(job), job.at("state").get<std::string>(),
            counted(job.at("tasks").get<std::size_t>(), "task"), counts_text(job.at("counts")));
        Table table({{"  task", Align::right},
                     {"attempt", Align::right},
                     {"worker", Align::right},
                     {"wall [s]", Align::right},
                     {"cpu [s]", Align::right},
                     {"memory [MB]", Align::right},
                     {"how it ended"}});
        for (const json& task : job.at("touched")) {
            answer.lines += fmt::format("{}.{}\n", choice.job, task.at("task").get<std::int64_t>());
            const std::string name = fmt::format("{}", task.at("task").get<std::int64_t>());
            for (const json& attempt : task.at("attempts")) {
                table.add(
                    {name, fmt::format("{}", attempt.at("attempt").get<int>()),
                     fmt::format("{}", attempt.at("worker").get<int>()), short_number(attempt.at("wall_s")),
                     short_number(attempt.at("user_s").get<double>() + attempt.at("system_s").get<double>()),
                     short_number(attempt.at("peak_memory_bytes").get<double>() * 1e-6),
                     attempt_text(attempt)});
            }
            if (task.at("attempts").empty() || task.at("state") == "running" || task.at("state") == "leased")
                table.add({name, "", "", "", "", "", task.at("state")});
        }
        if (!table.empty()) answer.text += table.text(plain);
        if (const std::size_t shown = job.at("touched").size();
            shown == static_cast<std::size_t>(request.limit) && job.at("tasks").get<std::size_t>() > shown) {
            answer.notes.push_back(
                fmt::format("job {}: the first {}; --limit shows more, and {}.{} one of them", choice.job,
                            counted(shown, "task"), choice.job, job.at("tasks").get<std::size_t>() - 1));
        }
        jobs.push_back(std::move(job));
    }
    answer.document = document_of("plimsoll.campaign-show/1", {{"jobs", std::move(jobs)}});
    return answer;
}

CampaignAnswer print_status(const CampaignRequest& request) {
    CampaignAnswer answer;
    const auto client = connect_campaign(Folder::find(request.folder), answer);
    json jobs = json::array();
    for (const Choice& choice : choose_tasks(*client, request.selections)) {
        const json job = client->ask({{"verb", "show"}, {"job", choice.job}, {"limit", 0}});
        for (std::int64_t task = choice.first; task < choice.last; ++task) {
            const json explained = client->ask({{"verb", "explain"}, {"job", choice.job}, {"task", task}});
            answer.lines += explained.at("state").get<std::string>() + "\n";
            jobs.push_back({{"job", choice.job}, {"task", task}, {"state", explained.at("state")}});
        }
        if (choice.last >= 0) continue;
        answer.lines += job.at("state").get<std::string>() + "\n";
        jobs.push_back({{"job", choice.job}, {"state", job.at("state")}, {"counts", job.at("counts")}});
    }
    answer.text = answer.lines;
    answer.document = document_of("plimsoll.campaign-status/1", {{"jobs", std::move(jobs)}});
    return answer;
}

/// One line of a job, and below it what comes after it or was submitted by it.
void add_branch(const std::map<std::int64_t, json>& jobs,
                const std::multimap<std::int64_t, std::pair<std::int64_t, std::string>>& below,
                std::int64_t id, const std::string& indent, const std::string& how,
                std::set<std::int64_t>& shown, std::string& text) {
    const json& job = jobs.at(id);
    const bool again = !shown.insert(id).second;
    text += fmt::format("{}{}{} {} [{}]{}\n", indent, how, id, command_text(job),
                        job.at("state").get<std::string>(), again ? ", see above" : "");
    if (again) return;
    const auto [first, last] = below.equal_range(id);
    for (auto at = first; at != last; ++at)
        add_branch(jobs, below, at->second.first, indent + "  ", at->second.second, shown, text);
}

CampaignAnswer draw_tree(const CampaignRequest& request) {
    CampaignAnswer answer;
    const auto client = connect_campaign(Folder::find(request.folder), answer);
    std::map<std::int64_t, json> jobs;
    std::multimap<std::int64_t, std::pair<std::int64_t, std::string>> below;
    const json newest = client->ask({{"verb", "ls"}, {"limit", request.limit}}).at("jobs");
    for (const json& job : newest) jobs[job.at("job")] = job;
    if (!jobs.empty() && jobs.begin()->first > 1)
        answer.notes.push_back(fmt::format("the newest {}; --limit shows more", counted(jobs.size(), "job")));
    std::set<std::int64_t> under;
    json rows = json::array();
    for (auto& [id, job] : jobs) {
        job["after"] = client->ask({{"verb", "show"}, {"job", id}, {"limit", 0}}).at("after");
        for (const json& parent : job["after"]) {
            if (!jobs.contains(parent)) continue;
            below.emplace(parent, std::pair(id, "then "));
            under.insert(id);
        }
        if (job.contains("parent") && jobs.contains(job["parent"]["job"])) {
            below.emplace(job["parent"]["job"],
                          std::pair(id, fmt::format("by task {}: ", job["parent"]["task"].get<int>())));
            under.insert(id);
        }
        rows.push_back(job);
    }
    std::set<std::int64_t> shown;
    for (const auto& [id, job] : jobs) {
        if (!under.contains(id)) add_branch(jobs, below, id, "", "", shown, answer.text);
        answer.lines += fmt::format("{}\n", id);
    }
    if (answer.text.empty()) answer.text = "no jobs\n";
    answer.document = document_of("plimsoll.campaign-tree/1", {{"jobs", std::move(rows)}});
    return answer;
}

/// Leaves out, where several jobs are to run again, those that do already.
std::vector<Choice> without_repetition(Client& client, std::vector<Choice> choices, CampaignAnswer& answer) {
    if (choices.size() < 2) return choices;
    std::map<std::int64_t, std::int64_t> again;
    each_job(client, [&](const json& job) {
        if (job.contains("retry_of"))
            again.emplace(job["retry_of"].get<std::int64_t>(), job.at("job").get<std::int64_t>());
        return Visited::go_on;
    });
    std::erase_if(choices, [&](const Choice& choice) {
        const auto found = again.find(choice.job);
        if (choice.last >= 0 || found == again.end()) return false;
        answer.notes.push_back(
            fmt::format("job {} was tried again already, as job {}", choice.job, found->second));
        return true;
    });
    return choices;
}

CampaignAnswer retry_tasks(const CampaignRequest& request) {
    CampaignAnswer answer;
    const auto client = connect_campaign(Folder::find(request.folder), answer);
    json tasks = json::array();
    for (const Choice& choice :
         without_repetition(*client, choose_tasks(*client, request.selections), answer))
        tasks.push_back({choice.job, choice.first, choice.last < 0 ? json(nullptr) : json(choice.last)});
    json jobs = client->ask({{"verb", "retry"}, {"tasks", tasks}}).at("jobs");
    for (const json& job : jobs) {
        answer.lines += fmt::format("{}\n", job.at("new_job").get<std::int64_t>());
        answer.text += fmt::format("job {}: {} again as job {}\n", job.at("job").get<std::int64_t>(),
                                   counted(job.at("tasks").get<std::size_t>(), "task"),
                                   job.at("new_job").get<std::int64_t>());
    }
    if (jobs.empty()) {
        answer.text = "nothing failed in these jobs\n";
    } else {
        answer.step = "next: plimsoll campaign wait last";
    }
    answer.document =
        document_of("plimsoll.campaign-change/1", {{"verb", request.verb}, {"jobs", std::move(jobs)}});
    return answer;
}

CampaignAnswer change_tasks(const CampaignRequest& request) {
    CampaignAnswer answer;
    const auto client = connect_campaign(Folder::find(request.folder), answer);
    json rows = json::array();
    std::int64_t all = 0;
    for (const Choice& choice : choose_tasks(*client, request.selections)) {
        json question{{"verb", request.verb}, {"job", choice.job}, {"first", choice.first}};
        if (choice.last >= 0) question["last"] = choice.last;
        const json changed = client->ask(question);
        rows.push_back({{"job", choice.job}, {"changed", changed.at("changed")}});
        all += changed.at("changed").get<std::int64_t>();
    }
    const std::string past = request.verb == "cancel" ? "cancelled"
                             : request.verb == "hold" ? "held"
                                                      : "released";
    answer.text = fmt::format("{} {}\n", counted(static_cast<std::size_t>(all), "task"), past);
    answer.document =
        document_of("plimsoll.campaign-change/1", {{"verb", request.verb}, {"jobs", std::move(rows)}});
    return answer;
}

/// Of a task that has ended the server says "it is skipped", as the state does; here is why.
void explain_ending(json& explained, const json& job, Client& client) {
    json& reasons = explained.at("reasons");
    const std::string state = explained.at("state");
    if (reasons.empty() || reasons.at(0) != "it is " + state) return;
    reasons.erase(0);
    const std::size_t attempts = reasons.size();
    json why = json::array();
    if (state == "exhausted") {
        why.push_back(fmt::format("{}, and no further try: see --retries, --crash-limit and --retry-codes",
                                  attempts == 1 ? "it failed" : "it failed each time"));
    } else if (state == "cancelled") {
        why.push_back("ended by 'plimsoll campaign cancel'");
    } else if (state == "skipped") {
        for (const json& parent : job.at("after")) {
            const json before = client.ask({{"verb", "show"}, {"job", parent}, {"limit", 0}});
            why.push_back(fmt::format("job {}, which it comes after, did not end as its rule '{}' wants: {}",
                                      parent.get<std::int64_t>(), job.at("spec").value("rule", "ok"),
                                      counts_text(before.at("counts"))));
        }
    }
    for (json& reason : reasons) why.push_back(std::move(reason));
    reasons = std::move(why);
}

constexpr std::size_t most_explained = 20;

json explained_task(Client& client, std::int64_t job, std::int64_t task) {
    return client.ask({{"verb", "explain"}, {"job", job}, {"task", task}});
}

/// Of a whole job: tasks that failed, and a few of each other state but `succeeded`.
std::set<std::int64_t> worth_explaining(Client& client, const json& job) {
    constexpr std::size_t few = 3;
    const std::int64_t id = job.at("job");
    const std::int64_t tasks = job.at("tasks");
    std::set<std::int64_t> found;
    for (const std::string state :
         {"exhausted", "running", "leased", "ready", "held", "waiting", "skipped", "cancelled"}) {
        if (!job.at("counts").contains(state)) continue;
        const std::size_t limit =
            std::min(most_explained - found.size(), state == "exhausted" ? most_explained : few);
        if (limit == 0) break;
        const json touched =
            client.ask({{"verb", "show"}, {"job", id}, {"state", state}, {"limit", limit}}).at("touched");
        for (const json& task : touched) found.insert(task.at("task").get<std::int64_t>());
        if (!touched.empty()) continue;
        // Tasks that nothing has happened to are not listed; workers take the first ones first.
        for (const std::int64_t task : {std::int64_t{0}, tasks - 1}) {
            if (explained_task(client, id, task).at("state") != state) continue;
            found.insert(task);
            break;
        }
    }
    if (found.empty()) found.insert(0);
    return found;
}

CampaignAnswer explain_tasks(const CampaignRequest& request) {
    CampaignAnswer answer;
    const auto client = connect_campaign(Folder::find(request.folder), answer);
    json rows = json::array();
    for (const Choice& choice : choose_tasks(*client, request.selections)) {
        const json job = client->ask({{"verb", "show"}, {"job", choice.job}, {"limit", 0}});
        const auto tasks = job.at("tasks").get<std::int64_t>();
        const std::int64_t last = choice.last < 0 ? tasks : choice.last;
        const auto wanted = static_cast<std::size_t>(last - choice.first);
        std::set<std::int64_t> chosen;
        if (choice.last < 0) {
            chosen = worth_explaining(*client, job);
        } else {
            for (std::int64_t task = choice.first; chosen.size() < std::min(wanted, most_explained); ++task)
                chosen.insert(task);
        }
        for (const std::int64_t task : chosen) {
            json explained = explained_task(*client, choice.job, task);
            explain_ending(explained, job, *client);
            answer.text +=
                fmt::format("{}.{} {}\n", choice.job, task, explained.at("state").get<std::string>());
            for (const json& reason : explained.at("reasons"))
                answer.text += fmt::format("    {}\n", reason.get<std::string>());
            rows.push_back(explained);
        }
        if (chosen.size() < wanted)
            answer.notes.push_back(fmt::format("job {}: {} of {} tasks; name others as {}.{}", choice.job,
                                               chosen.size(), wanted, choice.job, last - 1));
    }
    answer.lines = answer.text;
    answer.document = document_of("plimsoll.campaign-explain/1", {{"tasks", std::move(rows)}});
    return answer;
}

CampaignAnswer wait_for_jobs(const CampaignRequest& request, Progress& progress) {
    CampaignAnswer started;
    const auto client = connect_campaign(Folder::find(request.folder), started);
    std::vector<std::int64_t> jobs;
    for (const Choice& choice : choose_tasks(*client, request.selections)) {
        if (choice.last >= 0)
            throw Error(ErrorKind::usage, "wait is for whole jobs", fmt::format("write {}", choice.job));
        jobs.push_back(choice.job);
    }
    CampaignAnswer answer = wait_for(*client, jobs, request.timeout, progress);
    answer.notes.insert(answer.notes.begin(), started.notes.begin(), started.notes.end());
    return answer;
}

}  // namespace

std::string document_of(const char* schema, const json& content) {
    nlohmann::ordered_json document{{"schema", schema}};
    for (const auto& [key, value] : content.items()) document[key] = value;
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

void each_job(Client& client, const std::function<Visited(const json&)>& visit) {
    constexpr int page = 1000;
    for (std::int64_t before = 0;;) {
        const json jobs = client.ask({{"verb", "ls"}, {"before", before}, {"limit", page}}).at("jobs");
        if (jobs.empty()) return;
        for (const json& job : jobs) {
            if (visit(job) == Visited::enough) return;
        }
        before = jobs.back().at("job");
    }
}

std::string command_text(const json& job, std::size_t widest) {
    std::string text = job.value("name", "");
    if (text.empty()) text = join(job.value("command", std::vector<std::string>()), " ");
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ') c = ' ';
    }
    if (display_width(text) <= widest) return text;
    text.resize(widest - 3);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80U) != 0)
        text.pop_back();  // no half letter
    return text + "...";
}

std::string counts_text(const json& counts) {
    std::vector<std::string> pieces;
    for (const char* const state : {"succeeded", "exhausted", "skipped", "cancelled", "running", "leased",
                                    "ready", "waiting", "held"}) {
        if (counts.contains(state))
            pieces.push_back(fmt::format("{} {}", counts.at(state).get<std::int64_t>(), state));
    }
    return join(pieces, ", ");
}

std::string time_text(double seconds) {
    constexpr double minute = 60.0;
    constexpr double hour = 3600.0;
    constexpr double day = 86400.0;
    if (seconds < minute) return fmt::format("{:.0f} s", seconds);
    if (seconds < hour) return fmt::format("{:.0f} min", seconds / minute);
    if (seconds < 2 * day) return fmt::format("{:.1f} h", seconds / hour);
    return fmt::format("{:.0f} d", seconds / day);
}

namespace {

void refuse_unknown_task(Client& client, std::int64_t job, std::int64_t task) {
    const auto tasks =
        client.ask({{"verb", "show"}, {"job", job}, {"limit", 0}}).at("tasks").get<std::int64_t>();
    if (task < tasks) return;
    throw Error(ErrorKind::usage, fmt::format("job {} has no task {}", job, task),
                tasks == 1 ? "its only task is 0" : fmt::format("its tasks are 0 to {}", tasks - 1));
}

}  // namespace

std::vector<Choice> choose_tasks(Client& client, const std::vector<std::string>& words) {
    const json newest = client.ask({{"verb", "ls"}, {"limit", 1}}).at("jobs");
    const std::int64_t last = newest.empty() ? 0 : newest.at(0).at("job").get<std::int64_t>();
    std::vector<Choice> choices;
    for (const std::string& word : words) {
        for (const campaign::Selected& selected : campaign::parse_selection(word, last)) {
            for (std::int64_t job = selected.first_job; job <= selected.last_job; ++job) {
                Choice choice{.job = job};
                if (selected.first_task) choice.first = *selected.first_task;
                if (selected.last_task) choice.last = *selected.last_task + 1;
                if (selected.last_task) refuse_unknown_task(client, job, *selected.last_task);
                choices.push_back(choice);
            }
        }
    }
    return choices;
}

CampaignAnswer wait_for(Client& client, const std::vector<std::int64_t>& jobs, const std::string& timeout,
                        Progress& progress) {
    using Clock = std::chrono::steady_clock;
    constexpr double poll_s = 0.25;
    constexpr std::array open_states{"waiting", "ready", "held", "leased", "running"};
    std::optional<Clock::time_point> deadline;
    if (!timeout.empty()) {
        const std::chrono::duration<double> limit(seconds_of("--timeout", timeout, 0.0));
        deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    }
    json state;
    std::int64_t all = 0;
    std::optional<Activity> activity;
    while (true) {
        state = client.ask({{"verb", "wait"}, {"jobs", jobs}, {"timeout_s", activity ? poll_s : 0.05}});
        std::int64_t open = 0;
        all = 0;
        for (const json& job : state.at("jobs")) {
            all += job.at("tasks").get<std::int64_t>();
            for (const char* const word : open_states) open += job.at("counts").value(word, std::int64_t{0});
        }
        if (state.at("done").get<bool>() || (deadline && Clock::now() >= *deadline)) break;
        if (!activity) activity.emplace(progress, "tasks", all);
        activity->reach(all - open);
    }
    activity.reset();
    CampaignAnswer answer;
    const bool done = state.at("done");
    bool well = done;
    std::int64_t failed = 0;  // the first of them
    std::int64_t open_job = 0;
    for (const json& job : state.at("jobs")) {
        for (const char* const word : open_states) {
            if (open_job == 0 && job.at("counts").contains(word)) open_job = job.at("job");
        }
        if (job.at("counts").value("succeeded", std::int64_t{0}) < job.at("tasks").get<std::int64_t>()) {
            well = false;
            if (failed == 0) failed = job.at("job");
        }
        answer.text +=
            fmt::format("job {}: {}\n", job.at("job").get<std::int64_t>(), counts_text(job.at("counts")));
    }
    answer.status = well ? 0 : 1;
    answer.document = document_of("plimsoll.campaign-wait/1", state);
    if (!done)
        answer.step =
            fmt::format("not ended after {}; next: plimsoll campaign explain {}", timeout, open_job);
    else if (!well)
        answer.step = fmt::format("next: plimsoll campaign explain {0}, plimsoll campaign retry {0}", failed);
    return answer;
}

CampaignAnswer run_campaign(const CampaignRequest& request, Progress& progress) {
    const std::string& verb = request.verb;
    if (verb == "init") return make_campaign(request);
    if (verb == "submit") return submit_jobs(request, progress);
    if (verb == "graph") return submit_graph(request, progress);
    if (verb == "ls") return list_jobs(request);
    if (verb == "show") return show_jobs(request);
    if (verb == "status") return print_status(request);
    if (verb == "tree") return draw_tree(request);
    if (verb == "wait") return wait_for_jobs(request, progress);
    if (verb == "cat") return print_output(request);
    if (verb == "tail") return follow_output(request, progress);
    if (verb == "explain") return explain_tasks(request);
    if (verb == "top") return watch_campaign(request, progress);
    if (verb == "export") return export_campaign(request);
    if (verb == "worker") return run_worker(request);
    if (verb == "server") return run_server(request);
    if (verb == "doctor") return examine_campaign(request);
    if (verb == "retry") return retry_tasks(request);
    return change_tasks(request);  // cancel, hold, release
}

}  // namespace plimsoll::app
