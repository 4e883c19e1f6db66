#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace plimsoll::test {

/// An event of a trace to be written.
struct TraceEvent {
    enum class Kind { enter, leave, send, receive, collective, counter };
    Kind kind;
    std::uint64_t time;          ///< in ticks
    std::uint32_t region = 0;    ///< position in the list of regions
    std::uint64_t sent = 0;      ///< bytes; the value of a counter
    std::uint64_t received = 0;  ///< bytes
};

/// What an archive is written of.
struct TraceContent {
    std::uint64_t ticks_per_second = 1000;
    std::vector<std::string> regions;
    /// One process each, with a single thread.
    std::vector<std::vector<TraceEvent>> locations;
    /// The location of each rank; empty for a program without MPI.
    std::vector<std::uint64_t> ranks;
    OTF2_MetricMode counter_mode = OTF2_METRIC_ACCUMULATED_START;
};

namespace detail {

inline void check(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS) throw std::runtime_error(OTF2_Error_GetDescription(code));
}

inline void write(OTF2_EvtWriter* writer, const TraceEvent& event) {
    switch (event.kind) {
        case TraceEvent::Kind::enter:
            check(OTF2_EvtWriter_Enter(writer, nullptr, event.time, event.region));
            break;
        case TraceEvent::Kind::leave:
            check(OTF2_EvtWriter_Leave(writer, nullptr, event.time, event.region));
            break;
        case TraceEvent::Kind::send:
            check(OTF2_EvtWriter_MpiSend(writer, nullptr, event.time, 0, 0, 0, event.sent));
            break;
        case TraceEvent::Kind::receive:
            check(OTF2_EvtWriter_MpiRecv(writer, nullptr, event.time, 0, 0, 0, event.received));
            break;
        case TraceEvent::Kind::collective:
            check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, event.time, OTF2_COLLECTIVE_OP_ALLREDUCE,
                                                  0, OTF2_UNDEFINED_UINT32, event.sent, event.received));
            break;
        case TraceEvent::Kind::counter: {
            const OTF2_Type type = OTF2_TYPE_UINT64;
            OTF2_MetricValue value;
            value.unsigned_int = event.sent;
            check(OTF2_EvtWriter_Metric(writer, nullptr, event.time, 0, 1, &type, &value));
            break;
        }
    }
}

}  // namespace detail

/// Writes an archive `traces.otf2` into a folder that is not there yet, with OTF2's own library.
inline void write_otf2(const std::string& folder, const TraceContent& content) {
    using detail::check;
    OTF2_Archive* const archive =
        OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, 1024 * 1024, 4 * 1024 * 1024,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive == nullptr) throw std::runtime_error("no archive can be written in " + folder);
    OTF2_FlushCallbacks flush{};
    flush.otf2_pre_flush = [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType {
        return OTF2_FLUSH;
    };
    check(OTF2_Archive_SetFlushCallbacks(archive, &flush, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    check(OTF2_Archive_OpenEvtFiles(archive));
    std::uint64_t last = 0;
    for (std::size_t id = 0; id < content.locations.size(); ++id) {
        OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive, id);
        for (const TraceEvent& event : content.locations[id]) {
            detail::write(writer, event);
            last = std::max(last, event.time);
        }
        check(OTF2_Archive_CloseEvtWriter(archive, writer));
    }
    check(OTF2_Archive_CloseEvtFiles(archive));
    check(OTF2_Archive_OpenDefFiles(archive));
    for (std::size_t id = 0; id < content.locations.size(); ++id)
        check(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, id)));
    check(OTF2_Archive_CloseDefFiles(archive));

    OTF2_GlobalDefWriter* const definitions = OTF2_Archive_GetGlobalDefWriter(archive);
    check(OTF2_GlobalDefWriter_WriteClockProperties(definitions, content.ticks_per_second, 0, last + 1,
                                                    OTF2_UNDEFINED_TIMESTAMP));
    std::uint32_t strings = 0;
    const auto text = [&](const std::string& string) {
        check(OTF2_GlobalDefWriter_WriteString(definitions, strings, string.c_str()));
        return strings++;
    };
    const std::uint32_t nothing = text("");
    for (std::uint32_t id = 0; id < content.regions.size(); ++id) {
        const std::uint32_t name = text(content.regions[id]);
        check(OTF2_GlobalDefWriter_WriteRegion(definitions, id, name, name, nothing,
                                               OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                               OTF2_REGION_FLAG_NONE, nothing, 0, 0));
    }
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 0, text("node"), text("node"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (std::uint32_t id = 0; id < content.locations.size(); ++id) {
        check(OTF2_GlobalDefWriter_WriteLocationGroup(definitions, id, text("process"),
                                                      OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
        check(OTF2_GlobalDefWriter_WriteLocation(definitions, id, text("thread"),
                                                 OTF2_LOCATION_TYPE_CPU_THREAD, content.locations[id].size(),
                                                 id));
    }
    if (!content.ranks.empty()) {
        check(OTF2_GlobalDefWriter_WriteGroup(
            definitions, 0, nothing, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
            static_cast<std::uint32_t>(content.ranks.size()), content.ranks.data()));
    }
    check(OTF2_GlobalDefWriter_WriteMetricMember(definitions, 0, text("CYCLES"), nothing,
                                                 OTF2_METRIC_TYPE_PAPI, content.counter_mode,
                                                 OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 3, text("#")));
    const OTF2_MetricMemberRef member = 0;
    check(OTF2_GlobalDefWriter_WriteMetricClass(definitions, 0, 1, &member, OTF2_METRIC_SYNCHRONOUS_STRICT,
                                                OTF2_RECORDER_KIND_CPU));
    check(OTF2_Archive_CloseGlobalDefWriter(archive, definitions));
    check(OTF2_Archive_Close(archive));
}

}  // namespace plimsoll::test
