#include "plimsoll/profile/detail/warm_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/text.hpp"
#include "plimsoll/numeric/robust_deviation.hpp"

namespace plimsoll::profile::detail {

namespace {

/// How long a run that is a step took: its slowest process counts.
double time_of(const Run& run) {
    double longest = 0.0;
    for (const Part* const part : run.parts) longest = std::max(longest, part->step->duration);
    return longest;
}

/// Which file a step of the first process comes from, and which kind of its steps it is. A folder may have
/// several of a process: repetitions, each with a warm-up of its own.
using Sequence = std::pair<std::string, std::string>;

Sequence sequence_of(const Run& run) {
    const Part& part = *run.parts.front();
    return {part.place.file, part.step->kind};
}

}  // namespace

std::size_t warm_up_steps(std::span<const double> times) {
    constexpr std::size_t fewest = 4;
    constexpr double deviations = 5.0;
    constexpr double share = 0.2;
    if (times.size() < fewest) return 0;
    const std::span<const double> later = times.subspan(times.size() / 2);
    std::vector<double> sorted(later.begin(), later.end());
    std::sort(sorted.begin(), sorted.end());
    const double median = 0.5 * (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]);
    const double usual = median + std::max(deviations * numeric::robust_deviation(later), share * median);
    std::size_t count = 0;
    while (count < times.size() / 2 && times[count] > usual) ++count;
    return count;
}

void drop_warm_up(std::vector<Run>& runs, experiment::ExperimentBuilder& builder) {
    std::map<Sequence, std::vector<std::size_t>> sequences;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].parts.front()->step) sequences[sequence_of(runs[i])].push_back(i);
    }
    std::vector<bool> is_warm_up(runs.size(), false);
    for (auto& [key, steps] : sequences) {
        std::stable_sort(steps.begin(), steps.end(), [&](std::size_t a, std::size_t b) {
            return runs[a].parts.front()->step->begin < runs[b].parts.front()->step->begin;
        });
        std::vector<double> times;
        for (const std::size_t step : steps) times.push_back(time_of(runs[step]));
        const std::size_t count = warm_up_steps(times);
        for (std::size_t i = 0; i < count; ++i) is_warm_up[steps[i]] = true;
        if (count > 0) {
            builder.note(runs[steps.front()].place(),
                         fmt::format("left out: {} that took longer than later ones, as warm-up",
                                     counted(count, "first step")));
        }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (is_warm_up[i]) continue;
        if (kept != i) runs[kept] = std::move(runs[i]);
        ++kept;
    }
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(kept), runs.end());
}

}  // namespace plimsoll::profile::detail
