// What tasks wrote: `cat` and `tail`.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "app/campaign/verbs.hpp"
#include "plimsoll/campaign/stream_file.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using campaign::Folder;

constexpr std::int64_t page = 1000;

const std::string& chosen(const campaign::StreamText& text, OutputChoice choice) {
    return choice == OutputChoice::out ? text.out : choice == OutputChoice::err ? text.err : text.both;
}

campaign::StreamText text_of(const Folder& folder, const json& row, std::int64_t job) {
    const std::string path = folder.path() + "/" + row.at("stream").get<std::string>();
    if (row.at("at").is_number()) return campaign::read_stream(path, row.at("at"));
    try {
        return campaign::scan_stream(path, {{job}, row.at("task")}, row.at("attempt"));
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::environment) throw;
        return {};  // nothing was written yet
    }
}

void note_files(const json& outputs, std::int64_t job, CampaignAnswer& answer) {
    std::vector<std::string> files;
    for (const char* const key : {"output", "errors"}) {
        if (const std::string path = outputs.at(key); !path.empty())
            files.push_back(fmt::format("'{}'", path));
    }
    if (!files.empty())
        answer.notes.push_back(fmt::format("job {} writes to files of its own: {}", job, join(files, ", ")));
}

}  // namespace

CampaignAnswer print_output(const CampaignRequest& request) {
    CampaignAnswer answer;
    const Folder folder = Folder::find(request.folder);
    const auto client = connect_campaign(folder, answer);
    json rows = json::array();
    std::string& printed = request.quiet ? answer.lines : answer.text;
    for (const Choice& choice : choose_tasks(*client, request.selections)) {
        const auto tasks = client->ask({{"verb", "show"}, {"job", choice.job}, {"limit", 0}})
                               .at("tasks")
                               .get<std::int64_t>();
        const std::int64_t last = choice.last < 0 ? tasks : std::min(choice.last, tasks);
        for (std::int64_t first = choice.first; first < last; first += page) {
            const json outputs = client->ask({{"verb", "outputs"},
                                              {"job", choice.job},
                                              {"first", first},
                                              {"last", std::min(last, first + page)}});
            if (first == choice.first) note_files(outputs, choice.job, answer);
            const json& list = outputs.at("outputs");
            for (std::size_t i = 0; i < list.size(); ++i) {
                // Of a task's attempts the last one counts, unless all are wanted.
                if (!request.all_attempts && i + 1 < list.size() &&
                    list[i + 1].at("task") == list[i].at("task"))
                    continue;
                if (list[i].at("at").is_number() && list[i].at("at") < 0) continue;
                campaign::StreamText text = text_of(folder, list[i], choice.job);
                // There may be much of it: it is kept once.
                if (!request.json) {
                    printed += chosen(text, request.channel);
                    continue;
                }
                rows.push_back({{"job", choice.job},
                                {"task", list[i].at("task")},
                                {"attempt", list[i].at("attempt")},
                                {"out", std::move(text.out)},
                                {"err", std::move(text.err)}});
            }
        }
    }
    if (request.json)
        answer.document = document_of("plimsoll.campaign-output/1", {{"tasks", std::move(rows)}});
    return answer;
}

CampaignAnswer follow_output(const CampaignRequest& request, Progress& progress) {
    constexpr auto pause = std::chrono::milliseconds(200);
    CampaignAnswer answer;
    const Folder folder = Folder::find(request.folder);
    const auto client = connect_campaign(folder, answer);
    const auto choices = choose_tasks(*client, request.selections);
    if (choices.size() != 1) throw Error(ErrorKind::usage, "tail follows one task", "name one, such as 4.17");
    const Choice& choice = choices.front();
    std::size_t printed = 0;
    std::int64_t attempt = -1;
    while (!progress.stop_requested()) {
        const json explained =
            client->ask({{"verb", "explain"}, {"job", choice.job}, {"task", choice.first}});
        const json outputs = client->ask(
            {{"verb", "outputs"}, {"job", choice.job}, {"first", choice.first}, {"last", choice.first + 1}});
        if (!outputs.at("outputs").empty()) {
            const json& row = outputs.at("outputs").back();
            if (row.at("attempt") != attempt) {
                attempt = row.at("attempt");
                printed = 0;
            }
            if (!row.at("at").is_number() || row.at("at") >= 0) {
                const std::string text = chosen(text_of(folder, row, choice.job), request.channel);
                if (text.size() > printed) {
                    std::fwrite(text.data() + printed, 1, text.size() - printed, stdout);
                    std::fflush(stdout);
                    printed = text.size();
                }
            }
        }
        const std::string state = explained.at("state");
        if (state == "succeeded" || state == "exhausted" || state == "cancelled" || state == "skipped") {
            answer.status = state == "succeeded" ? 0 : 1;
            answer.step = fmt::format("task {}.{}: {}", choice.job, choice.first, state);
            return answer;
        }
        std::this_thread::sleep_for(pause);
    }
    throw Cancelled();
}

}  // namespace plimsoll::app
