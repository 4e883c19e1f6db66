#include "plimsoll/checkpoint/detail/lazy_copy.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "plimsoll/checkpoint/detail/checked_copy.hpp"
#include "plimsoll/checkpoint/detail/fault_handler.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

int set_protection(std::span<const std::byte> memory, int protection) {
    return ::mprotect(const_cast<std::byte*>(memory.data()), memory.size(), protection);
}

/// Number of the granule, counted from address 0, that a place lies in.
std::uint64_t granule_number(const std::byte* place) {
    return reinterpret_cast<std::uintptr_t>(place) / granule_bytes;
}

}  // namespace

std::uint64_t system_page_bytes() {
    static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

LazyCopy::LazyCopy(std::vector<Range> ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return a.source.data() < b.source.data(); });
    std::size_t granules = 0;
    for (const Range& range : ranges) {
        const std::byte* const last = range.source.data() + range.source.size() - 1;
        const std::size_t count = granule_number(last) - granule_number(range.source.data()) + 1;
        parts_.push_back({.range = range, .first = granules, .count = count});
        granules += count;
    }
    by_target_.resize(parts_.size());
    std::iota(by_target_.begin(), by_target_.end(), std::size_t{0});
    std::sort(by_target_.begin(), by_target_.end(),
              [&](std::size_t a, std::size_t b) { return parts_[a].range.into < parts_[b].range.into; });
    states_ = std::make_unique<std::atomic<State>[]>(granules);
    watch_faults(*this);
    is_known_ = true;
    for (const Part& part : parts_) {
        if (set_protection(part.range.source, PROT_READ) != 0) copy_granules(part, 0, part.count);
    }
}

LazyCopy::~LazyCopy() { copy_all(); }

LazyCopy::Range LazyCopy::granule(const Part& part, std::size_t index) noexcept {
    const std::byte* const begin = part.range.source.data();
    const std::byte* const end = begin + part.range.source.size();
    // Where it begins and ends within the range; the first and last may be cut off.
    const std::uint64_t skipped = reinterpret_cast<std::uintptr_t>(begin) % granule_bytes;
    const std::uint64_t from = index == 0 ? 0 : index * granule_bytes - skipped;
    const std::uint64_t to =
        std::min((index + 1) * granule_bytes - skipped, static_cast<std::uint64_t>(end - begin));
    return {.source = part.range.source.subspan(from, to - from), .into = part.range.into + from};
}

bool LazyCopy::copy_granule(const Part& part, std::size_t index) noexcept {
    std::atomic<State>& state = states_[part.first + index];
    State expected = State::clean;
    if (!state.compare_exchange_strong(expected, State::copying)) {
        while (state.load(std::memory_order_acquire) != State::copied) ::sched_yield();
        return true;
    }
    const Range range = granule(part, index);
    copy_past_cache(range.into, range.source.data(), range.source.size());
    const bool is_free = set_protection(range.source, PROT_READ | PROT_WRITE) == 0;
    state.store(State::copied, std::memory_order_release);
    return is_free;
}

void LazyCopy::copy_granules(const Part& part, std::size_t begin, std::size_t end) noexcept {
    bool are_free = true;
    for (std::size_t i = begin; i < end; ++i) are_free = copy_granule(part, i) && are_free;
    if (are_free) return;
    // The system has a bound on ranges of different protection. The whole is one, once all of it is copied.
    for (std::size_t i = 0; i < part.count; ++i) static_cast<void>(copy_granule(part, i));
    set_protection(part.range.source, PROT_READ | PROT_WRITE);
}

void LazyCopy::copy_all() {
    {
        const SignalsHeldBack held_back;
        for (const std::size_t p : by_target_) copy_granules(parts_[p], 0, parts_[p].count);
    }
    forget();
}

void LazyCopy::copy_all_from_the_back() {
    {
        const SignalsHeldBack held_back;
        for (std::size_t p = parts_.size(); p-- > 0;) {
            const Part& part = parts_[by_target_[p]];
            for (std::size_t i = part.count; i-- > 0;) copy_granules(part, i, i + 1);
        }
    }
    forget();
}

void LazyCopy::forget() {
    const std::lock_guard lock(ending_);
    if (std::exchange(is_known_, false)) forget_faults(*this);
}

void LazyCopy::copy_into(std::span<const std::byte> into) {
    const std::byte* const begin = into.data();
    const std::byte* const end = begin + into.size();
    const auto end_of = [&](std::size_t p) { return parts_[p].range.into + parts_[p].range.source.size(); };
    auto p = std::partition_point(by_target_.begin(), by_target_.end(),
                                  [&](std::size_t part) { return end_of(part) <= begin; });
    const SignalsHeldBack held_back;
    for (; p != by_target_.end() && parts_[*p].range.into < end; ++p) {
        const Part& part = parts_[*p];
        const std::byte* const first = std::max<const std::byte*>(begin, part.range.into);
        const std::byte* const last = std::min<const std::byte*>(end, end_of(*p)) - 1;
        const auto index_of = [&](const std::byte* target) {
            const std::byte* const source = part.range.source.data();
            return granule_number(source + (target - part.range.into)) - granule_number(source);
        };
        copy_granules(part, index_of(first), index_of(last) + 1);
    }
}

bool LazyCopy::covers(const std::byte* begin, const std::byte* end) const {
    return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
        return part.range.source.data() < end && begin < part.range.source.data() + part.range.source.size();
    });
}

bool LazyCopy::answer_fault(const std::byte* place) noexcept {
    const auto part = std::partition_point(parts_.begin(), parts_.end(), [&](const Part& p) {
        return p.range.source.data() + p.range.source.size() <= place;
    });
    if (part == parts_.end() || place < part->range.source.data()) return false;
    const std::size_t index = granule_number(place) - granule_number(part->range.source.data());
    copy_granules(*part, index, index + 1);
    return true;
}

void LazyCopy::abandon() noexcept {
    for (const Part& part : parts_) {
        set_protection(part.range.source, PROT_READ | PROT_WRITE);
        for (std::size_t i = 0; i < part.count; ++i) states_[part.first + i].store(State::copied);
    }
}

}  // namespace plimsoll::checkpoint::detail
