#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::campaign {

/// Jobs, or some tasks of one job, that a word of a command line names.
struct Selected {
    std::int64_t first_job = 0;
    std::int64_t last_job = 0;               ///< included
    std::optional<std::int64_t> first_task;  ///< of a single job
    std::optional<std::int64_t> last_task;   ///< included
};

/// What `last`, `all`, `3,5-8`, `4.17` and `4.10-19` name, where the newest job is `newest` (0: there is
/// none). Throws a usage error that shows the piece that is not understood, or a job that does not exist.
[[nodiscard]] std::vector<Selected> parse_selection(std::string_view text, std::int64_t newest);

}  // namespace plimsoll::campaign
