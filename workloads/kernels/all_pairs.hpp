#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/thread_pool.hpp"
#include "support/random_stream.hpp"

namespace plimsoll::kernels {

struct Vector3 {
    double x = 0.0;
    double y = 0.0;
    double z = 0.0;
    bool operator==(const Vector3&) const = default;
};

/// A mass at a place in the unit cube, in units in which the gravitational constant is 1.
struct Body {
    Vector3 position;
    double mass = 1.0;
};

[[nodiscard]] std::vector<Body> random_bodies(std::size_t count, workloads::RandomStream random);

/// Sets forces[i] to the pull of all bodies on body i, bodies split over the team, and returns
/// the pairs visited, count^2. Softened, so that a body does not act on itself.
std::uint64_t gravity(const Team& team, std::span<const Body> bodies, std::span<Vector3> forces);

/// Whether the forces are there and add up to nothing, as Newton's third law asks.
[[nodiscard]] bool forces_cancel(std::span<const Vector3> forces);

}  // namespace plimsoll::kernels
