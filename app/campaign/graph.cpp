// `campaign graph`: jobs that name each other, from a file in TOML or JSON.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <unordered_map>
#include <utility>

#include "app/campaign/verbs.hpp"
#include "app/toml_file.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

struct GraphJob {
    SubmitRequest request;
    std::vector<std::string> after;  ///< names
};

/// Takes keys out of a job's object; what is left at the end is unknown.
class Keys {
  public:
    Keys(const std::string& file, const json& object, std::size_t number)
        : file_(file), object_(object), number_(number) {}

    void text(const char* key, std::string& value) {
        if (const json* const found = take(key)) {
            if (found->is_number())
                value = found->dump();
            else if (found->is_string())
                value = *found;
            else
                refuse(key, "a text");
        }
    }
    void words(const char* key, std::vector<std::string>& values) {
        if (const json* const found = take(key)) {
            if (found->is_string()) {
                values = {found->get<std::string>()};
                return;
            }
            if (!found->is_array()) refuse(key, "a list of texts");
            for (const json& word : *found) {
                if (!word.is_string() && !word.is_number()) refuse(key, "a list of texts");
                values.push_back(word.is_string() ? word.get<std::string>() : word.dump());
            }
        }
    }
    /// A text is one word: no shell takes it apart.
    void refuse_sentence(const char* key, const std::vector<std::string>& words) const {
        if (words.size() != 1 || words.front().find(' ') == std::string::npos) return;
        throw Error(ErrorKind::input, Place{file_},
                    fmt::format("job {}: '{}' is one text, '{}', and no shell takes it apart", number_, key,
                                words.front()),
                    "give a list of words: [\"./app\", \"--case\", \"1\"]");
    }
    template <class Number>
    void number(const char* key, Number& value) {
        if (const json* const found = take(key)) {
            if (!found->is_number()) refuse(key, "a number");
            value = found->get<Number>();
        }
    }
    void truth(const char* key, bool& value) {
        if (const json* const found = take(key)) {
            if (!found->is_boolean()) refuse(key, "true or false");
            value = *found;
        }
    }
    void refuse_others() const {
        for (const auto& [key, value] : object_.items()) {
            if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
            const auto near = nearest(key, known_);
            throw Error(ErrorKind::input, Place{file_},
                        fmt::format("job {}: there is no key '{}'", number_, key),
                        near ? fmt::format("did you mean '{}'?", *near)
                             : fmt::format("use one of {}", join(known_, ", ")));
        }
    }

  private:
    const json* take(const char* key) {
        known_.emplace_back(key);
        const auto found = object_.find(key);
        return found == object_.end() ? nullptr : &*found;
    }
    [[noreturn]] void refuse(const char* key, const char* kind) const {
        throw Error(ErrorKind::input, Place{file_},
                    fmt::format("job {}: '{}' is {}", number_, key, object_.at(key).dump()),
                    fmt::format("give {}", kind));
    }

    const std::string& file_;
    const json& object_;
    std::size_t number_;
    std::vector<std::string> known_;
};

GraphJob job_of(const std::string& file, const json& object, std::size_t number) {
    GraphJob job;
    SubmitRequest& r = job.request;
    Keys keys(file, object, number);
    keys.text("name", r.name);
    keys.words("command", r.command);
    keys.refuse_sentence("command", r.command);
    keys.words("after", job.after);
    keys.words("tag", r.tags);
    keys.text("array", r.array);
    keys.text("each-line", r.each_line);
    keys.text("from-json", r.from_json);
    keys.number("cpus", r.cpus);
    keys.number("gpus", r.gpus);
    keys.text("mem", r.memory);
    keys.words("resource", r.resources);
    keys.text("time", r.time);
    keys.text("min-time", r.min_time);
    keys.number("retries", r.retries);
    keys.text("retry-codes", r.retry_codes);
    keys.text("backoff", r.backoff);
    keys.number("crash-limit", r.crash_limit);
    keys.number("priority", r.priority);
    std::string rule(enum_name(r.rule));
    keys.text("rule", rule);
    keys.words("env", r.environment);
    keys.text("cwd", r.folder);
    keys.text("stdin", r.input);
    keys.text("stdout", r.output);
    keys.text("stderr", r.errors);
    keys.text("before", r.before);
    keys.text("afterwards", r.afterwards);
    keys.text("on-failure", r.on_failure);
    keys.truth("hold", r.hold);
    keys.refuse_others();
    bool known_rule = false;
    for (const auto& [value, word] : enum_names(campaign::AfterRule{})) {
        if (word != rule) continue;
        r.rule = value;
        known_rule = true;
    }
    if (!known_rule)
        throw Error(ErrorKind::input, Place{file}, fmt::format("job {}: there is no rule '{}'", number, rule),
                    "use one of ok, any, failed");
    if (r.name.empty())
        throw Error(ErrorKind::input, Place{file}, fmt::format("job {} has no name", number),
                    "give it one, so that others can come after it");
    return job;
}

/// Some jobs are left, each behind another of them: going backwards leads into a circle.
[[noreturn]] void refuse_circle(const std::string& file, const std::vector<GraphJob>& jobs,
                                const std::map<std::string, std::size_t>& numbers,
                                const std::vector<std::size_t>& open) {
    std::vector<std::string> way;
    auto at = static_cast<std::size_t>(
        std::find_if(open.begin(), open.end(), [](std::size_t count) { return count > 0; }) - open.begin());
    while (std::find(way.begin(), way.end(), jobs[at].request.name) == way.end()) {
        way.push_back(jobs[at].request.name);
        for (const std::string& name : jobs[at].after) {
            const std::size_t before = numbers.at(name);
            if (open[before] > 0) {
                at = before;
                break;
            }
        }
    }
    way.erase(way.begin(), std::find(way.begin(), way.end(), jobs[at].request.name));
    way.push_back(way.front());
    throw Error(ErrorKind::input, Place{file}, fmt::format("a circle: '{}'", join(way, "' after '")),
                "take one 'after' out of it");
}

/// The jobs in an order in which each stands behind those that it comes after.
std::vector<GraphJob> sorted(const std::string& file, std::vector<GraphJob> jobs) {
    std::map<std::string, std::size_t> numbers;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const std::string& name = jobs[i].request.name;
        if (!numbers.emplace(name, i).second)
            throw Error(ErrorKind::input, Place{file}, fmt::format("two jobs are named '{}'", name),
                        "give each a name of its own");
        names.push_back(name);
    }
    std::vector<std::size_t> open(jobs.size(), 0);
    std::vector<std::vector<std::size_t>> next(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        for (const std::string& name : jobs[i].after) {
            const auto found = numbers.find(name);
            if (found == numbers.end()) {
                const auto near = nearest(name, names);
                throw Error(ErrorKind::input, Place{file},
                            fmt::format("'{}' comes after '{}', which is no job of this file",
                                        jobs[i].request.name, name),
                            near ? fmt::format("did you mean '{}'?", *near) : "name a job of this file");
            }
            next[found->second].push_back(i);
            ++open[i];
        }
    }
    std::vector<std::size_t> ready;
    for (std::size_t i = jobs.size(); i-- > 0;) {
        if (open[i] == 0) ready.push_back(i);
    }
    std::vector<GraphJob> order;
    while (!ready.empty()) {
        const std::size_t i = ready.back();
        ready.pop_back();
        for (const std::size_t child : next[i]) {
            if (--open[child] == 0) ready.push_back(child);
        }
        order.push_back(std::move(jobs[i]));
    }
    if (order.size() < jobs.size()) refuse_circle(file, jobs, numbers, open);
    return order;
}

/// What is wrong with a job's values is said of flags; here it is said of which job of which file.
campaign::JobSpec spec_of_job(const std::string& file, const SubmitRequest& request) {
    if (request.command.empty())
        throw Error(ErrorKind::input, Place{file}, fmt::format("job '{}' has no command", request.name),
                    "give it one: command = [\"./app\", \"--case\", \"{index}\"]");
    try {
        return spec_of(request);
    } catch (const Error& error) {
        throw Error(error.kind(), Place{file}, fmt::format("job '{}': {}", request.name, error.what()),
                    error.hint());
    }
}

json read_graph(const std::string& path) {
    json object = json::parse(path.ends_with(".json") ? read_file(path) : toml_as_json(path), nullptr, false);
    if (object.is_discarded())
        throw Error(ErrorKind::input, Place{path}, "this is no JSON", "check the file with a JSON tool");
    return object;
}

/// Submits a graph's jobs part by part, each of which is stored as a whole, so that neither the server nor a
/// message grows with the graph. A part knows the jobs of earlier ones by their ids.
class Parts {
  public:
    Parts(campaign::Client& client, std::size_t jobs, Progress& progress)
        : client_(&client), activity_(progress, "submitting", static_cast<std::int64_t>(jobs)) {}

    void add(campaign::JobSpec spec, const std::vector<std::string>& after) {
        std::vector<std::string> names;  // in this part
        for (const std::string& name : after) {
            if (const auto earlier = ids_.find(name); earlier != ids_.end()) {
                spec.after.push_back(earlier->second);
            } else {
                names.push_back(name);
            }
        }
        json submission = submission_of(spec);
        bytes_ += submission.dump().size();
        submission["after_names"] = names;
        part_.push_back(std::move(submission));
        if (part_.size() >= most_jobs || bytes_ >= most_bytes) send();
    }

    /// What the server says of all of them.
    json finish() {
        if (!part_.empty()) send();
        return std::move(submitted_);
    }

  private:
    static constexpr std::size_t most_jobs = 1000;
    static constexpr std::size_t most_bytes = 2U << 20U;

    void send() {
        try {
            const json answer =
                client_->ask({{"verb", "graph"}, {"jobs", std::exchange(part_, json::array())}});
            bytes_ = 0;
            for (const json& job : answer.at("jobs")) {
                ids_.emplace(job.at("name"), campaign::JobId{job.at("job")});
                submitted_.push_back(job);
            }
            activity_.reach(static_cast<std::int64_t>(submitted_.size()));
        } catch (const Error& error) {
            if (submitted_.empty()) throw;
            throw Error(error.kind(), fmt::format("{}; {} before", error.what(), there()), take_back());
        } catch (const Cancelled&) {
            fmt::print(stderr, "note: {}; {}\n", there(), take_back());
            throw;
        }
    }
    [[nodiscard]] std::string there() const { return counted(submitted_.size(), "job") + " were submitted"; }
    [[nodiscard]] std::string take_back() const {
        return fmt::format("'plimsoll campaign cancel {}-{}' takes them back",
                           submitted_.front().at("job").get<std::int64_t>(),
                           submitted_.back().at("job").get<std::int64_t>());
    }

    campaign::Client* client_;
    Activity activity_;
    json part_ = json::array();
    std::size_t bytes_ = 0;
    json submitted_ = json::array();
    std::unordered_map<std::string, campaign::JobId> ids_;
};

}  // namespace

CampaignAnswer submit_graph(const CampaignRequest& request, Progress& progress) {
    const json file = read_graph(request.graph);
    if (!file.is_object() || !file.contains("job") || !file["job"].is_array() || file["job"].empty())
        throw Error(ErrorKind::input, Place{request.graph}, "no jobs are there",
                    "give a list 'job' of objects ([[job]] in TOML)");
    std::vector<GraphJob> jobs;
    for (const json& object : file["job"]) jobs.push_back(job_of(request.graph, object, jobs.size() + 1));
    jobs = sorted(request.graph, std::move(jobs));
    CampaignAnswer answer;
    std::size_t tasks = 0;
    json planned = json::array();
    const campaign::Folder folder = campaign::Folder::find(request.folder);
    std::vector<campaign::JobSpec> specs;
    for (const GraphJob& job : jobs) {
        specs.push_back(spec_of_job(request.graph, job.request));
        campaign::JobSpec& spec = specs.back();
        set_parent(spec, folder);
        tasks += spec.count;
        if (request.dry_run) {
            answer.text += fmt::format("{}: {}{}\n", spec.name, counted(spec.count, "task"),
                                       job.after.empty() ? "" : ", after " + join(job.after, ", "));
            answer.lines += spec.name + "\n";
            planned.push_back({{"name", spec.name}, {"job", nullptr}, {"tasks", spec.count}});
        }
    }
    if (request.dry_run) {
        answer.document = document_of("plimsoll.campaign-submit/1", {{"jobs", planned}});
        answer.step = "nothing was submitted";
        return answer;
    }
    const auto client = connect_campaign(folder, answer);
    Parts parts(*client, jobs.size(), progress);
    for (std::size_t i = 0; i < jobs.size(); ++i) parts.add(std::move(specs[i]), jobs[i].after);
    const json submitted = parts.finish();
    for (const json& job : submitted) answer.lines += fmt::format("{}\n", job.at("job").get<std::int64_t>());
    answer.text = fmt::format("{} with {}: {} to {}\n", counted(submitted.size(), "job"),
                              counted(tasks, "task"), submitted.front().at("job").get<std::int64_t>(),
                              submitted.back().at("job").get<std::int64_t>());
    answer.document = document_of("plimsoll.campaign-submit/1", {{"jobs", submitted}});
    answer.step = "next: plimsoll campaign tree";
    return answer;
}

}  // namespace plimsoll::app
