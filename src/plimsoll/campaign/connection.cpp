#include "plimsoll/campaign/detail/connection.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {

namespace {

struct FreeAddresses {
    void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses addresses_of(const std::string& host, std::uint16_t port, int flags) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &list);
    if (code != 0) {
        throw Error(ErrorKind::environment, fmt::format("{}: {}", host, ::gai_strerror(code)),
                    "check the host's name");
    }
    return Addresses(list);
}

}  // namespace

bool Connection::read() {
    std::array<char, 1U << 16U> buffer;         // NOLINT(*-member-init): it is filled by recv
    for (int round = 0; round < 16; ++round) {  // then others have their turn
        const ssize_t got = ::recv(descriptor(), buffer.data(), buffer.size(), 0);
        if (got > 0) {
            channel_.receive(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
            if (static_cast<std::size_t>(got) < buffer.size()) return true;
        } else if (got == 0) {
            return false;
        } else if (errno != EINTR) {
            return errno == EAGAIN || errno == EWOULDBLOCK;
        }
    }
    return true;
}

bool Connection::write() {
    std::string& out = channel_.outgoing();
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t sent = ::send(descriptor(), out.data() + done, out.size() - done, MSG_NOSIGNAL);
        if (sent >= 0) {
            done += static_cast<std::size_t>(sent);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            break;
        } else if (errno != EINTR) {
            return false;
        }
    }
    out.erase(0, done);
    return true;
}

launch::Descriptor connect_to(const std::string& host, std::uint16_t port, std::chrono::milliseconds within) {
    int reason = 0;
    const Addresses list = addresses_of(host, port, 0);
    for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next) {
        launch::Descriptor socket(
            ::socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol));
        if (socket.number() < 0) {
            reason = errno;
            continue;
        }
        if (::connect(socket.number(), at->ai_addr, at->ai_addrlen) != 0) {
            reason = errno;
            pollfd wait{.fd = socket.number(), .events = POLLOUT, .revents = 0};
            if (reason != EINPROGRESS || ::poll(&wait, 1, static_cast<int>(within.count())) != 1) {
                if (reason == EINPROGRESS) reason = ETIMEDOUT;
                continue;
            }
            socklen_t size = sizeof reason;
            ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &reason, &size);
            if (reason != 0) continue;
        }
        prepare_socket(socket.number());
        return socket;
    }
    throw Error(ErrorKind::environment, fmt::format("{} port {}: {}", host, port, std::strerror(reason)),
                "start the campaign's server with 'plimsoll campaign server start'");
}

Listener listen_on(const std::string& host, std::uint16_t port) {
    int reason = 0;
    const Addresses list = addresses_of(host, port, AI_PASSIVE);
    for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next) {
        launch::Descriptor socket(
            ::socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol));
        const int on = 1;
        if (socket.number() >= 0) ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (socket.number() < 0 || ::bind(socket.number(), at->ai_addr, at->ai_addrlen) != 0 ||
            ::listen(socket.number(), SOMAXCONN) != 0) {
            reason = errno;
            continue;
        }
        sockaddr_storage bound{};
        socklen_t size = sizeof bound;
        ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&bound), &size);
        const in_port_t number = bound.ss_family == AF_INET6
                                     ? reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port
                                     : reinterpret_cast<const sockaddr_in*>(&bound)->sin_port;
        return {.socket = std::move(socket), .port = ntohs(number)};
    }
    throw Error(ErrorKind::environment,
                fmt::format("cannot listen on {} port {}: {}", host, port, std::strerror(reason)),
                "choose another address with --bind, or another port with --port");
}

void prepare_socket(int socket) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

std::string machine_name() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

bool process_is_gone(std::int64_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string text;
    if (!std::getline(file, text)) return true;
    const std::size_t name_end = text.rfind(')');
    return name_end != std::string::npos && name_end + 2 < text.size() &&
           (text[name_end + 2] == 'Z' || text[name_end + 2] == 'X');
}

}  // namespace plimsoll::campaign
