#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plimsoll/report/http.hpp"

namespace plimsoll::report {

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

    /// Answers requests until `stops` says so, which is asked ten times a second. Connections that say
    /// nothing for ten seconds are closed, and so is the oldest of more than 64.
    void run(const Site& site, const std::function<bool()>& stops);

  private:
    int descriptor_ = -1;
    std::uint16_t port_ = 0;
};

/// So many random hexadecimal digits.
[[nodiscard]] std::string random_token(std::size_t digits);

}  // namespace plimsoll::report
