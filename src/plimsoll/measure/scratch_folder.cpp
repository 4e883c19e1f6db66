#include "plimsoll/measure/detail/scratch_folder.hpp"

#include <cstdlib>
#include <filesystem>

#include "plimsoll/core/error.hpp"

namespace plimsoll::measure::detail {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
    std::error_code failure;
    std::string pattern = fs::absolute(fs::temp_directory_path(failure) / "plimsoll-measure-XXXXXX").string();
    if (failure || ::mkdtemp(pattern.data()) == nullptr) {
        throw Error(ErrorKind::environment, "cannot make a temporary folder",
                    "set TMPDIR to a folder that you may write to");
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
