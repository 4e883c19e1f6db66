#pragma once

#include <cmath>
#include <random>

#include "plimsoll/model/posterior.hpp"

namespace plimsoll::test {

/// What measurements of 4 to 64 in each parameter might leave open: a few forms with random terms,
/// coefficients, some fitted exponents and covariances, and values of the order of `scale`.
inline model::Posterior random_posterior(std::mt19937_64& random, std::size_t parameters, double scale) {
    std::uniform_real_distribution<double> share;
    model::Posterior posterior;
    posterior.middle.assign(parameters, 16.0);
    posterior.largest.assign(parameters, 64.0);
    posterior.step.assign(parameters, 2.0);
    if (share(random) < 0.3) posterior.discrepancy = 0.05 * share(random);
    const std::size_t count = 1 + random() % 6;
    double left = 1.0;
    for (std::size_t i = 0; i < count; ++i) {
        model::WeighedForm form;
        form.probability = i + 1 == count ? left : left * share(random);
        left -= form.probability;
        form.has_constant = share(random) < 0.7;
        form.degrees_of_freedom = 2.0 + static_cast<double>(random() % 30);
        if (form.has_constant) form.function.constant = scale * share(random);
        const std::size_t terms = 1 + random() % 2;
        for (std::size_t t = 0; t < terms; ++t) {
            model::Term term;
            double size = 1.0;
            for (std::size_t k = 0; k < parameters; ++k) {
                if (parameters > 1 && share(random) < 0.3) continue;
                model::Factor factor;
                factor.parameter = k;
                factor.exponent = model::Rational(static_cast<std::int64_t>(random() % 9) - 4, 4);
                factor.log_exponent = model::Rational(static_cast<std::int64_t>(random() % 3), 2);
                size *= model::power_log(16.0, factor.exponent, factor.log_exponent);
                term.factors.push_back(factor);
            }
            term.coefficient = scale * (0.1 + share(random)) / size;
            form.function.terms.push_back(std::move(term));
        }
        if (share(random) < 0.3 && !form.function.terms.front().factors.empty())
            form.free_parameters.push_back(form.function.terms.front().factors.front().parameter);
        // Independent unknowns, each known to within a few per cent, with a little that neighbours have in
        // common.
        std::vector<double> deviations;
        if (form.has_constant) deviations.push_back(0.05 * share(random) * form.function.constant);
        for (const model::Term& term : form.function.terms)
            deviations.push_back(0.05 * share(random) * term.coefficient);
        for (std::size_t k = 0; k < form.free_parameters.size(); ++k)
            deviations.push_back(0.02 * share(random));
        for (std::size_t row = 0; row < deviations.size(); ++row) {
            for (std::size_t column = 0; column <= row; ++column) {
                const double common = row == column ? 1.0 : 0.2;
                form.covariance.push_back(common * deviations[row] * deviations[column]);
            }
        }
        posterior.forms.add(form);
    }
    return posterior;
}

}  // namespace plimsoll::test
