#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "plimsoll/campaign/messages.hpp"
#include "plimsoll/core/error.hpp"

/// Arbitrary bytes are refused with an input error, or are a message that is the same when it is written and
/// read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace plimsoll;
    try {
        const std::string text =
            campaign::encode(campaign::decode(std::string_view(reinterpret_cast<const char*>(data), size)));
        PLIMSOLL_EXPECT(campaign::encode(campaign::decode(text)) == text);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
    }
    return 0;
}
