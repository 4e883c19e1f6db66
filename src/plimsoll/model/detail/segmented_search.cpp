#include "plimsoll/model/detail/segmented_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plimsoll::model::detail {

namespace {

// Extra-P's constants.
constexpr std::size_t window = SegmentedSearch::fewest_values;
constexpr double heterogeneous_error = 0.5;
constexpr double heterogeneous_ratio = 4.0;
constexpr double marked_error = 0.1;

/// Windows over a change, or nothing where the points are of one behaviour.
std::vector<std::size_t> marked_windows(std::span<const double> errors) {
    double largest_error = 0.0;
    double largest_ratio = 0.0;
    std::vector<std::size_t> marks;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const double ratio = i == 0 ? 0.0 : errors[i] / (errors[i - 1] + 1e-16);
        largest_error =
            std::max(largest_error, errors[i]);  // max keeps the first where the second is no number
        largest_ratio = std::max(largest_ratio, ratio);
        if (errors[i] >= marked_error || ratio > heterogeneous_ratio) marks.push_back(i);
    }
    const bool heterogeneous = largest_error > heterogeneous_error || largest_ratio > heterogeneous_ratio;
    return heterogeneous ? marks : std::vector<std::size_t>{};
}

}  // namespace

SegmentedSearch::SegmentedSearch(std::span<const double> x, const FitOptions& options,
                                 std::span<const Form> forms)
    : order_(x.size()), options_(&options), forms_(forms.begin(), forms.end()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    for (const std::size_t i : order_) x_.push_back(x[i]);
}

bool SegmentedSearch::dropped_logarithms() const {
    return too_small_for_logarithms(x_, *options_) &&
           std::any_of(forms_.begin(), forms_.end(),
                       [](const Form& form) { return !form.log_exponent.is_zero(); });
}

const BasicSearch& SegmentedSearch::search(std::size_t begin, std::size_t end) {
    const auto found = searches_.find({begin, end});
    if (found != searches_.end()) return found->second;
    const std::span<const double> part(x_.data() + begin, end - begin);
    return searches_.try_emplace({begin, end}, part, *options_, forms_).first->second;
}

SingleModel SegmentedSearch::fit_range(std::span<const double> y, std::size_t begin, std::size_t end) {
    return search(begin, end).fit(Values(y.subspan(begin, end - begin)));
}

SegmentedModel SegmentedSearch::fit(const Values& values) {
    const std::size_t n = x_.size();
    std::vector<double> y;
    for (const std::size_t i : order_) y.push_back(values.y[i]);
    const SegmentedModel whole{
        .first = fit_range(y, 0, n), .second = {}, .first_count = n, .second_begin = n};
    if (n < window) return whole;  // Extra-P crashes here

    std::vector<double> errors;
    for (std::size_t i = 0; i + window <= n; ++i) {
        errors.push_back(std::abs(fit_range(y, i, i + window).normalized_rss()));
    }
    const std::vector<std::size_t> marks = marked_windows(errors);
    if (marks.empty()) return whole;

    SegmentedModel model;
    const std::size_t middle = marks[marks.size() / 2];
    if (marks.size() == 3) {
        const std::size_t change = middle + window / 2;  // belongs to both segments
        model.first_count = change + 1;
        model.second_begin = change;
    } else {
        // The window before; before the first comes the last, in Extra-P.
        const std::size_t before = middle == 0 ? errors.size() - 1 : middle - 1;
        model.first_count = before + window / 2 + 1;
        model.second_begin = model.first_count;
    }
    model.first = fit_range(y, 0, model.first_count);
    model.second = fit_range(y, model.second_begin, n);
    return model;
}

}  // namespace plimsoll::model::detail
