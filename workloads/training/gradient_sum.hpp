#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "training/trace.hpp"

namespace plimsoll::training_workload {

/// Averages gradients over all ranks while the rest of them is still being computed.
///
/// Gradients lie one behind the other in buckets, the last parameter's first, as the backward pass comes by
/// them. As soon as all of a bucket are there, an all-reduce of it starts, which goes on in each call of
/// `ready` and ends in `finish`. So what is left to wait for is the end of the last ones. Buckets start in
/// the same order on all ranks, whatever order gradients come in. Source: Li et al., "PyTorch Distributed:
/// experiences on accelerating data parallel training", VLDB 13(12), 2020, section 3.2.
class GradientSum {
  public:
    /// For parameters with so many numbers each, in the order in which the network uses them.
    GradientSum(std::span<const std::size_t> sizes, std::size_t bucket_bytes, MPI_Comm comm, Trace& trace);
    GradientSum(const GradientSum&) = delete;
    GradientSum& operator=(const GradientSum&) = delete;

    /// Where the gradient of a parameter is to be added up.
    [[nodiscard]] std::span<float> gradient(std::size_t parameter);
    [[nodiscard]] std::size_t buckets() const { return buckets_.size(); }

    /// Makes all gradients zero, for a step that begins.
    void clear();
    /// The gradient of this parameter is there.
    void ready(std::size_t parameter);
    /// Waits until each gradient is the mean of all ranks'. Those that nothing came for count as they are.
    void finish();

  private:
    struct Bucket {
        std::size_t begin = 0;  ///< in values_
        std::size_t size = 0;
        std::size_t parameters = 0;
        std::size_t missing = 0;  ///< gradients that are not there yet
    };
    struct Slot {
        std::size_t bucket = 0;
        std::size_t begin = 0;  ///< in values_
        std::size_t size = 0;
        bool is_ready = false;
    };

    void start_next();

    MPI_Comm comm_;
    Trace* trace_;
    std::vector<float> values_;
    std::vector<Slot> slots_;  ///< [parameters]
    std::vector<Bucket> buckets_;
    std::vector<MPI_Request> requests_;  ///< of the buckets that have started
};

}  // namespace plimsoll::training_workload
