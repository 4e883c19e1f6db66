#pragma once

#include <string>
#include <vector>

namespace plimsoll::profile::detail {

/// The anchor files of the archives that stand in a folder, in the order of their names.
[[nodiscard]] std::vector<std::string> otf2_anchors(const std::string& folder);

}  // namespace plimsoll::profile::detail
