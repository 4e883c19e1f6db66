#include "kernels/binary_search.hpp"

#include "kernels/operation_count.hpp"

namespace plimsoll::kernels {

std::uint64_t find_positions(const Team& team, std::span<const std::uint64_t> table,
                             std::span<const std::uint64_t> queries, std::span<std::size_t> positions) {
    OperationCount comparisons(team);
    team.run([&](Member me) {
        const Range mine = me.share(queries.size());
        std::uint64_t count = 0;
        for (std::size_t i = mine.begin; i < mine.end; ++i) {
            const std::uint64_t query = queries[i];
            std::size_t position = 0;
            std::size_t length = table.size();
            while (length > 0) {
                const std::size_t half = length / 2;
                if (table[position + half] < query) {
                    position += half + 1;
                    length -= half + 1;
                } else {
                    length = half;
                }
                ++count;
            }
            positions[i] = position;
        }
        comparisons.add(me, count);
    });
    return comparisons.total();
}

bool are_positions(std::span<const std::uint64_t> table, std::span<const std::uint64_t> queries,
                   std::span<const std::size_t> positions) {
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const std::size_t position = positions[i];
        if (position > table.size() || (position > 0 && table[position - 1] >= queries[i]) ||
            (position < table.size() && table[position] < queries[i])) {
            return false;
        }
    }
    return true;
}

}  // namespace plimsoll::kernels
