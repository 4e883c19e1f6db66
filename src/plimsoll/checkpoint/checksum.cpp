#include "plimsoll/checkpoint/detail/checksum.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming): the library's switch
#include <xxhash.h>

#include <array>

#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint::detail {

std::uint64_t checksum(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t checksum(std::string_view text) { return checksum(std::as_bytes(std::span(text))); }

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::optional<std::uint64_t> from_hex(std::string_view text) {
    if (text.size() != 16) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text) {
        if (c >= '0' && c <= '9') {
            value = value << 4U | static_cast<std::uint64_t>(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            value = value << 4U | static_cast<std::uint64_t>(c - 'a' + 10);
        } else {
            return std::nullopt;
        }
    }
    return value;
}

std::string random_id() {
    std::array<std::uint64_t, 2> words{};
    if (::getrandom(words.data(), sizeof(words), 0) != static_cast<ssize_t>(sizeof(words)))
        throw Error(ErrorKind::environment, "the system gives no random numbers", "check /dev/urandom");
    return hex(words[0]) + hex(words[1]);
}

}  // namespace plimsoll::checkpoint::detail
