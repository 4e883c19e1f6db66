#include "plimsoll/report/server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "plimsoll/core/error.hpp"

namespace plimsoll::report {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_connections = 64;
constexpr std::chrono::seconds patience{10};

/// One browser's request, and what is left to send of the answer.
struct Connection {
    int descriptor = -1;
    std::string received;
    std::string waiting;                                ///< head and body, or events
    std::shared_ptr<const std::string> page = nullptr;  ///< follows what is waiting, as it was when asked for
    std::size_t sent = 0;                               ///< of `waiting`, then of the page
    bool is_answered = false;
    bool follows_events = false;
    Clock::time_point last = Clock::now();  ///< when something came or went

    [[nodiscard]] std::string_view left() const {
        if (sent < waiting.size()) return std::string_view(waiting).substr(sent);
        return page ? std::string_view(*page).substr(sent - waiting.size()) : std::string_view{};
    }

    /// Adds to the events; a comment that says nothing keeps lines through tunnels open.
    void tell(std::string_view events) {
        if (left().empty()) {
            waiting.clear();
            sent = 0;
        }
        waiting += events;
    }
};

/// Reads, and answers once the head is whole. False where the other side has gone.
bool receive(Connection& connection, const Site& site) {
    std::array<char, 4096> buffer{};
    const ssize_t count = ::recv(connection.descriptor, buffer.data(), buffer.size(), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    if (connection.is_answered) return true;  // who follows events has nothing more to say
    connection.last = Clock::now();
    connection.received.append(buffer.data(), static_cast<std::size_t>(count));
    const bool is_whole = connection.received.find("\r\n\r\n") != std::string::npos;
    if (!is_whole && connection.received.size() <= longest_head) return true;
    const Answer reply =
        connection.received.size() > longest_head ? too_long() : answer(connection.received, site);
    connection.waiting = reply.head + reply.body;
    if (reply.follows == Follows::page) connection.page = site.page;
    connection.follows_events = reply.follows == Follows::events;
    connection.is_answered = true;
    return true;
}

/// Sends what the other side takes. False once all is sent, or the other side has gone.
bool send(Connection& connection) {
    const std::string_view left = connection.left();
    if (left.empty()) return connection.follows_events;
    const ssize_t count = ::send(connection.descriptor, left.data(), left.size(), MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    connection.last = Clock::now();
    connection.sent += static_cast<std::size_t>(count);
    return true;
}

/// What a connection waits for.
short awaited(const Connection& connection) {
    if (!connection.is_answered) return POLLIN;
    const bool has_more = !connection.follows_events || !connection.left().empty();
    return static_cast<short>((connection.follows_events ? POLLIN : 0) | (has_more ? POLLOUT : 0));
}

/// Serves a connection that is ready. False where it has ended.
bool serve(Connection& connection, short ready, const Site& site) {
    if ((ready & (POLLERR | POLLNVAL)) != 0) return false;
    if (!connection.is_answered) return receive(connection, site);
    if (connection.follows_events && (ready & (POLLIN | POLLHUP)) != 0 && !receive(connection, site))
        return false;
    return (ready & POLLOUT) == 0 ? connection.follows_events : send(connection);
}

/// Closes, after what is still coming was read: else the answer could be lost with it.
void close(const Connection& connection) {
    ::shutdown(connection.descriptor, SHUT_WR);
    std::array<char, 4096> buffer{};
    for (int i = 0; i < 16 && ::recv(connection.descriptor, buffer.data(), buffer.size(), MSG_DONTWAIT) > 0;
         ++i) {
    }
    ::close(connection.descriptor);
}

Error no_address(const std::string& address, std::uint16_t port) {
    return {ErrorKind::environment,
            fmt::format("cannot serve on {}:{}: {}", address, port, std::strerror(errno)),
            "choose another port with --port, or leave it out"};
}

}  // namespace

Server::Server(const std::string& address, std::uint16_t port) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    if (::inet_pton(AF_INET, address.c_str(), &where.sin_addr) != 1) {
        throw Error(ErrorKind::usage, fmt::format("--bind: '{}' is no IPv4 address", address),
                    "give one of this machine's, such as 127.0.0.1");
    }
    descriptor_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    auto* const generic =
        reinterpret_cast<sockaddr*>(&where);  // NOLINT(*-reinterpret-cast): as the system has it
    socklen_t length = sizeof where;
    if (descriptor_ < 0) throw no_address(address, port);
    if (::setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        ::bind(descriptor_, generic, length) != 0 || ::listen(descriptor_, SOMAXCONN) != 0 ||
        ::getsockname(descriptor_, generic, &length) != 0) {
        const int failure = errno;
        ::close(descriptor_);
        errno = failure;
        throw no_address(address, port);
    }
    port_ = ntohs(where.sin_port);
}

Server::~Server() { ::close(descriptor_); }

void Server::run(Site site, const std::function<bool()>& stops,
                 const std::function<std::optional<Renewal>()>& renewed) {
    constexpr std::chrono::seconds pulse{4};
    std::vector<Connection> connections;
    Clock::time_point rests_until{};  // from taking connections
    const auto drop = [&](std::size_t i) {
        close(connections[i]);
        connections.erase(connections.begin() + static_cast<std::ptrdiff_t>(i));
    };
    while (!stops()) {
        if (std::optional<Renewal> news = renewed()) {
            site.trouble = std::move(news->trouble);
            if (news->page) {
                site.page = std::move(news->page);
                site.version = std::move(news->version);
            }
            for (Connection& connection : connections) {
                if (connection.follows_events) connection.tell(events_of(site));
            }
        }
        // Whom the system has no descriptor for waits in the queue meanwhile, and nobody spins.
        const bool accepts = Clock::now() >= rests_until;
        const short wanted = accepts ? POLLIN : 0;
        std::vector<pollfd> waits{{.fd = descriptor_, .events = wanted, .revents = 0}};
        for (Connection& connection : connections) {
            if (connection.follows_events && connection.left().empty() &&
                Clock::now() - connection.last > pulse)
                connection.tell(":\n\n");
            waits.push_back({.fd = connection.descriptor, .events = awaited(connection), .revents = 0});
        }
        constexpr int tenth = 100;  // ms
        if (::poll(waits.data(), waits.size(), tenth) < 0 && errno != EINTR)
            throw Error(ErrorKind::environment,
                        fmt::format("cannot wait for requests: {}", std::strerror(errno)), "start it again");
        for (std::size_t i = connections.size(); i-- > 0;) {
            const short ready = waits[i + 1].revents;
            bool stays = Clock::now() - connections[i].last < patience;
            if (ready != 0 && stays) stays = serve(connections[i], ready, site);
            if (!stays) drop(i);
        }
        if (waits.front().revents == 0) continue;
        const int descriptor = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (descriptor < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                rests_until = Clock::now() + std::chrono::milliseconds(tenth);
            continue;
        }
        if (connections.size() == most_connections) {
            // Who was answered has shown the token, and stays; strangers make room for one another.
            const auto stranger = std::find_if(connections.begin(), connections.end(),
                                               [](const Connection& c) { return !c.is_answered; });
            if (stranger == connections.end()) {
                ::close(descriptor);
                continue;
            }
            drop(static_cast<std::size_t>(stranger - connections.begin()));
        }
        connections.push_back({.descriptor = descriptor, .received = {}, .waiting = {}});
    }
    while (!connections.empty()) drop(connections.size() - 1);
}

std::string random_token(std::size_t digits) {
    constexpr std::string_view hexadecimal = "0123456789abcdef";
    std::vector<unsigned char> bytes(digits);
    if (::getentropy(bytes.data(), bytes.size()) != 0)
        throw Error(ErrorKind::environment, "the system gives no random numbers", "try again");
    std::string token;
    for (const unsigned char byte : bytes) token += hexadecimal[byte & 15U];
    return token;
}

}  // namespace plimsoll::report
