#include "plimsoll/checkpoint/detail/aligned_buffer.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace plimsoll::checkpoint::detail {

AlignedBuffer::AlignedBuffer(std::uint64_t bytes) {
    if (bytes == 0) return;
    const std::uint64_t rounded = (bytes + page_bytes - 1) / page_bytes * page_bytes;
    void* const memory = ::mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    ::madvise(memory, rounded, MADV_HUGEPAGE);  // a wish: fewer page faults while it is filled
    bytes_ = {static_cast<std::byte*>(memory), rounded};
}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
}

AlignedBuffer::~AlignedBuffer() {
    if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace plimsoll::checkpoint::detail
