#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plimsoll/profile/detail/otf2_archive.hpp"

namespace plimsoll::profile::detail {

/// What an archive says beside its events.
struct Otf2Definitions {
    struct Location {
        OTF2_LocationRef id;
        OTF2_LocationType type;
        OTF2_LocationGroupRef group;
        std::uint64_t events;
    };
    struct Member {  ///< of a metric: a counter
        OTF2_StringRef name;
        OTF2_StringRef unit;
        OTF2_MetricMode mode;
        double factor;
    };

    std::uint64_t resolution = 0;  ///< ticks a second
    std::unordered_map<OTF2_StringRef, std::string> strings;
    std::unordered_map<OTF2_RegionRef, OTF2_StringRef> regions;
    std::unordered_map<OTF2_CallingContextRef, OTF2_RegionRef> contexts;
    std::vector<OTF2_LocationGroupRef> processes;
    std::vector<Location> locations;   ///< in the order of their processes
    std::vector<std::uint64_t> ranks;  ///< the location of each rank of MPI_COMM_WORLD
    std::unordered_map<OTF2_MetricMemberRef, Member> members;
    std::unordered_map<OTF2_MetricRef, std::vector<OTF2_MetricMemberRef>> classes;
    std::unordered_map<OTF2_MetricRef, OTF2_MetricRef> instances;
    std::map<std::string, std::string> properties;  ///< `creator`, `machine` and `description`

    /// A text by its number; empty where there is none.
    [[nodiscard]] std::string text(OTF2_StringRef reference) const;

    /// Processes of the run; nothing where none are defined.
    [[nodiscard]] std::optional<std::int64_t> process_count() const;

    /// Threads with events, of the process that has most.
    [[nodiscard]] std::size_t most_threads() const;
};

/// Reads the global definitions, and those of each location, which translate the numbers in its events.
[[nodiscard]] Otf2Definitions read_otf2_definitions(Otf2Archive& archive);

}  // namespace plimsoll::profile::detail
