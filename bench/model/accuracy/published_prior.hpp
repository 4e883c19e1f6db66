#pragma once

#include <cmath>
#include <vector>

#include "cell.hpp"
#include "least_squares.hpp"
#include "truth.hpp"

namespace plimsoll::model::accuracy {

/// A factor of the published functions: a power times a power of the logarithm.
struct Class {
    double exponent = 0.0;
    double logarithms = 0.0;
    bool is_first = true;   ///< stands for the first parameter in products
    bool is_second = true;  ///< for the second
    [[nodiscard]] double at(double x) const {
        return std::pow(x, exponent) * std::pow(std::log2(x), logarithms);
    }
};

/// A pair of classes, its terms at the measured points and elsewhere in one order.
struct Pair {
    const Class* first = nullptr;
    const Class* second = nullptr;
    bool is_sum = false;

    [[nodiscard]] std::size_t unknowns() const { return is_sum ? 3 : 2; }

    /// Factors of the unknowns; the first is the constant.
    [[nodiscard]] Unknowns at(double a, double b) const {
        if (is_sum) return {1.0, first->at(a), second->at(b)};
        return {1.0, first->at(a) * second->at(b), 0.0};
    }
    [[nodiscard]] Unknowns largest() const {
        constexpr double most = largest_coefficient;
        return is_sum ? Unknowns{most, most, most} : Unknowns{most, most * most, 0.0};
    }
};

/// How the published functions of two parameters are drawn, and their terms at the measured points.
struct PublishedPrior {
    std::vector<Class> classes;
    std::vector<Pair> pairs;
    std::vector<std::vector<double>> of_first;   ///< [classes][points]
    std::vector<std::vector<double>> of_second;  ///< [classes][points]

    explicit PublishedPrior(const Cell& cell);
    PublishedPrior(const PublishedPrior&) = delete;  // pairs point at classes
    PublishedPrior& operator=(const PublishedPrior&) = delete;
    ~PublishedPrior() = default;

    /// Logarithm of the density of a pair of classes with these coefficients.
    [[nodiscard]] double log_density(const Pair& pair, const Unknowns& c) const;

  private:
    [[nodiscard]] double share_of_accepted_sums() const;

    double log_density_of_products_ = 0.0;
    double log_density_of_sums_ = 0.0;
};

}  // namespace plimsoll::model::accuracy
