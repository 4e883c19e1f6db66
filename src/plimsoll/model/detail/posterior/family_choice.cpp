#include "plimsoll/model/detail/posterior/family_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plimsoll/model/detail/posterior/screening.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr double fall_deviations = 3.0;
// Log evidence by which a function's lines must be worse than the best one's, for it to be left out.
constexpr double ruled_out = 20.0;
// Of one function of each parameter: all pairs of rising ones, and ten of each of three; twelve where single
// lines, as those of a cross, tell functions apart less well.
constexpr double most_pairs = 4500.0;
constexpr double most_combinations = 1000.0;
constexpr double most_by_single_lines = 1728.0;

/// Most functions of each parameter in forms of three products of them, of which there are very many.
std::size_t most_leading(std::size_t parameters) { return parameters == 2 ? 10 : parameters == 3 ? 4 : 2; }

/// Most functions of each of three parameters in products of sums.
constexpr std::size_t most_in_sums = 12;

void shorten(FunctionsInQuestion& of_axis, std::size_t most) {
    if (of_axis.functions.size() <= most) return;
    of_axis.functions.resize(most);
    of_axis.misfits.resize(most);
}

/// How much larger than `least` residuals may be for a form to be of interest under some guess at the noise.
double most_misfit(double least, const NoiseEvidence& noise) {
    const auto n = static_cast<double>(noise.values.size());
    double most = 0.0;
    for (const NoisePrior& prior : noise.priors) {
        const double from_prior = prior.degrees_of_freedom * std::max(prior.variance, screening_floor);
        const double factor = std::expm1(ruled_out / (0.5 * (prior.degrees_of_freedom + n)));
        most = std::max(most, (from_prior + least) * factor);
    }
    return most;
}

}  // namespace

FamilyChoice::FamilyChoice(std::span<const double> points, std::size_t parameters,
                           std::optional<double> middle) {
    std::vector<double> coordinates(points.size() / parameters);
    tables_.reserve(parameters);
    for (std::size_t axis = 0; axis < parameters; ++axis) {
        for (std::size_t i = 0; i < coordinates.size(); ++i) coordinates[i] = points[i * parameters + axis];
        tables_.emplace_back(coordinates, axis, middle);
        const auto differs = [&](double x) { return x != coordinates.front(); };
        if (std::ranges::any_of(coordinates, differs)) varying_.push_back(axis);
    }
    if (varying_.empty()) varying_.push_back(0);
    for (const AxisTable& table : tables_) lines_.emplace_back(points, parameters, table);
}

/// Residual sums of squares of the lines along a parameter for each function, rising. Without lines the
/// functions that occur most, and no sums.
struct FamilyChoice::LineMisfits {
    std::vector<FunctionId> functions;
    std::vector<double> sums;
};

FamilyChoice::LineMisfits FamilyChoice::line_misfits(std::size_t axis, bool may_fall,
                                                     const NoiseEvidence& noise,
                                                     std::span<const double> weights) {
    LineMisfits misfits;
    if (lines_[axis].empty()) {
        for (const FunctionId f : common_functions()) {
            if (tables_[axis].is_usable(f)) misfits.functions.push_back(f);
        }
        return misfits;
    }
    const FunctionId end =
        may_fall ? static_cast<FunctionId>(axis_functions().size()) : falling_functions().front();
    const std::span<const double> rss = lines_[axis].rss(noise.values, weights);
    std::vector<std::pair<double, FunctionId>> scores;
    for (FunctionId f = 0; f < end; ++f) {
        if (tables_[axis].is_usable(f)) scores.emplace_back(rss[f], f);
    }
    std::sort(scores.begin(), scores.end());
    for (const auto& [sum, f] : scores) {
        misfits.functions.push_back(f);
        misfits.sums.push_back(sum);
    }
    return misfits;
}

/// Free exponents lie between listed ones, which may all be ruled out where the noise is small: the best
/// function of each power of logarithms, of several such, is kept as where to start from.
void FamilyChoice::add_starts(const LineMisfits& misfits, FunctionsInQuestion& kept) const {
    if (misfits.sums.empty()) return;
    const auto powers = [](FunctionId f) { return axis_functions()[f].log_exponent.numerator(); };
    const int most_powers = varying_.size() == 2 ? 2 : 0;
    for (int power = 0; power <= most_powers; ++power) {
        const auto has_power = [&](FunctionId f) { return powers(f) == power; };
        if (std::ranges::any_of(kept.functions, has_power)) continue;
        const auto best = std::ranges::find_if(misfits.functions, has_power);
        if (best == misfits.functions.end()) continue;
        kept.functions.push_back(*best);
        kept.misfits.push_back(std::numeric_limits<double>::infinity());
    }
}

const std::vector<FormFamily>& FamilyChoice::choose(const NoiseEvidence& noise,
                                                    std::span<const double> weights) {
    const std::size_t parameters = varying_.size();
    if (parameters == 1) {
        if (families_.empty()) families_ = families_of_one(tables_[varying_.front()]);
        return families_;
    }
    constexpr double unknown = 4e-4;  // two percent
    const double variance = std::isnan(noise.run_deviation) ? unknown : noise.priors.front().variance;
    std::vector<bool> falls;
    std::vector<LineMisfits> misfits;
    double least = 0.0;  // residuals along the worst parameter with the best function for it
    std::vector<const AxisTable*> tables;
    for (const std::size_t axis : varying_) {
        tables.push_back(&tables_[axis]);
        falls.push_back(lines_[axis].falls(noise.values, variance, fall_deviations));
        misfits.push_back(line_misfits(axis, falls.back(), noise, weights));
        if (!misfits.back().sums.empty()) least = std::max(least, misfits.back().sums.front());
    }
    // Residuals along one parameter add to those along another, so each function takes its part of the misfit
    // that a form may have.
    const double most = most_misfit(least, noise);
    std::vector<FunctionsInQuestion> kept;
    std::vector<FunctionsInQuestion> leading;
    std::vector<FunctionsInQuestion> in_sums;
    double combinations = 1.0;
    for (const auto& [functions, sums] : misfits) {
        FunctionsInQuestion& of_axis = kept.emplace_back();
        for (std::size_t i = 0; i < functions.size(); ++i) {
            const double part = sums.empty() ? 0.0 : (sums[i] - sums.front()) / most;
            if (part > 1.0) break;
            of_axis.functions.push_back(functions[i]);
            of_axis.misfits.push_back(part);
        }
        leading.push_back(of_axis);
        shorten(leading.back(), most_leading(parameters));
        in_sums.push_back(of_axis);
        shorten(in_sums.back(), most_in_sums);
        combinations *= static_cast<double>(std::max<std::size_t>(of_axis.functions.size(), 1));
    }
    const bool has_single_lines =
        std::ranges::any_of(varying_, [this](std::size_t axis) { return lines_[axis].size() < 2; });
    const double most_left = parameters == 2    ? most_pairs
                             : has_single_lines ? most_by_single_lines
                                                : most_combinations;
    while (combinations > most_left) {
        auto& longest = *std::max_element(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
            return a.functions.size() < b.functions.size();
        });
        const auto size = static_cast<double>(longest.functions.size());
        combinations *= (size - 1.0) / size;
        shorten(longest, longest.functions.size() - 1);
    }
    for (std::size_t i = 0; i < parameters; ++i) add_starts(misfits[i], kept[i]);
    families_ = form_families(tables, kept, leading, in_sums, falls);
    return families_;
}

}  // namespace plimsoll::model::detail
