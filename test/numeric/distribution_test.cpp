#include "plimsoll/numeric/distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plimsoll::numeric {
namespace {

TEST(NormalCdf, IsTheIntegralOfTheDensity) {
    // Simpson's rule from the median outwards: off by less than step^5 / 2880 * 3 (the fourth derivative's
    // bound) a step, 5e-11 over all.
    double integral = 0.5;
    constexpr double step = 0.01;
    for (int i = 0; i < 500; ++i) {
        const double x = i * step;
        integral += step / 6.0 *
                    (normal_density(x) + 4.0 * normal_density(x + 0.5 * step) + normal_density(x + step));
        EXPECT_NEAR(normal_cdf(x + step), integral, 5e-11);
        EXPECT_NEAR(normal_cdf(-x - step), 1.0 - integral, 5e-11);
    }
}

TEST(LogGamma, IsTheFactorial) {
    double factorial = 1.0;
    for (int n = 1; n <= 20; ++n) {
        factorial *= n;
        EXPECT_NEAR(log_gamma(n + 1.0), std::log(factorial), 1e-12 * std::log(factorial) + 1e-15);
    }
    EXPECT_NEAR(log_gamma(0.5), 0.5 * std::log(std::acos(-1.0)), 1e-14);
}

TEST(NormalQuantile, InvertsTheDistributionFunction) {
    for (const double p : {1e-300, 1e-20, 1e-5, 0.05, 0.3, 0.5, 0.7, 0.95, 0.99999}) {
        SCOPED_TRACE(p);
        EXPECT_NEAR(normal_cdf(normal_quantile(p)) / p, 1.0, 1e-12);
    }
    EXPECT_NEAR(normal_quantile(0.5), 0.0, 1e-15);
}

TEST(StudentQuantile, AgreesWithItsClosedFormsForFewDegreesOfFreedom) {
    for (const double p : {0.6, 0.75, 0.9, 0.95}) {
        SCOPED_TRACE(p);
        // Two degrees: t = (2p - 1) / sqrt(2 p (1 - p)). Four: by a cosine (Shaw, "Sampling Student's t
        // distribution", Journal of Computational Finance 9(4), 2006).
        const double two = (2.0 * p - 1.0) / std::sqrt(2.0 * p * (1.0 - p));
        EXPECT_NEAR(student_quantile(p, 2.0) / two, 1.0, 0.003);
        const double a = 4.0 * p * (1.0 - p);
        const double q = std::cos(std::acos(std::sqrt(a)) / 3.0) / std::sqrt(a);
        EXPECT_NEAR(student_quantile(p, 4.0) / (2.0 * std::sqrt(q - 1.0)), 1.0, 2e-4);
    }
}

TEST(StudentQuantile, ApproachesTheNormalOneWithManyDegreesOfFreedom) {
    EXPECT_NEAR(student_quantile(0.95, 1e6), normal_quantile(0.95), 1e-5);
    EXPECT_GT(student_quantile(0.95, 10.0), normal_quantile(0.95));
    EXPECT_DOUBLE_EQ(student_quantile(0.05, 7.0), -student_quantile(0.95, 7.0));
}

TEST(StudentOutside, IsWhatIsKnownForFewDegreesOfFreedom) {
    for (const double t : {0.0, 0.1, 1.0, 2.5, 12.0, 1e4}) {
        SCOPED_TRACE(t);
        // Cauchy's distribution, and the closed form of two degrees.
        EXPECT_NEAR(student_outside(t, 1.0), 1.0 - 2.0 / M_PI * std::atan(t), 1e-12);
        EXPECT_NEAR(student_outside(-t, 2.0), 1.0 - t / std::sqrt(2.0 + t * t), 1e-12);
        EXPECT_NEAR(student_outside(t, 1e9), 2.0 * normal_cdf(-t), 1e-8);
    }
}

TEST(StudentLimit, InvertsTheShareOutside) {
    // Tables have 12.706, 4.303, 2.776, 2.228 for a share of 5 %.
    EXPECT_NEAR(student_limit(0.05, 1.0), 12.706, 5e-4);
    EXPECT_NEAR(student_limit(0.05, 2.0), 4.303, 5e-4);
    EXPECT_NEAR(student_limit(0.05, 4.0), 2.776, 5e-4);
    EXPECT_NEAR(student_limit(0.05, 10.0), 2.228, 5e-4);
    for (const double share : {1e-9, 0.01, 0.5, 0.999}) {
        for (const double degrees : {1.0, 3.5, 40.0}) {
            EXPECT_NEAR(student_outside(student_limit(share, degrees), degrees) / share, 1.0, 1e-6);
        }
    }
}

}  // namespace
}  // namespace plimsoll::numeric
