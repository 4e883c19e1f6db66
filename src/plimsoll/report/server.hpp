#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/report/http.hpp"

namespace plimsoll::report {

/// News of a page: a newer one with its version, or why there is none.
struct Renewal {
    std::shared_ptr<const std::string> page;
    std::string version;
    std::string trouble;  ///< as JSON; empty where there is a page
};

/// Shows one page on one address until it is told to stop.
class Server {
  public:
    /// Listens on an IPv4 address such as 127.0.0.1; port 0 is one that is free. Throws an environment error
    /// where the address or port cannot be had.
    Server(const std::string& address, std::uint16_t port);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    [[nodiscard]] std::uint16_t port() const { return port_; }

    /// Answers requests until `stops` says so. It and `renewed` are asked ten times a second; those who
    /// follow the page's events are told of what is new. Connections that say nothing for ten seconds are
    /// closed, but for those. Of more than 64 the oldest one that was not answered makes room; where all
    /// were, the new one is refused.
    void run(
        Site site, const std::function<bool()>& stops,
        const std::function<std::optional<Renewal>()>& renewed = [] { return std::optional<Renewal>(); });

  private:
    int descriptor_ = -1;
    std::uint16_t port_ = 0;
};

/// So many random hexadecimal digits.
[[nodiscard]] std::string random_token(std::size_t digits);

}  // namespace plimsoll::report
