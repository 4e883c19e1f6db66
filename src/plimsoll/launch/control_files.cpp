#include "plimsoll/launch/detail/control_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "plimsoll/core/text.hpp"
#include "plimsoll/launch/descriptor.hpp"

namespace plimsoll::launch::detail {

namespace {

bool names(std::string_view comma_separated, std::string_view name) {
    const auto parts = split(comma_separated, ',');
    return std::find(parts.begin(), parts.end(), name) != parts.end();
}

/// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescaped(std::string_view text) {
    constexpr std::size_t digits = 3;
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = 0;
        const char* const begin = text.data() + i + 1;
        if (text[i] == '\\' && i + digits < text.size() &&
            std::from_chars(begin, begin + digits, code, 8).ptr == begin + digits) {
            plain += static_cast<char>(code);
            i += digits;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

/// Our group as the hierarchy names it: "4:memory:/a/b", "0::/a/b".
std::optional<std::string> path_in_hierarchy(std::string_view groups, std::string_view controller) {
    for (const std::string_view line : split(groups, '\n')) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string_view::npos) continue;
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        if (controller.empty() ? controllers.empty() : names(controllers, controller))
            return std::string(line.substr(second + 1));
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> own_control_group(std::string_view mounts, std::string_view groups,
                                             std::string_view controller) {
    const auto path = path_in_hierarchy(groups, controller);
    if (!path) return std::nullopt;
    for (const std::string_view line : split(mounts, '\n')) {
        // "41 31 0:38 ROOT PLACE OPTIONS [MORE...] - TYPE DEVICE SUPER_OPTIONS"
        constexpr std::size_t root_at = 3;
        constexpr std::size_t place_at = 4;
        const std::size_t dash = line.find(" - ");
        if (dash == std::string_view::npos) continue;
        const auto front = split(line.substr(0, dash), ' ');
        const auto back = split(line.substr(dash + 3), ' ');
        if (front.size() <= place_at || back.size() < 3) continue;
        const bool right =
            controller.empty() ? back[0] == "cgroup2" : back[0] == "cgroup" && names(back[2], controller);
        if (!right) continue;
        const std::string root = unescaped(front[root_at]);
        const std::string place = unescaped(front[place_at]);
        // A mount may show a part of the hierarchy, which need not be that we are in.
        if (root == "/") return place + (*path == "/" ? "" : *path);
        if (*path == root) return place;
        if (path->starts_with(root + "/")) return place + path->substr(root.size());
    }
    return std::nullopt;
}

std::uint64_t count_of_kills(std::string_view events) {
    constexpr std::string_view name = "oom_kill ";
    for (const std::string_view line : split(events, '\n')) {
        if (!line.starts_with(name)) continue;
        std::uint64_t count = 0;
        std::from_chars(line.data() + name.size(), line.data() + line.size(), count);
        return count;
    }
    return 0;
}

std::optional<double> first_number(std::string_view text) {
    std::uint64_t number = 0;
    text = trim(text);
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc())
        return std::nullopt;
    return static_cast<double>(number);
}

std::optional<double> quotient(std::string_view text) {
    text = trim(text);
    const auto above = first_number(text);
    const auto below = first_number(text.substr(std::min(text.size(), text.find_first_of(" \n"))));
    if (!above || !below || *below == 0.0) return std::nullopt;
    return *above / *below;
}

std::string kernel_text(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    std::array<char, 4096> block{};
    for (ssize_t length = 0; (length = ::read(file.number(), block.data(), block.size())) > 0;)
        text.append(block.data(), static_cast<std::size_t>(length));
    return text;
}

}  // namespace plimsoll::launch::detail
