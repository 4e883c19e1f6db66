#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "app/campaign/verbs.hpp"
#include "plimsoll/campaign/job_spec.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/input.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using campaign::EntryKind;
using campaign::JobSpec;
using campaign::Resources;

constexpr std::uint64_t most_tasks = 4'000'000'000;

/// What a JSON entry's keys cannot be called, since these placeholders are there for each task.
constexpr std::array<std::string_view, 5> built_in{"index", "line", "task", "job", "attempt"};

std::optional<std::int64_t> whole_number(std::string_view text) { return parse_whole(trim(text)); }

[[noreturn]] void no_array(const std::string& text) {
    throw Error(ErrorKind::usage, fmt::format("--array: '{}' is no range of whole numbers", text),
                "write 1..100, 0..90+10, 1..64*2 or 1,2,5");
}

/// "1..100", "0..90+10" as a range; "1..64*2" and lists as values.
void set_array(JobSpec& spec, const std::string& text) {
    spec.entries = EntryKind::range;
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) {
        std::uint32_t count = 0;
        for (const std::string_view piece : split(text, ',')) {
            const auto value = whole_number(piece);
            if (!value) no_array(text);
            spec.lines += fmt::format("{}\n", *value);
            ++count;
        }
        spec.count = count;
        return;
    }
    const std::size_t sign = text.find_first_of("+*", dots);
    const auto first = whole_number(std::string_view(text).substr(0, dots));
    const auto last = whole_number(
        std::string_view(text).substr(dots + 2, sign == std::string::npos ? sign : sign - dots - 2));
    const auto step = sign == std::string::npos ? 1 : whole_number(std::string_view(text).substr(sign + 1));
    if (!first || !last || !step || *last < *first) no_array(text);
    if (sign != std::string::npos && text[sign] == '*') {
        if (*step < 2 || *first < 1) no_array(text);
        spec.count = 0;
        for (std::int64_t value = *first; value <= *last; value *= *step) {
            spec.lines += fmt::format("{}\n", value);
            ++spec.count;
            if (value > *last / *step) break;
        }
        return;
    }
    if (*step < 1) no_array(text);
    const auto span = static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first);
    const std::uint64_t steps = span / static_cast<std::uint64_t>(*step);
    if (steps >= most_tasks)
        throw Error(ErrorKind::usage, fmt::format("--array: '{}' has more than {} tasks", text, most_tasks),
                    "submit several jobs");
    spec.first = *first;
    spec.step = *step;
    spec.count = static_cast<std::uint32_t>(steps + 1);
}

/// A file's lines, each with its end, without carriage returns.
std::string whole_file(const std::string& path) {
    std::string text = Input(path).rest();
    std::erase(text, '\r');
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
}

void set_lines(JobSpec& spec, const std::string& path) {
    spec.entries = EntryKind::lines;
    spec.lines = whole_file(path);
    spec.count = static_cast<std::uint32_t>(std::count(spec.lines.begin(), spec.lines.end(), '\n'));
    if (spec.count == 0)
        throw Error(ErrorKind::input, Place{path}, "no line is there",
                    "give a file with a line for each task");
    if (is_utf8(spec.lines)) return;
    std::size_t number = 0;
    for (const std::string_view line : split(spec.lines, '\n')) {
        ++number;
        if (!is_utf8(line))
            throw Error(ErrorKind::input, Place{path, number},
                        fmt::format("{} is not UTF-8", json_quote(line)),
                        "rename what it names, or write it in UTF-8");
    }
}

void set_objects(JobSpec& spec, const std::string& path) {
    spec.entries = EntryKind::json;
    const std::string text = whole_file(path);
    const auto add = [&](const json& entry, std::size_t line) {
        ++spec.count;
        if (!entry.is_object()) {
            throw Error(
                ErrorKind::input, Place{path, line},
                fmt::format("'{}' is no JSON object", entry.is_discarded() ? "this line" : entry.dump()),
                "give an array of objects, or one object on each line");
        }
        for (const std::string_view name : built_in) {
            if (!entry.contains(name)) continue;
            throw Error(ErrorKind::input, Place{path, line},
                        fmt::format("entry {} has a key '{}', and {{{}}} is a placeholder already",
                                    spec.count, name, name),
                        fmt::format("rename it, such as to 'my_{}'", name));
        }
        spec.lines += entry.dump() + "\n";
    };
    spec.count = 0;
    if (trim(text).starts_with('[')) {
        const json array = json::parse(text, nullptr, false);
        if (!array.is_array())
            throw Error(ErrorKind::input, Place{path}, "this is no JSON array",
                        "give an array of objects, or one object on each line");
        for (const json& entry : array) add(entry, 0);
    } else {
        std::size_t number = 0;
        for (const std::string_view line : split(text, '\n')) {
            ++number;
            if (!trim(line).empty()) add(json::parse(line, nullptr, false), number);
        }
    }
    if (spec.count == 0)
        throw Error(ErrorKind::input, Place{path}, "no entry is there", "give an object for each task");
}

std::vector<std::string> hook(const std::string& program) {
    return program.empty() ? std::vector<std::string>()
                           : std::vector<std::string>{std::filesystem::absolute(program).string()};
}

}  // namespace

void refuse_other_bytes(const JobSpec& spec) {
    const auto check = [](std::string_view text, const std::string& what) {
        if (is_utf8(text)) return;
        throw Error(ErrorKind::usage, fmt::format("{}: {} is not UTF-8", what, json_quote(text)),
                    "rename what it names, or have a script name it");
    };
    for (std::size_t i = 0; i < spec.command.size(); ++i)
        check(spec.command[i], i == 0 ? std::string("COMMAND") : fmt::format("ARGUMENT {}", i));
    for (const auto& [name, value] : spec.environment) check(fmt::format("{}={}", name, value), "--env");
    for (const std::string& tag : spec.tags) check(tag, "--tag");
    check(spec.name, "--name");
    check(spec.folder, "the working folder");
    check(spec.input, "--stdin");
    check(spec.output, "--stdout");
    check(spec.errors, "--stderr");
    for (const auto& [program, flag] : {std::pair(&spec.before, "--before"),
                                        {&spec.afterwards, "--afterwards"},
                                        {&spec.on_failure, "--on-failure"}}) {
        for (const std::string& word : *program) check(word, flag);
    }
    for (const Resources::Amount& amount : spec.policy.resources.amounts()) check(amount.name, "--resource");
}

JobSpec spec_of(const SubmitRequest& request) {
    if (request.command.empty()) {
        throw Error(ErrorKind::usage, "no COMMAND is given",
                    "write 'plimsoll campaign submit [OPTION...] -- COMMAND [ARGUMENT...]'");
    }
    JobSpec spec;
    spec.name = request.name;
    spec.tags = request.tags;
    spec.command = request.command;
    if (const int given = !request.array.empty() + !request.each_line.empty() + !request.from_json.empty();
        given > 1)
        throw Error(ErrorKind::usage, "--array, --each-line and --from-json exclude each other",
                    "give one of them");
    if (!request.array.empty()) set_array(spec, request.array);
    if (!request.each_line.empty()) set_lines(spec, request.each_line);
    if (!request.from_json.empty()) set_objects(spec, request.from_json);
    spec.policy.resources.set("cpus", request.cpus);
    spec.policy.resources.set("gpus", request.gpus);
    set_amounts(spec.policy.resources, request.memory, request.resources);
    spec.time_limit_s = seconds_of("--time", request.time, 0.0);
    spec.policy.min_time_s = seconds_of("--min-time", request.min_time, 0.0);
    const bool at_once = request.backoff == "0" || request.backoff == "0s";
    spec.policy.backoff_s = at_once ? 0.0 : seconds_of("--backoff", request.backoff, 1.0);
    spec.policy.retries = request.retries;
    spec.policy.crash_limit = request.crash_limit;
    spec.policy.priority = request.priority;
    if (!request.retry_codes.empty()) {
        for (const std::string_view piece : split(request.retry_codes, ',')) {
            const auto code = whole_number(piece);
            if (!code || *code < 0 || *code > 255)
                throw Error(ErrorKind::usage, fmt::format("--retry-codes: '{}' is no exit code", piece),
                            "write numbers from 0 to 255, such as 1,75");
            spec.policy.retry_codes.push_back(static_cast<int>(*code));
        }
    }
    spec.rule = request.rule;
    for (const std::string& text : request.environment) spec.environment.push_back(assignment("--env", text));
    spec.folder =
        std::filesystem::absolute(request.folder.empty() ? "." : request.folder).lexically_normal().string();
    spec.input = request.input;
    spec.output = request.output;
    spec.errors = request.errors;
    spec.before = hook(request.before);
    spec.afterwards = hook(request.afterwards);
    spec.on_failure = hook(request.on_failure);
    spec.held = request.hold;
    refuse_other_bytes(spec);
    campaign::check_placeholders(spec);
    return spec;
}

json submission_of(const JobSpec& spec) {
    return {{"spec", json::parse(campaign::to_json(spec))}, {"lines", spec.lines}};
}

void set_parent(JobSpec& spec, const campaign::Folder& folder) {
    const char* const task = std::getenv("PLIMSOLL_TASK");
    const char* const campaign = std::getenv("PLIMSOLL_CAMPAIGN");
    if (task == nullptr || campaign == nullptr || campaign != folder.path()) return;
    const std::string_view text = task;
    const auto job = whole_number(text.substr(0, text.find('.')));
    const auto index = whole_number(text.substr(std::min(text.size(), text.find('.') + 1)));
    if (job && index) spec.parent = {.job = {*job}, .index = static_cast<std::uint32_t>(*index)};
}

CampaignAnswer submit_jobs(const CampaignRequest& request, Progress& progress) {
    CampaignAnswer answer;
    JobSpec spec = spec_of(request.submit);
    const campaign::Folder folder = campaign::Folder::find(request.folder);
    const auto client = connect_campaign(folder, answer);
    if (!request.submit.after.empty()) {
        for (const Choice& choice : choose_tasks(*client, request.submit.after))
            spec.after.push_back({choice.job});
    }
    set_parent(spec, folder);
    json question = submission_of(spec);
    question["verb"] = "submit";
    const json submitted = client->ask(question);
    const auto job = submitted.at("job").get<std::int64_t>();
    answer.lines = fmt::format("{}\n", job);
    answer.text = fmt::format("job {}: {}\n", job, counted(submitted.at("tasks").get<std::size_t>(), "task"));
    answer.document = document_of("plimsoll.campaign-submit/1", {{"jobs", json::array({submitted})}});
    if (request.submit.wait) {
        CampaignAnswer waited = wait_for(*client, {job}, "", progress);
        waited.notes.insert(waited.notes.begin(), answer.notes.begin(), answer.notes.end());
        waited.lines = answer.lines;
        return waited;
    }
    if (spec.held) {
        answer.step = fmt::format("held; next: plimsoll campaign release {}", job);
        return answer;
    }
    const json workers = client->ask({{"verb", "totals"}});
    answer.step = workers.at("workers") == 0 ? "no worker runs; next: plimsoll campaign worker --until-done"
                                             : fmt::format("next: plimsoll campaign wait {}", job);
    return answer;
}

}  // namespace plimsoll::app
