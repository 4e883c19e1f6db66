#include "plimsoll/campaign/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "plimsoll/campaign/detail/connection.hpp"
#include "plimsoll/campaign/detail/gpu_share.hpp"
#include "plimsoll/campaign/detail/task_command.hpp"
#include "plimsoll/campaign/messages.hpp"
#include "plimsoll/campaign/stream_file.hpp"
#include "plimsoll/core/byte_size.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::campaign {

namespace {

using std::chrono::milliseconds;
using SteadySeconds = std::chrono::duration<double>;

constexpr std::size_t block_bytes = 1U << 16U;   ///< of output that waits before it is written
constexpr std::size_t most_waiting = 4U << 20U;  ///< of output, when the disk takes none: then its task waits
constexpr int reads_in_turn = 32;                ///< of one task's output, more than a pipe holds
constexpr std::size_t most_looked_at = 16;       ///< tasks that do not fit, before the queue is left for now
constexpr milliseconds longest_passed{1000};     ///< a task waits while smaller ones go before it
constexpr std::size_t most_known = 64;           ///< jobs whose commands are kept
constexpr milliseconds report_pause{10};         ///< between reports while tasks wait here
constexpr milliseconds connecting_time{2000};
constexpr milliseconds tick_time{1000};  ///< output reaches the disk, a full disk is tried again
constexpr milliseconds first_pause{50};  ///< before the server is looked for again; doubles
constexpr milliseconds longest_pause{1000};
constexpr milliseconds totals_pause{200};
constexpr milliseconds long_wait{2000};         ///< without a task, though some are ready
constexpr milliseconds linger_pause{50};        ///< between looks at what a stopped program has left behind
constexpr double hasty_patience_s = 10.0;       ///< with a server that is away, when told to leave at once
constexpr std::size_t own_descriptors = 24;     ///< of the worker itself, and while it starts a task
constexpr std::size_t descriptors_of_task = 3;  ///< its end, and two streams

/// Tasks that may run at once for want of descriptors.
std::size_t most_tasks() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return std::numeric_limits<std::size_t>::max();
    const auto there = static_cast<std::size_t>(limit.rlim_cur);
    return there <= own_descriptors + descriptors_of_task ? 1
                                                          : (there - own_descriptors) / descriptors_of_task;
}

/// That one task asks for, in bytes; 0 where it asks for none.
std::int64_t memory_of(const JobSpec& spec) {
    constexpr std::int64_t thousandths = 1000;
    return spec.policy.resources.thousandths("memory") / thousandths;
}

SteadyTime after(SteadyTime time, double seconds) {
    return time + std::chrono::duration_cast<SteadyTime::duration>(SteadySeconds(seconds));
}

}  // namespace

class Worker::Loop {
  public:
    Loop(const Folder& folder, WorkerOptions options, launch::Launcher& launcher,
         std::function<void(const std::string&)> log)
        : folder_(folder),
          options_(std::move(options)),
          launcher_(&launcher),
          log_(std::move(log)),
          secret_(folder.secret()),
          session_(random_name(16)),
          machine_(machine_name()),
          free_(options_.resources),
          gpus_(options_.resources.thousandths("gpus")),
          begun_(std::chrono::steady_clock::now()),
          poll_(::epoll_create1(EPOLL_CLOEXEC)) {
        if (poll_.number() < 0)
            throw Error(ErrorKind::environment,
                        fmt::format("no descriptor is left: {}", std::strerror(errno)), "raise 'ulimit -n'");
        if (options_.name.empty()) options_.name = machine_;
    }

    void run(int stop) {
        now_ = begun_;
        heard_ = connected_ = idle_since_ = next_tick_ = now_;
        watch(stop, EPOLLIN);
        std::array<epoll_event, 128> events{};
        while (true) {
            keep_connected();
            if (connection_) write();
            const int count =
                ::epoll_wait(poll_.number(), events.data(), static_cast<int>(events.size()), patience());
            now_ = std::chrono::steady_clock::now();
            for (int i = 0; i < count; ++i) {
                const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
                if (descriptor == stop) {
                    on_signal(stop);
                } else if (connection_ && descriptor == connection_->descriptor()) {
                    read();
                } else {
                    on_task_event(descriptor);
                }
            }
            look_at_time();
            start_tasks();
            report();
            if (may_leave()) break;
        }
        say_goodbye();
    }

  private:
    enum class Stage { before, main, afterwards, on_failure };
    enum class Leaving { no, when_idle, now };

    struct Waiting {
        TasksMessage::Task task;
        std::shared_ptr<const TaskCommand> command;
        SteadyTime since;
    };
    struct Running {
        TasksMessage::Task task;
        std::shared_ptr<const TaskCommand> command;
        Stage stage = Stage::main;
        launch::Process process;
        std::optional<launch::Exit> ended;  ///< and its output is not yet on disk
        std::optional<SteadyTime> deadline;
        std::optional<SteadyTime> kill_at;
        TaskState outcome = TaskState::succeeded;  ///< unless `stopped`
        std::optional<TaskState> stopped;          ///< by us, and as what
        AttemptResult result;
        std::string text;  ///< output that waits for the disk
        OutputChannel channel = OutputChannel::out;
        GpuGrant gpus;
        bool told = false;  ///< that it runs
        bool lingers =
            false;  ///< it was stopped and has ended, and others of its group have time until `kill_at`
    };

    // ------------------------------------------------------------------------------------------- connection

    void watch(int descriptor, std::uint32_t what) const {
        epoll_event event{.events = what, .data = {.fd = descriptor}};
        if (::epoll_ctl(poll_.number(), EPOLL_CTL_ADD, descriptor, &event) != 0 && errno == EEXIST)
            ::epoll_ctl(poll_.number(), EPOLL_CTL_MOD, descriptor, &event);
    }

    void keep_connected() {
        if (connection_ || now_ < try_again_) return;
        pause_ = std::clamp(2 * pause_, first_pause, longest_pause);
        try_again_ = now_ + pause_;
        if (::access(folder_.path().c_str(), F_OK) != 0 && errno == ENOENT) {
            throw Error(ErrorKind::environment,
                        fmt::format("{} is gone, and its tasks are stopped", folder_.path()),
                        "end a campaign's workers and server before its folder is removed");
        }
        try {
            const auto address = folder_.address();
            if (!address || (address->machine == machine_ && process_is_gone(address->process))) return;
            connection_.emplace(connect_to(address->host, address->port, connecting_time),
                                Channel(Channel::Role::client, secret_));
            server_here_ = address->machine == machine_;
        } catch (const Error& error) {
            log_(error.what());  // whatever it is, it may be mended
            return;
        }
        watch(connection_->descriptor(), EPOLLIN);
        connected_ = now_;
        greeted_ = false;
        RegisterMessage come{.offer = {.session = session_,
                                       .name = options_.name,
                                       .host = machine_,
                                       .stream = stream_name(),
                                       .resources = options_.resources,
                                       .drains = leaving_ != Leaving::no,
                                       .has = tokens()},
                             .process = ::getpid()};
        if (options_.time_limit_s > 0.0)
            come.offer.time_left_s =
                std::max(1.0, SteadySeconds(after(begun_, options_.time_limit_s) - now_).count());
        connection_->channel().send(encode(come));
        welcome_ = false;
    }

    [[nodiscard]] std::string stream_name() const { return fmt::format("output/{}.stream", session_); }

    /// Leases that we would go on with: waiting, running, or ended and not known to be stored.
    [[nodiscard]] std::vector<Token> tokens() const {
        std::vector<Token> all;
        for (const Waiting& waiting : queue_) all.push_back(waiting.task.lease.token);
        for (const auto& [token, running] : running_) all.push_back(token);
        for (const ReportMessage& told : reports_) {
            for (const Ended& ended : told.ended) all.push_back(ended.lease.token);
        }
        for (const Ended& ended : next_.ended) all.push_back(ended.lease.token);
        return all;
    }

    void disconnect(const std::string& why) {
        if (!why.empty()) log_(why);
        connection_.reset();
        welcome_ = false;
        pause_ = first_pause / 2;
        try_again_ = now_;
        asked_ = false;
    }

    void read() {
        try {
            const bool there = connection_->read();
            // A server whose disk is full greets, and says no more until it has room.
            if (connection_->is_open() && !std::exchange(greeted_, true)) heard_ = now_;
            std::string text;
            while (connection_ && connection_->channel().next(text)) handle(decode(text));
            if (!there && connection_) disconnect("the server has gone; tasks run on");
        } catch (const Error& error) {
            if (connection_ && !connection_->is_open())
                throw;  // another secret or version: no use to try again
            disconnect(error.what());
        }
    }

    void write() {
        if (!connection_->write()) {
            disconnect("the server has gone; tasks run on");
            return;
        }
        const bool left = connection_->has_outgoing();
        if (left != writes_) watch(connection_->descriptor(), left ? EPOLLIN | EPOLLOUT : EPOLLIN);
        writes_ = left;
    }

    void send(const Message& message) {
        if (connection_) connection_->channel().send(encode(message));
    }

    void handle(const Message& message) {
        heard_ = now_;
        if (const auto* const welcome = std::get_if<WelcomeMessage>(&message)) {
            lease_s_ = welcome->lease_s;
            welcome_ = true;
            stop_tokens(welcome->stop);
            for (const ReportMessage& told : reports_) send(told);
            pause_ = first_pause / 2;
            log_(fmt::format("worker {} of {}", welcome->worker.value, folder_.path()));
        } else if (const auto* const tasks = std::get_if<TasksMessage>(&message)) {
            take(*tasks);
        } else if (const auto* const stored = std::get_if<StoredMessage>(&message)) {
            while (!reports_.empty() && reports_.front().number <= stored->number) reports_.pop_front();
        } else if (const auto* const stop = std::get_if<StopMessage>(&message)) {
            stop_tokens(stop->tokens);
        } else if (std::holds_alternative<DrainMessage>(message)) {
            drain();
        } else if (const auto* const answer = std::get_if<AnswerMessage>(&message)) {
            asked_ = false;
            const auto totals = nlohmann::json::parse(answer->text, nullptr, false);
            if (!totals.contains("ok")) return;
            const auto& ok = totals["ok"];
            // What waits when nothing else is left waits for what is held.
            const auto open = ok.value("ready", 1) + ok.value("leased", 1) + ok.value("running", 1);
            if (open == 0) leave(Leaving::when_idle);
            const auto ready = ok.value("ready", std::int64_t{0});
            if (ready == 0 || !running_.empty() || now_ - idle_since_ < long_wait) return;
            if (std::exchange(said_that_it_waits_, true)) return;
            log_(
                fmt::format("{} ready, and nothing of that is for this worker now; 'plimsoll campaign "
                            "explain JOB' says why",
                            ready == 1 ? "1 task is" : fmt::format("{} tasks are", ready)));
        }
    }

    // ------------------------------------------------------------------------------------------------ tasks

    void take(const TasksMessage& message) {
        for (const TasksMessage::Task& task : message.tasks) {
            const JobId job = task.lease.task.job;
            const auto spec = std::find_if(message.specs.begin(), message.specs.end(),
                                           [job](const auto& entry) { return entry.first == job; });
            if (spec == message.specs.end()) continue;
            try {
                queue_.push_back(
                    {.task = task, .command = command_of(job, spec->second, task.entry), .since = now_});
            } catch (const Error& error) {
                end(task.lease, TaskState::failed, {.reason = error.what()});
            }
        }
        if (leaving_ != Leaving::no) give_back_queue();
    }

    std::shared_ptr<const TaskCommand> command_of(JobId job, const std::string& text,
                                                  const std::string& entry) {
        if (const auto found = known_.find(job); found != known_.end()) return found->second;
        JobSpec spec = spec_from_json(text);
        const bool varies = spec.entries == EntryKind::json;  // its entries have keys of their own
        auto command = std::make_shared<const TaskCommand>(std::move(spec), entry);
        if (varies) return command;
        if (known_.size() >= most_known) known_.clear();
        known_.emplace(job, command);
        return command;
    }

    void start_tasks() {
        if (leaving_ == Leaving::now) return;
        std::size_t looked_at = 0;
        for (auto waiting = queue_.begin(); waiting != queue_.end() && looked_at < most_looked_at;) {
            if (running_.size() >= most_running_) return;
            if (!free_.covers(waiting->command->spec().policy.resources)) {
                if (now_ - waiting->since > longest_passed) return;  // room is made for it
                ++waiting;
                ++looked_at;
                continue;
            }
            auto gpus = gpus_.take(waiting->command->spec().policy.resources.thousandths("gpus"));
            if (!gpus) {  // enough in all, but not on one device
                ++waiting;
                ++looked_at;
                continue;
            }
            Waiting next = std::move(*waiting);
            waiting = queue_.erase(waiting);
            start(std::move(next), *std::move(gpus));
        }
    }

    void start(Waiting next, GpuGrant gpus) {
        const JobSpec& spec = next.command->spec();
        const Stage stage = spec.before.empty() ? Stage::main : Stage::before;
        const Lease lease = next.task.lease;
        Running running{.task = std::move(next.task),
                        .command = std::move(next.command),
                        .stage = stage,
                        .process = launch::Process(launch::Exit{})};
        running.gpus = std::move(gpus);
        const double limit = spec.time_limit_s;
        if (limit > 0.0) running.deadline = after(now_, limit);
        if (!begin(running)) {
            gpus_.give_back(running.gpus);
            end(lease, TaskState::failed, std::move(running.result));
            return;
        }
        if (running.process.process_id() == launch::ProcessId{}) {  // the null launcher: it has ended
            gpus_.give_back(running.gpus);
            const auto exit = running.process.poll();
            end(lease, exit && exit->succeeded() ? TaskState::succeeded : TaskState::failed,
                {.exit_code = 0});
            return;
        }
        free_.subtract(spec.policy.resources);
        running_.emplace(lease.token, std::move(running));
    }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_of(
        const Running& running) const {
        const Lease& lease = running.task.lease;
        std::vector<std::pair<std::string, std::string>> variables{
            {"PLIMSOLL_CAMPAIGN", folder_.path()},
            {"PLIMSOLL_JOB", fmt::format("{}", lease.task.job.value)},
            {"PLIMSOLL_TASK", fmt::format("{}.{}", lease.task.job.value, lease.task.index)},
            {"PLIMSOLL_ATTEMPT", fmt::format("{}", lease.attempt)}};
        std::optional<SteadyTime> end = running.deadline;
        if (options_.time_limit_s > 0.0) {
            const SteadyTime leaves = after(begun_, options_.time_limit_s);
            end = end ? std::min(*end, leaves) : leaves;
        }
        if (!running.gpus.devices.empty()) {
            for (const char* const name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"})
                variables.emplace_back(name, running.gpus.text());
        }
        if (end)
            variables.emplace_back("PLIMSOLL_TIME_LEFT_S",
                                   fmt::format("{:.0f}", SteadySeconds(*end - now_).count()));
        return variables;
    }

    /// Starts the program of a stage; where that cannot be, the attempt has failed, and its hook for that is
    /// next.
    bool begin(Running& running) {
        while (true) {
            try {
                begin_stage(running);
                return true;
            } catch (const Error& error) {
                running.outcome = TaskState::failed;
                if (running.result.reason.empty()) running.result.reason = error.what();
                if (running.stage == Stage::on_failure || running.command->spec().on_failure.empty())
                    return false;
                running.stage = Stage::on_failure;
            }
        }
    }

    void begin_stage(Running& running) {
        const JobSpec& spec = running.command->spec();
        launch::Command command =
            running.command->fill(running.task.lease, running.task.entry, environment_of(running));
        if (running.stage != Stage::main) {
            command.arguments = running.stage == Stage::before       ? spec.before
                                : running.stage == Stage::afterwards ? spec.afterwards
                                                                     : spec.on_failure;
            command.environment.emplace_back("PLIMSOLL_EXIT_CODE",
                                             fmt::format("{}", running.result.exit_code));
            if (command.streams.out.to == launch::Redirection::To::file)
                command.streams.out.to = launch::Redirection::To::append;
            if (command.streams.err.to == launch::Redirection::To::file)
                command.streams.err.to = launch::Redirection::To::append;
        }
        limit_memory(spec, command);
        running.process = launcher_->start(command);
        running.ended.reset();
        if (running.process.process_id() == launch::ProcessId{}) return;
        const Token token = running.task.lease.token;
        watch_for(running.process.descriptor(), token);
        for (launch::Descriptor* const pipe : {&running.process.out(), &running.process.err()}) {
            if (pipe->number() < 0) continue;
            ::fcntl(pipe->number(), F_SETFL, O_NONBLOCK);
            watch_for(pipe->number(), token);
        }
    }

    /// What a task asked for is what it gets, where the system lets us see to that.
    void limit_memory(const JobSpec& spec, launch::Command& command) {
        const std::int64_t bytes = memory_of(spec);
        if (bytes <= 0) return;
        const std::string obstacle = launcher_->obstacle_to_memory_limits();
        if (obstacle.empty()) {
            command.limits.shared_memory_bytes = static_cast<std::uint64_t>(bytes);
        } else if (!std::exchange(said_that_memory_is_free_, true)) {
            log_(fmt::format("tasks are not kept to the memory that they asked for: {}", obstacle));
        }
    }

    void watch_for(int descriptor, Token token) {
        owners_[descriptor] = token;
        watch(descriptor, EPOLLIN);
    }
    void forget(int descriptor) {
        if (owners_.erase(descriptor) > 0) ::epoll_ctl(poll_.number(), EPOLL_CTL_DEL, descriptor, nullptr);
    }

    /// No process has the other copy of a pipe's end, so that it is no longer watched once it is closed.
    void close(launch::Descriptor& pipe) {
        owners_.erase(pipe.number());
        pipe.close();
    }

    void on_task_event(int descriptor) {
        const auto owner = owners_.find(descriptor);
        if (owner == owners_.end()) return;
        const auto found = running_.find(owner->second);
        if (found == running_.end()) return;
        Running& running = found->second;
        if (descriptor == running.process.out().number()) {
            take_output(running, running.process.out(), OutputChannel::out);
        } else if (descriptor == running.process.err().number()) {
            take_output(running, running.process.err(), OutputChannel::err);
        } else if (running.stopped && running.kill_at && running.process.leaves_others()) {
            forget(descriptor);  // which says for ever that it has ended
            running.lingers = true;
        } else {
            take_end(found->first);
        }
    }

    /// The program of a stage has ended, and is buried with what it has left behind.
    void take_end(Token token) {
        Running& running = running_.at(token);
        const int descriptor = running.process.descriptor();
        const auto exit = running.process.poll();
        if (!exit) return;
        owners_.erase(descriptor);
        running.lingers = false;
        running.ended = exit;
        go_on(token);
    }

    /// Reads what a program that has ended has written. False where the disk takes no more of it.
    bool take_rest(Running& running) {
        take_output(running, running.process.out(), OutputChannel::out);
        take_output(running, running.process.err(), OutputChannel::err);
        return running.text.empty() || save_output(running);
    }

    void take_output(Running& running, launch::Descriptor& pipe, OutputChannel channel) {
        if (pipe.number() < 0) return;
        std::array<char, block_bytes> buffer;  // NOLINT(*-member-init): read fills it
        for (int round = 0; round < reads_in_turn; ++round) {
            const bool has_room =
                running.text.size() < most_waiting && (running.channel == channel || running.text.empty());
            if (!has_room && !save_output(running)) {
                forget(pipe.number());  // it waits until the disk takes its output again
                return;
            }
            const ssize_t got = ::read(pipe.number(), buffer.data(), buffer.size());
            if (got < 0 && errno == EINTR) continue;
            if (got == 0) close(pipe);
            if (got <= 0) return;
            running.channel = channel;
            running.text.append(buffer.data(), static_cast<std::size_t>(got));
            if (running.text.size() >= block_bytes) (void)save_output(running);
        }
    }

    /// False where the disk takes nothing; the text is kept.
    bool save_output(Running& running) {
        if (running.text.empty()) return true;
        try {
            if (!stream_) stream_.emplace(folder_.path() + "/" + stream_name());
            stream_->write(running.task.lease.task, running.task.lease.attempt, running.channel,
                           running.text);
        } catch (const Error& error) {
            if (!std::exchange(disk_full_, true)) log_(fmt::format("output waits: {}", error.what()));
            return false;
        }
        disk_full_ = false;
        running.text.clear();
        return true;
    }

    /// A stage has ended: the next one, or the end of the attempt once its output is on disk.
    void go_on(Token token) {
        Running& running = running_.at(token);
        if (!take_rest(running)) return;
        close(running.process.out());
        close(running.process.err());
        const JobSpec& spec = running.command->spec();
        const launch::Exit exit = *running.ended;
        AttemptResult& result = running.result;
        result.user_s += exit.usage.user.count();
        result.system_s += exit.usage.system.count();
        result.wall_s += exit.wall.count();
        result.peak_memory_bytes =
            std::max(result.peak_memory_bytes, static_cast<std::int64_t>(exit.usage.peak_memory_bytes));
        if (running.stage != Stage::on_failure) {
            result.exit_code = exit.signal != 0 ? -1 : exit.code;
            result.signal = exit.signal;
            if (!exit.succeeded()) running.outcome = TaskState::failed;
            if (!exit.succeeded() && exit.ran_out_of_memory && !running.stopped) {
                result.reason = fmt::format("it took more than its memory of {}",
                                            byte_size_text(static_cast<double>(memory_of(spec))));
            }
            if (!exit.succeeded() && running.stage != Stage::main && !running.stopped) {
                const std::string& hook =
                    (running.stage == Stage::before ? spec.before : spec.afterwards).front();
                result.reason = result.reason.empty()
                                    ? fmt::format("its hook '{}' failed", hook)
                                    : fmt::format("its hook '{}' failed: {}", hook, result.reason);
            }
        }
        std::optional<Stage> next;
        if (!running.stopped || *running.stopped == TaskState::timed_out) {
            const bool well = running.outcome == TaskState::succeeded && !running.stopped;
            if (running.stage == Stage::before && well) next = Stage::main;
            if (running.stage == Stage::main && well && !spec.afterwards.empty()) next = Stage::afterwards;
            if (!well && running.stage != Stage::on_failure && !spec.on_failure.empty())
                next = Stage::on_failure;
        }
        if (next) {
            running.stage = *next;
            if (running.stopped) running.deadline = after(now_, spec.time_limit_s);
            running.kill_at.reset();
            if (begin(running)) return;
        }
        const Lease lease = running.task.lease;
        if (stream_) result.output_at = stream_->finish(lease.task, lease.attempt);
        const TaskState outcome = running.stopped.value_or(running.outcome);
        AttemptResult final_result = std::move(result);
        free_.add(spec.policy.resources);
        gpus_.give_back(running.gpus);
        running_.erase(token);
        end(lease, outcome, std::move(final_result));
    }

    void end(const Lease& lease, TaskState outcome, AttemptResult result) {
        next_.ended.push_back({.lease = lease, .outcome = outcome, .result = std::move(result)});
    }

    void stop(Running& running, TaskState as, const std::string& reason) {
        if (running.stopped) return;
        running.stopped = as;
        running.result.reason = reason;
        running.process.signal_group(SIGTERM);
        running.kill_at = after(now_, running.command->spec().kill_after_s);
    }

    void stop_tokens(const std::vector<Token>& tokens) {
        for (const Token token : tokens) {
            if (const auto found = running_.find(token); found != running_.end()) {
                stop(found->second, TaskState::preempted, "it is no longer ours");
                continue;
            }
            const auto waiting = std::find_if(queue_.begin(), queue_.end(), [token](const Waiting& w) {
                return w.task.lease.token == token;
            });
            if (waiting == queue_.end()) continue;
            end(waiting->task.lease, TaskState::preempted, {.reason = "not started"});
            queue_.erase(waiting);
        }
    }

    // ------------------------------------------------------------------------------------------ time and end

    void look_at_time() {
        if (options_.time_limit_s > 0.0 && now_ >= after(begun_, options_.time_limit_s))
            leave_now("the worker's time is over");
        if (connection_ && now_ - std::max(heard_, connected_) > SteadySeconds(lease_s_))
            disconnect("the server was silent for a lease");
        std::vector<Token> ready;
        std::vector<Token> buried;
        for (auto& [token, running] : running_) {
            if (running.deadline && *running.deadline <= now_) {
                const bool hook = running.stopped.has_value();
                running.deadline.reset();
                if (hook)
                    running.process.signal_group(SIGKILL);  // the hook after a time-out, which hangs as well
                stop(running, TaskState::timed_out,
                     fmt::format("time limit of {:.6g} s", running.command->spec().time_limit_s));
            }
            if (running.kill_at && *running.kill_at <= now_) {
                running.process.signal_group(SIGKILL);
                running.kill_at.reset();
            }
            if (running.lingers && (!running.kill_at || !running.process.leaves_others()))
                buried.push_back(token);
            if (now_ >= next_tick_) {
                if (running.ended) {
                    ready.push_back(token);
                } else if (save_output(running)) {
                    for (launch::Descriptor* const pipe : {&running.process.out(), &running.process.err()}) {
                        if (pipe->number() >= 0 && !owners_.contains(pipe->number()))
                            watch_for(pipe->number(), token);
                    }
                }
            }
        }
        for (const Token token : buried) take_end(token);
        for (const Token token : ready) go_on(token);
        if (now_ >= next_tick_) next_tick_ = now_ + tick_time;
        if (!server_here_ && !running_.empty() && now_ - heard_ > SteadySeconds(lease_s_)) {
            log_("the server was not heard for a lease: tasks are stopped, since others have them now");
            for (auto& [token, running] : running_)
                stop(running, TaskState::preempted, "cut off from the server");
            heard_ = now_;
        }
        if (!running_.empty() || !queue_.empty()) {
            idle_since_ = now_;
            said_that_it_waits_ = false;
        }
        if (options_.idle_limit_s > 0.0 && now_ - idle_since_ >= SteadySeconds(options_.idle_limit_s))
            leave(Leaving::when_idle);
        if (options_.leave_when_done && welcome_ && !asked_ && running_.empty() && queue_.empty() &&
            now_ >= next_totals_) {
            asked_ = true;
            next_totals_ = now_ + totals_pause;
            send(AskMessage{R"({"verb": "totals"})"});
        }
    }

    [[nodiscard]] int patience() const {
        SteadyTime next = now_ + steady(lease_s_ / 3.0);
        if (!connection_) next = std::min(next, try_again_);
        if (!running_.empty()) next = std::min(next, next_tick_);
        if (!next_.ended.empty()) next = std::min(next, beat_ + report_pause);
        if (options_.leave_when_done && running_.empty() && queue_.empty())
            next = std::min(next, std::max(next_totals_, now_ + first_pause));
        if (options_.idle_limit_s > 0.0) next = std::min(next, after(idle_since_, options_.idle_limit_s));
        if (options_.time_limit_s > 0.0 && leaving_ != Leaving::now)
            next = std::min(next, after(begun_, options_.time_limit_s));
        for (const auto& [token, running] : running_) {
            if (running.deadline) next = std::min(next, *running.deadline);
            if (running.kill_at) next = std::min(next, *running.kill_at);
            if (running.lingers) next = std::min(next, now_ + linger_pause);
        }
        const auto left = std::chrono::ceil<milliseconds>(next - std::chrono::steady_clock::now());
        return static_cast<int>(std::max<std::int64_t>(0, left.count()));
    }
    static SteadyTime::duration steady(double seconds) {
        return std::chrono::duration_cast<SteadyTime::duration>(SteadySeconds(seconds));
    }

    /// Tells what has happened since the last report, and that we live.
    ///
    /// While tasks wait here, nobody waits for the word that others have ended: a few reports become one.
    void report() {
        if (!queue_.empty() && now_ - beat_ < report_pause) return;
        for (auto& [token, running] : running_) {
            if (!std::exchange(running.told, true)) next_.started.push_back(running.task.lease);
        }
        if (!next_.started.empty() || !next_.ended.empty()) {
            next_.number = ++reported_;
            if (welcome_) send(next_);
            reports_.push_back(std::exchange(next_, {}));
            beat_ = now_;
        } else if (welcome_ && now_ - beat_ >= SteadySeconds(lease_s_ / 3.0)) {
            send(HeartbeatMessage{});
            beat_ = now_;
        }
    }

    void on_signal(int descriptor) {
        signalfd_siginfo information{};
        if (::read(descriptor, &information, sizeof information) != static_cast<ssize_t>(sizeof information))
            return;
        if (leaving_ == Leaving::no) {
            log_(running_.empty() ? "leaves"
                                  : "takes no more tasks and leaves when those that run have ended; "
                                    "once more, and it stops them");
            drain();
        } else {
            leave_now("the worker was told to leave");
        }
    }

    void drain() {
        leave(Leaving::when_idle);
        give_back_queue();
    }

    void give_back_queue() {
        for (const Waiting& waiting : queue_)
            end(waiting.task.lease, TaskState::preempted, {.reason = "not started"});
        queue_.clear();
    }

    void leave(Leaving how) {
        if (leaving_ == Leaving::no && welcome_) send(DrainMessage{});
        leaving_ = std::max(leaving_, how);
    }

    void leave_now(const std::string& why) {
        leave(Leaving::now);
        give_back_queue();
        for (auto& [token, running] : running_) stop(running, TaskState::preempted, why);
    }

    [[nodiscard]] bool may_leave() const {
        const bool busy = !running_.empty() || !queue_.empty();
        std::size_t untold = next_.ended.size();
        for (const ReportMessage& told : reports_) untold += told.ended.size();
        const double longest =
            leaving_ == Leaving::now ? std::min(hasty_patience_s, options_.patience_s) : options_.patience_s;
        if (leaving_ != Leaving::no && !busy && untold == 0) return true;
        if (!connection_ && !busy && now_ - heard_ > SteadySeconds(longest)) {
            throw Error(
                ErrorKind::environment,
                fmt::format(
                    "the campaign's server was away for {:.6g} s{}", SteadySeconds(now_ - heard_).count(),
                    untold == 0 ? std::string()
                                : fmt::format(", and does not know that {} ended here: {} again",
                                              counted(untold, "task"), untold == 1 ? "it runs" : "they run")),
                "start it with 'plimsoll campaign server start', then the worker again");
        }
        return false;
    }

    void say_goodbye() {
        if (!connection_) return;
        send(LeaveMessage{});
        for (int i = 0; i < 200 && connection_->has_outgoing() && connection_->write(); ++i)
            if (connection_->has_outgoing()) ::usleep(10'000);
    }

    Folder folder_;
    WorkerOptions options_;
    launch::Launcher* launcher_;
    std::function<void(const std::string&)> log_;
    Secret secret_;
    std::string session_;
    std::string machine_;
    Resources free_;
    GpuShare gpus_;
    SteadyTime begun_;
    SteadyTime now_;
    launch::Descriptor poll_;
    std::optional<Connection> connection_;
    bool welcome_ = false;
    bool greeted_ = false;
    bool writes_ = false;
    bool asked_ = false;
    bool server_here_ = true;
    bool said_that_it_waits_ = false;
    bool said_that_memory_is_free_ = false;
    bool disk_full_ = false;
    milliseconds pause_ = first_pause / 2;
    SteadyTime try_again_;
    SteadyTime heard_;      ///< the last word of a server
    SteadyTime connected_;  ///< to one, welcome or not
    SteadyTime beat_;
    SteadyTime idle_since_;
    SteadyTime next_tick_;
    SteadyTime next_totals_;
    double lease_s_ = 30.0;
    Leaving leaving_ = Leaving::no;
    std::size_t most_running_ = most_tasks();
    std::deque<Waiting> queue_;
    std::map<Token, Running> running_;
    std::unordered_map<int, Token> owners_;
    std::map<JobId, std::shared_ptr<const TaskCommand>> known_;
    std::optional<StreamWriter> stream_;
    std::int64_t reported_ = 0;
    ReportMessage next_;
    std::deque<ReportMessage> reports_;
};

Worker::Worker(const Folder& folder, WorkerOptions options, launch::Launcher& launcher,
               std::function<void(const std::string&)> log)
    : loop_(std::make_unique<Loop>(folder, std::move(options), launcher, std::move(log))) {}
Worker::~Worker() = default;

void Worker::run(int stop) { loop_->run(stop); }

}  // namespace plimsoll::campaign
