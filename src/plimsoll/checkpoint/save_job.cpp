#include "plimsoll/checkpoint/detail/save_job.hpp"

#include <algorithm>
#include <cstring>

namespace plimsoll::checkpoint::detail {

void copy_pack(const SaveJob::Pack& pack, std::uint64_t begin, std::span<std::byte> into) {
    const std::uint64_t end = begin + into.size();
    std::uint64_t done = begin;
    // The part of a source at [at, at + size) that lies in what is wanted.
    const auto copy = [&](std::uint64_t at, const std::byte* source, std::uint64_t size) {
        const std::uint64_t from = std::max(at, begin);
        const std::uint64_t to = std::min(at + size, end);
        if (from >= to) return;
        std::memset(into.data() + (done - begin), 0, from - done);
        std::memcpy(into.data() + (from - begin), source + (from - at), to - from);
        done = to;
    };
    copy(0, reinterpret_cast<const std::byte*>(pack.plan.header.data()), pack.plan.header.size());
    const auto& tensors = pack.plan.tensors;
    const auto first = std::partition_point(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
        return tensor.at + tensor.bytes <= begin;
    });
    for (auto i = static_cast<std::size_t>(first - tensors.begin());
         i < tensors.size() && tensors[i].at < end; ++i)
        copy(tensors[i].at, pack.sources[i].data(), tensors[i].bytes);
    std::memset(into.data() + (done - begin), 0, end - done);
}

}  // namespace plimsoll::checkpoint::detail
