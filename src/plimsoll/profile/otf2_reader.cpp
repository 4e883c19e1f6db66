#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/profile/detail/event_profile.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/otf2_anchor.hpp"
#include "plimsoll/profile/detail/otf2_definitions.hpp"

namespace plimsoll::profile::detail {

namespace {

class Reader {
  public:
    /// The activity, where there is one, counts the bytes of all files of the archive.
    Reader(const Input& anchor, Sink& sink, Activity* activity)
        : sink_(&sink),
          activity_(activity),
          base_(std::filesystem::path(anchor.name()).replace_extension()),
          archive_(anchor),
          definitions_(read_otf2_definitions(archive_)) {
        part_.place = {.file = anchor.name()};
        part_.processes = definitions_.process_count();
        part_.metadata = definitions_.properties;
        part_.metadata.emplace("threads", fmt::format("{}", definitions_.most_threads()));
        step(anchor.name());
        step(base_.string() + ".def");
    }

    void read() {
        profile_.emplace(*sink_, part_, static_cast<double>(definitions_.resolution));
        archive_.check(OTF2_Reader_OpenEvtFiles(archive_.get()), "its events cannot be opened");
        const auto callbacks = event_callbacks();
        std::uint32_t number = 0;
        for (const Otf2Definitions::Location& location : definitions_.locations) {
            if (location.events > 0 && read_location(location, number, callbacks.get())) ++number;
            step((base_ / fmt::format("{}.def", location.id)).string());
            step((base_ / fmt::format("{}.evt", location.id)).string());
        }
        archive_.check(OTF2_Reader_CloseEvtFiles(archive_.get()), "its events cannot be read");
        profile_->finish();
        note_what_is_odd();
        sink_->parts.push_back(std::move(part_));
    }

  private:
    /// Counts a file that was read, if it is there.
    void step(const std::string& file) const {
        if (activity_ == nullptr) return;
        std::error_code unknown;
        const std::uintmax_t size = std::filesystem::file_size(file, unknown);
        activity_->step(unknown ? 0 : static_cast<std::int64_t>(size));
    }

    template <class Work>
    static OTF2_CallbackCode guarded(void* self, Work work) noexcept {
        auto& reader = *static_cast<Reader*>(self);
        return reader.archive_.guard([&] { work(reader); });
    }

    /// Returns whether the location has regions.
    bool read_location(const Otf2Definitions::Location& location, std::uint32_t number,
                       OTF2_EvtReaderCallbacks* callbacks) {
        const std::string what = fmt::format("the events of location {} cannot be read", location.id);
        OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(archive_.get(), location.id);
        if (events == nullptr) archive_.fail(what);
        archive_.check(OTF2_Reader_RegisterEvtCallbacks(archive_.get(), events, callbacks, this), what);
        has_regions_ = false;
        profile_->begin_location(number);
        std::uint64_t count = 0;
        archive_.check(OTF2_Reader_ReadAllLocalEvents(archive_.get(), events, &count), what);
        if (count < location.events) {
            archive_.fail(
                fmt::format("location {} has {} of {} events", location.id, count, location.events));
        }
        archive_.check(OTF2_Reader_CloseEvtReader(archive_.get(), events), what);
        profile_->end_location();
        return has_regions_;
    }

    void note_what_is_odd() const {
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

    std::unique_ptr<OTF2_EvtReaderCallbacks, Otf2Close> event_callbacks() {
        std::unique_ptr<OTF2_EvtReaderCallbacks, Otf2Close> callbacks(OTF2_EvtReaderCallbacks_New());
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
        has_regions_ = true;
        profile_->enter(time, name_of(region));
    }

    OTF2_RegionRef region_of(OTF2_CallingContextRef context) const {
        const auto found = definitions_.contexts.find(context);
        if (found == definitions_.contexts.end())
            archive_.fail(fmt::format("calling context {} is not defined", context));
        return found->second;
    }

    std::uint32_t name_of(OTF2_RegionRef region) {
        if (const auto known = names_.find(region); known != names_.end()) return known->second;
        const auto defined = definitions_.regions.find(region);
        const std::string name =
            defined == definitions_.regions.end() ? std::string() : definitions_.text(defined->second);
        if (name.empty()) archive_.fail(fmt::format("region {} is not defined, or has no name", region));
        return names_.emplace(region, profile_->name(name)).first->second;
    }

    /// The counters of a metric, declared where it is first used; nothing for levels, such as a temperature.
    const std::vector<std::optional<std::uint32_t>>& counters_of(OTF2_MetricRef metric) {
        if (const auto known = counters_.find(metric); known != counters_.end()) return known->second;
        const auto instance = definitions_.instances.find(metric);
        const auto members =
            definitions_.classes.find(instance == definitions_.instances.end() ? metric : instance->second);
        if (members == definitions_.classes.end())
            archive_.fail(fmt::format("metric {} is not defined", metric));
        std::vector<std::optional<std::uint32_t>> counters;
        for (const OTF2_MetricMemberRef reference : members->second) {
            const auto member = definitions_.members.find(reference);
            const std::string name =
                member == definitions_.members.end() ? std::string() : definitions_.text(member->second.name);
            if (name.empty())
                archive_.fail(fmt::format("member {} of metric {} is not defined", reference, metric));
            const auto kind = member->second.mode & OTF2_METRIC_VALUE_MASK;
            if (kind == OTF2_METRIC_VALUE_ABSOLUTE) {
                if (std::find(levels_.begin(), levels_.end(), name) == levels_.end()) levels_.push_back(name);
                counters.emplace_back();
                continue;
            }
            const std::string unit = definitions_.text(member->second.unit);
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
                default: archive_.fail(fmt::format("a value of metric {} is no number", metric));
            }
            if (!std::isfinite(value))
                archive_.fail(fmt::format("a value of metric {} is not finite", metric));
            profile_->count(*counters[i], value);
        }
    }

    Sink* sink_;
    Activity* activity_;
    std::filesystem::path base_;  ///< of the names of its files
    Otf2Archive archive_;
    Otf2Definitions definitions_;
    Part part_;
    std::unordered_map<OTF2_RegionRef, std::uint32_t> names_;
    std::unordered_map<OTF2_MetricRef, std::vector<std::optional<std::uint32_t>>> counters_;
    std::vector<std::string> levels_;  ///< metrics that count nothing
    std::optional<EventProfile> profile_;
    std::size_t flushes_ = 0;
    bool has_regions_ = false;
};

}  // namespace

void read_otf2_archive(Input& anchor, Sink& sink, Activity* activity) {
    Reader(anchor, sink, activity).read();
}

}  // namespace plimsoll::profile::detail
