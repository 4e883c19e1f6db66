#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/seconds.hpp"

namespace plimsoll::launch {

/// Where one of a program's standard streams leads.
struct Redirection {
    enum class To {
        inherit,  ///< where ours leads
        null,     ///< /dev/null
        file,     ///< a file: read from, or written anew
        append,   ///< the end of a file
        pipe,     ///< a pipe whose other end `Process` holds
        output,   ///< for the error stream alone: where standard output leads
    };
    To to = To::inherit;
    std::string path;  ///< of a file, seen from our own working folder
};

struct Redirections {
    Redirection in{Redirection::To::null, {}};
    Redirection out;
    Redirection err;
};

/// What a program and each of its processes may take at most; what is absent stays as it is for ourselves.
struct Limits {
    std::optional<std::uint64_t> memory_bytes;  ///< of address space, each process by itself (RLIMIT_AS)
    /// Resident, of all processes together, by a control group; see ControlGroups. Those of them that have
    /// left the process group end with the program as well.
    std::optional<std::uint64_t> shared_memory_bytes;
    std::optional<Seconds> processor_time;  ///< of each process, in whole seconds (RLIMIT_CPU)
    std::optional<std::uint64_t> open_files;

    [[nodiscard]] bool any() const {
        return memory_bytes || shared_memory_bytes || processor_time || open_files;
    }
};

/// What is accounted for beside what every ended process tells.
enum class Accounting {
    usual,
    with_bytes,  ///< bytes read and written too: one file more to read at the end
};

/// How a program is begun. Linux counts its peak memory from then on, in the memory of whoever began it.
enum class Beginning {
    fast,  ///< posix_spawn: its peak is never below what we ourselves hold resident
    small  ///< fork: never below what we have allocated. Takes longer, more so the more that is
};

/// A program to start, without any shell.
struct Command {
    /// The program and what it is told. A program without a slash is looked for in PATH; one with a slash is
    /// seen from `working_folder`.
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;  ///< added to ours, or replacing it
    std::string working_folder;                                    ///< empty: ours
    Redirections streams;
    Limits limits;
    Accounting accounting = Accounting::usual;
    Beginning beginning = Beginning::fast;  ///< where there are limits, `small` in any case
};

}  // namespace plimsoll::launch
