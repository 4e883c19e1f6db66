#include "plimsoll/launch/detail/group.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>

#include "plimsoll/core/text.hpp"

namespace plimsoll::launch::detail {

namespace {

/// Whether /proc/PID/stat tells of a running process of the group: "PID (name) STATE PARENT GROUP ...".
bool runs_in(std::string_view stat, pid_t group) {
    const std::size_t name_end = stat.rfind(") ");  // a name may hold anything
    if (name_end == std::string_view::npos) return false;
    const auto fields = split(stat.substr(name_end + 2), ' ');
    if (fields.size() < 3 || fields[0] == "Z" || fields[0] == "X") return false;
    pid_t of_process = 0;
    std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), of_process);
    return of_process == group;
}

}  // namespace

bool any_running(pid_t group) {
    std::error_code failure;
    std::filesystem::directory_iterator entry("/proc", failure);
    for (; !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        if (std::isdigit(static_cast<unsigned char>(name.front())) == 0) continue;
        const int file = ::open(("/proc/" + name + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;  // it has ended
        std::array<char, 1024> text{};
        const ssize_t length = ::read(file, text.data(), text.size());
        ::close(file);
        if (length > 0 && runs_in({text.data(), static_cast<std::size_t>(length)}, group)) return true;
    }
    return false;
}

}  // namespace plimsoll::launch::detail
