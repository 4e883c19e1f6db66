#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plimsoll/core/progress.hpp"

namespace plimsoll::plan {

/// Tells of a loop over configurations how far it is, and ends it with `Cancelled` where the user asks for
/// that: now and then, since one round takes some nanoseconds.
class LongLoop {
  public:
    LongLoop(Progress& progress, std::string_view what, std::size_t rounds)
        : activity_(progress, what, static_cast<std::int64_t>(rounds)) {}

    void reach(std::size_t round) {
        constexpr std::size_t seldom = 0x3fff;
        if ((round & seldom) == 0) activity_.reach(static_cast<std::int64_t>(round));
    }

  private:
    Activity activity_;
};

}  // namespace plimsoll::plan
