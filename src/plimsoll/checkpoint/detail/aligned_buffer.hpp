#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plimsoll::checkpoint::detail {

/// Page size that files and buffers are aligned to, in bytes; what direct I/O wants on today's disks.
inline constexpr std::uint64_t page_bytes = 4096;

/// Memory at a page boundary, of whole pages. Its pages are the system's until they are written to.
class AlignedBuffer {
  public:
    AlignedBuffer() = default;
    /// Throws std::bad_alloc where there is no memory.
    explicit AlignedBuffer(std::uint64_t bytes);
    AlignedBuffer(AlignedBuffer&& other) noexcept : bytes_(other.bytes_) { other.bytes_ = {}; }
    AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
    AlignedBuffer(const AlignedBuffer&) = delete;
    AlignedBuffer& operator=(const AlignedBuffer&) = delete;
    ~AlignedBuffer();

    [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

  private:
    std::span<std::byte> bytes_;
};

}  // namespace plimsoll::checkpoint::detail
