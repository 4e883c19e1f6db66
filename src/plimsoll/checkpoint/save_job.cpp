#include "plimsoll/checkpoint/detail/save_job.hpp"

#include <algorithm>
#include <cstring>

namespace plimsoll::checkpoint::detail {

void for_each_piece(const SaveJob::Pack& pack, std::uint64_t begin, std::uint64_t end,
                    const std::function<void(const std::byte* source, std::uint64_t size)>& call) {
    std::uint64_t done = begin;
    const auto fill_up_to = [&](std::uint64_t at) {
        if (at > done) call(nullptr, at - done);
        done = at;
    };
    // The part of a source at [at, at + size) that lies in what is wanted.
    const auto add = [&](std::uint64_t at, const std::byte* source, std::uint64_t size) {
        const std::uint64_t from = std::max(at, begin);
        const std::uint64_t to = std::min(at + size, end);
        if (from >= to) return;
        fill_up_to(from);
        call(source + (from - at), to - from);
        done = to;
    };
    add(0, reinterpret_cast<const std::byte*>(pack.plan.header.data()), pack.plan.header.size());
    const auto& tensors = pack.plan.tensors;
    const auto first = std::partition_point(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
        return tensor.at + tensor.bytes <= begin;
    });
    for (auto i = static_cast<std::size_t>(first - tensors.begin());
         i < tensors.size() && tensors[i].at < end; ++i)
        add(tensors[i].at, pack.sources[i].data(), tensors[i].bytes);
    fill_up_to(end);
}

void copy_pack(const SaveJob::Pack& pack, std::uint64_t begin, std::span<std::byte> into) {
    std::byte* to = into.data();
    for_each_piece(pack, begin, begin + into.size(), [&](const std::byte* source, std::uint64_t size) {
        if (source == nullptr) {
            std::memset(to, 0, size);
        } else {
            std::memcpy(to, source, size);
        }
        to += size;
    });
}

}  // namespace plimsoll::checkpoint::detail
