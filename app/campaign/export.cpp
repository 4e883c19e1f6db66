// What happened in a campaign, for other tools.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "app/campaign/verbs.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/core/text.hpp"
#include "version.hpp"

namespace plimsoll::app {

namespace {

using campaign::Client;

constexpr int page = 1000;

std::string iso(const json& time) {
    if (!time.is_number()) return {};
    const double seconds = time.get<double>();
    const auto whole = static_cast<std::time_t>(std::floor(seconds));
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06d}Z", fmt::gmtime(whole),
                       static_cast<int>((seconds - std::floor(seconds)) * 1e6));
}

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string cell = "\"";
    for (const char c : text) {
        if (c == '"') cell += '"';
        cell += c;
    }
    return cell + "\"";
}

/// All jobs, the oldest first, without their tasks.
std::vector<json> all_jobs(Client& client) {
    std::vector<json> jobs;
    each_job(client, [&](const json& job) {
        jobs.push_back(job);
        return Visited::go_on;
    });
    std::reverse(jobs.begin(), jobs.end());
    return jobs;
}

template <class Visit>
void each_attempt(Client& client, const std::vector<json>& jobs, const Visit& visit) {
    for (const json& job : jobs) {
        for (std::int64_t from = 0;;) {
            const json tasks =
                client.ask({{"verb", "show"}, {"job", job.at("job")}, {"from", from}, {"limit", page}})
                    .at("touched");
            if (tasks.empty()) break;
            for (const json& task : tasks) {
                for (const json& attempt : task.at("attempts"))
                    visit(job, task.at("task").get<std::int64_t>(), attempt);
            }
            from = tasks.back().at("task").get<std::int64_t>() + 1;
        }
    }
}

void write_events(Client& client, OutputFile& file) {
    for (std::int64_t after = 0;;) {
        const json events = client.ask({{"verb", "events"}, {"after", after}, {"limit", page}}).at("events");
        if (events.empty()) break;
        for (const json& event : events) file.write(event.dump() + "\n");
        after = events.back().at("event");
    }
}

void write_csv(Client& client, OutputFile& file) {
    file.write(
        "job,task,attempt,worker,outcome,exit_code,signal,leased,started,ended,wall_s,user_s,system_s,peak_"
        "memory_bytes,reason,command\n");
    each_attempt(client, all_jobs(client), [&](const json& job, std::int64_t task, const json& a) {
        const json& code = a.at("exit_code");
        file.write(fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", job.at("job").get<std::int64_t>(), task,
            a.at("attempt").get<int>(), a.at("worker").get<std::int64_t>(),
            a.at("outcome").get<std::string>(), code.is_number() ? fmt::format("{}", code.get<int>()) : "",
            a.at("signal").get<int>(), iso(a.at("leased_s")), iso(a.at("started_s")), iso(a.at("ended_s")),
            shortest(a.at("wall_s")), shortest(a.at("user_s")), shortest(a.at("system_s")),
            a.at("peak_memory_bytes").get<std::int64_t>(), csv_cell(a.at("reason")),
            csv_cell(join(job.at("command").get<std::vector<std::string>>(), " "))));
    });
}

/// Standard Workload Format, version 2.2: 18 numbers a line, -1 for what is not known. A job there is a task
/// here.
void write_swf(Client& client, OutputFile& file) {
    const std::vector<json> jobs = all_jobs(client);
    const double begin = jobs.empty() ? 0.0 : jobs.front().at("submitted_s").get<double>();
    std::map<std::int64_t, json> specs;
    for (const json& job : jobs) {
        const auto id = job.at("job").get<std::int64_t>();
        specs[id] = client.ask({{"verb", "show"}, {"job", id}, {"limit", 0}}).at("spec");
    }
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> lines;
    each_attempt(client, jobs, [&](const json& job, std::int64_t task, const json& a) {
        const json& spec = specs.at(job.at("job"));
        const json resources = spec.value("resources", json::object());  // in thousandths
        const auto processors =
            std::max<std::int64_t>(1, (resources.value("cpus", std::int64_t{1000}) + 999) / 1000);
        const double limit = spec.value("time_limit_s", 0.0);
        const auto memory = resources.value("memory", std::int64_t{0}) / 1'000'000;
        const double submitted = job.at("submitted_s").get<double>() - std::floor(begin);
        const double started =
            a.at("started_s").is_number() ? a.at("started_s").get<double>() - std::floor(begin) : submitted;
        const std::string outcome = a.at("outcome");
        const int status = outcome == "succeeded" ? 1 : outcome == "cancelled" ? 5 : 0;
        const double cpu = a.at("user_s").get<double>() + a.at("system_s").get<double>();
        const std::string used =
            fmt::format("{:.0f} {:.2f} {:.2f} {} {:.2f} {}", submitted, std::max(0.0, started - submitted),
                        a.at("wall_s").get<double>(), processors, cpu / static_cast<double>(processors),
                        a.at("peak_memory_bytes").get<std::int64_t>() / 1000);
        const std::string asked =
            fmt::format("{} {} {}", processors, limit > 0.0 ? fmt::format("{:.0f}", std::ceil(limit)) : "-1",
                        memory > 0 ? memory : -1);
        lines[{job.at("job"), task}] = fmt::format("{} {} {} -1 -1 {} -1 -1 -1 -1", used, asked, status,
                                                   job.at("job").get<std::int64_t>());
    });
    file.write(
        fmt::format("; Version: 2.2\n; Computer: plimsoll campaign\n; UnixStartTime: {:.0f}\n; MaxJobs: {}\n"
                    "; MaxRecords: {}\n; Note: one line for each task, of its last attempt; times in "
                    "seconds, memory in kB\n",
                    std::floor(begin), lines.size(), lines.size()));
    std::size_t number = 0;
    for (const auto& [id, line] : lines) file.write(fmt::format("{} {}\n", ++number, line));
}

/// RO-Crate 1.1 metadata after the profile Process Run Crate 0.5: an action for each task, with its command.
void write_crate(Client& client, const campaign::Folder& folder, OutputFile& file) {
    const std::vector<json> jobs = all_jobs(client);
    json graph = json::array();
    json mentions = json::array();
    json programs = json::object();
    std::map<std::pair<std::int64_t, std::int64_t>, json> actions;
    each_attempt(client, jobs, [&](const json& job, std::int64_t task, const json& a) {
        const auto words = job.at("command").get<std::vector<std::string>>();
        const std::string program = words.empty() ? "" : words.front();
        const std::string software = "#program-" + program;
        programs[software] = {{"@id", software}, {"@type", "SoftwareApplication"}, {"name", program}};
        const std::string outcome = a.at("outcome");
        const std::string reason = a.at("reason");
        const std::string id = fmt::format("#task-{}.{}", job.at("job").get<std::int64_t>(), task);
        json action{
            {"@id", id},
            {"@type", "CreateAction"},
            {"name",
             fmt::format("task {}.{}: {}", job.at("job").get<std::int64_t>(), task, join(words, " "))},
            {"instrument", {{"@id", software}}},
            {"startTime", iso(a.at("started_s"))},
            {"endTime", iso(a.at("ended_s"))},
            {"actionStatus", a.at("outcome") == "succeeded" ? "http://schema.org/CompletedActionStatus"
                                                            : "http://schema.org/FailedActionStatus"}};
        if (outcome != "succeeded") action["error"] = reason.empty() ? outcome : outcome + ": " + reason;
        actions[{job.at("job"), task}] = std::move(action);
    });
    for (auto& [id, action] : actions) {
        mentions.push_back({{"@id", action.at("@id")}});
        graph.push_back(std::move(action));
    }
    for (auto& [id, program] : programs.items()) graph.push_back(program);
    graph.insert(graph.begin(),
                 json{{"@id", "./"},
                      {"@type", "Dataset"},
                      {"name", "campaign " + folder.path()},
                      {"description", fmt::format("What the campaign in {} ran, written by plimsoll {}",
                                                  folder.path(), version)},
                      {"datePublished", iso(jobs.empty() ? json(0.0) : jobs.back().at("submitted_s"))},
                      {"license", "https://spdx.org/licenses/CC0-1.0"},
                      {"conformsTo", {{"@id", "https://w3id.org/ro/wfrun/process/0.5"}}},
                      {"mentions", mentions}});
    graph.insert(graph.begin(), json{{"@id", "ro-crate-metadata.json"},
                                     {"@type", "CreativeWork"},
                                     {"conformsTo", {{"@id", "https://w3id.org/ro/crate/1.1"}}},
                                     {"about", {{"@id", "./"}}}});
    graph.push_back({{"@id", "https://w3id.org/ro/wfrun/process/0.5"},
                     {"@type", "CreativeWork"},
                     {"name", "Process Run Crate"},
                     {"version", "0.5"}});
    file.write(json{{"@context", "https://w3id.org/ro/crate/1.1/context"}, {"@graph", graph}}.dump(2) + "\n");
}

}  // namespace

CampaignAnswer export_campaign(const CampaignRequest& request) {
    CampaignAnswer answer;
    const campaign::Folder folder = campaign::Folder::find(request.folder);
    const auto client = connect_campaign(folder, answer);
    OutputFile file(request.output);
    switch (request.format) {
        case ExportChoice::json_lines: write_events(*client, file); break;
        case ExportChoice::csv: write_csv(*client, file); break;
        case ExportChoice::swf: write_swf(*client, file); break;
        case ExportChoice::ro_crate: write_crate(*client, folder, file); break;
    }
    file.commit();
    if (request.output != "-") {
        answer.document = document_of("plimsoll.campaign-export/1", {{"output", request.output}});
        answer.lines = request.output + "\n";
        answer.step = fmt::format("wrote {}", request.output);
    }
    return answer;
}

}  // namespace plimsoll::app
