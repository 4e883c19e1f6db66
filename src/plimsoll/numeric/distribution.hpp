#pragma once

namespace plimsoll::numeric {

/// Density of the standard normal distribution.
[[nodiscard]] double normal_density(double x);

/// Distribution function of the standard normal distribution; accurate in the lower tail.
[[nodiscard]] double normal_cdf(double x);

/// Natural logarithm of the gamma function of a positive number. Unlike std::lgamma it writes no global
/// variable, so threads may call it.
[[nodiscard]] double log_gamma(double x);

/// The value below which a share `p` in (0, 1) of the standard normal distribution lies. Accurate to
/// rounding: a bracket by bisection, then Newton steps on `normal_cdf`.
[[nodiscard]] double normal_quantile(double p);

/// The value below which a share `p` of Student's distribution lies, for 2 or more degrees of freedom.
///
/// Expansion in powers of 1/degrees about the normal quantile (Abramowitz and Stegun, 26.7.5): for p between
/// 0.005 and 0.995 within 5 % at 2 degrees of freedom, 0.3 % at 4, 0.01 % at 10.
[[nodiscard]] double student_quantile(double p, double degrees_of_freedom);
/// As above, for the normal quantile `z` of p.
[[nodiscard]] double student_of_normal_quantile(double z, double degrees_of_freedom);

/// Share of Student's distribution beyond `t` on both sides together, for any degrees of freedom above 0.
/// By the incomplete beta function's continued fraction (Abramowitz and Stegun, 26.7.1 and 26.5.8); within
/// 1e-7, and 1e-12 for fewer than 100 degrees.
[[nodiscard]] double student_outside(double t, double degrees_of_freedom);

/// The limit beyond which a share in (0, 1) of Student's distribution lies, on both sides together.
[[nodiscard]] double student_limit(double share, double degrees_of_freedom);

}  // namespace plimsoll::numeric
