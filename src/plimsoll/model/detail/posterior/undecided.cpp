#include "plimsoll/model/detail/posterior/undecided.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace plimsoll::model::detail {

namespace {

constexpr double least_probability = 0.05;  // of the other form
constexpr double least_ratio = 0.1;         // of its probability to the named one's
constexpr double least_difference = 0.1;    // of the predictions, relative
constexpr double clear_deviations = 5.0;    // between the predictions, of the noise of one run
constexpr std::size_t most_combinations = 512;

std::vector<std::vector<double>> values_of_axes(std::span<const double> points, std::size_t parameters) {
    std::vector<std::set<double>> distinct(parameters);
    for (std::size_t i = 0; i < points.size(); ++i) distinct[i % parameters].insert(points[i]);
    std::vector<std::vector<double>> axes;
    axes.reserve(parameters);
    for (const std::set<double>& values : distinct) axes.emplace_back(values.begin(), values.end());
    return axes;
}

/// Points that could be measured next.
std::vector<std::vector<double>> candidates(std::span<const double> points, std::size_t parameters) {
    const std::vector<std::vector<double>> axes = values_of_axes(points, parameters);
    std::set<std::vector<double>> measured;
    for (std::size_t i = 0; i < points.size(); i += parameters) {
        measured.emplace(points.begin() + static_cast<std::ptrdiff_t>(i),
                         points.begin() + static_cast<std::ptrdiff_t>(i + parameters));
    }
    std::vector<std::vector<double>> next;
    std::size_t combinations = 1;
    for (const std::vector<double>& axis : axes) combinations *= axis.size();
    if (combinations <= most_combinations) {
        for (std::size_t c = 0; c < combinations; ++c) {
            std::vector<double> point;
            std::size_t rest = c;
            for (const std::vector<double>& axis : axes) {
                point.push_back(axis[rest % axis.size()]);
                rest /= axis.size();
            }
            if (!measured.contains(point)) next.push_back(std::move(point));
        }
    }
    for (std::size_t axis = 0; axis < parameters; ++axis) {
        const std::vector<double>& values = axes[axis];
        if (values.size() < 2) continue;
        std::vector<double> point;
        point.reserve(axes.size());
        for (const std::vector<double>& others : axes) point.push_back(others.front());
        const double last = values.back();
        const double before = values[values.size() - 2];
        const bool by_factor = values.size() > 2 && before > 0.0 &&
                               std::abs(last / before - before / values[values.size() - 3]) < 1e-9;
        point[axis] = by_factor ? last * last / before : last + (last - before);
        next.push_back(std::move(point));
    }
    return next;
}

}  // namespace

std::optional<Undecided> find_undecided(const Posterior& posterior, std::size_t named,
                                        std::span<const double> points, std::size_t parameters) {
    const WeighedForm ours = posterior.forms[named];
    std::optional<Undecided> found;
    std::vector<std::vector<double>> next;  // only made where it is needed
    double least_cost = 0.0;
    const double noise = std::isfinite(posterior.run_deviation) ? posterior.run_deviation : 0.0;
    for (std::size_t other = 0; other < posterior.forms.size(); ++other) {
        if (!posterior.forms.range(other).is_last()) continue;
        const WeighedForm theirs = posterior.forms[other];
        if (theirs.probability < least_probability || theirs.probability < least_ratio * ours.probability)
            break;
        if (other == named) continue;
        if (next.empty()) next = candidates(points, parameters);
        for (const std::vector<double>& point : next) {
            if (!ours.range.holds(point.front()) || !theirs.range.holds(point.front())) continue;
            const double a = ours.function(point);
            const double b = theirs.function(point);
            if (!std::isfinite(a) || !std::isfinite(b)) continue;
            const double size = std::max(std::abs(a), std::abs(b));
            const double difference = std::abs(a - b) / size;
            if (size == 0.0 || difference < std::max(least_difference, clear_deviations * noise)) continue;
            const double cost = std::min(std::abs(a), std::abs(b));
            if (found && cost >= least_cost) continue;
            least_cost = cost;
            found = Undecided{.other = other, .point = point};
        }
        if (found) return found;
    }
    return found;
}

}  // namespace plimsoll::model::detail
