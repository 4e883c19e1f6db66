#pragma once

#include <string>
#include <string_view>

namespace plimsoll::experiment::detail {

/// A file that lies where measurements do, and that another program has to turn into something else first.
struct OtherProgramsFile {
    std::string_view ending;
    std::string_view what;     ///< it is
    std::string_view command;  ///< the path stands behind it
};

/// What the name of a file says; null for all other files.
[[nodiscard]] const OtherProgramsFile* other_programs_file(std::string_view path);

/// Throws the input error for such a file, with the command as its hint.
void refuse_other_programs_file(const std::string& path);

}  // namespace plimsoll::experiment::detail
