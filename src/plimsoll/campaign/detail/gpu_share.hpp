#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::campaign {

/// Which devices a task has: part of one, or several whole ones.
struct GpuGrant {
    std::vector<std::size_t> devices;
    std::int64_t thousandths = 0;  ///< of each

    /// "0,1", as CUDA_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES want it.
    [[nodiscard]] std::string text() const;
};

/// A worker's GPUs. A part of one is taken from the fullest device that has it, so that whole ones stay
/// whole; a share above one is of whole devices, rounded up.
class GpuShare {
  public:
    explicit GpuShare(std::int64_t thousandths)
        : free_(static_cast<std::size_t>(thousandths / whole), whole) {}

    /// Nothing where no device, or not enough whole ones, are free: then the task waits.
    [[nodiscard]] std::optional<GpuGrant> take(std::int64_t thousandths);
    void give_back(const GpuGrant& grant);

  private:
    static constexpr std::int64_t whole = 1000;
    std::vector<std::int64_t> free_;  ///< thousandths of each device
};

}  // namespace plimsoll::campaign
