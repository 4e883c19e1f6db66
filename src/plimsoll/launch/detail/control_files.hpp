#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::launch::detail {

/// The folder of the control group that a process is in, of the hierarchy of a controller of version 1 or,
/// where `controller` is empty, of version 2; nothing where it has none, or not in our sight.
///
/// `mounts`: /proc/PID/mountinfo. `groups`: /proc/PID/cgroup. See proc(5) and cgroups(7).
[[nodiscard]] std::optional<std::string> own_control_group(std::string_view mounts, std::string_view groups,
                                                           std::string_view controller);

/// How many processes the system has killed for want of memory: the figure behind "oom_kill" in
/// memory.events (version 2) or memory.oom_control (version 1); 0 where there is none.
[[nodiscard]] std::uint64_t count_of_kills(std::string_view events);

/// The number that a text starts with; nothing where it starts with another word ("max") or a negative one.
[[nodiscard]] std::optional<double> first_number(std::string_view text);

/// The first number of a text by the second, as in "200000 100000"; nothing as above, or for a second of 0.
[[nodiscard]] std::optional<double> quotient(std::string_view text);

/// A file of the kernel, which is short and may change while it is read. Empty where there is none.
[[nodiscard]] std::string kernel_text(const std::string& path);

}  // namespace plimsoll::launch::detail
