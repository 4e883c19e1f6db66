#include "answer.hpp"

#include <algorithm>

#include "measuring.hpp"
#include "plimsoll/core/parallel.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model::accuracy {
namespace {

double lead_exponent(const Function& function, std::size_t axis) {
    double lead = 0.0;
    for (const Term& term : function.terms) {
        for (const Factor& factor : term.factors) {
            if (factor.parameter == axis) lead = std::max(lead, factor.exponent.value());
        }
    }
    return lead;
}

Answer answer_of(const Cell& cell, const Fit& fit) {
    Answer answer;
    for (std::size_t p = 0; p < cell.parameters; ++p) answer.lead.push_back(lead_exponent(fit.function, p));
    answer.is_constant = fit.function.terms.empty();
    const FormList& forms = fit.posterior.forms;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const std::size_t terms = forms.function(i).terms.size();
        answer.probabilities.resize(std::max(answer.probabilities.size(), terms + 1), 0.0);
        answer.probabilities[terms] += forms.probability(i);
    }
    for (const Place& place : places(cell.parameters)) {
        Prediction& prediction = answer.at.emplace_back();
        if (forms.empty()) {
            prediction.value = fit.function(place.at);
            continue;
        }
        prediction.intervals.emplace();
        for (std::size_t c = 0; c < coverages.size(); ++c) {
            const Estimate estimated = estimate(fit.posterior, place.at, coverages[c]);
            (*prediction.intervals)[c] = {.low = estimated.low, .high = estimated.high};
            if (coverages[c] == main_coverage) prediction.value = estimated.value;
        }
    }
    return answer;
}

}  // namespace

std::vector<Answer> answers_of(const Cell& cell, const std::vector<Fit>& fits, int threads) {
    std::vector<Answer> answers(fits.size());
    Activity activity(silent(), "predicting", static_cast<std::int64_t>(fits.size()));
    parallel_for(fits.size(), threads, activity, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) answers[i] = answer_of(cell, fits[i]);
    });
    return answers;
}

}  // namespace plimsoll::model::accuracy
