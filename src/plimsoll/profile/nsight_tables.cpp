#include "plimsoll/profile/detail/nsight_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plimsoll::profile::detail {

namespace {

using Kind = Timeline::Kind;

constexpr std::array sources{
    NsightSource{nsight_runtime_table, Kind::host, {"nameId", "", ""}, "globalTid", "", ""},
    NsightSource{"CUDNN_EVENTS", Kind::host, {"nameId", "", ""}, "globalTid", "", ""},
    NsightSource{"CUBLAS_EVENTS", Kind::host, {"nameId", "", ""}, "globalTid", "", ""},
    NsightSource{"OSRT_API", Kind::host, {"nameId", "", ""}, "globalTid", "", ""},
    NsightSource{"MPI_P2P_EVENTS", Kind::host, {"textId", "nameId", ""}, "globalTid", "size", ""},
    NsightSource{"MPI_COLLECTIVES_EVENTS", Kind::host, {"textId", "nameId", ""}, "globalTid", "size", ""},
    NsightSource{"MPI_START_WAIT_EVENTS", Kind::host, {"textId", "nameId", ""}, "globalTid", "", ""},
    NsightSource{"MPI_OTHER_EVENTS", Kind::host, {"textId", "nameId", ""}, "globalTid", "", ""},
    NsightSource{"CUPTI_ACTIVITY_KIND_KERNEL",
                 Kind::kernel,
                 {"demangledName", "shortName", "mangledName"},
                 "globalPid",
                 "",
                 ""},
    NsightSource{
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", Kind::kernel, {"", "", ""}, "globalPid", "", "CUDA graph"},
    NsightSource{
        "CUPTI_ACTIVITY_KIND_MEMCPY", Kind::copy, {"copyKind", "", ""}, "globalPid", "bytes", "Memcpy"},
    NsightSource{"CUPTI_ACTIVITY_KIND_MEMSET", Kind::set, {"", "", ""}, "globalPid", "bytes", "Memset"},
    NsightSource{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                 Kind::wait,
                 {"syncType", "", ""},
                 "globalPid",
                 "",
                 "Synchronization"}};

}  // namespace

std::span<const NsightSource> nsight_sources() { return sources; }

std::string nsight_copy_name(std::int64_t kind) {
    switch (kind) {
        case 1: return "Memcpy HtoD";
        case 2: return "Memcpy DtoH";
        case 8: return "Memcpy DtoD";
        case 9: return "Memcpy HtoH";
        case 10: return "Memcpy PtoP";
        case 11: return "Memcpy HtoD (unified memory)";
        case 12: return "Memcpy DtoH (unified memory)";
        case 13: return "Memcpy DtoD (unified memory)";
        default: return fmt::format("Memcpy of kind {}", kind);
    }
}

std::string nsight_wait_name(std::int64_t kind) {
    switch (kind) {
        case 1: return "Event Synchronize";
        case 2: return "Stream Wait Event";
        case 3: return "Stream Synchronize";
        case 4: return "Context Synchronize";
        default: return fmt::format("Synchronization of kind {}", kind);
    }
}

std::string_view without_version(std::string_view name) {
    const std::size_t mark = name.rfind("_v");
    if (mark == std::string_view::npos || mark + 2 == name.size()) return name;
    const bool is_version = name.find_first_not_of("0123456789", mark + 2) == std::string_view::npos;
    return is_version ? name.substr(0, mark) : name;
}

std::string_view without_arguments(std::string_view name) {
    for (const std::string_view mark : {", seq = ", ", op_id = ", ", sizes = "})
        name = name.substr(0, name.find(mark));
    return name;
}

bool is_nsight_description(std::string_view table) {
    for (const std::string_view begin :
         {"ENUM_", "TARGET_INFO_", "META_DATA_", "EXPORT_META_DATA", "sqlite_"}) {
        if (table.starts_with(begin)) return true;
    }
    constexpr std::array<std::string_view, 10> others{
        "StringIds",         "ThreadNames",      "ProcessStreams", "PROCESSES",         "MPI_RANKS",
        "MPI_COMMUNICATORS", "ANALYSIS_DETAILS", "ANALYSIS_FILE",  "PROFILER_OVERHEAD", "DIAGNOSTIC_EVENT"};
    return std::find(others.begin(), others.end(), table) != others.end();
}

}  // namespace plimsoll::profile::detail
