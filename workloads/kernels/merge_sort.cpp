#include "kernels/merge_sort.hpp"

#include <algorithm>

#include "kernels/meeting_point.hpp"
#include "kernels/operation_count.hpp"

namespace plimsoll::kernels {

namespace {

using Values = std::span<std::uint64_t>;

/// Merges the sorted values[0, middle) and values[middle, size); returns the comparisons.
std::uint64_t merge(Values values, Values scratch, std::size_t middle) {
    if (middle == values.size()) {
        return 0;
    }
    std::copy_n(values.begin(), middle, scratch.begin());
    std::size_t left = 0;
    std::size_t right = middle;
    std::size_t out = 0;
    while (left < middle && right < values.size()) {
        if (values[right] < scratch[left]) {
            values[out++] = values[right++];
        } else {
            values[out++] = scratch[left++];
        }
    }
    const std::uint64_t comparisons = out;  // each one placed one value
    std::copy(scratch.begin() + static_cast<std::ptrdiff_t>(left),
              scratch.begin() + static_cast<std::ptrdiff_t>(middle),
              values.begin() + static_cast<std::ptrdiff_t>(out));
    return comparisons;
}

std::uint64_t merge_sort(Values values, Values scratch) {
    if (values.size() < 2) {
        return 0;
    }
    const std::size_t middle = values.size() / 2;
    return merge_sort(values.first(middle), scratch.first(middle)) +
           merge_sort(values.subspan(middle), scratch.subspan(middle)) + merge(values, scratch, middle);
}

}  // namespace

std::uint64_t sort_rows(const Team& team, Values values, Values scratch, std::size_t length) {
    const std::size_t rows = values.size() / length;
    OperationCount comparisons(team);
    MeetingPoint parts_are_sorted(team);
    team.run([&](Member me) {
        const Range part = me.share(length);
        std::uint64_t count = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t begin = row * length + part.begin;
            const std::size_t size = part.end - part.begin;
            count += merge_sort(values.subspan(begin, size), scratch.subspan(begin, size));
        }
        // `width` neighbouring parts are sorted as one, and neighbours of that width get merged.
        for (std::size_t width = 1; width < me.team_size; width *= 2) {
            parts_are_sorted.meet();
            const auto start_of = [&](std::size_t index) {
                const std::size_t parts = me.team_size;
                return index < parts ? Member{.rank = index, .team_size = parts}.share(length).begin : length;
            };
            const std::size_t merges_a_row = (me.team_size + 2 * width - 1) / (2 * width);
            const Range merges = me.share(rows * merges_a_row);
            for (std::size_t i = merges.begin; i < merges.end; ++i) {
                const std::size_t first = 2 * width * (i % merges_a_row);
                const std::size_t begin = start_of(first);
                const std::size_t middle = start_of(first + width) - begin;
                const std::size_t size = start_of(first + 2 * width) - begin;
                const std::size_t offset = (i / merges_a_row) * length + begin;
                count += merge(values.subspan(offset, size), scratch.subspan(offset, size), middle);
            }
        }
        comparisons.add(me, count);
    });
    return comparisons.total();
}

bool rows_are_sorted(std::span<const std::uint64_t> sorted, std::span<const std::uint64_t> original,
                     std::size_t length) {
    for (std::size_t begin = 0; begin < sorted.size(); begin += length) {
        const auto after = sorted.subspan(begin, length);
        std::uint64_t sums = 0;
        std::uint64_t squares = 0;
        for (std::size_t i = 0; i < length; ++i) {
            const std::uint64_t before = original[begin + i];
            sums += after[i] - before;
            squares += after[i] * after[i] - before * before;
        }
        if (sums != 0 || squares != 0 || !std::is_sorted(after.begin(), after.end())) {
            return false;
        }
    }
    return true;
}

}  // namespace plimsoll::kernels
