#include "plimsoll/model/detail/posterior/name_function.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace plimsoll::model::detail {

namespace {

constexpr double enough_for_sums = 0.8;  // probability of all sums in one parameter together
constexpr double clearly_better = 3.0;   // ratio of probabilities, for exponents off the list

/// Whether a parameter occurs with two different functions.
bool is_sum_in_one_parameter(const Function& function) {
    for (std::size_t a = 0; a < function.terms.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            for (const Factor& f : function.terms[a].factors) {
                for (const Factor& g : function.terms[b].factors) {
                    if (f.parameter != g.parameter) continue;
                    if (f.exponent != g.exponent || f.log_exponent != g.log_exponent) return true;
                }
            }
        }
    }
    return false;
}

}  // namespace

std::size_t named_form(const Posterior& posterior) {
    double of_sums = 0.0;
    double of_rest = 1.0;
    for (std::size_t i = 0; i < posterior.forms.size() && of_sums + of_rest >= enough_for_sums; ++i) {
        const double probability = posterior.forms.probability(i);
        of_rest -= probability;
        if (is_sum_in_one_parameter(posterior.forms.function(i))) of_sums += probability;
        if (of_sums >= enough_for_sums) break;
    }
    const bool may_be_sum = of_sums >= enough_for_sums;
    std::optional<std::size_t> listed;
    std::optional<std::size_t> free;
    for (std::size_t i = 0; i < posterior.forms.size(); ++i) {
        const WeighedForm form = posterior.forms[i];
        if (!may_be_sum && is_sum_in_one_parameter(form.function)) continue;
        // A law has a rate of its own, whatever it is; an exponent off the list is unusual.
        const bool is_law = std::any_of(form.function.terms.begin(), form.function.terms.end(),
                                        [](const Term& term) { return has_law(term.factors); });
        std::optional<std::size_t>& first = form.free_parameters.empty() || is_law ? listed : free;
        if (!first) first = i;
        if (listed) break;  // the forms that follow are no more probable
    }
    if (!listed) return free.value_or(0);
    if (!free) return *listed;
    const bool is_clear =
        posterior.forms.probability(*free) > clearly_better * posterior.forms.probability(*listed);
    return is_clear ? *free : *listed;
}

}  // namespace plimsoll::model::detail
