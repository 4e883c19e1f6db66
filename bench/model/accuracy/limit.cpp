#include "limit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "density.hpp"
#include "limit_two.hpp"
#include "line_pieces.hpp"
#include "plimsoll/core/parallel.hpp"
#include "plimsoll/core/progress.hpp"
#include "sums.hpp"
#include "truth.hpp"

namespace plimsoll::model::accuracy {
namespace {

std::vector<Form> forms_at(const std::vector<double>& points) {
    std::vector<Form> forms;
    for (const auto& [exponent, logarithms] : extra_p_classes()) {
        Form& form = forms.emplace_back();
        form.exponent = exponent;
        form.logarithms = logarithms;
        form.at_reference = form.ratio_at(reference);
        form.log_at_reference = std::log(form.at_reference);
        for (const double x : points) form.ratio.push_back(form.ratio_at(x));
    }
    return forms;
}

Prediction predict(const std::vector<Form>& forms, const std::vector<Piece>& pieces,
                   const std::vector<double>& masses, double x) {
    std::vector<double> shift(pieces.size());
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const bool is_same_line =
            i > 0 && pieces[i].form == pieces[i - 1].form && pieces[i].w == pieces[i - 1].w;
        const double w = pieces[i].w;
        shift[i] = is_same_line ? shift[i - 1] : std::log(1.0 - w + w * forms[pieces[i].form].ratio_at(x));
        low = std::min(low, pieces[i].low + shift[i]);
        high = std::max(high, pieces[i].high + shift[i]);
    }
    Density density(low, high);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        density.add(pieces[i].low + shift[i], pieces[i].high + shift[i], masses[i]);
    }
    density.finish();
    Prediction prediction;
    // Within 5 % of v lies what is between v / 1.05 and v / 0.95.
    const Density::Window window = density.best_window(std::log(1.05 / 0.95));
    prediction.value = 1.05 * std::exp(window.low);
    prediction.chance = window.mass;
    prediction.intervals.emplace();
    for (std::size_t c = 0; c < coverages.size(); ++c) {
        const double tail = 0.5 * (1.0 - coverages[c]);
        (*prediction.intervals)[c] = {.low = std::exp(density.quantile(tail)),
                                      .high = std::exp(density.quantile(1.0 - tail))};
    }
    return prediction;
}

Answer limit_of(const Cell& cell, const std::vector<Form>& forms,
                const std::vector<std::vector<double>>& runs) {
    const Sums sums = sums_of(cell, runs);
    std::vector<Piece> pieces = cell.law.starts_with("gaussian")
                                    ? gaussian_pieces(forms, sums, deviation_of(cell))
                                    : uniform_pieces(forms, sums, cell.noise / 200.0);
    double best = -std::numeric_limits<double>::infinity();
    for (const Piece& piece : pieces) best = std::max(best, piece.log_mass);
    std::erase_if(pieces, [&](const Piece& piece) { return piece.log_mass < best - negligible; });
    std::vector<double> masses;
    std::map<double, double> by_exponent;
    for (const Piece& piece : pieces) {
        masses.push_back(std::exp(piece.log_mass - best));
        by_exponent[forms[piece.form].exponent] += masses.back();
    }
    Answer answer;
    answer.lead = {std::max_element(by_exponent.begin(), by_exponent.end(), [](const auto& a, const auto& b) {
                       return a.second < b.second;
                   })->first};
    for (const Place& place : places(1)) answer.at.push_back(predict(forms, pieces, masses, place.at[0]));
    return answer;
}

}  // namespace

bool has_limit(const Cell& cell) {
    if (cell.parameters == 2) return cell.truth == "published" && cell.law.starts_with("gaussian");
    return cell.parameters == 1 && cell.truth == "single" && cell.law != "heavy";
}

std::vector<Answer> limit(const Cell& cell, const Runs& runs, int threads) {
    if (cell.parameters == 2) return limit_of_two(cell, runs, threads);
    std::vector<double> points;
    for (const std::vector<double>& point : design_points(cell)) points.push_back(point[0]);
    const std::vector<Form> forms = forms_at(points);
    std::vector<Answer> answers(runs.size());
    Activity activity(silent(), "integrating", static_cast<std::int64_t>(runs.size()));
    parallel_for(runs.size(), threads, activity, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) answers[i] = limit_of(cell, forms, runs[i]);
    });
    return answers;
}

}  // namespace plimsoll::model::accuracy
