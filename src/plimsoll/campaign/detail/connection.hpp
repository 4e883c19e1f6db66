#pragma once

#include <chrono>
#include <string>

#include "plimsoll/campaign/channel.hpp"
#include "plimsoll/launch/process.hpp"

namespace plimsoll::campaign {

/// A socket that does not block, with its channel.
class Connection {
  public:
    Connection(launch::Descriptor socket, Channel channel)
        : socket_(std::move(socket)), channel_(std::move(channel)) {}

    /// Reads what there is. False where the other end has closed or is gone.
    [[nodiscard]] bool read();
    /// Writes what the socket takes now. False where the other end is gone.
    [[nodiscard]] bool write();

    [[nodiscard]] Channel& channel() { return channel_; }
    [[nodiscard]] int descriptor() const { return socket_.number(); }
    [[nodiscard]] bool is_open() const { return channel_.is_open(); }
    [[nodiscard]] bool has_outgoing() { return !channel_.outgoing().empty(); }

  private:
    launch::Descriptor socket_;
    Channel channel_;
};

/// Connects within a time. Throws an environment error with the reason.
[[nodiscard]] launch::Descriptor connect_to(const std::string& host, std::uint16_t port,
                                            std::chrono::milliseconds within);

/// A listening socket, and the port that it got where 0 was asked for.
struct Listener {
    launch::Descriptor socket;
    std::uint16_t port = 0;
};
[[nodiscard]] Listener listen_on(const std::string& host, std::uint16_t port);

/// Lets small messages leave at once.
void prepare_socket(int socket);

/// This machine's name.
[[nodiscard]] std::string machine_name();

/// Whether no process with this id runs here any more; a zombie does not run.
[[nodiscard]] bool process_is_gone(std::int64_t process);

}  // namespace plimsoll::campaign
