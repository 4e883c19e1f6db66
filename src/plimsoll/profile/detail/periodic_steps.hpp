#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll::profile::detail {

/// Something that a device did, in the order in which it was told to.
struct Occurrence {
    double begin = 0.0;   ///< on the device
    double end = 0.0;     ///< on the device
    double called = 0.0;  ///< when it was told to; its begin where that is not known
    std::uint32_t name = 0;
};

/// Begins and ends of steps that nobody has marked.
struct PeriodicSteps {
    std::size_t period = 0;          ///< occurrences of a step; 0: there are no steps
    std::vector<double> boundaries;  ///< of so many steps and one more, by `called`
};

/// Finds steps by what recurs: a training does the same again and again.
///
/// A period is the distance of a name that occurs once in each step from its next occurrence. Of all such
/// distances the smallest counts at which nine of ten names are those one period later, and nearly as many
/// as at the best one: layers of a network resemble one another, but not as steps do. It must recur three
/// times. A step begins with one of its names that occur in nearly all steps and once in each: with that
/// before which the device rests longest. What comes behind the last begin is no step, since its end is not
/// known. The occurrences are in the order of `called`. Memory and time grow with their number.
[[nodiscard]] PeriodicSteps periodic_steps(std::span<const Occurrence> occurrences);

}  // namespace plimsoll::profile::detail
