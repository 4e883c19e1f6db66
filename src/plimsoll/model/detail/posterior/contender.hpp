#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "plimsoll/model/detail/posterior/form_evidence.hpp"
#include "plimsoll/model/detail/posterior/noise_evidence.hpp"
#include "plimsoll/model/detail/posterior/screening.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model::detail {

/// A form in the running, with its coefficients.
struct Contender {
    Candidate form;
    LinearFit fit;
    double log_evidence = 0.0;
    std::array<double, most_slots> shift{};  ///< of the exponent in each slot
    bool has_free_exponents = false;
    std::optional<std::size_t> law;  ///< position among the laws, in place of `form`
};

/// Nine digits: the posterior is most of a document, its numbers are less certain than that, and what is
/// predicted from a document should be what was predicted before it was written.
[[nodiscard]] double rounded(double value);

/// The form as users see it, in units of the parameters and values, without its probability. `family` is that
/// of the contender, which is no law.
[[nodiscard]] WeighedForm weighed_form(const FormFamily& family, const Contender& contender);

/// The mean of the values, as uncertain as one of them, for values that leave no choice.
[[nodiscard]] WeighedForm constant_form(const NoiseEvidence& noise);

}  // namespace plimsoll::model::detail
