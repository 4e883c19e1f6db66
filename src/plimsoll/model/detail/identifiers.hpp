#pragma once

#include <span>
#include <string>
#include <vector>

namespace plimsoll::model::detail {

/// Names that Python and C both accept, one for each name given and all distinct.
///
/// Other characters than ASCII letters and digits become underscores; an underscore at the end keeps a name
/// from being a word of one of the languages, or the same as a name before it.
[[nodiscard]] std::vector<std::string> identifiers(std::span<const std::string> names);

}  // namespace plimsoll::model::detail
