#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace plimsoll::kernels {

/// Whose turn it is; the value is the program's exit code.
enum class FailureKind {
    usage = 2,         ///< the arguments
    environment = 3,   ///< disk, memory, threads
    internal = 70,     ///< a kernel computed something wrong
    interrupted = 130  ///< the user pressed Ctrl-C
};

/// What the program cannot go on from, with one thing to do about it.
class Failure : public std::runtime_error {
  public:
    Failure(FailureKind kind, const std::string& message, std::string hint)
        : std::runtime_error(message), kind_(kind), hint_(std::move(hint)) {}

    [[nodiscard]] FailureKind kind() const { return kind_; }
    [[nodiscard]] const std::string& hint() const { return hint_; }

  private:
    FailureKind kind_;
    std::string hint_;
};

}  // namespace plimsoll::kernels
