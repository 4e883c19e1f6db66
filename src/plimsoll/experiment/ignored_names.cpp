#include "plimsoll/experiment/detail/ignored_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/experiment/detail/excerpt.hpp"

namespace plimsoll::experiment::detail {

void IgnoredNames::note(ExperimentBuilder& builder, const Place& place, std::string_view what,
                        std::string_view name) {
    constexpr std::size_t most = 16;
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) return;
    if (known_.size() < most) {
        known_.emplace_back(name);
        builder.note(place, fmt::format("{} '{}' is not known and is ignored", what, excerpt(name)));
    } else if (!is_full_) {
        is_full_ = true;
        builder.note(place, "further unknown names are ignored without a note");
    }
}

}  // namespace plimsoll::experiment::detail
