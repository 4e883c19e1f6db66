#include "plimsoll/measure/detail/scratch_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "plimsoll/core/error.hpp"

namespace plimsoll::measure::detail {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const std::string& parent) {
    std::error_code failure;
    const fs::path below = parent.empty() ? fs::temp_directory_path(failure) : fs::path(parent);
    std::string pattern = fs::absolute(below / "plimsoll-measure-XXXXXX").string();
    if (failure || ::mkdtemp(pattern.data()) == nullptr) {
        throw Error(
            ErrorKind::environment, fmt::format("cannot make a temporary folder in '{}'", below.string()),
            parent.empty() ? "set TMPDIR to a folder that you may write to" : "check its permissions");
    }
    path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

RunFiles ScratchFolder::fresh() const {
    RunFiles files{.out = path_ + "/stdout", .err = path_ + "/stderr", .regions = path_ + "/regions.jsonl"};
    std::error_code ignored;
    for (const std::string& file : {files.out, files.err, files.regions}) fs::remove(file, ignored);
    return files;
}

}  // namespace plimsoll::measure::detail
