#include "plimsoll/launch/detail/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "plimsoll/core/error.hpp"

namespace plimsoll::launch::detail {

namespace {

/// Opens what a redirection names, and moves it above the three streams, where nothing overwrites it.
///
/// Whoever starts programs must not wait here, as opening a named pipe does until its other end is open: a
/// worker would be deaf, and all its tasks lost with their leases.
Descriptor open_file(const char* path, int flags, const std::string& program) {
    constexpr mode_t readable_by_all = 0666;
    const auto fail = [&](const std::string& why, const char* hint) {
        throw Error(ErrorKind::environment, Place{.file = path},
                    fmt::format("cannot open it as a stream of '{}': {}", program, why), hint);
    };
    Descriptor file(::open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, readable_by_all));
    const int code = errno;
    struct stat status {};
    if (file.number() >= 0 ? ::fstat(file.number(), &status) == 0 : ::stat(path, &status) == 0) {
        if (S_ISFIFO(status.st_mode))
            fail("it is a named pipe, which may wait for its other end for ever",
                 "let the command itself open it: sh -c 'app < pipe'");
    }
    if (file.number() >= 0 && file.number() <= STDERR_FILENO)
        file = Descriptor(::fcntl(file.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (file.number() < 0) {
        fail(std::strerror(code), (flags & O_CREAT) != 0 ? "choose a folder that you may write to"
                                                         : "check the path and permissions");
    }
    ::fcntl(file.number(), F_SETFL, flags & O_APPEND);  // it blocks again
    return file;
}

/// Another descriptor of the null device, which is opened once: that is a walk along a path, and this is not.
Descriptor open_null(const std::string& program) {
    static const Descriptor opened = open_file("/dev/null", O_RDWR, program);
    Descriptor another(::fcntl(opened.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    return another.number() >= 0 ? std::move(another) : open_file("/dev/null", O_RDWR, program);
}

}  // namespace

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(ErrorKind::environment, fmt::format("cannot make a pipe: {}", std::strerror(errno)),
                    "raise the limit of open files (ulimit -n)");
    }
    for (int& end : ends) {
        if (end > STDERR_FILENO) continue;
        const int moved = ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        ::close(std::exchange(end, moved));
    }
    return {.read_end = Descriptor(ends[0]), .write_end = Descriptor(ends[1])};
}

Stream open_input(const Redirection& redirection, const std::string& program) {
    using To = Redirection::To;
    switch (redirection.to) {
        case To::null: return {.theirs = open_null(program), .ours = {}};
        case To::file: return {.theirs = open_file(redirection.path.c_str(), O_RDONLY, program), .ours = {}};
        case To::pipe: {
            Pipe pipe = make_pipe();
            return {.theirs = std::move(pipe.read_end), .ours = std::move(pipe.write_end)};
        }
        case To::inherit: return {};
        case To::append:
        case To::output: break;
    }
    PLIMSOLL_EXPECT(false);
    return {};
}

Stream open_output(const Redirection& redirection, const std::string& program) {
    using To = Redirection::To;
    constexpr int anew = O_WRONLY | O_CREAT | O_TRUNC;
    constexpr int behind = O_WRONLY | O_CREAT | O_APPEND;
    switch (redirection.to) {
        case To::null: return {.theirs = open_null(program), .ours = {}};
        case To::file: return {.theirs = open_file(redirection.path.c_str(), anew, program), .ours = {}};
        case To::append: return {.theirs = open_file(redirection.path.c_str(), behind, program), .ours = {}};
        case To::pipe: {
            Pipe pipe = make_pipe();
            return {.theirs = std::move(pipe.write_end), .ours = std::move(pipe.read_end)};
        }
        case To::inherit:
        case To::output: break;
    }
    return {};
}

}  // namespace plimsoll::launch::detail
