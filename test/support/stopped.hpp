#pragma once

#include "plimsoll/core/progress.hpp"

namespace plimsoll::test {

/// A user who asked to stop before the work began.
class Stopped final : public Progress {
  public:
    Stopped() { request_stop(); }
    void begin(std::string_view /*what*/, std::int64_t /*total*/) override {}
    void advance(std::int64_t /*done*/) override {}
    void end() override {}
};

}  // namespace plimsoll::test
