#pragma once

#include <string>
#include <vector>

#include "plimsoll/profile/detail/formats.hpp"

namespace plimsoll::profile::detail {

/// The anchor files of the archives that stand in a folder, in the order of their names.
[[nodiscard]] std::vector<std::string> otf2_anchors(const std::string& folder);

/// Reads the archive of an anchor file; the activity, where there is one, counts the bytes of all its files.
void read_otf2_archive(Input& anchor, Sink& sink, Activity* activity);

}  // namespace plimsoll::profile::detail
