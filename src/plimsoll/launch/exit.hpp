#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plimsoll/core/seconds.hpp"

namespace plimsoll::launch {

/// What a program took, with all of its descendants that it waited for.
struct Usage {
    Seconds user{};
    Seconds system{};
    std::uint64_t peak_memory_bytes = 0;  ///< resident, of the largest single process; see Beginning
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
    std::uint64_t voluntary_switches = 0;
    std::uint64_t involuntary_switches = 0;
    std::uint64_t block_input_bytes = 0;  ///< that storage had to deliver, so none from a warm cache
    std::uint64_t block_output_bytes = 0;
    /// Bytes through read and write calls, cached or not; only where asked for and told by the system.
    std::optional<std::uint64_t> bytes_read;
    std::optional<std::uint64_t> bytes_written;
};

/// How a program ended.
struct Exit {
    int code = 0;                    ///< exit status; 0 where a signal ended it
    int signal = 0;                  ///< that ended it; 0 where it ended by itself
    bool ran_out_of_memory = false;  ///< processes were killed at the limit of their shared memory
    Usage usage;
    Seconds wall{};  ///< from its start until its end was noticed

    [[nodiscard]] bool succeeded() const { return code == 0 && signal == 0; }
};

/// "exit code 3", "signal 9 (Killed)", "success".
[[nodiscard]] std::string describe(const Exit& exit);

}  // namespace plimsoll::launch
