#include "plimsoll/experiment/detail/other_programs_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plimsoll/core/error.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::string_view nsys_report = "is a report of Nsight Systems, not its export";
constexpr std::string_view nsys_export = "nsys export --type sqlite";
constexpr std::array files{
    OtherProgramsFile{.ending = ".nsys-rep", .what = nsys_report, .command = nsys_export},
    OtherProgramsFile{.ending = ".qdrep", .what = nsys_report, .command = nsys_export}};

}  // namespace

const OtherProgramsFile* other_programs_file(std::string_view path) {
    const auto* const found = std::find_if(files.begin(), files.end(), [&](const OtherProgramsFile& file) {
        return path.ends_with(file.ending);
    });
    return found == files.end() ? nullptr : found;
}

void refuse_other_programs_file(const std::string& path) {
    const OtherProgramsFile* const file = other_programs_file(path);
    if (file == nullptr) return;
    throw Error(ErrorKind::input, Place{.file = path}, std::string(file->what),
                fmt::format("{} {}", file->command, path));
}

}  // namespace plimsoll::experiment::detail
