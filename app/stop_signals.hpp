#pragma once

#include "plimsoll/launch/process.hpp"

namespace plimsoll::app {

/// SIGINT, SIGTERM and SIGHUP as a descriptor to wait for, in place of handlers: for work that sleeps in poll
/// and ends in its own time. Until the end of its life they interrupt nothing. Make it before any thread.
class StopSignals {
  public:
    StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    ~StopSignals();

    /// A signalfd.
    [[nodiscard]] int descriptor() const { return descriptor_.number(); }

  private:
    launch::Descriptor descriptor_;
};

}  // namespace plimsoll::app
