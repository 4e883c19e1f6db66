#include "plimsoll/campaign/channel.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <cstring>
#include <optional>
#include <vector>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {

namespace {

using Bytes = std::array<unsigned char, 32>;  ///< a nonce, a proof or a key

constexpr std::string_view magic = "PLIMSOLL";
constexpr std::size_t opening_bytes = magic.size() + 2 + sizeof(Bytes);
constexpr std::size_t length_bytes = 4;
constexpr std::size_t header_bytes = crypto_secretstream_xchacha20poly1305_HEADERBYTES;
constexpr std::size_t frame_overhead = crypto_secretstream_xchacha20poly1305_ABYTES;
static_assert(crypto_auth_BYTES == sizeof(Bytes) && crypto_auth_KEYBYTES == sizeof(Secret));
static_assert(crypto_secretstream_xchacha20poly1305_KEYBYTES == sizeof(Bytes));

void ready_library() {
    static const int status = sodium_init();
    PLIMSOLL_EXPECT(status >= 0);
}

std::string_view text_of(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
    throw Error(ErrorKind::input, "connection: " + what, hint);
}

}  // namespace

Secret make_secret() {
    ready_library();
    Secret secret;
    randombytes_buf(secret.data(), secret.size());
    return secret;
}

std::string random_name(std::size_t digits) {
    ready_library();
    std::string name;
    while (name.size() < digits) name += fmt::format("{:x}", randombytes_uniform(16));
    return name;
}

struct Channel::State {
    enum class Step { opening, proof, header, open };

    Role role;
    Secret secret;
    Step step = Step::opening;
    Bytes own_nonce{};
    Bytes other_nonce{};
    crypto_secretstream_xchacha20poly1305_state push{};
    crypto_secretstream_xchacha20poly1305_state pull{};
    std::string in;
    std::size_t taken = 0;  ///< of `in`, by messages that were given out
    std::string out;
    std::vector<std::string> early;  ///< sent before the greeting ended

    State(Role r, const Secret& s) : role(r), secret(s) {
        ready_library();
        randombytes_buf(own_nonce.data(), own_nonce.size());
        if (role == Role::client) write_opening();
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { sodium_memzero(secret.data(), secret.size()); }

    void write_opening() {
        out += magic;
        out += static_cast<char>(version >> 8U);
        out += static_cast<char>(version & 0xffU);
        out += text_of(own_nonce);
    }

    /// HMAC by the secret over a label and both nonces, the client's first.
    [[nodiscard]] Bytes derived(std::string_view label) const {
        std::string text(label);
        text += text_of(role == Role::client ? own_nonce : other_nonce);
        text += text_of(role == Role::client ? other_nonce : own_nonce);
        Bytes result;
        crypto_auth(result.data(), bytes_of(text), text.size(), secret.data());
        return result;
    }

    void write_header() {
        const Bytes key = derived(role == Role::client ? "key client to server" : "key server to client");
        std::array<unsigned char, header_bytes> header{};
        crypto_secretstream_xchacha20poly1305_init_push(&push, header.data(), key.data());
        out.append(reinterpret_cast<const char*>(header.data()), header.size());
    }

    /// The bytes that a step needs, once they are there.
    std::optional<std::string_view> take(std::size_t size) {
        if (in.size() - taken < size) return std::nullopt;
        const std::string_view bytes = std::string_view(in).substr(taken, size);
        taken += size;
        return bytes;
    }

    /// One step of the greeting; false where more bytes must come first.
    bool greet() {
        switch (step) {
            case Step::opening: {
                const auto bytes = take(opening_bytes);
                if (!bytes) {
                    const std::string_view begun = std::string_view(in).substr(taken, magic.size());
                    if (begun != magic.substr(0, begun.size())) not_ours();
                    return false;
                }
                if (!bytes->starts_with(magic)) not_ours();
                const auto high = static_cast<unsigned char>((*bytes)[magic.size()]);
                const auto low = static_cast<unsigned char>((*bytes)[magic.size() + 1]);
                if (const unsigned theirs = high * 256U + low; theirs != version) {
                    refuse(fmt::format("the other end speaks version {} of the protocol, this one {}", theirs,
                                       version),
                           "use one version of plimsoll for a campaign's server, workers and commands");
                }
                std::memcpy(other_nonce.data(), bytes->data() + magic.size() + 2, other_nonce.size());
                if (role == Role::server) {
                    write_opening();
                    out += text_of(derived("proof of the server"));
                }
                step = Step::proof;
                return true;
            }
            case Step::proof: {
                const auto bytes = take(sizeof(Bytes));
                if (!bytes) return false;
                const Bytes wanted =
                    derived(role == Role::client ? "proof of the server" : "proof of the client");
                if (sodium_memcmp(wanted.data(), bytes->data(), wanted.size()) != 0) {
                    refuse("the other end does not know the campaign's secret",
                           "give both ends the same campaign folder");
                }
                if (role == Role::client) out += text_of(derived("proof of the client"));
                write_header();
                step = Step::header;
                return true;
            }
            case Step::header: {
                const auto bytes = take(header_bytes);
                if (!bytes) return false;
                const Bytes key =
                    derived(role == Role::client ? "key server to client" : "key client to server");
                if (crypto_secretstream_xchacha20poly1305_init_pull(&pull, bytes_of(*bytes), key.data()) != 0)
                    refuse("its stream does not begin as one", "connect again");
                step = Step::open;
                for (const std::string& message : early) write_frame(message);
                early.clear();
                return true;
            }
            case Step::open: return false;
        }
        return false;
    }

    [[noreturn]] static void not_ours() {
        refuse("the other end is no plimsoll", "look at the address in the campaign's server.json");
    }

    void write_frame(std::string_view message) {
        const std::size_t size = message.size() + frame_overhead;
        for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(size >> shift & 0xffU);
        const std::size_t place = out.size();
        out.resize(place + size);
        crypto_secretstream_xchacha20poly1305_push(&push,
                                                   reinterpret_cast<unsigned char*>(out.data() + place),
                                                   nullptr, bytes_of(message), message.size(), nullptr, 0, 0);
    }

    bool next_frame(std::string& message) {
        const std::string_view rest = std::string_view(in).substr(taken);
        if (rest.size() < length_bytes) return false;
        std::size_t size = 0;
        for (std::size_t i = 0; i < length_bytes; ++i)
            size = size * 256 + static_cast<unsigned char>(rest[i]);
        if (size < frame_overhead || size > longest_message + frame_overhead)
            refuse(fmt::format("a message of {} bytes is announced", size), "connect again");
        if (rest.size() < length_bytes + size) return false;
        message.resize(size - frame_overhead);
        if (crypto_secretstream_xchacha20poly1305_pull(
                &pull, reinterpret_cast<unsigned char*>(message.data()), nullptr, nullptr,
                bytes_of(rest) + length_bytes, size, nullptr, 0) != 0)
            refuse("a message was changed on its way", "connect again");
        taken += length_bytes + size;
        if (taken == in.size()) {
            in.clear();
            taken = 0;
        }
        return true;
    }
};

Channel::Channel(Role role, const Secret& secret) : state_(std::make_unique<State>(role, secret)) {}
Channel::Channel(Channel&&) noexcept = default;
Channel& Channel::operator=(Channel&&) noexcept = default;
Channel::~Channel() = default;

void Channel::receive(std::string_view bytes) {
    if (state_->taken > 0) {
        state_->in.erase(0, state_->taken);
        state_->taken = 0;
    }
    state_->in += bytes;
    while (state_->step != State::Step::open && state_->greet()) {
    }
}

bool Channel::next(std::string& message) { return is_open() && state_->next_frame(message); }

void Channel::send(std::string_view message) {
    if (message.size() > longest_message) {
        throw Error(ErrorKind::input, fmt::format("a message of {} bytes is too long", message.size()),
                    "submit in several parts");
    }
    if (is_open()) {
        state_->write_frame(message);
    } else {
        state_->early.emplace_back(message);
    }
}

std::string& Channel::outgoing() { return state_->out; }

bool Channel::is_open() const { return state_->step == State::Step::open; }

}  // namespace plimsoll::campaign
