#include "plimsoll/launch/detail/start_error.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "plimsoll/core/text.hpp"

namespace plimsoll::launch::detail {

namespace {

namespace fs = std::filesystem;

/// Names of the programs in a folder.
void list_programs(const fs::path& folder, std::vector<std::string>& names) {
    std::error_code failure;
    fs::directory_iterator entry(folder, failure);
    for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        std::error_code ignored;
        if (!entry->is_directory(ignored) && ::access(entry->path().c_str(), X_OK) == 0)
            names.push_back(entry->path().filename().string());
    }
}

Error no_such_program(const std::string& program, const fs::path& path, const fs::path& folder) {
    std::error_code ignored;
    if (fs::exists(path, ignored) && program.find('/') != std::string::npos) {
        return {ErrorKind::environment,
                fmt::format("cannot start '{}': the program that it names in its "
                            "first line, or a library loader, is not there",
                            program),
                "check its first line (#!), or build it for this machine"};
    }
    std::vector<std::string> names;
    if (program.find('/') != std::string::npos) {
        list_programs(path.parent_path(), names);
        const auto near = nearest(path.filename().string(), names);
        return {ErrorKind::environment, fmt::format("cannot start '{}': there is no such file", program),
                near ? fmt::format("did you mean '{}'?", (fs::path(program).parent_path() / *near).string())
                     : "check the path, or build the program first"};
    }
    if (::access((folder / program).c_str(), X_OK) == 0) {
        return {ErrorKind::environment, fmt::format("cannot start '{}': it is not in PATH", program),
                fmt::format("it is in this folder: write './{}'", program)};
    }
    const char* const search = std::getenv("PATH");
    for (const std::string_view part : split(search == nullptr ? "/bin:/usr/bin" : search, ':'))
        list_programs(part, names);
    const auto near = nearest(program, names);
    return {ErrorKind::environment,
            fmt::format("cannot start '{}': there is no such program in PATH", program),
            near ? fmt::format("did you mean '{}'?", *near) : "check PATH, or give the path of the program"};
}

}  // namespace

Error start_error(const Command& command, int code) {
    const std::string& program = command.arguments.front();
    std::error_code ignored;
    const fs::path folder = command.working_folder.empty() ? "." : command.working_folder;
    if (!fs::is_directory(folder, ignored)) {
        return {ErrorKind::environment,
                fmt::format("cannot start '{}' in '{}': there is no such folder", program, folder.string()),
                "make the folder first"};
    }
    const fs::path path = folder / program;
    switch (code) {
        case ENOENT:
        case ENOTDIR: return no_such_program(program, path, folder);
        case EACCES:
            if (fs::is_directory(path, ignored)) {
                return {ErrorKind::environment, fmt::format("cannot start '{}': it is a folder", program),
                        "name the program in it"};
            }
            return {ErrorKind::environment, fmt::format("cannot start '{}': it is not executable", program),
                    fmt::format("make it so: chmod +x {}", program)};
        case ENOEXEC:
            return {ErrorKind::environment,
                    fmt::format("cannot start '{}': it is no program of this machine", program),
                    "begin a script with '#!' and its interpreter, or build the program for this machine"};
        case E2BIG:
            return {ErrorKind::environment,
                    fmt::format("cannot start '{}': its arguments and environment are too long", program),
                    "pass long lists in a file"};
        case EAGAIN:
        case ENOMEM:
            return {ErrorKind::environment,
                    fmt::format("cannot start '{}': {}", program, std::strerror(code)),
                    "check the limits of processes and memory (ulimit -a)"};
        default:
            return {ErrorKind::environment,
                    fmt::format("cannot start '{}': {}", program, std::strerror(code)),
                    "check the program and its limits"};
    }
}

}  // namespace plimsoll::launch::detail
