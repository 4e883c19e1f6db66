#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "plimsoll/campaign/channel.hpp"
#include "plimsoll/core/error.hpp"

namespace {

using namespace plimsoll;

/// What a stranger sends is refused with an input error or waited on, and never taken for a message.
void feed(campaign::Channel& channel, std::string_view bytes) {
    std::string message;
    try {
        while (!bytes.empty()) {
            const std::size_t piece = 1 + static_cast<unsigned char>(bytes.front()) % 64;
            channel.receive(bytes.substr(0, piece));
            PLIMSOLL_EXPECT(!channel.next(message));
            bytes.remove_prefix(bytes.size() < piece ? bytes.size() : piece);
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
    }
}

}  // namespace

/// Bytes of a stranger: before the greeting to either end, and after it to a server that has an honest
/// client.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const campaign::Secret secret{};
    campaign::Channel server(campaign::Channel::Role::server, secret);
    feed(server, bytes);
    campaign::Channel client(campaign::Channel::Role::client, secret);
    feed(client, bytes);

    campaign::Channel honest(campaign::Channel::Role::client, secret);
    campaign::Channel open(campaign::Channel::Role::server, secret);
    for (int i = 0; i < 2; ++i) {
        open.receive(honest.outgoing());
        honest.outgoing().clear();
        honest.receive(open.outgoing());
        open.outgoing().clear();
    }
    PLIMSOLL_EXPECT(open.is_open());
    feed(open, bytes);
    return 0;
}
