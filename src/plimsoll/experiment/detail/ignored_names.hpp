#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::experiment::detail {

/// What readers of JSON note once where a number stands in quotes.
inline constexpr std::string_view text_number_note = "numbers are written as strings, and read as numbers";

/// Notes each name that a reader ignores where it first appears, and no more than a few names in all, so that
/// a file with ever new names does not fill the memory.
class IgnoredNames {
  public:
    /// `what` comes before the name: "the key", "the parameter".
    void note(ExperimentBuilder& builder, const Place& place, std::string_view what, std::string_view name);

  private:
    std::vector<std::string> known_;
    bool is_full_ = false;
};

}  // namespace plimsoll::experiment::detail
