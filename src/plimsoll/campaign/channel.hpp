#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace plimsoll::campaign {

/// What a campaign's server, workers and commands share: 32 random bytes.
using Secret = std::array<unsigned char, 32>;

/// A fresh secret.
[[nodiscard]] Secret make_secret();

/// Text of random hexadecimal digits, for names that must not meet.
[[nodiscard]] std::string random_name(std::size_t digits);

/// One end of a connection, without its socket: bytes that came go in, messages come out, and the other way
/// round.
///
/// Both ends first prove that they know the secret, each over a random number of the other's (HMAC), and say
/// which version they speak; the secret itself never travels. Then each message is a frame: its length in
/// four bytes, the highest first, and its text, encrypted and authenticated in order with keys made from the
/// secret and the two random numbers (libsodium's secretstream). What is changed, repeated, left out or
/// longer than allowed is an input error, after which the connection is of no use. See
/// docs/formats/campaign-protocol.md.
class Channel {
  public:
    enum class Role { client, server };

    static constexpr std::uint16_t version = 1;
    static constexpr std::size_t longest_message = 64U << 20U;  ///< bytes

    Channel(Role role, const Secret& secret);
    Channel(Channel&&) noexcept;
    Channel& operator=(Channel&&) noexcept;
    ~Channel();

    /// Takes bytes that came. Throws an input error on what no honest other end would send.
    void receive(std::string_view bytes);

    /// The next whole message, in order; false where there is none yet.
    [[nodiscard]] bool next(std::string& message);

    /// Queues a message; it waits for the greeting to end.
    void send(std::string_view message);

    /// Bytes to write to the socket; the caller erases what it has written.
    [[nodiscard]] std::string& outgoing();

    /// Whether the other end has proved itself.
    [[nodiscard]] bool is_open() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace plimsoll::campaign
