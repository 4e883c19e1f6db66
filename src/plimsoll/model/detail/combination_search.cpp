#include "plimsoll/model/detail/combination_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plimsoll/numeric/centered_design.hpp"
#include "plimsoll/numeric/least_squares.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr double least_share = 0.0005;  // Extra-P's constant: a term below it everywhere is refused
// A pivot of the unit-diagonal Gram matrix below this leaves less than half of the digits to the normal
// equations.
constexpr double smallest_pivot = 1e-7;
// Columns whose lengths lie further apart than this may fall under the cut-off of the singular values.
constexpr double largest_ratio = 1e12;

// Scores that agree so far are told apart by rounding alone.
constexpr double equal_scores = 1e-9;
constexpr double exact_fit = 1e-12;  // relative error that rounding leaves of an exact fit

/// Sum of relative errors or of squares; only its order counts.
double rank(std::span<const double> predictions, std::span<const double> y, Ranking ranking) {
    double score = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double d = std::abs(predictions[i] - y[i]);
        const double scale = std::abs(y[i]) + std::abs(predictions[i]);
        if (ranking == Ranking::rss) {
            score += d * d;
        } else if (scale != 0.0) {
            score += d / scale;
        }
    }
    return score;
}

/// What rounding leaves of the score of an exact fit.
double negligible_score(std::span<const double> y, Ranking ranking) {
    const auto n = static_cast<double>(y.size());
    if (ranking == Ranking::smape) return n * exact_fit;
    double squares = 0.0;
    for (const double value : y) squares += value * value;
    return squares * exact_fit * exact_fit;
}

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace

ProductTable::ProductTable(std::span<const std::vector<double>> axis_values,
                           std::span<const CombinationForm> forms)
    : points_(axis_values.front().size()) {
    for (const CombinationForm& form : forms) {
        PlacedForm placed{.form = &form, .places = {}};
        for (const std::uint32_t product : form) {
            if (place_of(product) == products_.size()) add_column(product, axis_values);
            placed.places.push_back(place_of(product));
        }
        forms_.push_back(std::move(placed));
    }
    const std::size_t count = products_.size();
    gram_.assign(count * count, 0.0);
    for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            gram_[a * count + b] = gram_[b * count + a] = dot(centered_[a], centered_[b]);
        }
    }
}

/// Position in the lists; their length for a product that is not there.
std::size_t ProductTable::place_of(std::uint32_t product) const {
    return static_cast<std::size_t>(std::find(products_.begin(), products_.end(), product) -
                                    products_.begin());
}

void ProductTable::add_column(std::uint32_t product, std::span<const std::vector<double>> axis_values) {
    std::vector<double> column(points_, 1.0);
    for (std::size_t axis = 0; axis < axis_values.size(); ++axis) {
        if ((product >> axis & 1U) == 0) continue;
        for (std::size_t i = 0; i < points_; ++i) column[i] *= axis_values[axis][i];
    }
    const double mean = numeric::mean(column);
    std::vector<double> centered = column;
    for (double& value : centered) value -= mean;
    const double norm = std::sqrt(dot(centered, centered));
    const double length = std::sqrt(dot(column, column));
    finite_ = finite_ && std::isfinite(length * length);
    const double scale = norm > 0.0 ? 1.0 / norm : 0.0;
    for (double& value : centered) value *= scale;
    products_.push_back(product);
    columns_.push_back(std::move(column));
    centered_.push_back(std::move(centered));
    means_.push_back(mean);
    norms_.push_back(norm);
    lengths_.push_back(length);
}

/// Cholesky factor of the form's part of the Gram matrix; false where its columns are dependent to rounding.
bool ProductTable::factor(const PlacedForm& form, Workspace& space) const {
    const std::size_t k = form.places.size();
    const std::size_t products = products_.size();
    if (!(length_ratio(form) < largest_ratio)) return false;
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j)
            space.part[i * k + j] = gram_[form.places[i] * products + form.places[j]];
    }
    return numeric::factor_cholesky(space.part, k, smallest_pivot, space.lower);
}

ProductTable::Workspace ProductTable::make_workspace() const {
    std::size_t widest = 0;
    for (const PlacedForm& form : forms_) widest = std::max(widest, form.places.size());
    return {.coefficients = std::vector<double>(widest + 1),
            .part = std::vector<double>(widest * widest),
            .lower = std::vector<double>(widest * widest)};
}

/// Constant and coefficients of a form, in the workspace.
std::span<const double> ProductTable::solve(const PlacedForm& form, std::span<const double> y,
                                            std::span<const double> projections, double mean,
                                            Refinement refinement, Workspace& space) const {
    const std::span<const std::size_t> places = form.places;
    const std::size_t k = places.size();
    const std::span<double> coefficients = std::span(space.coefficients).first(k + 1);
    if (factor(form, space)) {
        const std::span<double> slopes = coefficients.subspan(1);
        for (std::size_t i = 0; i < k; ++i) slopes[i] = projections[places[i]];
        numeric::solve_cholesky(space.lower, k, slopes);
        if (refinement == Refinement::once) {
            // The residual carries the digits that the normal equations lost (iterative refinement).
            std::vector<double> residual(y.begin(), y.end());
            std::vector<double> correction(k);
            for (std::size_t row = 0; row < points_; ++row) {
                residual[row] -= mean;
                for (std::size_t i = 0; i < k; ++i) residual[row] -= slopes[i] * centered_[places[i]][row];
            }
            for (std::size_t i = 0; i < k; ++i) correction[i] = dot(centered_[places[i]], residual);
            numeric::solve_cholesky(space.lower, k, correction);
            for (std::size_t i = 0; i < k; ++i) slopes[i] += correction[i];
        }
        coefficients[0] = mean;
        for (std::size_t i = 0; i < k; ++i) {
            slopes[i] /= norms_[places[i]];
            coefficients[0] -= slopes[i] * means_[places[i]];
        }
        return coefficients;
    }
    std::ranges::copy(solve_by_lapack(form, y), coefficients.begin());
    return coefficients;
}

std::vector<double> ProductTable::solve_by_lapack(const PlacedForm& form, std::span<const double> y) const {
    std::vector<double> matrix;
    matrix.reserve(points_ * (form.places.size() + 1));
    for (std::size_t row = 0; row < points_; ++row) {
        matrix.push_back(1.0);
        for (const std::size_t place : form.places) matrix.push_back(columns_[place][row]);
    }
    return numeric::solve_least_squares(matrix, form.places.size() + 1, y, numeric::RankCutOff::keep_most);
}

/// Ratio of the longest column to the shortest centered one: what singular values without scaling lose.
double ProductTable::length_ratio(const PlacedForm& form) const {
    double longest = std::sqrt(static_cast<double>(points_));
    double shortest = longest;
    for (const std::size_t place : form.places) {
        longest = std::max(longest, lengths_[place]);
        shortest = std::min(shortest, norms_[place]);
    }
    return longest / shortest;
}

/// Extra-P's coefficients carry rounding errors of about 2^-52 times this ratio; past 1e-9 they are
/// reproduced.
bool ProductTable::needs_lapack(const PlacedForm& form) const { return !(length_ratio(form) < 1e7); }

/// Whether each term reaches the least share of some value; adds the form's predictions up on the way.
bool ProductTable::predict(const PlacedForm& form, std::span<const double> coefficients,
                           std::span<const double> y, std::span<double> predictions) const {
    std::fill(predictions.begin(), predictions.end(), coefficients[0]);
    bool contributes = true;
    for (std::size_t k = 0; k < form.places.size(); ++k) {
        const double coefficient = coefficients[k + 1];
        const std::vector<double>& column = columns_[form.places[k]];
        bool enough = false;
        for (std::size_t i = 0; i < points_; ++i) {
            const double part = coefficient * column[i];
            predictions[i] += part;
            // Not |part / y|: the quotient would cost as much as all the rest. 0/0 does not refuse a term.
            enough |= !(std::abs(part) < least_share * std::abs(y[i]));
        }
        contributes = contributes && coefficient != 0.0 && enough;
    }
    return contributes;
}

Combination ProductTable::choose(std::span<const double> y, Ranking ranking) const {
    Combination best{.form = forms_.front().form};
    if (!finite_) return best;
    const double mean = numeric::mean(y);
    std::vector<double> centered(y.begin(), y.end());
    for (double& value : centered) value -= mean;
    std::vector<double> projections;
    for (const std::vector<double>& column : centered_) projections.push_back(dot(column, centered));
    struct Candidate {
        const PlacedForm* form;
        double score;
    };
    std::vector<Candidate> candidates;
    std::vector<double> predictions(points_);
    Workspace space = make_workspace();
    for (const PlacedForm& form : forms_) {
        const std::span<const double> coefficients =
            solve(form, y, projections, mean, Refinement::none, space);
        const bool contributes = predict(form, coefficients, y, predictions);
        // The first form is taken unchecked.
        if (!contributes && !candidates.empty()) continue;
        candidates.push_back({.form = &form, .score = rank(predictions, y, ranking)});
    }
    double least = candidates.front().score;
    for (const Candidate& candidate : candidates) {
        if (candidate.score < least) least = candidate.score;
    }
    const double equal = least * (1.0 + equal_scores) + negligible_score(y, ranking);
    std::erase_if(candidates,
                  [&](const Candidate& c) { return &c != &candidates.front() && !(c.score <= equal); });
    if (candidates.size() > 1 && !(candidates.front().score <= equal)) candidates.erase(candidates.begin());
    if (candidates.size() == 1) {
        const PlacedForm& form = *candidates.front().form;
        best.form = form.form;
        if (needs_lapack(form)) {
            best.coefficients = solve_by_lapack(form, y);
        } else {
            const std::span<const double> coefficients =
                solve(form, y, projections, mean, Refinement::once, space);
            best.coefficients.assign(coefficients.begin(), coefficients.end());
        }
        return best;
    }
    double best_score = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : candidates) {
        std::vector<double> coefficients = solve_by_lapack(*candidate.form, y);
        (void)predict(*candidate.form, coefficients, y, predictions);
        const double score = rank(predictions, y, ranking);
        if (score < best_score || best.coefficients.empty()) {
            best_score = score;
            best.form = candidate.form->form;
            best.coefficients = std::move(coefficients);
        }
    }
    for (const Candidate& candidate : candidates) {
        if (candidate.form->form != best.form) best.equals.push_back(candidate.form->form);
    }
    return best;
}

SearchScores score_predictions(std::span<const double> predictions, std::span<const double> y,
                               std::size_t factor_count) {
    SearchScores scores;
    const auto n = static_cast<double>(y.size());
    const double mean = numeric::mean(y);
    double spread = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double d = predictions[i] - y[i];
        const double scale = std::abs(y[i]) + std::abs(predictions[i]);
        scores.rss += d * d;
        scores.relative_rss += (d / y[i]) * (d / y[i]);
        scores.relative_error += std::abs(d) / y[i] / n;
        if (scale != 0.0) scores.smape += 200.0 * std::abs(d) / scale / n;
        spread += (y[i] - mean) * (y[i] - mean);
    }
    scores.adjusted_r2 =
        1.0 - scores.rss / spread * (n - 1.0) / (n - static_cast<double>(factor_count) - 1.0);
    return scores;
}

}  // namespace plimsoll::model::detail
