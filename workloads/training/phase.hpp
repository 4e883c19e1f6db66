#pragma once

#include <string_view>

#include "plimsoll/region.hpp"
#include "training/trace.hpp"

namespace plimsoll::training_workload {

/// A part of a step, from construction to the end of its scope: in the profile, and as a region of
/// plimsoll/region.hpp, below which libplimsoll-mpi shows the calls of MPI.
class Phase {
  public:
    template <std::size_t size>
    Phase(Trace& trace, const char (&name)[size])
        : region_(name), trace_(&trace), name_(name), begin_(Trace::Clock::now()) {}
    ~Phase() { trace_->add_phase(name_, begin_, Trace::Clock::now()); }
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

  private:
    Region region_;
    Trace* trace_;
    std::string_view name_;
    Trace::Time begin_;
};

}  // namespace plimsoll::training_workload
