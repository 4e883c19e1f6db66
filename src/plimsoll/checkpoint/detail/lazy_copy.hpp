#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace plimsoll::checkpoint::detail {

/// Bytes that are copied at once; such places in memory have whole large pages of x86-64 and AArch64.
inline constexpr std::uint64_t granule_bytes = std::uint64_t{2} << 20;

/// A copy of memory as it is now that is made later, while the program goes on.
///
/// The memory is write-protected, in granules. Whoever comes first copies a granule and lifts its protection:
/// a thread in `copy_all`, one that needs the copy, or one of the program's, which a page fault (SIGSEGV)
/// stops when it writes there. So nobody waits for another's turn, and the copy is that of the beginning.
///
/// What writes past the pages' protection is not stopped by it: the system (`read` fails with EFAULT) and
/// devices (which write).
class LazyCopy {
  public:
    /// Whole pages, and where they are to be copied to.
    struct Range {
        std::span<const std::byte> source;
        std::byte* into = nullptr;
    };

    /// Protects the memory. Ranges do not overlap. What cannot be protected is copied at once.
    explicit LazyCopy(std::vector<Range> ranges);
    LazyCopy(const LazyCopy&) = delete;
    LazyCopy& operator=(const LazyCopy&) = delete;
    ~LazyCopy();

    /// Returns once all is copied; does what is left, from the front.
    void copy_all();
    /// The same from the back: most programs write from the front, and so does the thread that brings the
    /// copy to the disk. Those who come from both sides do not wait for each other.
    void copy_all_from_the_back();
    /// The same for what goes to these bytes.
    void copy_into(std::span<const std::byte> into);
    [[nodiscard]] bool covers(const std::byte* begin, const std::byte* end) const;

    /// Called by the handler of page faults; false where the place is not this copy's.
    [[nodiscard]] bool answer_fault(const std::byte* place) noexcept;
    /// Lifts the protection of all without a copy: in the child of a fork, which has no use for it.
    void abandon() noexcept;

  private:
    enum class State : std::uint8_t { clean, copying, copied };
    struct Part {
        Range range;
        std::size_t first = 0;  ///< its first granule
        std::size_t count = 0;  ///< granules
    };

    [[nodiscard]] static Range granule(const Part& part, std::size_t index) noexcept;
    /// Copies it, or waits for who does; false where its protection could not be lifted.
    [[nodiscard]] bool copy_granule(const Part& part, std::size_t index) noexcept;
    void copy_granules(const Part& part, std::size_t begin, std::size_t end) noexcept;
    void forget();

    std::vector<Part> parts_;             ///< by place in memory
    std::vector<std::size_t> by_target_;  ///< their numbers, by where they are copied to
    std::unique_ptr<std::atomic<State>[]> states_;
    std::mutex ending_;
    bool is_known_ = false;  ///< to the handler
};

/// What can be protected begins and ends at a multiple of it.
[[nodiscard]] std::uint64_t system_page_bytes();

}  // namespace plimsoll::checkpoint::detail
