#pragma once

#include <array>
#include <string>

#include "plimsoll/core/options.hpp"

namespace plimsoll::profile {

/// How steps of a training are found in its trace.
enum class StepSearch {
    marks,  ///< by the marks of profilers and users
    period  ///< by marks; where there are none, by what devices do again and again
};
[[nodiscard]] constexpr std::array<EnumName<StepSearch>, 2> enum_names(StepSearch) {
    return {{{StepSearch::marks, "marks"}, {StepSearch::period, "period"}}};
}

/// Where the configuration of a run comes from, beside what its files and their names say.
struct ProfileOptions {
    std::string set;
    std::string path_pattern;
    StepSearch steps = StepSearch::marks;
};

template <class Visitor>
void describe(ProfileOptions& o, Visitor&& option) {
    option("set", o.set,
           "Profiles: parameters of all runs, such as p=4, or n={problem_size} from what their files say");
    option("path-pattern", o.path_pattern,
           "Profiles: parameters in paths, such as runs/p{p}/n{n}/rep{repetition}");
    option("steps", o.steps,
           "Traces: whether steps are found by marks alone, or without any by what devices do periodically");
}

}  // namespace plimsoll::profile
