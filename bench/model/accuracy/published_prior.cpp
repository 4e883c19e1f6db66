#include "published_prior.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "measuring.hpp"

namespace plimsoll::model::accuracy {
namespace {

constexpr double least_share = 0.01;  // of a term of a sum, at both corners

std::vector<Class> all_classes() {
    std::vector<Class> all;
    for (const double exponent :
         {0.0,    1. / 4, 1. / 3, 1. / 2, 2. / 3, 3. / 4, 4. / 5, 1.,     5. / 4,  4. / 3,
          3. / 2, 5. / 3, 7. / 4, 2.,     9. / 4, 7. / 3, 5. / 2, 8. / 3, 11. / 4, 3.}) {
        for (const double logarithms : {0.0, 1.0, 2.0}) {
            const bool is_slow = exponent <= 0.5 && logarithms == 0.0;
            const bool is_second = !is_slow && !(exponent == 0.0 && logarithms == 1.0);
            const bool is_first = is_second && exponent > 0.0 && !(exponent < 0.4 && logarithms == 1.0);
            all.push_back({exponent, logarithms, is_first, is_second});
        }
    }
    return all;
}

bool is_accepted(const Pair& pair, const Unknowns& c) {
    for (const auto& [a, b] : {std::pair(4.0, 10.0), std::pair(64.0, 50.0)}) {
        const Unknowns t = pair.at(a, b);
        const double least = least_share * (c[0] + c[1] * t[1] + c[2] * t[2]);
        if (c[1] * t[1] < least || c[2] * t[2] < least) return false;
    }
    return true;
}

}  // namespace

PublishedPrior::PublishedPrior(const Cell& cell) : classes(all_classes()) {
    double products = 0.0;
    for (const bool is_sum : {false, true}) {
        for (const Class& first : classes) {
            for (const Class& second : classes) {
                if (!is_sum && !(first.is_first && second.is_second)) continue;
                pairs.push_back({&first, &second, is_sum});
                products += is_sum ? 0.0 : 1.0;
            }
        }
    }
    for (const Class& c : classes) {
        std::vector<double>& along_first = of_first.emplace_back();
        std::vector<double>& along_second = of_second.emplace_back();
        for (const auto& x : design_points(cell)) {
            along_first.push_back(c.at(x[0]));
            along_second.push_back(c.at(x[1]));
        }
    }
    const double volume = std::pow(largest_coefficient, 3);
    const double sums = static_cast<double>(pairs.size()) - products;
    log_density_of_products_ = -std::log(products * volume);
    log_density_of_sums_ = -std::log(sums * volume * share_of_accepted_sums());
}

double PublishedPrior::log_density(const Pair& pair, const Unknowns& c) const {
    if (pair.is_sum) {
        return is_accepted(pair, c) ? log_density_of_sums_ : -std::numeric_limits<double>::infinity();
    }
    // The product of two uniform coefficients.
    return log_density_of_products_ + std::log(std::log(pair.largest()[1] / c[1]));
}

double PublishedPrior::share_of_accepted_sums() const {
    constexpr int draws = 400'000;  // known to a thousandth
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> coefficient(0.0, largest_coefficient);
    int accepted = 0;
    for (int i = 0; i < draws; ++i) {
        const Pair pair{&classes[random() % classes.size()], &classes[random() % classes.size()], true};
        const double c0 = coefficient(random);
        const double c1 = coefficient(random);
        accepted += is_accepted(pair, {c0, c1, coefficient(random)}) ? 1 : 0;
    }
    return static_cast<double>(accepted) / draws;
}

}  // namespace plimsoll::model::accuracy
