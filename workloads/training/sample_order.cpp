#include "training/sample_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support/random_stream.hpp"

namespace plimsoll::training_workload {

std::vector<std::uint64_t> epoch_order(std::size_t size, std::uint64_t seed, std::size_t epoch) {
    std::vector<std::uint64_t> order(size);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    workloads::RandomStream random(seed, "order", epoch);
    for (std::size_t left = size; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
    return order;
}

std::span<const std::uint64_t> share_of(std::span<const std::uint64_t> order, std::size_t step,
                                        std::size_t batch, Place place) {
    const std::size_t begin = std::min((step * place.ranks + place.rank) * batch, order.size());
    return order.subspan(begin, std::min(batch, order.size() - begin));
}

}  // namespace plimsoll::training_workload
