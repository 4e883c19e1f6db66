#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/json_input.hpp"
#include "plimsoll/profile/detail/json_stream.hpp"

namespace plimsoll::profile::detail {

static_assert(Input::padding >= simdjson::SIMDJSON_PADDING, "simdjson reads that far behind a text");

namespace {

constexpr double micro = 1e-6;
constexpr std::string_view step_mark = "ProfilerStep#";
constexpr std::string_view events_key = "traceEvents";

enum class Kind : std::uint8_t {
    cpu,         ///< operators, annotations, functions, calls of the runtime: nested
    kernel,      // on the device:
    copy,        ///< memcpy
    set,         ///< memset
    collective,  ///< a kernel that says of which collective it is
    call,        ///< of a collective, on the processor
};

struct Kinds {
    std::string_view category;
    Kind kind;
};
constexpr std::array kinds{Kinds{"cpu_op", Kind::cpu},          Kinds{"user_annotation", Kind::cpu},
                           Kinds{"python_function", Kind::cpu}, Kinds{"cuda_runtime", Kind::cpu},
                           Kinds{"cuda_driver", Kind::cpu},     Kinds{"kernel", Kind::kernel},
                           Kinds{"gpu_memcpy", Kind::copy},     Kinds{"gpu_memset", Kind::set}};

bool is_on_device(Kind kind) { return kind != Kind::cpu && kind != Kind::call; }

/// Bytes of an element, by PyTorch's names of types; 0 where it is not known.
double bytes_of(std::string_view type) {
    if (type == "Double" || type == "Long" || type == "ComplexFloat") return 8;
    if (type == "Float" || type == "Int") return 4;
    if (type == "Half" || type == "BFloat16" || type == "Short") return 2;
    if (type == "Byte" || type == "Char" || type == "Bool" || type.starts_with("Float8")) return 1;
    return 0;
}

struct Event {
    double begin = 0.0;  ///< us
    double duration = 0.0;
    double bytes = 0.0;
    std::uint32_t name = 0;
    std::uint32_t thread = 0;
    Kind kind = Kind::cpu;

    [[nodiscard]] double end() const { return begin + duration; }
};

struct Step {
    std::int64_t number = 0;
    double begin = 0.0;
    double end = 0.0;
};

/// What is read of one event.
struct Fields {
    std::string_view phase;
    std::string_view category;
    std::string_view name;
    std::string_view thread;  ///< JSON text
    double begin = 0.0;
    double duration = -1.0;
    std::string_view collective;
    std::string_view type;
    double elements = 0.0;
    double group = 0.0;
};

/// The number of "rank-3", "rank_3" or "rank3" in a file's name.
std::optional<std::int64_t> rank_of_name(const std::string& file) {
    const std::string name = std::filesystem::path(file).filename().string();
    for (std::size_t at = name.find("rank"); at != std::string::npos; at = name.find("rank", at + 1)) {
        std::size_t digits = at + 4;
        if (digits < name.size() && (name[digits] == '-' || name[digits] == '_')) ++digits;
        std::int64_t rank = 0;
        if (std::from_chars(name.data() + digits, name.data() + name.size(), rank).ec == std::errc() &&
            rank >= 0)
            return rank;
    }
    return std::nullopt;
}

class Reader {
  public:
    Reader(Input& input, Sink& sink) : sink_(&sink), file_(input.name()), stream_(input, events_key) {}

    void read() {
        JsonStream::Piece piece;
        while (stream_.next(piece)) {
            if (piece.is_element) {
                read_event(piece.text);
            } else {
                read_member(piece);
            }
        }
        deliver();
    }

  private:
    using Code = simdjson::error_code;

    void read_event(std::string_view text) {
        Fields fields;
        simdjson::ondemand::document document;
        // The bytes behind the text are readable, as simdjson wants them.
        if (parser_.iterate(text.data(), text.size(), text.size() + Input::padding).get(document) !=
            simdjson::SUCCESS)
            stream_.fail("an event is no JSON object");
        simdjson::ondemand::object object;
        if (document.get_object().get(object) != simdjson::SUCCESS)
            stream_.fail("an event is no JSON object");
        for (auto field : object) {
            std::string_view key;
            simdjson::ondemand::value value;
            if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
                field.value().get(value) != simdjson::SUCCESS)
                stream_.fail("an event is damaged");
            if (read_field(key, value, fields) != simdjson::SUCCESS)
                stream_.fail(fmt::format("'{}' of an event is damaged", key));
            if (key == "ph" && fields.phase != "X") return;  // marks, flows and names take no time
        }
        keep(fields);
    }

    static Code read_field(std::string_view key, simdjson::ondemand::value& value, Fields& fields) {
        if (key == "ph") return value.get_string().get(fields.phase);
        if (key == "cat") return value.get_string().get(fields.category);
        if (key == "name") return value.get_string().get(fields.name);
        if (key == "ts") return value.get_double().get(fields.begin);
        if (key == "dur") return value.get_double().get(fields.duration);
        if (key == "tid") {
            fields.thread = trim(value.raw_json_token());
            return simdjson::SUCCESS;
        }
        if (key != "args") return simdjson::SUCCESS;
        simdjson::ondemand::object arguments;
        if (value.get_object().get(arguments) != simdjson::SUCCESS) return simdjson::SUCCESS;
        for (auto field : arguments) {
            std::string_view name;
            simdjson::ondemand::value argument;
            if (const Code code = field.unescaped_key().get(name); code != simdjson::SUCCESS) return code;
            if (const Code code = field.value().get(argument); code != simdjson::SUCCESS) return code;
            // Of another type than usual, an argument says nothing.
            Code code = simdjson::SUCCESS;
            if (name == "Collective name") {
                code = argument.get_string().get(fields.collective);
            } else if (name == "dtype") {
                code = argument.get_string().get(fields.type);
            } else if (name == "In msg nelems") {
                code = argument.get_double().get(fields.elements);
            } else if (name == "Group size") {
                code = argument.get_double().get(fields.group);
            }
            if (code != simdjson::SUCCESS && code != simdjson::INCORRECT_TYPE) return code;
        }
        return simdjson::SUCCESS;
    }

    void keep(const Fields& fields) {
        if (fields.phase != "X" || !(fields.duration >= 0.0) || !std::isfinite(fields.begin) ||
            !std::isfinite(fields.duration))
            return;
        if (fields.name.starts_with(step_mark)) {
            Step step{.begin = fields.begin, .end = fields.begin + fields.duration};
            const std::string_view digits = fields.name.substr(step_mark.size());
            std::from_chars(digits.data(), digits.data() + digits.size(), step.number);
            if (fields.category == "user_annotation") steps_.push_back(step);
            if (fields.category == "gpu_user_annotation") device_steps_.push_back(step);
            return;
        }
        const auto* const kind = std::find_if(kinds.begin(), kinds.end(),
                                              [&](const Kinds& k) { return k.category == fields.category; });
        if (kind == kinds.end()) return;
        Event event{.begin = fields.begin, .duration = fields.duration, .kind = kind->kind};
        event.thread = thread(fields.thread);
        event.name = name(fields.name);
        if (!fields.collective.empty() &&
            (event.kind == Kind::kernel || fields.name == "record_param_comms")) {
            event.bytes = fields.elements * bytes_of(fields.type);
            const bool is_call = event.kind == Kind::cpu;
            if (is_call) events_.push_back(event);  // it is an operator as well
            event.kind = is_call ? Kind::call : Kind::collective;
            event.name =
                name(fields.group > 0.0 ? fmt::format("{} ({:.0f} ranks)", fields.collective, fields.group)
                                        : std::string(fields.collective));
            has_device_collectives_ = has_device_collectives_ || !is_call;
        }
        events_.push_back(event);
    }

    std::uint32_t name(std::string_view text) { return id_of(text, name_ids_, names_); }
    std::uint32_t thread(std::string_view text) { return id_of(text, thread_ids_, threads_); }

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    using Ids = std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>>;

    static std::uint32_t id_of(std::string_view text, Ids& ids, std::vector<std::string>& all) {
        if (const auto found = ids.find(text); found != ids.end()) return found->second;
        const auto id = static_cast<std::uint32_t>(all.size());
        all.emplace_back(text);
        ids.emplace(all.back(), id);
        return id;
    }

    void read_member(const JsonStream::Piece& piece) {
        constexpr std::size_t longest_fact = 100'000;
        if (piece.text.size() > longest_fact) return;
        const auto value = nlohmann::json::parse(piece.text, nullptr, false);
        if (value.is_discarded()) stream_.fail(fmt::format("'{}' is damaged", piece.key));
        const std::string key(piece.key);
        if (value.is_string()) {
            metadata_.emplace(key, value.get<std::string>());
        } else if (value.is_number() || value.is_boolean()) {
            metadata_.emplace(key, value.dump());
        } else if (key == "distributedInfo") {
            if (const auto rank = number_at(value, "rank"); rank && *rank >= 0.0 && *rank < 1e9)
                rank_ = static_cast<std::int64_t>(*rank);
            if (const auto size = number_at(value, "world_size"); size && *size >= 1.0 && *size < 1e9)
                world_size_ = static_cast<std::int64_t>(*size);
            if (const std::string backend = text_at(value, "backend"); !backend.empty())
                metadata_.emplace("backend", backend);
        } else if (key == "deviceProperties" && value.is_array() && !value.empty()) {
            if (const std::string device = text_at(value.front(), "name"); !device.empty())
                metadata_.emplace("device", device);
        }
    }

    // ------------------------------------------------------------------------------------------------
    // results

    /// The step that a time lies in; nothing outside of all.
    static std::optional<std::size_t> step_at(const std::vector<Step>& steps, double time) {
        const auto behind = std::upper_bound(steps.begin(), steps.end(), time,
                                             [](double t, const Step& step) { return t < step.begin; });
        if (behind == steps.begin() || time >= std::prev(behind)->end) return std::nullopt;
        return static_cast<std::size_t>(std::prev(behind) - steps.begin());
    }

    Part* part_of(const Event& event) {
        if (steps_.empty()) return parts_.data();
        const bool by_device = is_on_device(event.kind) && !device_steps_.empty();
        const std::vector<Step>& steps = by_device ? device_steps_ : steps_;
        const auto step = step_at(steps, event.begin);
        if (!step) return nullptr;
        if (!by_device) return &parts_[*step];
        const auto same = step_of_number_.find(steps[*step].number);
        return same == step_of_number_.end() ? nullptr : &parts_[same->second];
    }

    /// Paths and own times of what is nested on each thread.
    void deliver_nested() {
        std::vector<const Event*> nested;
        for (const Event& event : events_) {
            if (event.kind == Kind::cpu) nested.push_back(&event);
        }
        std::stable_sort(nested.begin(), nested.end(), [](const Event* a, const Event* b) {
            return std::tie(a->thread, a->begin, b->duration) < std::tie(b->thread, b->begin, a->duration);
        });
        struct Open {
            const Event* event;
            std::uint32_t path;
            double own;
        };
        std::vector<Open> open;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> path_ids;  // of (path above, name)
        std::vector<std::string> paths{"cpu"};
        std::vector<std::optional<experiment::RegionId>> regions{std::nullopt};
        const auto close = [&] {
            const Open done = open.back();
            open.pop_back();
            if (!open.empty()) open.back().own -= done.event->duration;
            Part* const part = part_of(*done.event);
            if (part == nullptr) {
                ++outside_;
                return;
            }
            auto& region = regions[done.path];
            if (!region) region = sink_->builder.region(paths[done.path]);
            part->add(*region, time_, micro * std::max(0.0, done.own));
            part->add(*region, visits_, 1.0);
        };
        for (const Event* const event : nested) {
            // What overlaps without lying within, by rounding or otherwise, is beside.
            while (!open.empty() &&
                   (open.back().event->thread != event->thread || event->end() > open.back().event->end() ||
                    event->begin >= open.back().event->end()))
                close();
            const std::uint32_t above = open.empty() ? 0 : open.back().path;
            const auto [found, is_new] =
                path_ids.try_emplace({above, event->name}, static_cast<std::uint32_t>(paths.size()));
            if (is_new) {
                paths.push_back(experiment::path_below(paths[above], names_[event->name]));
                regions.emplace_back();
            }
            open.push_back({.event = event, .path = found->second, .own = event->duration});
        }
        while (!open.empty()) close();
    }

    void deliver_device() {
        constexpr std::array<std::string_view, 6> groups{"cpu",    "kernel",     "memcpy",
                                                         "memset", "collective", "collective"};
        std::map<std::pair<Kind, std::uint32_t>, experiment::RegionId> regions;
        for (const Event& event : events_) {
            if (event.kind == Kind::cpu || (event.kind == Kind::call && has_device_collectives_)) continue;
            Part* const part = part_of(event);
            if (part == nullptr) {
                ++outside_;
                continue;
            }
            auto found = regions.find({event.kind, event.name});
            if (found == regions.end()) {
                std::string name = names_[event.name];
                for (std::size_t at = name.find(" -> "); at != std::string::npos; at = name.find(" -> "))
                    name.replace(at, 4, " to ");
                const std::string_view group = groups[static_cast<std::size_t>(event.kind)];
                found = regions
                            .emplace(std::pair(event.kind, event.name),
                                     sink_->builder.region(experiment::path_below(group, name)))
                            .first;
            }
            if (event.kind != Kind::call) part->add(found->second, time_, micro * event.duration);
            part->add(found->second, visits_, 1.0);
            if (event.bytes > 0.0) part->add(found->second, sink_->metric("bytes", "B"), event.bytes);
        }
    }

    void deliver() {
        if (events_.empty() && steps_.empty()) return;
        const auto by_time = [](const Step& a, const Step& b) { return a.begin < b.begin; };
        std::sort(steps_.begin(), steps_.end(), by_time);
        std::sort(device_steps_.begin(), device_steps_.end(), by_time);
        time_ = sink_->metric("time", "s");
        visits_ = sink_->metric("visits", "");
        if (!rank_) rank_ = rank_of_name(file_);
        const std::string folder = std::filesystem::path(file_).parent_path().string();
        parts_.resize(std::max<std::size_t>(1, steps_.size()));
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            Part& part = parts_[i];
            if (!steps_.empty()) step_of_number_.emplace(steps_[i].number, i);
            part.place = {.file = file_};
            part.metadata = metadata_;
            part.processes = world_size_;
            if (rank_) {
                part.rank = rank_;
                part.run = steps_.empty() ? folder + "/" : fmt::format("{}/#{}", folder, steps_[i].number);
            }
            if (!steps_.empty()) {
                const experiment::RegionId step = sink_->builder.region("step");
                part.add(step, time_, micro * (steps_[i].end - steps_[i].begin));
                part.add(step, visits_, 1.0);
            }
        }
        deliver_nested();
        deliver_device();
        if (outside_ > 0) {
            sink_->builder.note(
                Place{.file = file_},
                fmt::format("{} lie outside of the steps, and are left out", counted(outside_, "event")));
        }
        for (Part& part : parts_) sink_->parts.push_back(std::move(part));
    }

    Sink* sink_;
    std::string file_;
    JsonStream stream_;
    simdjson::ondemand::parser parser_;
    std::vector<Event> events_;
    std::vector<Step> steps_;
    std::vector<Step> device_steps_;
    std::unordered_map<std::int64_t, std::size_t> step_of_number_;
    std::vector<std::string> names_;
    std::vector<std::string> threads_;
    Ids name_ids_;
    Ids thread_ids_;
    std::map<std::string, std::string> metadata_;
    std::optional<std::int64_t> rank_;
    std::optional<std::int64_t> world_size_;
    bool has_device_collectives_ = false;
    std::size_t outside_ = 0;
    std::vector<Part> parts_;
    experiment::MetricId time_{};
    experiment::MetricId visits_{};
};

}  // namespace

bool is_kineto(const experiment::Probe& probe) {
    const std::string_view head = trim(probe.head);
    if (head.starts_with('[')) {
        // A bare array of events.
        const std::string_view first = head.substr(0, head.find('}'));
        return first.find("\"ph\"") != std::string_view::npos &&
               first.find("\"ts\"") != std::string_view::npos;
    }
    // What comes before the events may be long.
    return has_key(probe, events_key) ||
           (has_key(probe, "schemaVersion") && has_key(probe, "deviceProperties"));
}

void read_kineto(Input& input, Sink& sink) { Reader(input, sink).read(); }

}  // namespace plimsoll::profile::detail
