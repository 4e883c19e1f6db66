#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "plimsoll/campaign/folder.hpp"

namespace plimsoll::campaign {

/// Asks a campaign's server, one question after another.
class Client {
  public:
    /// Connects. Throws an environment error where no server is there.
    explicit Client(const Folder& folder);
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client();

    /// The server's answer to a question `{"verb": …}`. Throws the error that the server answers with, and an
    /// environment error where it is gone or silent for `within`.
    [[nodiscard]] nlohmann::json ask(nlohmann::json question,
                                     std::chrono::seconds within = std::chrono::seconds(60));

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Whether a server answers for this campaign.
[[nodiscard]] bool is_served(const Folder& folder);

/// Whether the server that left an address ran on this machine.
[[nodiscard]] bool is_here(const Address& address);

/// Whether a process of this machine runs; a zombie does not.
[[nodiscard]] bool is_running(std::int64_t process);

}  // namespace plimsoll::campaign
