#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/event_profile.hpp"
#include "plimsoll/profile/detail/formats.hpp"

namespace plimsoll::profile::detail {

namespace {

/// What the library says of an error, in place of printing it. One archive is read at a time.
class Complaints {
  public:
    Complaints() : before_(OTF2_Error_RegisterCallback(&take, this)) {}
    Complaints(const Complaints&) = delete;
    Complaints& operator=(const Complaints&) = delete;
    ~Complaints() { OTF2_Error_RegisterCallback(before_, nullptr); }

    /// The first one, which is the nearest to the cause; empty where there is none.
    [[nodiscard]] const std::string& first() const { return first_; }

  private:
    static OTF2_ErrorCode take(void* self, const char* /*file*/, std::uint64_t /*line*/,
                               const char* /*function*/, OTF2_ErrorCode code, const char* format,
                               va_list arguments) {
        auto& complaints = *static_cast<Complaints*>(self);
        if (!complaints.first_.empty() || code == OTF2_WARNING || code == OTF2_DEPRECATED) return code;
        std::array<char, 300> text{};
        if (format != nullptr) (void)std::vsnprintf(text.data(), text.size(), format, arguments);
        const std::string_view detail = trim(text.data());
        complaints.first_ = OTF2_Error_GetDescription(code);
        if (!detail.empty()) complaints.first_ += fmt::format(": {}", detail);
        return code;
    }

    OTF2_ErrorCallback before_;
    std::string first_;
};

struct Close {
    void operator()(OTF2_Reader* reader) const { (void)OTF2_Reader_Close(reader); }
    void operator()(OTF2_GlobalDefReaderCallbacks* callbacks) const {
        OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    }
    void operator()(OTF2_EvtReaderCallbacks* callbacks) const { OTF2_EvtReaderCallbacks_Delete(callbacks); }
};

struct Location {
    OTF2_LocationRef id;
    OTF2_LocationType type;
    OTF2_LocationGroupRef group;
    std::uint64_t events;
};

struct Member {
    OTF2_StringRef name;
    OTF2_StringRef unit;
    OTF2_MetricMode mode;
    double factor;
};

class Reader {
  public:
    Reader(Input& input, Sink& sink) : input_(&input), sink_(&sink) { part_.place = {.file = input.name()}; }

    void read() {
        std::error_code none;
        if (!std::filesystem::is_regular_file(input_->name(), none)) {
            throw Error(ErrorKind::input, part_.place,
                        "is the anchor of a trace whose other files are not here",
                        "name the anchor file where it stands, such as traces.otf2");
        }
        reader_.reset(OTF2_Reader_Open(input_->name().c_str()));
        if (!reader_) fail("cannot be opened");
        check(OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get()), "cannot be opened");
        read_definitions();
        read_properties();
        read_events();
        sink_->parts.push_back(std::move(part_));
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(
            ErrorKind::input, part_.place,
            complaints_.first().empty() ? what : fmt::format("{}: {}", what, complaints_.first()),
            "copy the whole archive, or write it again; a program that was killed leaves a part of it");
    }

    void check(OTF2_ErrorCode code, const std::string& what) {
        if (thrown_) std::rethrow_exception(thrown_);
        if (code != OTF2_SUCCESS) fail(what);
    }

    /// What a callback does, without exceptions that would cross the library.
    template <class Work>
    static OTF2_CallbackCode guarded(void* self, Work work) noexcept {
        auto& reader = *static_cast<Reader*>(self);
        try {
            work(reader);
            return OTF2_CALLBACK_SUCCESS;
        } catch (...) {
            reader.thrown_ = std::current_exception();
            return OTF2_CALLBACK_INTERRUPT;
        }
    }

    [[nodiscard]] std::string text(OTF2_StringRef reference) const {
        const auto found = strings_.find(reference);
        return found == strings_.end() ? std::string() : found->second;
    }

    // ------------------------------------------------------------------------------------------------
    // definitions

    void read_definitions() {
        OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader_.get());
        if (definitions == nullptr) fail("its definitions cannot be opened");
        const std::unique_ptr<OTF2_GlobalDefReaderCallbacks, Close> callbacks(
            OTF2_GlobalDefReaderCallbacks_New());
        OTF2_GlobalDefReaderCallbacks* const set = callbacks.get();
        OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
            set, [](void* self, std::uint64_t resolution, std::uint64_t, std::uint64_t, std::uint64_t) {
                return guarded(self, [&](Reader& r) { r.resolution_ = resolution; });
            });
        OTF2_GlobalDefReaderCallbacks_SetStringCallback(
            set, [](void* self, OTF2_StringRef id, const char* string) {
                return guarded(self, [&](Reader& r) { r.strings_[id] = string == nullptr ? "" : string; });
            });
        OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
            set, [](void* self, OTF2_LocationGroupRef id, OTF2_StringRef, OTF2_LocationGroupType type,
                    OTF2_SystemTreeNodeRef, OTF2_LocationGroupRef) {
                return guarded(self, [&](Reader& r) {
                    if (type == OTF2_LOCATION_GROUP_TYPE_PROCESS) r.processes_.push_back(id);
                });
            });
        OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
            set, [](void* self, OTF2_LocationRef id, OTF2_StringRef, OTF2_LocationType type,
                    std::uint64_t events, OTF2_LocationGroupRef group) {
                return guarded(self, [&](Reader& r) {
                    r.locations_.push_back({.id = id, .type = type, .group = group, .events = events});
                });
            });
        OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
            set, [](void* self, OTF2_RegionRef id, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                    OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t,
                    std::uint32_t) { return guarded(self, [&](Reader& r) { r.regions_[id] = name; }); });
        OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(
            set, [](void* self, OTF2_CallingContextRef id, OTF2_RegionRef region, OTF2_SourceCodeLocationRef,
                    OTF2_CallingContextRef) {
                return guarded(self, [&](Reader& r) { r.contexts_[id] = region; });
            });
        OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
            set, [](void* self, OTF2_GroupRef, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                    OTF2_GroupFlag, std::uint32_t count, const std::uint64_t* members) {
                return guarded(self, [&](Reader& r) {
                    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS && paradigm == OTF2_PARADIGM_MPI)
                        r.ranks_.assign(members, members + count);
                });
            });
        OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(
            set,
            [](void* self, OTF2_MetricMemberRef id, OTF2_StringRef name, OTF2_StringRef, OTF2_MetricType,
               OTF2_MetricMode mode, OTF2_Type, OTF2_Base base, std::int64_t exponent, OTF2_StringRef unit) {
                return guarded(self, [&](Reader& r) {
                    const double factor =
                        std::pow(base == OTF2_BASE_BINARY ? 2.0 : 10.0, static_cast<double>(exponent));
                    r.members_[id] = {.name = name, .unit = unit, .mode = mode, .factor = factor};
                });
            });
        OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(
            set, [](void* self, OTF2_MetricRef id, std::uint8_t count, const OTF2_MetricMemberRef* members,
                    OTF2_MetricOccurrence, OTF2_RecorderKind) {
                return guarded(self, [&](Reader& r) { r.classes_[id].assign(members, members + count); });
            });
        OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(
            set,
            [](void* self, OTF2_MetricRef id, OTF2_MetricRef metric_class, OTF2_LocationRef, OTF2_MetricScope,
               std::uint64_t) { return guarded(self, [&](Reader& r) { r.instances_[id] = metric_class; }); });
        check(OTF2_Reader_RegisterGlobalDefCallbacks(reader_.get(), definitions, set, this),
              "its definitions cannot be read");
        std::uint64_t count = 0;
        check(OTF2_Reader_ReadAllGlobalDefinitions(reader_.get(), definitions, &count),
              "its definitions cannot be read");
        check(OTF2_Reader_CloseGlobalDefReader(reader_.get(), definitions), "its definitions cannot be read");
        std::uint64_t stated = 0;
        check(OTF2_Reader_GetNumberOfGlobalDefinitions(reader_.get(), &stated),
              "its definitions cannot be read");
        if (count < stated) fail(fmt::format("has {} of {} definitions", count, stated));
        if (resolution_ == 0) fail("does not state the resolution of its clock");
        if (locations_.empty()) fail("has no locations");
    }

    void read_properties() {
        const auto keep = [&](const char* key, auto get) {
            char* text = nullptr;
            if (get(reader_.get(), &text) == OTF2_SUCCESS && text != nullptr && *text != '\0')
                part_.metadata.emplace(key, text);
            std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): the library allocates it
        };
        keep("creator", OTF2_Reader_GetCreator);
        keep("machine", OTF2_Reader_GetMachineName);
        keep("description", OTF2_Reader_GetDescription);
        // Processes in the order of their ranks, else in that of their definitions.
        std::map<OTF2_LocationGroupRef, std::size_t> order;
        for (const std::uint64_t master : ranks_) {
            const auto location = std::find_if(locations_.begin(), locations_.end(),
                                               [master](const Location& l) { return l.id == master; });
            if (location != locations_.end()) order.try_emplace(location->group, order.size());
        }
        part_.processes = static_cast<std::int64_t>(ranks_.empty() ? processes_.size() : ranks_.size());
        for (const OTF2_LocationGroupRef process : processes_) order.try_emplace(process, order.size());
        for (const Location& location : locations_) order.try_emplace(location.group, order.size());
        std::stable_sort(locations_.begin(), locations_.end(), [&](const Location& a, const Location& b) {
            return order[a.group] < order[b.group];
        });
        if (part_.processes == 0) part_.processes.reset();
        std::map<OTF2_LocationGroupRef, std::size_t> threads;
        std::size_t most = 0;
        for (const Location& location : locations_) {
            if (location.type == OTF2_LOCATION_TYPE_CPU_THREAD && location.events > 0)
                most = std::max(most, ++threads[location.group]);
        }
        part_.metadata.emplace("threads", fmt::format("{}", most));  // of the process that has most
    }

    // ------------------------------------------------------------------------------------------------
    // events

    void read_events() {
        profile_.emplace(*sink_, part_, static_cast<double>(resolution_));
        for (const Location& location : locations_)
            check(OTF2_Reader_SelectLocation(reader_.get(), location.id), "a location cannot be read");
        // Definitions of a location translate the numbers in its events.
        if (OTF2_Reader_OpenDefFiles(reader_.get()) == OTF2_SUCCESS) {
            for (const Location& location : locations_) {
                OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader_.get(), location.id);
                if (local == nullptr) continue;
                std::uint64_t count = 0;
                check(OTF2_Reader_ReadAllLocalDefinitions(reader_.get(), local, &count),
                      fmt::format("the definitions of location {} cannot be read", location.id));
                check(OTF2_Reader_CloseDefReader(reader_.get(), local),
                      fmt::format("the definitions of location {} cannot be read", location.id));
            }
            check(OTF2_Reader_CloseDefFiles(reader_.get()), "its definitions cannot be read");
        }
        check(OTF2_Reader_OpenEvtFiles(reader_.get()), "its events cannot be opened");
        const auto callbacks = event_callbacks();
        std::uint32_t number = 0;
        for (const Location& location : locations_) {
            if (location.events == 0) continue;
            const std::string what = fmt::format("the events of location {} cannot be read", location.id);
            OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader_.get(), location.id);
            if (events == nullptr) fail(what);
            check(OTF2_Reader_RegisterEvtCallbacks(reader_.get(), events, callbacks.get(), this), what);
            has_regions_ = false;
            profile_->begin_location(number);
            std::uint64_t count = 0;
            check(OTF2_Reader_ReadAllLocalEvents(reader_.get(), events, &count), what);
            if (count < location.events) {
                fail(fmt::format("location {} has {} of {} events", location.id, count, location.events));
            }
            check(OTF2_Reader_CloseEvtReader(reader_.get(), events), what);
            profile_->end_location();
            if (has_regions_) ++number;
        }
        check(OTF2_Reader_CloseEvtFiles(reader_.get()), "its events cannot be read");
        profile_->finish();
        if (flushes_ > 0) {
            sink_->builder.note(
                part_.place,
                fmt::format(
                    "writes of the trace to disk while it was made: {}; they are in the times of the regions",
                    flushes_));
        }
        for (const std::string& name : levels_) {
            sink_->builder.note(part_.place,
                                fmt::format("'{}' is a level and counts nothing, and is left out", name));
        }
    }

    std::unique_ptr<OTF2_EvtReaderCallbacks, Close> event_callbacks() {
        std::unique_ptr<OTF2_EvtReaderCallbacks, Close> callbacks(OTF2_EvtReaderCallbacks_New());
        OTF2_EvtReaderCallbacks* const set = callbacks.get();
        OTF2_EvtReaderCallbacks_SetEnterCallback(
            set,
            [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* self, OTF2_AttributeList*,
               OTF2_RegionRef region) { return guarded(self, [&](Reader& r) { r.enter(time, region); }); });
        OTF2_EvtReaderCallbacks_SetLeaveCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* self, OTF2_AttributeList*,
                    OTF2_RegionRef region) {
                return guarded(self, [&](Reader& r) { r.profile_->leave(time, r.name_of(region)); });
            });
        OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* self, OTF2_AttributeList*,
                    OTF2_CallingContextRef context, std::uint32_t) {
                return guarded(self, [&](Reader& r) { r.enter(time, r.region_of(context)); });
            });
        OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* self, OTF2_AttributeList*,
                    OTF2_CallingContextRef context) {
                return guarded(self,
                               [&](Reader& r) { r.profile_->leave(time, r.name_of(r.region_of(context))); });
            });
        OTF2_EvtReaderCallbacks_SetMetricCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* self, OTF2_AttributeList*,
                    OTF2_MetricRef metric, std::uint8_t count, const OTF2_Type* types,
                    const OTF2_MetricValue* values) {
                return guarded(self, [&](Reader& r) { r.take_counters(metric, count, types, values); });
            });
        OTF2_EvtReaderCallbacks_SetBufferFlushCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* self, OTF2_AttributeList*,
                    OTF2_TimeStamp) { return guarded(self, [&](Reader& r) { ++r.flushes_; }); });
        set_transfers(set);
        return callbacks;
    }

    static void set_transfers(OTF2_EvtReaderCallbacks* set) {
        OTF2_EvtReaderCallbacks_SetMpiSendCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* self, OTF2_AttributeList*,
                    std::uint32_t, OTF2_CommRef, std::uint32_t, std::uint64_t bytes) {
                return guarded(self, [&](Reader& r) { r.profile_->transfer(bytes); });
            });
        OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* self, OTF2_AttributeList*,
                    std::uint32_t, OTF2_CommRef, std::uint32_t, std::uint64_t bytes, std::uint64_t) {
                return guarded(self, [&](Reader& r) { r.profile_->transfer(bytes); });
            });
        OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* self, OTF2_AttributeList*,
                    std::uint32_t, OTF2_CommRef, std::uint32_t, std::uint64_t bytes) {
                return guarded(self, [&](Reader& r) { r.profile_->transfer(bytes); });
            });
        OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* self, OTF2_AttributeList*,
                    std::uint32_t, OTF2_CommRef, std::uint32_t, std::uint64_t bytes, std::uint64_t) {
                return guarded(self, [&](Reader& r) { r.profile_->transfer(bytes); });
            });
        OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
            set,
            [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* self, OTF2_AttributeList*,
               OTF2_CollectiveOp, OTF2_CommRef, std::uint32_t, std::uint64_t sent, std::uint64_t received) {
                return guarded(self, [&](Reader& r) {
                    r.profile_->transfer(sent);
                    r.profile_->transfer(received);
                });
            });
        OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* self, OTF2_AttributeList*,
                    OTF2_CollectiveOp, OTF2_CommRef, std::uint32_t, std::uint64_t sent,
                    std::uint64_t received, std::uint64_t) {
                return guarded(self, [&](Reader& r) {
                    r.profile_->transfer(sent);
                    r.profile_->transfer(received);
                });
            });
        OTF2_EvtReaderCallbacks_SetRmaPutCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* self, OTF2_AttributeList*,
                    OTF2_RmaWinRef, std::uint32_t, std::uint64_t bytes, std::uint64_t) {
                return guarded(self, [&](Reader& r) { r.profile_->transfer(bytes); });
            });
        OTF2_EvtReaderCallbacks_SetRmaGetCallback(
            set, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* self, OTF2_AttributeList*,
                    OTF2_RmaWinRef, std::uint32_t, std::uint64_t bytes, std::uint64_t) {
                return guarded(self, [&](Reader& r) { r.profile_->transfer(bytes); });
            });
    }

    void enter(OTF2_TimeStamp time, OTF2_RegionRef region) {
        constexpr std::uint64_t events_between_polls = 1U << 16U;
        if (++entered_ % events_between_polls == 0) input_->poll();
        has_regions_ = true;
        profile_->enter(time, name_of(region));
    }

    OTF2_RegionRef region_of(OTF2_CallingContextRef context) const {
        const auto found = contexts_.find(context);
        if (found == contexts_.end()) fail(fmt::format("calling context {} is not defined", context));
        return found->second;
    }

    std::uint32_t name_of(OTF2_RegionRef region) {
        if (const auto known = names_.find(region); known != names_.end()) return known->second;
        const auto defined = regions_.find(region);
        const std::string name = defined == regions_.end() ? std::string() : text(defined->second);
        if (name.empty()) fail(fmt::format("region {} is not defined, or has no name", region));
        return names_.emplace(region, profile_->name(name)).first->second;
    }

    /// The counters of a metric, declared where it is first used; nothing for levels, such as a temperature.
    const std::vector<std::optional<std::uint32_t>>& counters_of(OTF2_MetricRef metric) {
        if (const auto known = counters_.find(metric); known != counters_.end()) return known->second;
        const auto instance = instances_.find(metric);
        const auto members = classes_.find(instance == instances_.end() ? metric : instance->second);
        if (members == classes_.end()) fail(fmt::format("metric {} is not defined", metric));
        std::vector<std::optional<std::uint32_t>> counters;
        for (const OTF2_MetricMemberRef reference : members->second) {
            const auto member = members_.find(reference);
            const std::string name = member == members_.end() ? std::string() : text(member->second.name);
            if (name.empty()) fail(fmt::format("member {} of metric {} is not defined", reference, metric));
            const auto kind = member->second.mode & OTF2_METRIC_VALUE_MASK;
            if (kind == OTF2_METRIC_VALUE_ABSOLUTE) {
                if (std::find(levels_.begin(), levels_.end(), name) == levels_.end()) levels_.push_back(name);
                counters.emplace_back();
                continue;
            }
            const std::string unit = text(member->second.unit);
            counters.emplace_back(profile_->counter(name, unit == "#" ? "" : unit,
                                                    kind == OTF2_METRIC_VALUE_ACCUMULATED
                                                        ? EventProfile::Counting::since_start
                                                        : EventProfile::Counting::since_last,
                                                    member->second.factor));
        }
        return counters_.emplace(metric, std::move(counters)).first->second;
    }

    void take_counters(OTF2_MetricRef metric, std::uint8_t count, const OTF2_Type* types,
                       const OTF2_MetricValue* values) {
        const auto& counters = counters_of(metric);
        for (std::size_t i = 0; i < std::min<std::size_t>(count, counters.size()); ++i) {
            if (!counters[i]) continue;
            double value = 0.0;
            switch (types[i]) {
                case OTF2_TYPE_UINT64: value = static_cast<double>(values[i].unsigned_int); break;
                case OTF2_TYPE_INT64: value = static_cast<double>(values[i].signed_int); break;
                case OTF2_TYPE_DOUBLE: value = values[i].floating_point; break;
                default: fail(fmt::format("a value of metric {} is no number", metric));
            }
            if (!std::isfinite(value)) fail(fmt::format("a value of metric {} is not finite", metric));
            profile_->count(*counters[i], value);
        }
    }

    Input* input_;
    Sink* sink_;
    Part part_;
    Complaints complaints_;
    std::unique_ptr<OTF2_Reader, Close> reader_;
    std::exception_ptr thrown_;
    std::uint64_t resolution_ = 0;  ///< ticks a second
    std::unordered_map<OTF2_StringRef, std::string> strings_;
    std::unordered_map<OTF2_RegionRef, OTF2_StringRef> regions_;
    std::unordered_map<OTF2_CallingContextRef, OTF2_RegionRef> contexts_;
    std::vector<OTF2_LocationGroupRef> processes_;
    std::vector<Location> locations_;
    std::vector<std::uint64_t> ranks_;  ///< the location of each rank of MPI_COMM_WORLD
    std::unordered_map<OTF2_MetricMemberRef, Member> members_;
    std::unordered_map<OTF2_MetricRef, std::vector<OTF2_MetricMemberRef>> classes_;
    std::unordered_map<OTF2_MetricRef, OTF2_MetricRef> instances_;
    std::unordered_map<OTF2_RegionRef, std::uint32_t> names_;
    std::unordered_map<OTF2_MetricRef, std::vector<std::optional<std::uint32_t>>> counters_;
    std::vector<std::string> levels_;  ///< metrics that count nothing
    std::optional<EventProfile> profile_;
    std::uint64_t entered_ = 0;
    std::size_t flushes_ = 0;
    bool has_regions_ = false;
};

}  // namespace

void read_otf2(Input& input, Sink& sink) { Reader(input, sink).read(); }

}  // namespace plimsoll::profile::detail
