#include "plimsoll/campaign/selection.hpp"

#include <fmt/format.h>

#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::campaign {

namespace {

/// A whole number without a sign.
std::optional<std::int64_t> id_of(std::string_view text) {
    const auto value = parse_whole(text);
    return value && *value >= 0 ? value : std::nullopt;
}

/// "5" or "5-8".
std::optional<std::pair<std::int64_t, std::int64_t>> span_of(std::string_view text) {
    const std::size_t dash = text.find('-');
    const auto first = id_of(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : id_of(text.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    return std::pair(*first, *last);
}

}  // namespace

std::vector<Selected> parse_selection(std::string_view text, std::int64_t newest) {
    std::vector<Selected> found;
    for (const std::string_view piece : split(text, ',')) {
        const std::string_view word = trim(piece);
        if (word == "all" && newest == 0) continue;
        if (word == "all" || word == "last") {
            found.push_back({.first_job = word == "all" ? 1 : newest, .last_job = newest});
        } else {
            const std::size_t dot = word.find('.');
            const auto jobs = span_of(word.substr(0, dot));
            const bool with_tasks = dot != std::string_view::npos;
            const auto tasks = with_tasks ? span_of(word.substr(dot + 1)) : std::nullopt;
            if (!jobs || (with_tasks && (!tasks || jobs->first != jobs->second))) {
                throw Error(ErrorKind::usage, fmt::format("'{}' names no jobs", word),
                            "write ids such as 3, 5-8, 4.17 for a task of job 4, 'last' or 'all'");
            }
            found.push_back({.first_job = jobs->first, .last_job = jobs->second});
            if (tasks) {
                found.back().first_task = tasks->first;
                found.back().last_task = tasks->second;
            }
        }
        const Selected& last = found.back();
        if (last.first_job < 1 || last.last_job > newest) {
            const std::int64_t missing = last.first_job < 1 ? last.first_job : last.last_job;
            throw Error(ErrorKind::usage,
                        newest == 0 ? std::string("there are no jobs yet")
                                    : fmt::format("there is no job {}", missing),
                        newest == 0 ? "submit one with 'plimsoll campaign submit -- COMMAND'"
                                    : fmt::format("the newest is {}; see 'plimsoll campaign ls'", newest));
        }
    }
    return found;
}

}  // namespace plimsoll::campaign
