#pragma once

#include <string>

namespace plimsoll::profile {

/// Where the configuration of a run comes from, beside what its files and their names say.
struct ProfileOptions {
    std::string set;
    std::string path_pattern;
};

template <class Visitor>
void describe(ProfileOptions& o, Visitor&& option) {
    option("set", o.set,
           "Profiles: parameters of all runs, such as p=4, or n={problem_size} from what their files say");
    option("path-pattern", o.path_pattern,
           "Profiles: parameters in paths, such as runs/p{p}/n{n}/rep{repetition}");
}

}  // namespace plimsoll::profile
