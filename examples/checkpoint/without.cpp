// Stars that attract each other, by the leapfrog method. Runs for a while; kill it, and all is lost.
//
// usage: without STEPS

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t stars = 300;
constexpr double step_length = 1e-3;
constexpr double softening = 1e-2;  // keeps close encounters finite

using Vectors = std::vector<std::array<double, 3>>;

/// Places on a spiral, so that every run begins alike.
void place(Vectors& positions, Vectors& velocities) {
    for (std::size_t i = 0; i < stars; ++i) {
        const double angle = 2.4 * static_cast<double>(i);
        const double radius = 0.1 + std::sqrt(static_cast<double>(i) / stars);
        positions[i] = {radius * std::cos(angle), radius * std::sin(angle), 0.1 * std::cos(3.0 * angle)};
        velocities[i] = {-std::sin(angle) / std::sqrt(radius), std::cos(angle) / std::sqrt(radius), 0.0};
    }
}

void advance(Vectors& positions, Vectors& velocities) {
    for (std::size_t i = 0; i < stars; ++i) {
        for (std::size_t j = 0; j < stars; ++j) {
            std::array<double, 3> d{};
            double square = softening * softening;
            for (std::size_t k = 0; k < 3; ++k) {
                d[k] = positions[j][k] - positions[i][k];
                square += d[k] * d[k];
            }
            const double pull = step_length / stars / (square * std::sqrt(square));
            for (std::size_t k = 0; k < 3; ++k) velocities[i][k] += pull * d[k];
        }
    }
    for (std::size_t i = 0; i < stars; ++i) {
        for (std::size_t k = 0; k < 3; ++k) positions[i][k] += step_length * velocities[i][k];
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
    Vectors positions(stars);
    Vectors velocities(stars);
    place(positions, velocities);
    std::uint64_t step = 0;
    while (step < steps) {
        advance(positions, velocities);
        ++step;
    }
    for (const auto& p : positions) std::printf("%.17g %.17g %.17g\n", p[0], p[1], p[2]);
}
