// `measure --campaign`: runs are tasks of a campaign.
#include "app/campaign/measure_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "app/campaign/verbs.hpp"
#include "plimsoll/campaign/client.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double longest_ask_s = 0.25;              // of waiting for a task: then we look for Ctrl-C
constexpr auto patience = std::chrono::minutes(1);  // with a server that is away
constexpr auto workers_come = std::chrono::seconds(3);
constexpr auto reconnect_pause = std::chrono::milliseconds(200);
constexpr double kill_after_s = 0.5;  // as of runs on this machine

/// The text with its braces doubled, so that no placeholder is found in it.
std::string literal(std::string_view text) {
    std::string quoted;
    for (const char c : text) {
        if (c == '{' || c == '}') quoted += c;
        quoted += c;
    }
    return quoted;
}

std::string absolute(const std::string& path) {
    return path.empty() ? std::filesystem::current_path().string()
                        : std::filesystem::absolute(path).lexically_normal().string();
}

/// What a worker tells of a task, which is less than what the kernel tells of a child of ours.
bool is_known_of_tasks(measure::Source source) {
    using measure::Source;
    switch (source) {
        case Source::wall:
        case Source::user:
        case Source::system:
        case Source::processor:
        case Source::peak_memory:
        case Source::output:
        case Source::error_output:
        case Source::file: return true;
        case Source::faults:
        case Source::context_switches:
        case Source::bytes_read:
        case Source::bytes_written:
        case Source::energy: return false;
    }
    return false;
}

std::string file_of(const launch::Redirection& redirection) {
    using To = launch::Redirection::To;
    return redirection.to == To::file ? literal(absolute(redirection.path)) : std::string("/dev/null");
}

/// The processors in "cpus=2 gpus=0.5".
double cpus_of(const std::string& resources) {
    constexpr std::string_view name = "cpus=";
    for (const std::string_view word : split(resources, ' ')) {
        if (word.starts_with(name)) return parse_number(word.substr(name.size())).value_or(0.0);
    }
    return 0.0;
}

campaign::JobSpec spec_of_run(const measure::Task& task, double cpus) {
    campaign::JobSpec spec;
    const launch::Command& command = task.command;
    spec.name =
        fmt::format("measure {}", std::filesystem::path(command.arguments.front()).filename().string());
    spec.tags = {"measure=run"};
    for (const std::string& argument : command.arguments) spec.command.push_back(literal(argument));
    for (const auto& [name, value] : command.environment) spec.environment.emplace_back(name, literal(value));
    spec.folder = absolute(command.working_folder);
    if (command.streams.in.to == launch::Redirection::To::file) spec.input = file_of(command.streams.in);
    spec.output = file_of(command.streams.out);
    spec.errors = file_of(command.streams.err);
    if (task.timeout) spec.time_limit_s = task.timeout->count();
    spec.kill_after_s = kill_after_s;
    spec.policy.resources.set("cpus", cpus);
    refuse_other_bytes(spec);
    return spec;
}

}  // namespace

class MeasureRunner::Impl {
  public:
    Impl(const std::string& folder, const std::vector<measure::MetricChoice>& metrics)
        : folder_(campaign::Folder::find(folder)) {
        for (const measure::MetricChoice& metric : metrics) {
            if (is_known_of_tasks(metric.source)) continue;
            throw Error(ErrorKind::usage,
                        fmt::format("--metric {}: a campaign does not record it", metric.written),
                        "measure it without --campaign, on the machine where you are");
        }
        CampaignAnswer unused;
        client_ = connect_campaign(folder_, unused);
        find_workers();
        if (cpus_ <= 0.0)
            throw Error(ErrorKind::environment,
                        fmt::format("{}: no worker is there to run it", folder_.path()),
                        "start one where it is to run: plimsoll campaign worker");
    }

    measure::Outcome run(const measure::Task& task, Activity& activity) {
        json question = submission_of(spec_of_run(task, cpus_));
        question["verb"] = "submit";
        // Not asked again where the answer was lost: the task may be there already, and would run beside the
        // next.
        const auto job = client_->ask(question).at("job").get<std::int64_t>();
        const json wait{{"verb", "wait"}, {"jobs", {job}}, {"timeout_s", longest_ask_s}};
        try {
            while (!ask(wait, activity).at("done").get<bool>()) activity.step(0);
        } catch (const Cancelled&) {
            cancel(job);
            throw;
        }
        return outcome_of(ask({{"verb", "show"}, {"job", job}}, activity), task);
    }

    [[nodiscard]] const campaign::Folder& folder() const { return folder_; }
    [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }

  private:
    /// The largest ones. Where the server has just been started, they come back within a second.
    void find_workers() {
        const auto deadline = Clock::now() + workers_come;
        while (true) {
            const json workers = client_->ask({{"verb", "workers"}}).at("workers");
            for (const json& worker : workers) {
                const double cpus = cpus_of(worker.at("resources").get<std::string>());
                if (cpus > cpus_) hosts_.clear();
                cpus_ = std::max(cpus_, cpus);
                const std::string host = worker.at("host");
                if (cpus == cpus_ && std::find(hosts_.begin(), hosts_.end(), host) == hosts_.end())
                    hosts_.push_back(host);
            }
            if (cpus_ > 0.0 || Clock::now() >= deadline) return;
            std::this_thread::sleep_for(reconnect_pause);
        }
    }

    /// Asks again where the server has gone and come back.
    json ask(const json& question, Activity& activity) {
        const auto deadline = Clock::now() + patience;
        while (true) {
            try {
                if (!client_) client_ = std::make_unique<campaign::Client>(folder_);
                return client_->ask(question);
            } catch (const Error& error) {
                if (error.kind() != ErrorKind::environment || Clock::now() >= deadline) throw;
                client_.reset();
            }
            activity.step(0);
            std::this_thread::sleep_for(reconnect_pause);
        }
    }

    void cancel(std::int64_t job) {
        try {
            (void)client_->ask({{"verb", "cancel"}, {"job", job}, {"first", 0}});
        } catch (const Error&) {  // it ends by itself, and nobody waits for it
        }
    }

    static measure::Outcome outcome_of(const json& job, const measure::Task& task) {
        measure::Outcome outcome;
        outcome.is_elsewhere = true;
        const json& rows = job.at("touched");
        if (rows.empty() || rows.at(0).at("attempts").empty()) {
            outcome.failure =
                fmt::format("the campaign says that it is {}", job.at("state").get<std::string>());
            return outcome;
        }
        const json& attempt = rows.at(0).at("attempts").back();
        const std::string state = attempt.at("outcome");
        launch::Exit& exit = outcome.exit;
        exit.code = attempt.at("exit_code").is_number() ? attempt.at("exit_code").get<int>() : 0;
        exit.signal = attempt.at("signal");
        exit.wall = Seconds(attempt.at("wall_s").get<double>());
        exit.usage.user = Seconds(attempt.at("user_s").get<double>());
        exit.usage.system = Seconds(attempt.at("system_s").get<double>());
        exit.usage.peak_memory_bytes = attempt.at("peak_memory_bytes");
        if (state == "timed-out") {
            outcome.failure =
                fmt::format("was stopped after {:.4g} s", task.timeout ? task.timeout->count() : 0.0);
        } else if (state != "succeeded") {
            const std::string reason = attempt.at("reason");
            outcome.failure = exit.succeeded() || !reason.empty() ? fmt::format("{}: {}", state, reason)
                                                                  : launch::describe(exit);
        }
        return outcome;
    }

    campaign::Folder folder_;
    std::unique_ptr<campaign::Client> client_;
    std::vector<std::string> hosts_;
    double cpus_ = 0.0;
};

MeasureRunner::MeasureRunner(const std::string& folder, const std::vector<measure::MetricChoice>& metrics)
    : impl_(std::make_unique<Impl>(folder, metrics)) {}
MeasureRunner::MeasureRunner(MeasureRunner&&) noexcept = default;
MeasureRunner& MeasureRunner::operator=(MeasureRunner&&) noexcept = default;
MeasureRunner::~MeasureRunner() = default;

measure::Runner MeasureRunner::runner() {
    return [this](const measure::Task& task, Activity& activity) { return impl_->run(task, activity); };
}
std::string MeasureRunner::scratch() const { return impl_->folder().path(); }
const std::vector<std::string>& MeasureRunner::hosts() const { return impl_->hosts(); }

}  // namespace plimsoll::app
