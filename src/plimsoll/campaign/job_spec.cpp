#include "plimsoll/campaign/job_spec.hpp"

#include <fmt/format.h>

#include <concepts>
#include <nlohmann/json.hpp>
#include <set>

#include "plimsoll/campaign/detail/json_integer.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::campaign {

namespace {

using nlohmann::json;

/// Writes the members that differ from a new spec's.
struct Writer {
    json& object;

    template <class Value>
    void operator()(const char* key, const Value& value, const Value& usual) const {
        if (!(value == usual)) object[key] = value;
    }
    template <NamedEnum Enum>
    void operator()(const char* key, const Enum& value, const Enum& usual) const {
        if (value != usual) object[key] = std::string(enum_name(value));
    }
    void operator()(const char* key, const Resources& value, const Resources&) const {
        for (const auto& [name, amount] : value.amounts()) object[key][name] = amount;
    }
    void operator()(const char* key, const std::vector<JobId>& value, const std::vector<JobId>&) const {
        for (const JobId id : value) object[key].push_back(id.value);
    }
    void operator()(const char* key, const JobId& value, const JobId&) const {
        if (value.value != 0) object[key] = value.value;
    }
    void operator()(const char* key, const TaskId& value, const TaskId&) const {
        if (value.job.value != 0) object[key] = {value.job.value, value.index};
    }
};

/// Reads the members that are there, and remembers which they were.
struct Reader {
    const json& object;
    std::set<std::string>& known;

    template <class Value>
    void operator()(const char* key, Value& value, const Value& /*usual*/) const {
        known.insert(key);
        const auto found = object.find(key);
        if (found == object.end()) return;
        try {
            read(*found, value);
        } catch (const json::exception&) {
            throw Error(ErrorKind::input,
                        fmt::format("job description: '{}' is {}, which is not of its kind", key,
                                    found->dump(-1, ' ', false, json::error_handler_t::replace)),
                        "see docs/formats/campaign.md");
        }
    }

  private:
    template <class Value>
    static void read(const json& from, Value& value) {
        if constexpr (std::integral<Value> && !std::same_as<Value, bool>) {
            value = integer_of<Value>(from);
        } else {
            from.get_to(value);
        }
    }
    static void read(const json& from, std::vector<int>& value) {
        for (const json& number : from) value.push_back(integer_of<int>(number));
    }
    template <NamedEnum Enum>
    static void read(const json& from, Enum& value) {
        const auto word = from.get<std::string>();
        for (const auto& entry : enum_names(value)) {
            if (entry.name == word) {
                value = entry.value;
                return;
            }
        }
        std::vector<std::string> names;
        for (const auto& entry : enum_names(value)) names.emplace_back(entry.name);
        throw Error(ErrorKind::input, fmt::format("job description: there is no '{}'", word),
                    fmt::format("use one of {}", join(names, ", ")));
    }
    static void read(const json& from, Resources& value) {
        for (const auto& [name, amount] : from.items())
            value.set_thousandths(name, integer_of<std::int64_t>(amount));
    }
    static void read(const json& from, std::vector<JobId>& value) {
        for (const json& id : from) value.push_back({integer_of<std::int64_t>(id)});
    }
    static void read(const json& from, JobId& value) { value.value = integer_of<std::int64_t>(from); }
    static void read(const json& from, TaskId& value) {
        value = {.job = {integer_of<std::int64_t>(from.at(0))},
                 .index = integer_of<std::uint32_t>(from.at(1))};
    }
};

/// The one list of keys.
template <class Spec, class Visitor>
void describe(Spec& spec, const Visitor& member) {
    static const JobSpec usual;
    member("name", spec.name, usual.name);
    member("tags", spec.tags, usual.tags);
    member("command", spec.command, usual.command);
    member("environment", spec.environment, usual.environment);
    member("folder", spec.folder, usual.folder);
    member("input", spec.input, usual.input);
    member("output", spec.output, usual.output);
    member("errors", spec.errors, usual.errors);
    member("before", spec.before, usual.before);
    member("afterwards", spec.afterwards, usual.afterwards);
    member("on_failure", spec.on_failure, usual.on_failure);
    member("time_limit_s", spec.time_limit_s, usual.time_limit_s);
    member("kill_after_s", spec.kill_after_s, usual.kill_after_s);
    member("resources", spec.policy.resources, usual.policy.resources);
    member("priority", spec.policy.priority, usual.policy.priority);
    member("retries", spec.policy.retries, usual.policy.retries);
    member("retry_codes", spec.policy.retry_codes, usual.policy.retry_codes);
    member("backoff_s", spec.policy.backoff_s, usual.policy.backoff_s);
    member("crash_limit", spec.policy.crash_limit, usual.policy.crash_limit);
    member("min_time_s", spec.policy.min_time_s, usual.policy.min_time_s);
    member("after", spec.after, usual.after);
    member("rule", spec.rule, usual.rule);
    member("held", spec.held, usual.held);
    member("retry_of", spec.retry_of, usual.retry_of);
    member("parent", spec.parent, usual.parent);
    member("entries", spec.entries, usual.entries);
    member("count", spec.count, usual.count);
    member("first", spec.first, usual.first);
    member("step", spec.step, usual.step);
}

}  // namespace

std::string to_json(const JobSpec& spec) {
    json object = json::object();
    describe(spec, Writer{object});
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

JobSpec spec_from_json(std::string_view text) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object()) {
        throw Error(ErrorKind::input, "job description: this is no JSON object",
                    "see docs/formats/campaign.md");
    }
    JobSpec spec;
    std::set<std::string> known;
    describe(spec, Reader{object, known});
    for (const auto& [key, value] : object.items()) {
        if (!known.contains(key)) {
            const std::vector<std::string> names(known.begin(), known.end());
            const auto near = nearest(key, names);
            throw Error(ErrorKind::input, fmt::format("job description: there is no key '{}'", key),
                        near ? fmt::format("did you mean '{}'?", *near) : "see docs/formats/campaign.md");
        }
    }
    if (spec.count == 0)
        throw Error(ErrorKind::input, "job description: 'count' is 0", "give each job at least one task");
    if (spec.command.empty())
        throw Error(ErrorKind::input, "job description: 'command' is empty", "give a program to run");
    return spec;
}

std::string title(const JobSpec& spec) { return spec.name.empty() ? join(spec.command, " ") : spec.name; }

}  // namespace plimsoll::campaign
