#include "kernels/prefix_sum.hpp"

#include <vector>

#include "kernels/meeting_point.hpp"
#include "kernels/operation_count.hpp"

namespace plimsoll::kernels {

std::uint64_t prefix_sum(const Team& team, std::span<const std::uint64_t> values,
                         std::span<std::uint64_t> sums, int rounds) {
    std::vector<std::uint64_t> starts(team.size());
    std::uint64_t serial_additions = 0;
    MeetingPoint parts_are_summed(team, [&] {
        std::uint64_t before = 0;
        for (std::uint64_t& start : starts) {
            const std::uint64_t part = start;
            start = before;
            before += part;
            ++serial_additions;
        }
    });
    OperationCount additions(team);
    team.run([&](Member me) {
        const Range mine = me.share(values.size());
        for (int round = 0; round < rounds; ++round) {
            std::uint64_t part = 0;
            for (std::size_t i = mine.begin; i < mine.end; ++i) {
                part += values[i];
            }
            starts[me.rank] = part;
            parts_are_summed.meet();
            std::uint64_t sum = starts[me.rank];
            for (std::size_t i = mine.begin; i < mine.end; ++i) {
                sum += values[i];
                sums[i] = sum;
            }
            additions.add(me, 2 * (mine.end - mine.begin));
        }
    });
    return additions.total() + serial_additions;
}

bool are_prefix_sums(std::span<const std::uint64_t> values, std::span<const std::uint64_t> sums) {
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (sums[i] - before != values[i]) {
            return false;
        }
        before = sums[i];
    }
    return true;
}

}  // namespace plimsoll::kernels
