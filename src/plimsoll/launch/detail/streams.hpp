#pragma once

#include <string>

#include "plimsoll/launch/command.hpp"
#include "plimsoll/launch/process.hpp"

namespace plimsoll::launch::detail {

struct Pipe {
    Descriptor read_end;
    Descriptor write_end;
};

/// Both ends above the three streams, and closed on exec.
[[nodiscard]] Pipe make_pipe();

/// The ends of one stream: the program's, and ours where there is a pipe.
struct Stream {
    Descriptor theirs;
    Descriptor ours;
};

/// Opens what standard input comes from; `program` is for messages. Throws an environment error.
[[nodiscard]] Stream open_input(const Redirection& redirection, const std::string& program);

/// As above, for one of the other two streams.
[[nodiscard]] Stream open_output(const Redirection& redirection, const std::string& program);

}  // namespace plimsoll::launch::detail
