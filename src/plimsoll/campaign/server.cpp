#include "plimsoll/campaign/server.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "plimsoll/campaign/detail/connection.hpp"
#include "plimsoll/campaign/detail/requests.hpp"
#include "plimsoll/campaign/engine.hpp"
#include "plimsoll/campaign/messages.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t tasks_per_message = 1024;
constexpr std::size_t bytes_per_message = 4U << 20U;  ///< of tasks, but for the last one
constexpr std::size_t most_outgoing = 64U << 20U;     ///< bytes that wait for an end before it is read on
constexpr milliseconds greeting_time{10'000};
constexpr milliseconds retry_time{500};     ///< of a commit that failed
constexpr milliseconds suspicion_time{50};  ///< between looks at a worker's process
constexpr milliseconds folder_time{5'000};  ///< between looks whether the campaign is still there

bool is_question(const std::string& text) {
    try {
        return std::holds_alternative<AskMessage>(decode(text));
    } catch (const Error&) {
        return false;
    }
}

std::string error_json(const Error& error) {
    return json{{"error", {{"kind", name(error.kind())}, {"message", error.what()}, {"hint", error.hint()}}}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

class Server::Loop {
  public:
    Loop(const Folder& folder, const ServerOptions& options, std::function<void(const std::string&)> log)
        : folder_(folder),
          options_(options),
          log_(std::move(log)),
          lock_(folder),
          store_(open_sqlite_store(folder.database(), folder.durability())),
          engine_(*store_, {.lease = options.lease}, current_time()),
          secret_(folder.secret()),
          poll_(::epoll_create1(EPOLL_CLOEXEC)) {
        if (poll_.number() < 0)
            throw Error(ErrorKind::environment,
                        fmt::format("no descriptor is left: {}", std::strerror(errno)), "raise 'ulimit -n'");
        Listener listener = listen_on(options.bind, options.port);
        listen_ = std::move(listener.socket);
        address_ = {.host = options.bind == "0.0.0.0" || options.bind == "::" ? machine_name() : options.bind,
                    .port = listener.port,
                    .process = ::getpid(),
                    .machine = machine_name()};
        watch(listen_.number(), EPOLLIN);
        folder.write_address(address_);
    }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    ~Loop() { folder_.remove_address(); }

    [[nodiscard]] const Address& address() const { return address_; }

    void run(int stop) {
        watch(stop, EPOLLIN);
        log_(fmt::format("serves {} on {} port {}", folder_.path(), address_.host, address_.port));
        std::array<epoll_event, 256> events{};
        while (!ending_) {
            const int count =
                ::epoll_wait(poll_.number(), events.data(), static_cast<int>(events.size()), patience());
            now_ = current_time();
            for (int i = 0; i < count; ++i) {
                const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
                if (descriptor == stop) {
                    ending_ = true;
                } else if (descriptor == listen_.number()) {
                    accept();
                } else if (const auto found = peers_.find(descriptor); found != peers_.end()) {
                    read(found->second);
                }
            }
            if (blocked_) answer_that_it_is_blocked();
            if (!blocked_ || now_.steady >= commit_again_) turn();
            look_at_folder();
        }
        // What is told is stored: where it cannot be, nobody is told.
        for (auto& [descriptor, peer] : peers_) {
            if (!blocked_) (void)peer.connection.write();
        }
        log_("ends");
    }

  private:
    /// One end that has connected: not yet known, a worker, or a command.
    struct Peer {
        Connection connection;
        SteadyTime since;
        std::deque<std::string> messages;  ///< read, not yet handled
        WorkerId worker;                   ///< 0: no worker
        std::deque<Lease> leases;          ///< given to it, and not yet told
        std::int64_t process = 0;          ///< of a worker on this machine
        std::uint32_t watched = EPOLLIN;
        bool closed = false;
        bool paused = false;  ///< while the store takes no changes
    };
    struct Wait {
        int descriptor;
        std::vector<JobId> jobs;
        SteadyTime until;
    };
    struct Suspect {
        WorkerId worker;
        std::int64_t process;
    };

    void watch(int descriptor, std::uint32_t what) const {
        epoll_event event{.events = what, .data = {.fd = descriptor}};
        if (::epoll_ctl(poll_.number(), EPOLL_CTL_ADD, descriptor, &event) != 0 && errno == EEXIST)
            ::epoll_ctl(poll_.number(), EPOLL_CTL_MOD, descriptor, &event);
    }

    /// Milliseconds until something is due without anybody's word.
    [[nodiscard]] int patience() const {
        SteadyTime next = folder_again_;
        if (blocked_) return static_cast<int>(retry_time.count());
        if (!suspects_.empty()) next = std::min(next, now_.steady + suspicion_time);
        if (accept_again_) next = std::min(next, *accept_again_);
        if (const auto tick = engine_.next_tick()) next = std::min(next, *tick);
        for (const Wait& wait : waits_) next = std::min(next, wait.until);
        for (const auto& [descriptor, peer] : peers_) {
            if (!peer.connection.is_open()) next = std::min(next, peer.since + greeting_time);
        }
        const auto left = std::chrono::ceil<milliseconds>(next - current_time().steady);
        return static_cast<int>(std::max<std::int64_t>(0, left.count()));
    }

    void accept() {
        while (true) {
            launch::Descriptor socket(
                ::accept4(listen_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
            if (socket.number() < 0) {
                if (errno == EMFILE || errno == ENFILE) {
                    // No descriptor is left: whoever is connected goes on, and the next one waits.
                    log_("no file descriptor is left for another connection; raise 'ulimit -n'");
                    ::epoll_ctl(poll_.number(), EPOLL_CTL_DEL, listen_.number(), nullptr);
                    accept_again_ = now_.steady + retry_time;
                }
                return;
            }
            prepare_socket(socket.number());
            const int descriptor = socket.number();
            peers_.erase(descriptor);
            peers_.emplace(descriptor,
                           Peer{.connection = {std::move(socket), Channel(Channel::Role::server, secret_)},
                                .since = now_.steady});
            watch(descriptor, EPOLLIN);
        }
    }

    void read(Peer& peer) try {
        if (!peer.connection.read()) peer.closed = true;
        std::string message;
        while (peer.connection.channel().next(message)) peer.messages.push_back(std::move(message));
    } catch (const Error& error) {
        log_(fmt::format("a connection is closed: {}", error.what()));
        peer.closed = true;
    }

    /// Handles what was read, gives tasks, stores all that changed, and only then writes to anyone.
    void turn() {
        try {
            for (auto& [descriptor, peer] : peers_) {
                while (!peer.messages.empty()) {
                    handle(descriptor, peer, peer.messages.front());
                    peer.messages.pop_front();
                }
            }
            // While the store takes no changes nobody is listened to, and so nobody is silent.
            if (!blocked_) {
                engine_.tick(now_);
                look_at_suspects();
            }
            part_from_lost_workers();
            give_tasks();
            answer_waits();
            engine_.flush();
            if (blocked_) unblock();
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::input) throw;  // damage of the store does not heal
            block(error);
            return;
        }
        write_all();
        drop_closed();
        if (accept_again_ && *accept_again_ <= now_.steady) {
            accept_again_.reset();
            watch(listen_.number(), EPOLLIN);
        }
    }

    void handle(int descriptor, Peer& peer, const std::string& text) {
        Message message;
        try {
            message = decode(text);
        } catch (const Error& error) {
            log_(fmt::format("a connection is closed: {}", error.what()));
            peer.closed = true;
            return;
        }
        if (const auto* const ask = std::get_if<AskMessage>(&message)) {
            answer_question(descriptor, peer, *ask);
        } else if (const auto* const come = std::get_if<RegisterMessage>(&message)) {
            welcome(descriptor, peer, *come);
        } else if (peer.worker.value == 0 || !hear_worker(peer, message)) {
            peer.closed = true;  // a stranger, or what only a server says
        }
    }

    /// What a registered worker tells; false where that is nothing a worker says.
    bool hear_worker(Peer& peer, const Message& message) {
        if (const auto* const told = std::get_if<ReportMessage>(&message)) {
            for (const Lease& lease : told->started) (void)engine_.started(peer.worker, lease, now_);
            for (const Ended& ended : told->ended)
                (void)engine_.finished(peer.worker, ended.lease, ended.outcome, ended.result, now_);
            send(peer, StoredMessage{told->number});
        } else if (std::holds_alternative<DrainMessage>(message)) {
            engine_.drain(peer.worker);
        } else if (std::holds_alternative<LeaveMessage>(message)) {
            engine_.remove_worker(peer.worker, Engine::Leaving::preempted, "its worker left", now_);
            peer.worker = {};
            peer.closed = true;
            return true;
        } else if (std::holds_alternative<HeartbeatMessage>(message)) {
            send(peer, HeartbeatMessage{});  // so that it knows that we live
        } else {
            return false;
        }
        engine_.renew(peer.worker, now_);
        return true;
    }

    void welcome(int descriptor, Peer& peer, const RegisterMessage& come) {
        const Welcome welcome = engine_.register_worker(come.offer, now_);
        for (auto& [other, old] : peers_) {
            if (other != descriptor && old.worker == welcome.worker) {
                old.worker = {};  // a connection that it has given up
                old.closed = true;
            }
        }
        std::erase_if(suspects_, [&](const Suspect& suspect) { return suspect.worker == welcome.worker; });
        peer.worker = welcome.worker;
        peer.process = come.offer.host == address_.machine ? come.process : 0;
        send(peer, WelcomeMessage{.worker = welcome.worker,
                                  .lease_s = std::chrono::duration<double>(options_.lease).count(),
                                  .stop = welcome.stop});
        log_(fmt::format("worker {} '{}' on {}: {}", welcome.worker.value, come.offer.name, come.offer.host,
                         come.offer.resources.text()));
    }

    /// A worker that was silent for a lease has lost its tasks. Where it speaks again, it must come anew, to
    /// hear so.
    void part_from_lost_workers() {
        for (auto& [descriptor, peer] : peers_) {
            if (peer.worker.value == 0 || engine_.has_worker(peer.worker)) continue;
            log_(fmt::format("worker {} was silent for a lease; its tasks go to others", peer.worker.value));
            peer.worker = {};
            peer.leases.clear();
            peer.closed = true;
        }
    }

    void answer_question(int descriptor, Peer& peer, const AskMessage& ask) {
        try {
            json question = json::parse(ask.text, nullptr, false);
            if (!question.is_object())
                throw Error(ErrorKind::input, "the question to the server is no JSON object");
            if (!ask.lines.empty()) question["lines"] = ask.lines;
            const auto verb = member<std::string>(question, "verb");
            if (verb == "wait") {
                Wait wait{.descriptor = descriptor};
                for (const std::int64_t id : member<std::vector<std::int64_t>>(question, "jobs")) {
                    if (!engine_.job({id})) {
                        throw Error(ErrorKind::usage, fmt::format("there is no job {}", id),
                                    "see 'plimsoll campaign ls'");
                    }
                    wait.jobs.push_back({id});
                }
                const auto time = std::chrono::duration<double>(
                    std::clamp(member<double>(question, "timeout_s"), 0.0, 3600.0));
                wait.until = now_.steady + std::chrono::duration_cast<SteadyTime::duration>(time);
                waits_.push_back(std::move(wait));
                return;
            }
            if (verb == "stop") {
                ending_ = true;
                send(peer, AnswerMessage{R"({"ok": {}})"});
                return;
            }
            if (verb == "drain") {
                const auto wanted = question.value("worker", std::int64_t{0});
                std::size_t told = 0;
                for (auto& [other, worker] : peers_) {
                    if (worker.worker.value == 0 || (wanted != 0 && worker.worker.value != wanted)) continue;
                    send(worker, DrainMessage{});
                    ++told;
                }
                send(peer, AnswerMessage{json{{"ok", {{"workers", told}}}}.dump()});
                return;
            }
            const json result{{"ok", answer(engine_, *store_, question, now_)}};
            send(peer, AnswerMessage{result.dump(-1, ' ', false, json::error_handler_t::replace)});
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::environment) throw;  // the store's: asked again when it is well
            send(peer, AnswerMessage{error_json(error)});
        } catch (const json::exception& error) {
            send(peer,
                 AnswerMessage{error_json(Error(ErrorKind::input, error.what(),
                                                "use one version of plimsoll for server and commands"))});
        }
    }

    void answer_waits() {
        for (auto wait = waits_.begin(); wait != waits_.end();) {
            const auto peer = peers_.find(wait->descriptor);
            const bool done = std::none_of(wait->jobs.begin(), wait->jobs.end(),
                                           [this](JobId id) { return engine_.is_open(id); });
            if (peer != peers_.end() && !done && wait->until > now_.steady) {
                ++wait;
                continue;
            }
            if (peer != peers_.end()) {
                json jobs = json::array();
                for (const JobId id : wait->jobs) {
                    const JobRecord record = engine_.job(id).value();
                    jobs.push_back(
                        {{"job", id.value}, {"tasks", record.count}, {"counts", counts_json(record.counts)}});
                }
                send(peer->second, AnswerMessage{json{{"ok", {{"done", done}, {"jobs", jobs}}}}.dump()});
            }
            wait = waits_.erase(wait);
        }
    }

    void give_tasks() {
        for (auto& [descriptor, peer] : peers_) {
            if (peer.worker.value == 0 || peer.closed ||
                peer.connection.channel().outgoing().size() > most_outgoing)
                continue;
            leases_.clear();
            if (peer.leases.empty()) engine_.lease(peer.worker, tasks_per_message, now_, leases_);
            peer.leases.insert(peer.leases.end(), leases_.begin(), leases_.end());
            while (!peer.leases.empty()) tell_leases(peer);
        }
        for (const auto& [worker, token] : engine_.take_stops()) {
            for (auto& [descriptor, peer] : peers_) {
                if (peer.worker == worker) send(peer, StopMessage{{token}});
            }
        }
    }

    /// Tells a worker of tasks, as many as one message holds. Where the store fails they are told later.
    void tell_leases(Peer& peer) {
        TasksMessage message;
        std::size_t bytes = 0;
        std::size_t count = 0;
        for (; count < peer.leases.size() && bytes < bytes_per_message; ++count) {
            const Lease& lease = peer.leases[count];
            const JobId job = lease.task.job;
            const auto known = std::find_if(message.specs.begin(), message.specs.end(),
                                            [job](const auto& spec) { return spec.first == job; });
            if (known == message.specs.end()) {
                message.specs.emplace_back(job, spec_of(job).text);
                bytes += message.specs.back().second.size();
            }
            message.tasks.push_back({.lease = lease, .entry = entry_of(lease.task)});
            bytes += message.tasks.back().entry.size();
        }
        send(peer, message);
        peer.leases.erase(peer.leases.begin(), peer.leases.begin() + static_cast<std::ptrdiff_t>(count));
    }

    /// Spec texts and a piece of the lines of jobs whose tasks were given lately.
    struct Known {
        std::string text;
        bool has_lines = false;
        std::uint32_t first = 0;
        std::vector<std::string> lines;
    };
    Known& spec_of(JobId job) {
        constexpr std::size_t most_known = 64;
        if (const auto found = known_.find(job); found != known_.end()) return found->second;
        if (known_.size() >= most_known) known_.clear();
        engine_.flush();  // the job may have come in this turn
        Known known{.text = store_->job(job).value().spec};
        known.has_lines = !store_->lines(job, 0, 1).empty();
        return known_.emplace(job, std::move(known)).first->second;
    }
    std::string entry_of(const TaskId& task) {
        constexpr std::size_t piece = 4096;
        Known& known = spec_of(task.job);
        if (!known.has_lines) return {};
        if (task.index < known.first || task.index - known.first >= known.lines.size()) {
            known.first = task.index;
            known.lines = store_->lines(task.job, task.index, piece);
        }
        return known.lines.empty() ? std::string() : known.lines[task.index - known.first];
    }

    /// A campaign that was removed has nobody to serve: no command finds the server any more.
    void look_at_folder() {
        if (now_.steady < folder_again_) return;
        folder_again_ = now_.steady + folder_time;
        if (::access(folder_.database().c_str(), F_OK) == 0) return;
        log_(fmt::format("{} is gone", folder_.path()));
        ending_ = true;
    }

    void look_at_suspects() {
        for (auto suspect = suspects_.begin(); suspect != suspects_.end();) {
            if (!process_is_gone(suspect->process)) {
                ++suspect;
                continue;
            }
            log_(fmt::format("worker {} has died", suspect->worker.value));
            engine_.remove_worker(suspect->worker, Engine::Leaving::lost, "its worker has died", now_);
            suspect = suspects_.erase(suspect);
        }
    }

    /// What is too long for a message is no damage of the store: its receiver is given up.
    void send(Peer& peer, const Message& message) const {
        const std::string text = encode(message);
        try {
            peer.connection.channel().send(text);
        } catch (const Error& error) {
            log_(fmt::format("a connection is closed: {}", error.what()));
            peer.closed = true;
        }
    }

    void write_all() {
        for (auto& [descriptor, peer] : peers_) {
            if (!peer.connection.has_outgoing() && peer.watched == EPOLLIN) continue;
            if (!peer.connection.write()) peer.closed = true;
            const std::size_t left = peer.connection.channel().outgoing().size();
            const std::uint32_t wanted = (left <= most_outgoing ? EPOLLIN : 0U) | (left > 0 ? EPOLLOUT : 0U);
            if (wanted == peer.watched) continue;
            peer.watched = wanted;
            watch(descriptor, wanted);
        }
    }

    void drop_closed() {
        for (auto place = peers_.begin(); place != peers_.end();) {
            Peer& peer = place->second;
            if (!peer.connection.is_open() && peer.since + greeting_time <= now_.steady) peer.closed = true;
            if (!peer.closed || !peer.messages.empty()) {
                ++place;
                continue;
            }
            if (peer.worker.value != 0 && peer.process != 0)
                suspects_.push_back({.worker = peer.worker, .process = peer.process});
            std::erase_if(waits_, [&](const Wait& wait) { return wait.descriptor == place->first; });
            place = peers_.erase(place);
        }
    }

    /// The store takes no changes: memory is ahead of it, and nobody may be told. Those who are connected are
    /// not listened to, or memory would get further ahead; the commit is tried again, with all that has
    /// changed.
    void block(const Error& error) {
        commit_again_ = now_.steady + retry_time;
        if (blocked_) return;
        log_(fmt::format("the store takes no changes: {}", error.what()));
        blocked_ = error;
        for (auto& [descriptor, peer] : peers_) {
            ::epoll_ctl(poll_.number(), EPOLL_CTL_DEL, descriptor, nullptr);
            peer.paused = true;
        }
    }

    void unblock() {
        log_("the store takes changes again");
        blocked_.reset();
        engine_.renew_all(now_);
        for (auto& [descriptor, peer] : peers_) {
            if (!std::exchange(peer.paused, false)) continue;
            peer.watched = EPOLLIN;
            watch(descriptor, EPOLLIN);
        }
    }

    /// Commands that connect meanwhile hear why; a worker is heard when the store takes changes again.
    void answer_that_it_is_blocked() {
        for (auto& [descriptor, peer] : peers_) {
            if (peer.paused) continue;
            while (!peer.messages.empty() && is_question(peer.messages.front())) {
                peer.messages.pop_front();
                send(peer, AnswerMessage{error_json(Error(
                               ErrorKind::environment,
                               fmt::format("the campaign's store takes no changes: {}", blocked_->what()),
                               "free some space on its disk; nothing is lost, and it goes on by itself"))});
            }
            if (!peer.messages.empty()) {
                ::epoll_ctl(poll_.number(), EPOLL_CTL_DEL, descriptor, nullptr);
                peer.paused = true;
            }
            if (!peer.connection.write()) peer.closed = true;
        }
        drop_closed();
    }

    Folder folder_;
    ServerOptions options_;
    std::function<void(const std::string&)> log_;
    FolderLock lock_;
    std::unique_ptr<Store> store_;
    Engine engine_;
    Secret secret_;
    Address address_;
    launch::Descriptor poll_;
    launch::Descriptor listen_;
    std::map<int, Peer> peers_;
    std::vector<Wait> waits_;
    std::vector<Suspect> suspects_;
    std::vector<Lease> leases_;
    std::map<JobId, Known> known_;
    std::optional<SteadyTime> accept_again_;
    Now now_ = current_time();
    std::optional<Error> blocked_;  ///< why the store takes no changes
    SteadyTime commit_again_;
    SteadyTime folder_again_ = current_time().steady + folder_time;
    bool ending_ = false;
};

Server::Server(const Folder& folder, const ServerOptions& options,
               std::function<void(const std::string&)> log)
    : loop_(std::make_unique<Loop>(folder, options, std::move(log))) {}
Server::~Server() = default;

const Address& Server::address() const { return loop_->address(); }

void Server::run(int stop) { loop_->run(stop); }

}  // namespace plimsoll::campaign
