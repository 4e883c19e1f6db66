#include "plimsoll/campaign/client.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <nlohmann/json.hpp>

#include "plimsoll/campaign/detail/connection.hpp"
#include "plimsoll/campaign/messages.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {

using nlohmann::json;

namespace {

constexpr std::chrono::milliseconds connecting_time{5000};
constexpr const char* start_hint = "start the campaign's server with 'plimsoll campaign server start'";

ErrorKind kind_of(const std::string& word) {
    for (const ErrorKind kind : {ErrorKind::usage, ErrorKind::input, ErrorKind::environment}) {
        if (word == name(kind)) return kind;
    }
    return ErrorKind::internal;
}

Connection connected(const Folder& folder) {
    const auto address = folder.address();
    if (!address || (is_here(*address) && !is_running(address->process)))
        throw Error(ErrorKind::environment, fmt::format("{}: no server runs", folder.path()), start_hint);
    return {connect_to(address->host, address->port, connecting_time),
            Channel(Channel::Role::client, folder.secret())};
}

}  // namespace

struct Client::State {
    Folder folder;
    Connection connection;
};

Client::Client(const Folder& folder) : state_(std::make_unique<State>(State{folder, connected(folder)})) {}
Client::~Client() = default;

json Client::ask(json question, std::chrono::seconds within) {
    Connection& connection = state_->connection;
    AskMessage ask;
    if (const auto lines = question.find("lines"); lines != question.end() && lines->is_string()) {
        ask.lines = std::move(lines->get_ref<std::string&>());
        question.erase(lines);
    }
    ask.text = question.dump(-1, ' ', false, json::error_handler_t::replace);
    connection.channel().send(encode(ask));
    const auto deadline = std::chrono::steady_clock::now() + within;
    std::string text;
    bool there = true;
    while (!connection.channel().next(text)) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            throw Error(ErrorKind::environment,
                        fmt::format("the server has not answered for {} s", within.count()),
                        fmt::format("see {}", state_->folder.log()));
        }
        if (!there || !connection.write()) {
            throw Error(ErrorKind::environment, "the server has gone before it answered",
                        fmt::format("see {}, and {}", state_->folder.log(), start_hint));
        }
        const short events = connection.has_outgoing() ? POLLIN | POLLOUT : POLLIN;
        pollfd wait{.fd = connection.descriptor(), .events = events, .revents = 0};
        if (::poll(&wait, 1, static_cast<int>(left.count())) == 1) there = connection.read();
    }
    const Message message = decode(text);
    const auto* const answer = std::get_if<AnswerMessage>(&message);
    if (answer == nullptr)
        throw Error(ErrorKind::input, "the server answers with something else", start_hint);
    json result = json::parse(answer->text);
    if (const auto error = result.find("error"); error != result.end()) {
        throw Error(kind_of(error->value("kind", "")), error->value("message", ""), error->value("hint", ""));
    }
    return std::move(result.at("ok"));
}

bool is_served(const Folder& folder) {
    try {
        Client client(folder);
        (void)client.ask({{"verb", "totals"}});
        return true;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::environment) throw;
        return false;
    }
}

bool is_here(const Address& address) { return address.machine == machine_name(); }

bool is_running(std::int64_t process) { return !process_is_gone(process); }

}  // namespace plimsoll::campaign
