#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::test {

struct Ended {
    int status = 0;  ///< as the shell has it
    std::string output;
};

/// What a shell command printed on both streams.
Ended run(const std::string& command);

/// What it printed on standard output; standard error passes on. For MPI programs: their launchers and
/// libraries warn on standard error about the machine they run on.
Ended run_for_output(const std::string& command);

/// Values by path and metric: [repetitions x threads].
using Values = std::map<std::pair<std::string, std::string>, std::vector<std::vector<double>>>;

/// What a measured program wrote: JSON lines whose values all are lists of lists.
[[nodiscard]] Values values_of(const std::string& file);

/// Sum over repetitions and threads, 0 where nothing was measured.
[[nodiscard]] double sum_of(const Values& values, const std::string& path, const std::string& metric);

}  // namespace plimsoll::test
