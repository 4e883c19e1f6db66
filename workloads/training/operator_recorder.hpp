#pragma once

#include <cstdint>

#include "training/trace.hpp"

namespace plimsoll::training_workload {

/// Puts each operator that libtorch runs into a trace, while this lives. One at a time.
class OperatorRecorder {
  public:
    explicit OperatorRecorder(Trace& trace);
    OperatorRecorder(const OperatorRecorder&) = delete;
    OperatorRecorder& operator=(const OperatorRecorder&) = delete;
    ~OperatorRecorder();

  private:
    std::uint64_t handle_;
};

}  // namespace plimsoll::training_workload
