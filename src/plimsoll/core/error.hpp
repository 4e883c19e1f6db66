#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace plimsoll {

/// Whose turn it is when something fails.
enum class ErrorKind {
    usage,        ///< the command or an option is wrong: the caller
    input,        ///< a file's content is wrong: whoever wrote it
    environment,  ///< the machine refused: disk full, no permission, no such program
    internal,     ///< a bug of ours
};

/// "usage", "input", "environment" or "internal".
[[nodiscard]] std::string_view name(ErrorKind kind);

/// Exit status of a program that ends with an error of this kind: 2, 2, 3, 70.
[[nodiscard]] int exit_code(ErrorKind kind);

/// A place in a file; line 0 means the file as a whole.
struct Place {
    std::string file;
    std::uint64_t line = 0;  ///< counted from 1
};

/// What a caller cannot go on from.
///
/// `what()` is the message with its place in front: lower case, no full stop. The hint is one thing to do.
class Error : public std::exception {
  public:
    Error(ErrorKind kind, std::string message, std::string hint = {});
    Error(ErrorKind kind, Place place, std::string message, std::string hint = {});

    [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
    [[nodiscard]] const Place& place() const noexcept { return place_; }
    [[nodiscard]] const std::string& hint() const noexcept { return hint_; }
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

  private:
    ErrorKind kind_;
    Place place_;
    std::string text_;
    std::string hint_;
};

/// Throws the `internal` error of a failed PLIMSOLL_EXPECT.
[[noreturn]] void fail_expectation(const char* condition, const char* file, int line);

}  // namespace plimsoll

/// A condition that only a bug of ours can break; checked in every build. User input never reaches one.
#define PLIMSOLL_EXPECT(condition) \
    ((condition) ? static_cast<void>(0) : ::plimsoll::fail_expectation(#condition, __FILE__, __LINE__))
