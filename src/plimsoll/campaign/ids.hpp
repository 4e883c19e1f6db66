#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace plimsoll::campaign {

/// One submission: a command with one task, or an array of tasks. Counted from 1.
struct JobId {
    std::int64_t value = 0;
    auto operator<=>(const JobId&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm on <=>
};

/// One task of a job: `index` counts the entries of its array from 0.
struct TaskId {
    JobId job;
    std::uint32_t index = 0;
    auto operator<=>(const TaskId&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm on <=>
};

/// A worker as the server knows it; a new one for each registration that is not a return. Counted from 1.
struct WorkerId {
    std::int64_t value = 0;
    auto operator<=>(const WorkerId&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm on <=>
};

/// Fencing token of one lease. It only grows; a result that carries an older one than the task's is refused.
struct Token {
    std::int64_t value = 0;
    auto operator<=>(const Token&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm on <=>
};

}  // namespace plimsoll::campaign

template <>
struct std::hash<plimsoll::campaign::TaskId> {
    std::size_t operator()(const plimsoll::campaign::TaskId& id) const noexcept {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(id.job.value) * 0x9e3779b97f4a7c15U +
                                        id.index);
    }
};
template <>
struct std::hash<plimsoll::campaign::JobId> {
    std::size_t operator()(const plimsoll::campaign::JobId& id) const noexcept {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(id.value) * 0x9e3779b97f4a7c15U);
    }
};
template <>
struct std::hash<plimsoll::campaign::Token> {
    std::size_t operator()(const plimsoll::campaign::Token& token) const noexcept {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(token.value) * 0x9e3779b97f4a7c15U);
    }
};
