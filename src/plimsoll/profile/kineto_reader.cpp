#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/json_input.hpp"
#include "plimsoll/profile/detail/json_stream.hpp"
#include "plimsoll/profile/detail/nsight_steps.hpp"
#include "plimsoll/profile/detail/timeline.hpp"
#include "plimsoll/profile/path_pattern.hpp"

namespace plimsoll::profile::detail {

static_assert(Input::padding >= simdjson::SIMDJSON_PADDING, "simdjson reads that far behind a text");

namespace {

constexpr double micro = 1e-6;
constexpr std::string_view profiler_step = "ProfilerStep#";
constexpr std::string_view events_key = "traceEvents";

using Kind = Timeline::Kind;

struct Kinds {
    std::string_view category;
    Kind kind;
};
constexpr std::array kinds{Kinds{"cpu_op", Kind::host},          Kinds{"user_annotation", Kind::host},
                           Kinds{"python_function", Kind::host}, Kinds{"cuda_runtime", Kind::host},
                           Kinds{"cuda_driver", Kind::host},     Kinds{"kernel", Kind::kernel},
                           Kinds{"gpu_memcpy", Kind::copy},      Kinds{"gpu_memset", Kind::set}};

/// Bytes of an element, by PyTorch's names of types; 0 where it is not known.
double bytes_of(std::string_view type) {
    if (type == "Double" || type == "Long" || type == "ComplexFloat") return 8;
    if (type == "Float" || type == "Int") return 4;
    if (type == "Half" || type == "BFloat16" || type == "Short") return 2;
    if (type == "Byte" || type == "Char" || type == "Bool" || type.starts_with("Float8")) return 1;
    return 0;
}

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
    double bytes = 0.0;
    double device = 0.0;
    double correlation = 0.0;
};

/// A number that counts something, 0 where it cannot.
std::uint32_t count_of(double number) {
    return number >= 0.0 && number <= std::numeric_limits<std::uint32_t>::max()
               ? static_cast<std::uint32_t>(number)
               : 0;
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
            if (key == "ph" && fields.phase != "X") {
                const bool is_half = fields.phase == "B" || fields.phase == "E";
                ++(is_half ? halves_ : timeless_);  // marks, flows and names take no time
                return;
            }
        }
        keep(fields);
    }

    Code read_field(std::string_view key, simdjson::ondemand::value& value, Fields& fields) {
        if (key == "ph") return value.get_string().get(fields.phase);
        if (key == "cat") return value.get_string().get(fields.category);
        if (key == "name") return value.get_string().get(fields.name);
        if (key == "ts") return read_time(value, fields.begin);
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
            } else if (name == "bytes") {
                code = argument.get_double().get(fields.bytes);
            } else if (name == "device") {
                code = argument.get_double().get(fields.device);
            } else if (name == "correlation") {
                code = argument.get_double().get(fields.correlation);
            }
            if (code != simdjson::SUCCESS && code != simdjson::INCORRECT_TYPE) return code;
        }
        return simdjson::SUCCESS;
    }

    /// Since 1970 there have been more microseconds than a double tells nanoseconds of: they count from the
    /// first event.
    Code read_time(simdjson::ondemand::value& value, double& time) {
        const std::string_view text = trim(value.raw_json_token());
        if (const Code code = value.get_double().get(time); code != simdjson::SUCCESS) return code;
        std::int64_t whole = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
        const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
        if (error != std::errc() || rest.find_first_of("eE") != std::string_view::npos)
            return simdjson::SUCCESS;
        if (!first_time_) first_time_ = whole;
        std::int64_t since = 0;
        if (__builtin_sub_overflow(whole, *first_time_, &since)) return simdjson::SUCCESS;
        double fraction = 0.0;
        for (std::size_t i = rest.size(); i > 1; --i) fraction = 0.1 * (fraction + (rest[i - 1] - '0'));
        time = static_cast<double>(since) + (text.starts_with('-') ? -fraction : fraction);
        return simdjson::SUCCESS;
    }

    void keep(const Fields& fields) {
        if (fields.phase != "X" || !(fields.duration >= 0.0) || !std::isfinite(fields.begin) ||
            !std::isfinite(fields.duration))
            return;
        if (fields.name.starts_with(profiler_step)) {
            Timeline::Step step{.begin = fields.begin, .end = fields.begin + fields.duration};
            const std::string_view digits = fields.name.substr(profiler_step.size());
            std::from_chars(digits.data(), digits.data() + digits.size(), step.number);
            if (fields.category == "user_annotation") {
                timeline_.add_step(step);
                steps_.push_back(step);
            }
            if (fields.category == "gpu_user_annotation") timeline_.add_device_step(step);
            return;
        }
        const auto* const kind = std::find_if(kinds.begin(), kinds.end(),
                                              [&](const Kinds& k) { return k.category == fields.category; });
        if (kind == kinds.end()) {
            ++others_;
            categories_.emplace(fields.category.empty() ? "(none)" : fields.category);
            return;
        }
        Timeline::Event event{.begin = fields.begin, .duration = fields.duration, .kind = kind->kind};
        const bool is_host = event.kind == Kind::host;
        event.track = is_host ? threads_.id(fields.thread) : count_of(fields.device);
        event.name = names_.id(fields.name);
        event.correlation = count_of(fields.correlation);
        if (!is_host) event.bytes = fields.bytes;
        if (fields.category == "user_annotation" && is_validation(fields.name)) {
            validations_.push_back(event);
            return;
        }
        if (!fields.collective.empty() &&
            (event.kind == Kind::kernel || fields.name == "record_param_comms")) {
            if (is_host) timeline_.add(event);  // it is an operator as well
            event.bytes = fields.elements * bytes_of(fields.type);
            event.kind = is_host ? Kind::call : Kind::collective;
            event.name = names_.id(fields.collective);
            if (fields.group > 0.0) {
                const std::uint32_t named =
                    names_.id(fmt::format("{} ({:.0f} ranks)", fields.collective, fields.group));
                groups_.try_emplace(named, event.name, fields.group);
                event.name = named;
            }
        }
        timeline_.add(event);
    }

    /// `validation_step 7` and the like, which people mark where the profiler is told of steps of training
    /// alone.
    static bool is_validation(std::string_view name) {
        const auto mark = step_mark(name, "");
        return mark && mark->kind == Timeline::StepKind::validation;
    }

    /// Steps of validation lie outside of all others; what is marked so within one is a region of it.
    void add_validations() {
        std::sort(steps_.begin(), steps_.end(),
                  [](const Timeline::Step& a, const Timeline::Step& b) { return a.begin < b.begin; });
        std::sort(validations_.begin(), validations_.end(),
                  [](const Timeline::Event& a, const Timeline::Event& b) { return a.begin < b.begin; });
        std::int64_t number = 0;
        double end =
            -std::numeric_limits<double>::infinity();  // of the last one, within which there is no other
        for (const Timeline::Event& event : validations_) {
            const auto behind =
                std::lower_bound(steps_.begin(), steps_.end(), event.end(),
                                 [](const Timeline::Step& step, double time) { return step.begin < time; });
            if (event.begin < end || (behind != steps_.begin() && std::prev(behind)->end > event.begin)) {
                timeline_.add(event);
                continue;
            }
            end = event.end();
            timeline_.add_step({.number = number++,
                                .begin = event.begin,
                                .end = end,
                                .kind = Timeline::StepKind::validation});
        }
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

    void deliver() {
        add_validations();
        if (!rank_) rank_ = rank_of_name(file_);
        Part about;
        about.place = {.file = file_};
        about.metadata = metadata_;
        about.processes = world_size_;
        about.rank = rank_;
        // Of all ranks, a collective is the same on any number of them.
        for (const auto& [named, plain] : groups_) {
            if (world_size_ && plain.second == static_cast<double>(*world_size_))
                timeline_.rename(named, plain.first);
        }
        if (halves_ > 0) {
            sink_->builder.note(about.place, fmt::format("left out: {} with a begin or an end alone (B, E)",
                                                         counted(halves_, "event")));
        }
        if (timeless_ > 0)
            sink_->builder.detail(
                about.place, fmt::format("left out: {} without a duration", counted(timeless_, "event")));
        if (others_ > 0) {
            const std::vector<std::string> categories(categories_.begin(), categories_.end());
            sink_->builder.detail(
                about.place, fmt::format("left out: {} of other categories, {}", counted(others_, "event"),
                                         join(categories, ", ")));
        }
        timeline_.deliver(*sink_, about);
    }

    Sink* sink_;
    std::string file_;
    JsonStream stream_;
    simdjson::ondemand::parser parser_;
    Names names_;
    Names threads_;
    Timeline timeline_{names_, micro};
    /// Names of collectives with the size of their group: the name without it, and the size.
    std::map<std::uint32_t, std::pair<std::uint32_t, double>> groups_;
    std::vector<Timeline::Step> steps_;         ///< of training
    std::vector<Timeline::Event> validations_;  ///< what is marked as a step of validation
    std::map<std::string, std::string> metadata_;
    std::optional<std::int64_t> rank_;
    std::optional<std::int64_t> world_size_;
    std::optional<std::int64_t> first_time_;  ///< of an event, us
    std::size_t timeless_ = 0;
    std::size_t halves_ = 0;
    std::size_t others_ = 0;
    std::set<std::string, std::less<>> categories_;
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
