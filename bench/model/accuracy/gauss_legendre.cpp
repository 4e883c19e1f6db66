#include "gauss_legendre.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace plimsoll::model::accuracy {

Rule::Rule(std::size_t n) {
    const auto size = static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (size + 0.5));
        double slope = 1.0;
        for (int step = 0; step < 100; ++step) {
            double now = x;
            double before = 1.0;
            for (std::size_t k = 2; k <= n; ++k) {
                const auto order = static_cast<double>(k);
                before = std::exchange(now, ((2 * order - 1) * x * now - (order - 1) * before) / order);
            }
            slope = size * (x * now - before) / (x * x - 1.0);
            const double move = now / slope;
            x -= move;
            if (std::abs(move) < 1e-15) break;
        }
        node.push_back(-x);
        weight.push_back(2.0 / ((1.0 - x * x) * slope * slope));
    }
}

}  // namespace plimsoll::model::accuracy
