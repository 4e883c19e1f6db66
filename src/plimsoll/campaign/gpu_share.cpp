#include "plimsoll/campaign/detail/gpu_share.hpp"

#include <fmt/format.h>

namespace plimsoll::campaign {

std::string GpuGrant::text() const { return fmt::format("{}", fmt::join(devices, ",")); }

std::optional<GpuGrant> GpuShare::take(std::int64_t thousandths) {
    GpuGrant grant{.thousandths = thousandths < whole ? thousandths : whole};
    if (thousandths <= 0) return grant;
    if (thousandths < whole) {
        std::optional<std::size_t> fullest;
        for (std::size_t i = 0; i < free_.size(); ++i) {
            if (free_[i] >= thousandths && (!fullest || free_[i] < free_[*fullest])) fullest = i;
        }
        if (!fullest) return std::nullopt;
        grant.devices.push_back(*fullest);
    } else {
        const auto wanted = static_cast<std::size_t>((thousandths + whole - 1) / whole);
        for (std::size_t i = 0; i < free_.size() && grant.devices.size() < wanted; ++i) {
            if (free_[i] == whole) grant.devices.push_back(i);
        }
        if (grant.devices.size() < wanted) return std::nullopt;
    }
    for (const std::size_t device : grant.devices) free_[device] -= grant.thousandths;
    return grant;
}

void GpuShare::give_back(const GpuGrant& grant) {
    for (const std::size_t device : grant.devices) free_[device] += grant.thousandths;
}

}  // namespace plimsoll::campaign
