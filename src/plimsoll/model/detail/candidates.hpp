#pragma once

#include <vector>

#include "plimsoll/model/options.hpp"
#include "plimsoll/numeric/rational.hpp"

namespace plimsoll::model::detail {

using numeric::Rational;

/// A form c0 + c1 x^exponent log2(x)^log_exponent.
struct Form {
    Rational exponent;
    Rational log_exponent;
    friend bool operator==(const Form&, const Form&) = default;
    // clang-tidy 14 takes the 0 that the compiler compares with for a pointer.
    friend auto operator<=>(const Form&,
                            const Form&) = default;  // NOLINT(modernize-use-nullptr): a false alarm on <=>
};

/// The forms that Extra-P's basic modeler tries, in its order, which decides between equal scores.
/// Throws a usage error for exponents that cannot be read.
[[nodiscard]] std::vector<Form> candidate_forms(const FitOptions& options);

}  // namespace plimsoll::model::detail
