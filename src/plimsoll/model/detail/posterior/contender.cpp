#include "plimsoll/model/detail/posterior/contender.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "plimsoll/numeric/rounding.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::model::detail {

namespace {

/// A number with six decimals as a fraction.
Rational as_fraction(double value) {
    return Rational(static_cast<std::int64_t>(std::llround(value * 1e6)), 1000000);
}

}  // namespace

double rounded(double value) { return numeric::round_to_digits(value, 9); }

WeighedForm weighed_form(const FormFamily& family, const Contender& contender) {
    const Structure& structure = family.structures[contender.form.structure];
    const std::size_t k = structure.columns.size();
    const std::size_t unknowns = contender.fit.unknowns;
    WeighedForm form;
    form.has_constant = structure.has_constant();
    form.degrees_of_freedom = rounded(contender.fit.degrees_of_freedom);
    std::array<double, most_unknowns> unit{};  // of each unknown in terms of the function's coefficients
    unit.fill(1.0);
    for (std::size_t c = 0; c < k; ++c) {
        const Column& column = structure.columns[c];
        if (column.is_constant()) {
            form.function.constant = contender.fit.coefficients[c];
            continue;
        }
        Term term;
        unit[c] = column.is_taken_off ? -1.0 : 1.0;
        for (std::size_t s = 0; s < family.slots.size(); ++s) {
            if ((column.slots >> s & 1U) == 0) continue;
            const Slot& slot = family.slots[s];
            const FunctionId f = slot.functions[contender.form.choice[s]];
            Factor factor{.parameter = slot.table->axis(),
                          .exponent = axis_functions()[f].exponent,
                          .log_exponent = axis_functions()[f].log_exponent,
                          .segments = {}};
            unit[c] /= slot.table->scale(f);
            if (contender.shift[s] != 0.0) {
                const double before = factor.exponent.value();
                factor.exponent = as_fraction(before + contender.shift[s]);
                const double shift = factor.exponent.value() - before;
                unit[c] /= std::exp(shift * std::log(slot.table->middle()));
            }
            term.factors.push_back(std::move(factor));
        }
        term.coefficient = contender.fit.coefficients[c] * unit[c];
        form.function.terms.push_back(std::move(term));
    }
    if (contender.has_free_exponents) {
        for (std::size_t s = 0; s < family.slots.size(); ++s) {
            if ((structure.slots() >> s & 1U) != 0) {
                form.free_parameters.push_back(family.slots[s].table->axis());
            }
        }
    }
    form.covariance.resize(unknowns * (unknowns + 1) / 2);
    for (std::size_t i = 0; i < unknowns; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            form.covariance[packed(i, j)] =
                rounded(contender.fit.covariance[packed(i, j)] * unit[i] * unit[j]);
        }
    }
    return form;
}

WeighedForm constant_form(const NoiseEvidence& noise) {
    const double mean = numeric::mean(noise.values);
    double variance = 0.0;
    double freedom = 2.0;
    for (const NoisePrior& prior : noise.priors) {
        variance += std::exp(prior.log_weight) * prior.variance * mean * mean;
        freedom = std::max(freedom, prior.degrees_of_freedom);
    }
    WeighedForm form{.probability = 1.0,
                     .function = {},
                     .has_constant = true,
                     .degrees_of_freedom = rounded(freedom),
                     .free_parameters = {},
                     .covariance = {rounded(variance)}};
    form.function.constant = mean;
    return form;
}

}  // namespace plimsoll::model::detail
