#include "plimsoll/launch/room.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "plimsoll/launch/detail/control_files.hpp"

namespace plimsoll::launch {

namespace {

using detail::kernel_text;

/// Calls `limit(folder)` for the group that we are in and those around it, as far up as we see.
template <class Limit>
void for_each_group(const std::string& mounts, const std::string& groups, const char* controller,
                    const Limit& limit) {
    auto folder = detail::own_control_group(mounts, groups, controller);
    while (folder && ::access((*folder + "/cgroup.procs").c_str(), F_OK) == 0) {
        limit(*folder);
        folder->erase(folder->rfind('/'));
    }
}

}  // namespace

Room room_here() {
    const std::string mounts = kernel_text("/proc/self/mountinfo");
    const std::string groups = kernel_text("/proc/self/cgroup");
    double memory =
        static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    double processors = std::max(1U, std::thread::hardware_concurrency());  // heeds the affinity
    const auto keep = [](double& least, std::optional<double> limit) {
        if (limit) least = std::min(least, *limit);
    };
    for_each_group(mounts, groups, "", [&](const std::string& folder) {
        keep(memory, detail::first_number(kernel_text(folder + "/memory.max")));
        keep(processors, detail::quotient(kernel_text(folder + "/cpu.max")));
    });
    for_each_group(mounts, groups, "memory", [&](const std::string& folder) {
        keep(memory, detail::first_number(kernel_text(folder + "/memory.limit_in_bytes")));
    });
    for_each_group(mounts, groups, "cpu", [&](const std::string& folder) {
        keep(processors, detail::quotient(kernel_text(folder + "/cpu.cfs_quota_us") + " " +
                                          kernel_text(folder + "/cpu.cfs_period_us")));
    });
    return {.processors = static_cast<unsigned>(std::max(1.0, std::floor(processors))),
            .memory_bytes = memory};
}

}  // namespace plimsoll::launch
