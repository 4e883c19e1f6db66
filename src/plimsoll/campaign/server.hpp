#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "plimsoll/campaign/folder.hpp"

namespace plimsoll::campaign {

/// How a server runs.
struct ServerOptions {
    std::string bind = "127.0.0.1";  ///< other interfaces only when asked for
    std::uint16_t port = 0;          ///< 0: any that is free
    std::chrono::milliseconds lease{30'000};
};

/// Serves a campaign: has its store open, gives its tasks to workers, and answers commands.
///
/// Whatever it tells anyone is stored before. It may be killed at any moment: the next one goes on from the
/// store, and workers come back to it with what they run.
class Server {
  public:
    /// Opens the store, listens, and leaves its address in the folder. Throws a usage error where another
    /// server has the campaign, and the store's errors.
    Server(const Folder& folder, const ServerOptions& options, std::function<void(const std::string&)> log);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    [[nodiscard]] const Address& address() const;

    /// Serves until `stop` (a signalfd) is readable, or a command asks for an end.
    void run(int stop);

  private:
    class Loop;
    std::unique_ptr<Loop> loop_;
};

}  // namespace plimsoll::campaign
