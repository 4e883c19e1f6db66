#include "kernels/all_pairs.hpp"

#include <cmath>

#include "kernels/operation_count.hpp"

namespace plimsoll::kernels {

namespace {

constexpr double softening_squared = 1e-6;  // in (edge of the cube)^2; far below the usual distance
constexpr double rounding = 1e-9;           // relative; about 10^4 terms at 10^-16, with room

}  // namespace

std::vector<Body> random_bodies(std::size_t count, workloads::RandomStream random) {
    std::vector<Body> bodies(count);
    for (Body& body : bodies) {
        body.position.x = random.uniform();
        body.position.y = random.uniform();
        body.position.z = random.uniform();
        body.mass = 0.5 + random.uniform();
    }
    return bodies;
}

std::uint64_t gravity(const Team& team, std::span<const Body> bodies, std::span<Vector3> forces) {
    OperationCount pairs(team);
    team.run([&](Member me) {
        const Range mine = me.share(bodies.size());
        std::uint64_t count = 0;
        for (std::size_t i = mine.begin; i < mine.end; ++i) {
            const Body& here = bodies[i];
            Vector3 force;
            for (const Body& there : bodies) {
                const double dx = there.position.x - here.position.x;
                const double dy = there.position.y - here.position.y;
                const double dz = there.position.z - here.position.z;
                const double distance_squared = dx * dx + dy * dy + dz * dz + softening_squared;
                const double pull = here.mass * there.mass / (distance_squared * std::sqrt(distance_squared));
                force.x += pull * dx;
                force.y += pull * dy;
                force.z += pull * dz;
            }
            forces[i] = force;
            count += bodies.size();
        }
        pairs.add(me, count);
    });
    return pairs.total();
}

bool forces_cancel(std::span<const Vector3> forces) {
    Vector3 sum;
    double magnitude = 0.0;
    for (const Vector3& force : forces) {
        sum.x += force.x;
        sum.y += force.y;
        sum.z += force.z;
        magnitude += std::hypot(force.x, force.y, force.z);
    }
    const bool something_pulls = magnitude > 0.0 || forces.size() < 2;
    return something_pulls && std::hypot(sum.x, sum.y, sum.z) <= rounding * magnitude;
}

}  // namespace plimsoll::kernels
