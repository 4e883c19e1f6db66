#include "plimsoll/experiment/call_path.hpp"

#include <algorithm>

#include "plimsoll/core/text.hpp"

namespace plimsoll::experiment {

namespace {

constexpr std::string_view keyword = "operator";

bool continues_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether a name may end, or its list of arguments begin, in front of this text.
bool ends_name(std::string_view rest) {
    return rest.empty() || rest.starts_with(arrow) || rest.starts_with('(');
}

bool is_operator(std::string_view path, std::size_t at) {
    const std::string_view before = path.substr(0, at);
    if (!before.ends_with(keyword)) return false;
    if (before.size() > keyword.size() && continues_word(before[before.size() - keyword.size() - 1])) {
        return false;
    }
    const std::string_view rest = path.substr(at + arrow.size());
    return ends_name(rest) || (rest.starts_with('*') && ends_name(rest.substr(1)));
}

}  // namespace

std::size_t find_arrow(std::string_view path, std::size_t from) {
    std::size_t at = path.find(arrow, from);
    while (at != std::string_view::npos && is_operator(path, at)) at = path.find(arrow, at + arrow.size());
    return at;
}

std::string_view path_above(std::string_view path) {
    std::size_t last = std::string_view::npos;
    for (std::size_t at = find_arrow(path); at != std::string_view::npos;
         at = find_arrow(path, at + arrow.size()))
        last = at;
    return last == std::string_view::npos ? std::string_view() : path.substr(0, last);
}

std::string path_below(std::string_view above, std::string_view name) {
    std::string path(above);
    path += arrow;
    return path += name;
}

std::optional<std::string> meant_regions(std::string_view pattern, std::span<const std::string> regions) {
    const std::string text(pattern);
    const auto fits_some = [&](const std::string& wider) {
        return std::any_of(regions.begin(), regions.end(),
                           [&](const std::string& region) { return glob_match(wider, region); });
    };
    if (text.empty()) return std::nullopt;
    if (fits_some("*" + std::string(arrow) + text)) return "*" + text;
    if (auto near = nearest(text, regions)) return near;
    const std::string anywhere = "*" + text + "*";
    return fits_some(anywhere) ? std::optional(anywhere) : std::nullopt;
}

}  // namespace plimsoll::experiment
