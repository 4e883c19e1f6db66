#include "plimsoll/profile/detail/otf2_definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

namespace plimsoll::profile::detail {

namespace {

/// What the callbacks are given.
struct Target {
    Otf2Archive* archive;
    Otf2Definitions* made;
};

template <class Work>
OTF2_CallbackCode guarded(void* self, Work work) noexcept {
    const auto& target = *static_cast<Target*>(self);
    return target.archive->guard([&] { work(*target.made); });
}

void read_global(Otf2Archive& archive, Otf2Definitions& made) {
    Target target{.archive = &archive, .made = &made};
    OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(archive.get());
    if (definitions == nullptr) archive.fail("its definitions cannot be opened");
    const std::unique_ptr<OTF2_GlobalDefReaderCallbacks, Otf2Close> callbacks(
        OTF2_GlobalDefReaderCallbacks_New());
    OTF2_GlobalDefReaderCallbacks* const set = callbacks.get();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
        set, [](void* self, std::uint64_t resolution, std::uint64_t, std::uint64_t, std::uint64_t) {
            return guarded(self, [&](Otf2Definitions& d) { d.resolution = resolution; });
        });
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(set, [](void* self, OTF2_StringRef id,
                                                            const char* string) {
        return guarded(self, [&](Otf2Definitions& d) { d.strings[id] = string == nullptr ? "" : string; });
    });
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
        set, [](void* self, OTF2_LocationGroupRef id, OTF2_StringRef, OTF2_LocationGroupType type,
                OTF2_SystemTreeNodeRef, OTF2_LocationGroupRef) {
            return guarded(self, [&](Otf2Definitions& d) {
                if (type == OTF2_LOCATION_GROUP_TYPE_PROCESS) d.processes.push_back(id);
            });
        });
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
        set, [](void* self, OTF2_LocationRef id, OTF2_StringRef, OTF2_LocationType type, std::uint64_t events,
                OTF2_LocationGroupRef group) {
            return guarded(self, [&](Otf2Definitions& d) {
                d.locations.push_back({.id = id, .type = type, .group = group, .events = events});
            });
        });
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
        set, [](void* self, OTF2_RegionRef id, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t,
                std::uint32_t) { return guarded(self, [&](Otf2Definitions& d) { d.regions[id] = name; }); });
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(
        set, [](void* self, OTF2_CallingContextRef id, OTF2_RegionRef region, OTF2_SourceCodeLocationRef,
                OTF2_CallingContextRef) {
            return guarded(self, [&](Otf2Definitions& d) { d.contexts[id] = region; });
        });
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
        set, [](void* self, OTF2_GroupRef, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                OTF2_GroupFlag, std::uint32_t count, const std::uint64_t* members) {
            return guarded(self, [&](Otf2Definitions& d) {
                if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS && paradigm == OTF2_PARADIGM_MPI)
                    d.ranks.assign(members, members + count);
            });
        });
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(
        set, [](void* self, OTF2_MetricMemberRef id, OTF2_StringRef name, OTF2_StringRef, OTF2_MetricType,
                OTF2_MetricMode mode, OTF2_Type, OTF2_Base base, std::int64_t exponent, OTF2_StringRef unit) {
            return guarded(self, [&](Otf2Definitions& d) {
                const double factor =
                    std::pow(base == OTF2_BASE_BINARY ? 2.0 : 10.0, static_cast<double>(exponent));
                d.members[id] = {.name = name, .unit = unit, .mode = mode, .factor = factor};
            });
        });
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(
        set, [](void* self, OTF2_MetricRef id, std::uint8_t count, const OTF2_MetricMemberRef* members,
                OTF2_MetricOccurrence, OTF2_RecorderKind) {
            return guarded(self, [&](Otf2Definitions& d) { d.classes[id].assign(members, members + count); });
        });
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(
        set, [](void* self, OTF2_MetricRef id, OTF2_MetricRef metric_class, OTF2_LocationRef,
                OTF2_MetricScope, std::uint64_t) {
            return guarded(self, [&](Otf2Definitions& d) { d.instances[id] = metric_class; });
        });
    archive.check(OTF2_Reader_RegisterGlobalDefCallbacks(archive.get(), definitions, set, &target),
                  "its definitions cannot be read");
    std::uint64_t count = 0;
    archive.check(OTF2_Reader_ReadAllGlobalDefinitions(archive.get(), definitions, &count),
                  "its definitions cannot be read");
    archive.check(OTF2_Reader_CloseGlobalDefReader(archive.get(), definitions),
                  "its definitions cannot be read");
    std::uint64_t stated = 0;
    archive.check(OTF2_Reader_GetNumberOfGlobalDefinitions(archive.get(), &stated),
                  "its definitions cannot be read");
    if (count < stated) archive.fail(fmt::format("has {} of {} definitions", count, stated));
    if (made.resolution == 0) archive.fail("does not state the resolution of its clock");
    if (made.locations.empty()) archive.fail("has no locations");
}

void read_local(Otf2Archive& archive, const Otf2Definitions& made) {
    // An archive without these files is whole.
    if (OTF2_Reader_OpenDefFiles(archive.get()) == OTF2_SUCCESS) {
        for (const Otf2Definitions::Location& location : made.locations) {
            OTF2_DefReader* const local = OTF2_Reader_GetDefReader(archive.get(), location.id);
            if (local == nullptr) continue;
            const std::string what =
                fmt::format("the definitions of location {} cannot be read", location.id);
            std::uint64_t count = 0;
            archive.check(OTF2_Reader_ReadAllLocalDefinitions(archive.get(), local, &count), what);
            archive.check(OTF2_Reader_CloseDefReader(archive.get(), local), what);
        }
        archive.check(OTF2_Reader_CloseDefFiles(archive.get()), "its definitions cannot be read");
    }
    archive.forget_complaints();
}

void read_properties(const Otf2Archive& archive, Otf2Definitions& made) {
    const auto keep = [&](const char* key, auto get) {
        char* text = nullptr;
        if (get(archive.get(), &text) == OTF2_SUCCESS && text != nullptr && *text != '\0')
            made.properties.emplace(key, text);
        std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): the library allocates it
    };
    keep("creator", OTF2_Reader_GetCreator);
    keep("machine", OTF2_Reader_GetMachineName);
    keep("description", OTF2_Reader_GetDescription);
}

/// Brings locations into the order of their processes: that of MPI's ranks, else of their definitions.
void order_locations(Otf2Definitions& made) {
    std::unordered_map<OTF2_LocationRef, OTF2_LocationGroupRef> process_of;
    for (const auto& location : made.locations) process_of.emplace(location.id, location.group);
    std::unordered_map<OTF2_LocationGroupRef, std::size_t> order;
    for (const std::uint64_t master : made.ranks) {
        if (const auto process = process_of.find(master); process != process_of.end())
            order.try_emplace(process->second, order.size());
    }
    for (const OTF2_LocationGroupRef process : made.processes) order.try_emplace(process, order.size());
    for (const auto& location : made.locations) order.try_emplace(location.group, order.size());
    std::stable_sort(made.locations.begin(), made.locations.end(),
                     [&order](const auto& a, const auto& b) { return order[a.group] < order[b.group]; });
}

}  // namespace

std::string Otf2Definitions::text(OTF2_StringRef reference) const {
    const auto found = strings.find(reference);
    return found == strings.end() ? std::string() : found->second;
}

std::optional<std::int64_t> Otf2Definitions::process_count() const {
    const std::size_t count = ranks.empty() ? processes.size() : ranks.size();
    if (count == 0) return std::nullopt;
    return static_cast<std::int64_t>(count);
}

std::size_t Otf2Definitions::most_threads() const {
    std::unordered_map<OTF2_LocationGroupRef, std::size_t> threads;
    std::size_t most = 0;
    for (const Location& location : locations) {
        if (location.type == OTF2_LOCATION_TYPE_CPU_THREAD && location.events > 0)
            most = std::max(most, ++threads[location.group]);
    }
    return most;
}

Otf2Definitions read_otf2_definitions(Otf2Archive& archive) {
    Otf2Definitions made;
    read_global(archive, made);
    read_properties(archive, made);
    order_locations(made);
    for (const Otf2Definitions::Location& location : made.locations)
        archive.check(OTF2_Reader_SelectLocation(archive.get(), location.id), "a location cannot be read");
    read_local(archive, made);
    return made;
}

}  // namespace plimsoll::profile::detail
