#include "plimsoll/profile/detail/periodic_steps.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace plimsoll::profile::detail {

namespace {

constexpr std::size_t fewest_periods = 3;

/// Where a name occurs, and the distance from one occurrence to the next that is the most frequent one.
struct Recurrence {
    std::vector<std::size_t> places;
    std::size_t distance = 0;  ///< 0: it varies
};

std::size_t usual_distance(const std::vector<std::size_t>& places) {
    constexpr double most = 0.8;  // of the distances: something may come between now and then
    if (places.size() < fewest_periods) return 0;
    std::map<std::size_t, std::size_t> counts;
    for (std::size_t i = 1; i < places.size(); ++i) ++counts[places[i] - places[i - 1]];
    const auto usual = std::max_element(counts.begin(), counts.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    const double share = static_cast<double>(usual->second) / static_cast<double>(places.size() - 1);
    return share >= most ? usual->first : 0;
}

/// Share of the names that recur one period later.
double recurring_share(std::span<const Occurrence> occurrences, std::size_t period) {
    std::size_t same = 0;
    for (std::size_t i = 0; i + period < occurrences.size(); ++i)
        same += occurrences[i].name == occurrences[i + period].name ? 1 : 0;
    return static_cast<double>(same) / static_cast<double>(occurrences.size() - period);
}

/// How long the device rests before each occurrence.
std::vector<double> rests(std::span<const Occurrence> occurrences) {
    std::vector<double> rests;
    double end = occurrences.front().begin;
    for (const Occurrence& o : occurrences) {
        rests.push_back(std::max(0.0, o.begin - end));
        end = std::max(end, o.end);
    }
    return rests;
}

/// The name that begins a step: of those that occur in nearly all steps, and least often otherwise, the one
/// before which the device rests longest.
const Recurrence* first_of_step(const std::map<std::uint32_t, Recurrence>& recurrences, std::size_t period,
                                const std::vector<double>& rest) {
    constexpr double nearly_all = 0.9;
    struct Candidate {
        const Recurrence* recurrence = nullptr;
        std::size_t regular = 0;    // distances that are the period
        std::size_t irregular = 0;  // longer ones: something came between
        std::size_t shorter = 0;    // it occurs more than once in a step
        double rest = 0.0;          // all in all
    };
    std::vector<Candidate> candidates;
    std::size_t most = 0;
    for (const auto& [name, recurrence] : recurrences) {
        if (recurrence.distance != period) continue;
        Candidate& candidate = candidates.emplace_back();
        candidate.recurrence = &recurrence;
        for (std::size_t i = 1; i < recurrence.places.size(); ++i) {
            const std::size_t distance = recurrence.places[i] - recurrence.places[i - 1];
            ++(distance == period  ? candidate.regular
               : distance < period ? candidate.shorter
                                   : candidate.irregular);
            candidate.rest += rest[recurrence.places[i]];
        }
        candidate.rest /= static_cast<double>(recurrence.places.size() - 1);
        most = std::max(most, candidate.regular);
    }
    std::erase_if(candidates, [&](const Candidate& c) {
        return static_cast<double>(c.regular) < nearly_all * static_cast<double>(most);
    });
    // Of equal ones that which comes first.
    const auto key = [](const Candidate& c) {
        return std::tuple(c.shorter, c.irregular, -c.rest, c.recurrence->places.front());
    };
    return std::min_element(candidates.begin(), candidates.end(),
                            [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); })
        ->recurrence;
}

}  // namespace

PeriodicSteps periodic_steps(std::span<const Occurrence> occurrences) {
    std::map<std::uint32_t, Recurrence> recurrences;
    for (std::size_t i = 0; i < occurrences.size(); ++i) recurrences[occurrences[i].name].places.push_back(i);
    std::set<std::size_t> periods;
    for (auto& [name, recurrence] : recurrences) {
        recurrence.distance = usual_distance(recurrence.places);
        // What does nothing else is no sequence of steps.
        if (recurrence.distance > 1 && fewest_periods * recurrence.distance <= occurrences.size())
            periods.insert(recurrence.distance);
    }
    constexpr double least_share = 0.9;
    constexpr double nearly = 0.98;
    constexpr std::size_t most_periods = 256;  // that are compared
    std::map<std::size_t, double> shares;
    double best = 0.0;
    for (const std::size_t period : periods) {
        if (shares.size() == most_periods) break;
        const double share = recurring_share(occurrences, period);
        shares.emplace(period, share);
        best = std::max(best, share);
    }
    const auto found = std::find_if(shares.begin(), shares.end(), [&](const auto& entry) {
        return entry.second >= std::max(least_share, nearly * best);
    });
    if (found == shares.end()) return {};

    const Recurrence* const first = first_of_step(recurrences, found->first, rests(occurrences));
    PeriodicSteps steps{.period = found->first, .boundaries = {}};
    for (const std::size_t place : first->places) steps.boundaries.push_back(occurrences[place].called);
    return steps;
}

}  // namespace plimsoll::profile::detail
