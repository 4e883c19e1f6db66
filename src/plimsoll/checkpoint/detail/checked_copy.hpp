#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plimsoll::checkpoint::detail {

/// Copies pieces behind each other and takes the checksum of the whole on the way, so that memory is read
/// once: each byte is stored and added up from the register that it was loaded into. The copy goes past the
/// cache, where it would be of no use to the program.
class CheckedCopy {
  public:
    /// To fill all of `into`, which begins at a multiple of 64 bytes and has as many of them, 256 at least.
    explicit CheckedCopy(std::span<std::byte> into);

    void append(const std::byte* source, std::uint64_t size);
    void append_zeros(std::uint64_t size);
    /// As `checksum` of what was copied. All must be there.
    [[nodiscard]] std::uint64_t finish();

  private:
    static constexpr std::uint64_t line_bytes = 64;

    void append_lines(const std::byte* source, std::uint64_t lines);

    std::span<std::byte> into_;
    std::uint64_t line_ = 0;                         ///< lines that are done
    alignas(64) std::array<std::uint64_t, 8> sums_;  ///< XXH3's accumulators
    alignas(64) std::array<std::byte, line_bytes> begun_;
    std::uint64_t begun_bytes_ = 0;  ///< of a line that is not full yet
};

/// Copies past the cache. Also for memory that others write to once it is copied, and from within a signal's
/// handler; thread sanitizers do not look at it.
void copy_past_cache(std::byte* into, const std::byte* source, std::uint64_t size) noexcept;

}  // namespace plimsoll::checkpoint::detail
