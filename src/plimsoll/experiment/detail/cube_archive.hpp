#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "plimsoll/core/input.hpp"

namespace plimsoll::experiment::detail {

/// The members of a Cube profile (a tar archive) that describe and hold measurements, as they are stored.
struct CubeArchive {
    std::string anchor;                                    ///< anchor.xml, perhaps compressed by gzip
    std::unordered_map<std::string, std::string> members;  ///< `ID.index` and `ID.data` by their names
    bool has_wrong_checksums = false;                      ///< of tar headers, which were not heeded
};

/// Whether a tar member belongs to a profile: anchor.xml, or a metric's index or data.
[[nodiscard]] bool is_cube_member(std::string_view name);

/// Whether a file begins as a profile does, with the tar header of one of its members.
[[nodiscard]] bool begins_as_cube_archive(std::string_view head);

/// Reads a whole archive; memory grows with the bytes that are really there, whatever the headers say.
///
/// Two slips of Cube's own writer are understood: header checksums that are wrong (CubeWriter 4.8), and a
/// block of zeros behind members that fill their last block. Throws an input error for a damaged archive and
/// for one without an anchor.xml.
[[nodiscard]] CubeArchive read_cube_archive(Input& input);

}  // namespace plimsoll::experiment::detail
