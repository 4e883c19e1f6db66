#include "plimsoll/report/server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

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
    std::string waiting;   ///< head and body
    std::size_t sent = 0;  ///< of `waiting`, then of the page
    bool is_answered = false;
    bool with_page = false;
    Clock::time_point last = Clock::now();  ///< when something came or went
};

/// Reads, and answers once the head is whole. False where the other side has gone.
bool receive(Connection& connection, const Site& site) {
    std::array<char, 4096> buffer{};
    const ssize_t count = ::recv(connection.descriptor, buffer.data(), buffer.size(), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    connection.last = Clock::now();
    connection.received.append(buffer.data(), static_cast<std::size_t>(count));
    const bool is_whole = connection.received.find("\r\n\r\n") != std::string::npos;
    if (!is_whole && connection.received.size() <= longest_head) return true;
    const Answer reply =
        connection.received.size() > longest_head ? too_long() : answer(connection.received, site);
    connection.waiting = reply.head + reply.body;
    connection.with_page = reply.with_page;
    connection.is_answered = true;
    return true;
}

/// Sends what the other side takes. False once all is sent, or the other side has gone.
bool send(Connection& connection, const Site& site) {
    const std::size_t head = connection.waiting.size();
    const std::string_view left =
        connection.sent < head ? std::string_view(connection.waiting).substr(connection.sent)
        : connection.with_page ? std::string_view(site.page).substr(connection.sent - head)
                               : std::string_view{};
    if (left.empty()) return false;
    const ssize_t count = ::send(connection.descriptor, left.data(), left.size(), MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    connection.last = Clock::now();
    connection.sent += static_cast<std::size_t>(count);
    return true;
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

void Server::run(const Site& site, const std::function<bool()>& stops) {
    std::vector<Connection> connections;
    const auto drop = [&](std::size_t i) {
        close(connections[i]);
        connections.erase(connections.begin() + static_cast<std::ptrdiff_t>(i));
    };
    while (!stops()) {
        std::vector<pollfd> waits{{.fd = descriptor_, .events = POLLIN, .revents = 0}};
        for (const Connection& connection : connections)
            waits.push_back({.fd = connection.descriptor,
                             .events = static_cast<short>(connection.is_answered ? POLLOUT : POLLIN),
                             .revents = 0});
        constexpr int tenth = 100;  // ms
        if (::poll(waits.data(), waits.size(), tenth) < 0 && errno != EINTR)
            throw Error(ErrorKind::environment,
                        fmt::format("cannot wait for requests: {}", std::strerror(errno)), "start it again");
        for (std::size_t i = connections.size(); i-- > 0;) {
            const bool is_ready = waits[i + 1].revents != 0;
            bool stays = Clock::now() - connections[i].last < patience;
            if (is_ready && stays)
                stays =
                    connections[i].is_answered ? send(connections[i], site) : receive(connections[i], site);
            if (!stays) drop(i);
        }
        if (waits.front().revents == 0) continue;
        const int descriptor = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (descriptor < 0) continue;
        if (connections.size() == most_connections) drop(0);
        connections.push_back({.descriptor = descriptor});
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
