#include "kernels/gather_rounds.hpp"

#include "kernels/meeting_point.hpp"

namespace plimsoll::kernels {

Gathered gather_rounds(const Team& team, std::size_t rounds, std::size_t values) {
    std::vector<std::vector<double>> owned(team.size(), std::vector<double>(values, 0.0));
    Gathered gathered{.sums = std::vector<double>(rounds, 0.0)};
    std::size_t finished = 0;
    MeetingPoint all_have_stepped(team, [&] {
        double sum = 0.0;
        for (const std::vector<double>& numbers : owned) {
            for (const double number : numbers) {
                sum += number;
            }
            gathered.additions += numbers.size();
        }
        gathered.sums[finished++] = sum;
    });
    team.run([&](Member me) {
        for (std::size_t round = 0; round < rounds; ++round) {
            owned[me.rank][round % values] += 1.0;
            all_have_stepped.meet();
        }
    });
    return gathered;
}

bool all_met(const Gathered& gathered, std::size_t threads) {
    double expected = 0.0;
    for (const double sum : gathered.sums) {
        expected += static_cast<double>(threads);
        if (sum != expected) {
            return false;
        }
    }
    return !gathered.sums.empty();
}

}  // namespace plimsoll::kernels
