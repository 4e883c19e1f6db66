#pragma once

namespace plimsoll::numeric {

/// Density of the standard normal distribution.
[[nodiscard]] double normal_density(double x);

/// Distribution function of the standard normal distribution; accurate in the lower tail.
[[nodiscard]] double normal_cdf(double x);

/// Natural logarithm of the gamma function of a positive number. Unlike std::lgamma it writes no global variable,
/// so threads may call it.
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

}  // namespace plimsoll::numeric
