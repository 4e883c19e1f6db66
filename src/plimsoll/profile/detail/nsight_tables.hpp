#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "plimsoll/profile/detail/timeline.hpp"

namespace plimsoll::profile::detail {

constexpr const char* nsight_runtime_table = "CUPTI_ACTIVITY_KIND_RUNTIME";

/// A table of events, and where each of them ran. Exports have tables for what occurred, and their columns
/// differ by version.
struct NsightSource {
    const char* table;
    Timeline::Kind kind;
    std::array<const char*, 3> name_columns;  ///< the first that is there counts
    const char* process_column;
    const char* bytes_column;
    const char* fixed_name;  ///< where no column says more
};

/// All that are read, calls that start work on devices first.
[[nodiscard]] std::span<const NsightSource> nsight_sources();

/// Whether a table holds no events: names of numbers, and what is said of the machine and the measurement.
[[nodiscard]] bool is_nsight_description(std::string_view table);

/// Names of numbers that some versions of the export leave unexplained. Source: CUPTI's enumerations
/// CUpti_ActivityMemcpyKind and CUpti_ActivitySynchronizationType.
[[nodiscard]] std::string nsight_copy_name(std::int64_t kind);
[[nodiscard]] std::string nsight_wait_name(std::int64_t kind);

/// A function's name without the version of its interface: `cudaLaunchKernel_v7000`.
[[nodiscard]] std::string_view without_version(std::string_view name);

/// A range's name without what differs from call to call: PyTorch puts sequence numbers and shapes behind it.
[[nodiscard]] std::string_view without_arguments(std::string_view name);

}  // namespace plimsoll::profile::detail
