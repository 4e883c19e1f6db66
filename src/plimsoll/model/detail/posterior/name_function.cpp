#include "plimsoll/model/detail/posterior/name_function.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "plimsoll/core/error.hpp"

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

/// The form that is named of those that count in a range.
std::size_t named_form(const Posterior& posterior, const Range& range) {
    double of_sums = 0.0;
    double of_all = 0.0;
    for (std::size_t i = 0; i < posterior.forms.size(); ++i) {
        if (posterior.forms.range(i) != range) continue;
        const double probability = posterior.forms.probability(i);
        of_all += probability;
        if (is_sum_in_one_parameter(posterior.forms.function(i))) of_sums += probability;
    }
    const bool may_be_sum = of_sums >= enough_for_sums * of_all;
    std::optional<std::size_t> listed;
    std::optional<std::size_t> free;
    for (std::size_t i = 0; i < posterior.forms.size(); ++i) {
        if (posterior.forms.range(i) != range) continue;
        const WeighedForm form = posterior.forms[i];
        if (!may_be_sum && is_sum_in_one_parameter(form.function)) continue;
        // A law has a rate of its own, whatever it is; an exponent off the list is unusual.
        const bool is_law = std::any_of(form.function.terms.begin(), form.function.terms.end(),
                                        [](const Term& term) { return has_law(term.factors); });
        std::optional<std::size_t>& first = form.free_parameters.empty() || is_law ? listed : free;
        if (!first) first = i;
        if (listed) break;  // the forms that follow are no more probable
    }
    PLIMSOLL_EXPECT(listed || free);
    if (!listed) return *free;
    if (!free) return *listed;
    const bool is_clear =
        posterior.forms.probability(*free) > clearly_better * posterior.forms.probability(*listed);
    return is_clear ? *free : *listed;
}

}  // namespace

std::vector<std::size_t> named_forms(const Posterior& posterior) {
    std::vector<std::size_t> named;
    Range range;
    for (const ChangePoint& change : posterior.changes) {
        range.to = change.before;
        named.push_back(named_form(posterior, range));
        range.from = change.after;
    }
    range.to = Range{}.to;
    named.push_back(named_form(posterior, range));
    return named;
}

Function named_function(const Posterior& posterior, std::span<const std::size_t> named) {
    PLIMSOLL_EXPECT(named.size() == posterior.changes.size() + 1);
    if (posterior.changes.empty()) return posterior.forms.function(named.front());
    Function function;
    Segment segment;
    for (std::size_t i = 0; i < named.size(); ++i) {
        if (i > 0) segment.from = segment.to;
        const bool is_last = i == posterior.changes.size();
        segment.to =
            is_last ? Range{}.to : std::midpoint(posterior.changes[i].after, posterior.changes[i].before);
        segment.function = posterior.forms.function(named[i]);
        function.segments.push_back(segment);
    }
    return function;
}

}  // namespace plimsoll::model::detail
