// The processes of a campaign: its server, its workers, and how they go into the background.
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX, not C++
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "app/campaign/verbs.hpp"
#include "app/stop_signals.hpp"
#include "plimsoll/campaign/server.hpp"
#include "plimsoll/campaign/worker.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/launch/launcher.hpp"
#include "plimsoll/launch/room.hpp"

namespace plimsoll::app {

namespace {

using campaign::Folder;

constexpr auto longest_start = std::chrono::minutes(2);  // with a million jobs to take up
constexpr auto longest_end = std::chrono::minutes(2);    // with its last changes to write
constexpr auto start_pause = std::chrono::milliseconds(5);

std::string stamp() {
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

/// Lines with their time on standard error, which is a file for what runs in the background.
void log_line(const std::string& text) {
    fmt::print(stderr, "{} {}\n", stamp(), text);
    std::fflush(stderr);
}

/// Many workers are many connections; the hard limit is what this user may have.
void allow_many_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Starts this program anew in a session of its own, so that it outlives the terminal.
std::int64_t start_in_background(const std::vector<std::string>& arguments, const std::string& log) {
    // Twice, so that it is nobody's child to wait for.
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw Error(ErrorKind::environment, "no pipe can be made", "raise 'ulimit -n'");
    launch::Descriptor reader(ends[0]);
    launch::Descriptor writer(ends[1]);
    std::vector<char*> words;
    std::vector<std::string> copies{"plimsoll"};
    copies.insert(copies.end(), arguments.begin(), arguments.end());
    words.reserve(copies.size() + 1);
    for (std::string& word : copies) words.push_back(word.data());
    words.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw Error(ErrorKind::environment, "no process can be started", "see 'ulimit -u'");
    if (child == 0) {
        ::setsid();
        const pid_t grandchild = ::fork();
        if (grandchild != 0) {
            const std::int64_t id = grandchild;
            const bool told = ::write(writer.number(), &id, sizeof id) == static_cast<ssize_t>(sizeof id);
            ::_exit(told ? 0 : 1);
        }
        const int null = ::open("/dev/null", O_RDWR);
        const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(null, STDIN_FILENO);
        ::dup2(null, STDOUT_FILENO);
        ::dup2(file >= 0 ? file : null, STDERR_FILENO);
        // What the caller has open, such as a lock of its script, would stay open for as long as this runs.
        ::close_range(STDERR_FILENO + 1, ~0U, 0);
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        ::execv("/proc/self/exe", words.data());
        ::_exit(127);
    }
    writer.close();  // so that the read ends where the child dies first
    std::int64_t id = 0;
    const bool told = ::read(reader.number(), &id, sizeof id) == static_cast<ssize_t>(sizeof id);
    ::waitpid(child, nullptr, 0);
    if (!told || id < 0) throw Error(ErrorKind::environment, "no process can be started", "see 'ulimit -u'");
    return id;
}

/// The last error that a log tells from a place on, with its hint; empty where there is none.
std::pair<std::string, std::string> last_error(const std::string& log, std::size_t from) {
    const std::string text = read_file(log);
    std::pair<std::string, std::string> found;
    for (const std::string_view line :
         split(std::string_view(text).substr(std::min(from, text.size())), '\n')) {
        if (line.starts_with("error: ")) found = {std::string(line.substr(7)), {}};
        if (line.starts_with("hint: ")) found.second = line.substr(6);
    }
    return found;
}

/// Starts the campaign's server in the background and waits until it answers.
void start_server(const Folder& folder, const CampaignServerRequest& request) {
    std::vector<std::string> arguments{"campaign",   "server",      "run",
                                       "--campaign", folder.path(), "--bind",
                                       request.bind, "--port",      fmt::format("{}", request.port)};
    if (!request.lease.empty()) arguments.insert(arguments.end(), {"--lease", request.lease});
    std::error_code none_yet;
    const auto logged = std::filesystem::file_size(folder.log(), none_yet);
    std::int64_t process = start_in_background(arguments, folder.log());
    bool was_held = false;
    bool tried_again = false;
    const auto deadline = std::chrono::steady_clock::now() + longest_start;
    while (std::chrono::steady_clock::now() < deadline) {
        if (campaign::is_served(folder)) return;
        if (!campaign::is_running(process)) {
            // Others start servers as well, and one of them may have the campaign: it answers soon, or it was
            // about to end.
            const bool is_held = campaign::FolderLock::is_held(folder);
            if (!is_held && campaign::is_served(folder)) return;
            // It may have found another that has ended since.
            if (!is_held && !was_held && std::exchange(tried_again, true)) break;
            if (!is_held) process = start_in_background(arguments, folder.log());
            was_held = is_held;
        }
        std::this_thread::sleep_for(start_pause);
    }
    const auto [reason, hint] = last_error(folder.log(), none_yet ? 0 : static_cast<std::size_t>(logged));
    if (!reason.empty())
        throw Error(ErrorKind::environment, fmt::format("the server did not start: {}", reason), hint);
    throw Error(ErrorKind::environment, fmt::format("{}: the server did not start", folder.path()),
                fmt::format("see {}", folder.log()));
}

/// For where no server answers: one elsewhere may run nevertheless, and two of them may damage the database
/// of a file system whose locks do not reach beyond a machine.
void refuse_second_server(const Folder& folder) {
    const auto address = folder.address();
    if (!address || campaign::is_here(*address)) return;
    throw Error(ErrorKind::environment,
                fmt::format("{}: the campaign's server on '{}' ({} port {}) cannot be reached", folder.path(),
                            address->machine, address->host, address->port),
                fmt::format("look there whether it runs; once it has ended for certain, remove {}",
                            folder.address_file()));
}

/// Waits for a server's end, after its last act, which is to bring the database in order.
void wait_for_end(const Folder& folder, const campaign::Address& address) {
    const auto is_there = [&] {
        const auto now = folder.address();
        const bool is_known = now && now->process == address.process && now->machine == address.machine;
        if (is_known && campaign::is_served(folder)) return true;
        return campaign::is_here(address) && campaign::is_running(address.process);
    };
    const auto deadline = std::chrono::steady_clock::now() + longest_end;
    while (is_there()) {
        if (std::chrono::steady_clock::now() >= deadline)
            throw Error(ErrorKind::environment,
                        fmt::format("{}: the server, process {} on '{}', does not end", folder.path(),
                                    address.process, address.machine),
                        fmt::format("see {}, or end it with 'kill {}'", folder.log(), address.process));
        std::this_thread::sleep_for(start_pause);
    }
}

json address_json(const Folder& folder) {
    const auto address = folder.address();
    if (!address || !campaign::is_served(folder)) return {{"folder", folder.path()}, {"running", false}};
    return {{"folder", folder.path()},
            {"running", true},
            {"host", address->host},
            {"port", address->port},
            {"process", address->process}};
}

CampaignAnswer server_status(const Folder& folder) {
    const json state = address_json(folder);
    CampaignAnswer answer{.document = document_of("plimsoll.campaign-server/1", state)};
    const bool running = state.at("running");
    answer.text = running ? fmt::format("{}: process {} on {} port {}\n", folder.path(),
                                        state.at("process").get<std::int64_t>(),
                                        state.at("host").get<std::string>(), state.at("port").get<int>())
                          : fmt::format("{}: no server runs\n", folder.path());
    answer.lines = running ? fmt::format("{}\n", state.at("process").get<std::int64_t>()) : std::string();
    answer.status = running ? 0 : 1;
    return answer;
}

campaign::WorkerOptions worker_options(const CampaignWorkerRequest& request) {
    campaign::WorkerOptions options{.name = request.name,
                                    .time_limit_s = seconds_of("--time", request.time, 0.0),
                                    .idle_limit_s = seconds_of("--idle", request.idle, 0.0),
                                    .patience_s = seconds_of("--patience", request.patience, 600.0),
                                    .leave_when_done = request.until_done};
    const launch::Room room = launch::room_here();
    options.resources.set("cpus", request.cpus > 0.0 ? request.cpus : room.processors);
    options.resources.set("gpus", request.gpus);
    options.resources.set("memory", room.memory_bytes);
    set_amounts(options.resources, request.memory, request.resources);
    return options;
}

}  // namespace

std::unique_ptr<campaign::Client> connect_campaign(const Folder& folder, CampaignAnswer& answer) {
    (void)folder.secret();  // where it cannot be read, no server would help
    try {
        return std::make_unique<campaign::Client>(folder);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::environment) throw;
    }
    refuse_second_server(folder);
    start_server(folder, {});
    answer.notes.push_back(
        fmt::format("started the campaign's server; end it with 'plimsoll campaign server stop'"));
    return std::make_unique<campaign::Client>(folder);
}

CampaignAnswer run_server(const CampaignRequest& request) {
    const CampaignServerRequest& server = request.server;
    const Folder folder = Folder::find(request.folder);
    if (server.action == "start") {
        if (campaign::is_served(folder)) {
            CampaignAnswer answer = server_status(folder);
            answer.notes.emplace_back("it ran already");
            return answer;
        }
        (void)seconds_of("--lease", server.lease, 30.0);  // refused here, rather than in its log
        refuse_second_server(folder);
        start_server(folder, server);
        CampaignAnswer answer = server_status(folder);
        answer.step = "next: plimsoll campaign worker";
        return answer;
    }
    if (server.action == "run") {
        if (campaign::is_served(folder))
            throw Error(ErrorKind::usage, fmt::format("{}: a server has this campaign open", folder.path()),
                        "use it, or end it with 'plimsoll campaign server stop'");
        refuse_second_server(folder);
        const StopSignals stop;
        allow_many_files();
        ::prctl(PR_SET_NAME, "plimsoll-server");  // in `top`, where it would be "exe"
        if (server.bind != "127.0.0.1" && server.bind != "::1" && server.bind != "localhost")
            log_line(fmt::format(
                "listens on {}: whoever reaches it and knows the campaign's secret may run programs as you",
                server.bind));
        const double lease = seconds_of("--lease", server.lease, 30.0);
        campaign::Server loop(folder,
                              {.bind = server.bind,
                               .port = static_cast<std::uint16_t>(server.port),
                               .lease = std::chrono::milliseconds(std::llround(1000.0 * lease))},
                              log_line);
        loop.run(stop.descriptor());
        return {.document = document_of("plimsoll.campaign-server/1",
                                        {{"folder", folder.path()}, {"running", false}})};
    }
    if (server.action == "status") return server_status(folder);
    if (server.action == "stop") {
        if (!campaign::is_served(folder))
            return {.document = document_of("plimsoll.campaign-server/1", address_json(folder)),
                    .text = "no server runs\n"};
        const auto address = folder.address();
        try {
            campaign::Client client(folder);
            const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(10);
            while (server.with_workers && std::chrono::steady_clock::now() < deadline) {
                (void)client.ask({{"verb", "drain"}});  // each time, since one may have come meanwhile
                if (client.ask({{"verb", "totals"}}).at("workers") == 0) break;
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            }
            (void)client.ask({{"verb", "stop"}});
        } catch (const Error&) {  // somebody else has stopped it
            if (campaign::is_served(folder)) throw;
        }
        if (address) wait_for_end(folder, *address);
        return {.document = document_of("plimsoll.campaign-server/1",
                                        {{"folder", folder.path()}, {"running", false}}),
                .text = "the server has ended; the campaign goes on with the next one\n"};
    }
    const std::vector<std::string> actions{"start", "run", "stop", "status"};
    const auto near = nearest(server.action, actions);
    throw Error(
        ErrorKind::usage, fmt::format("there is no action '{}'", server.action),
        near ? fmt::format("did you mean '{}'?", *near) : fmt::format("use one of {}", join(actions, ", ")));
}

CampaignAnswer run_worker(const CampaignRequest& request) {
    const CampaignWorkerRequest& wanted = request.worker;
    const campaign::WorkerOptions options = worker_options(wanted);
    const Folder folder = Folder::find(request.folder);
    CampaignAnswer answer;
    // Before the server, so that other processes do not stand in the way of control groups.
    std::unique_ptr<launch::Launcher> launcher;
    if (!wanted.detach) {
        launcher =
            wanted.launcher == LauncherChoice::null ? launch::null_launcher() : launch::local_launcher(true);
    }
    if (!campaign::is_served(folder)) {
        const auto address = folder.address();
        // A server elsewhere may be away for a moment; one of our own is started.
        if (!address || campaign::is_here(*address)) (void)connect_campaign(folder, answer);
    }
    if (wanted.detach) {
        std::vector<std::string> arguments{"campaign",   "worker",
                                           "--campaign", folder.path(),
                                           "--cpus",     fmt::format("{}", wanted.cpus),
                                           "--gpus",     fmt::format("{}", wanted.gpus),
                                           "--launcher", std::string(enum_name(wanted.launcher))};
        const auto add = [&](const char* flag, const std::string& value) {
            if (!value.empty()) arguments.insert(arguments.end(), {flag, value});
        };
        add("--name", wanted.name);
        add("--mem", wanted.memory);
        add("--time", wanted.time);
        add("--idle", wanted.idle);
        add("--patience", wanted.patience);
        for (const std::string& text : wanted.resources) add("--resource", text);
        if (wanted.until_done) arguments.emplace_back("--until-done");
        const std::int64_t process = start_in_background(arguments, folder.path() + "/worker.log");
        answer.lines = fmt::format("{}\n", process);
        answer.text = fmt::format("worker: process {}\n", process);
        answer.document = document_of("plimsoll.campaign-worker/1", {{"process", process}});
        answer.step = "next: plimsoll campaign top";
        return answer;
    }
    const StopSignals stop;
    allow_many_files();
    const std::function<void(const std::string&)> silent = [](const std::string&) {};
    const std::function<void(const std::string&)> log = request.quiet ? silent : log_line;
    campaign::Worker(folder, options, *launcher, log).run(stop.descriptor());
    answer.document = document_of("plimsoll.campaign-worker/1", {{"process", ::getpid()}});
    return answer;
}

}  // namespace plimsoll::app
