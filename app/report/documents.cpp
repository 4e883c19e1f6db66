#include "app/report/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/input.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using nlohmann::json;

struct KnownSchema {
    DocumentKind kind;
    std::string_view any_version;  ///< as it begins
    std::string_view ours;
    std::string_view command;
};

constexpr std::array known_schemas{
    KnownSchema{DocumentKind::training, "plimsoll.training/", "plimsoll.training/1", "plimsoll training"},
    KnownSchema{DocumentKind::plan, "plimsoll.plan-config/", "plimsoll.plan-config/1",
                "plimsoll plan config"},
    KnownSchema{DocumentKind::campaign, "plimsoll.campaign-top/", "plimsoll.campaign-top/1",
                "plimsoll campaign top"}};

/// The schema that a document begins with: `{"schema": "plimsoll.training/1"`; empty where it begins
/// otherwise.
std::string_view schema_in(std::string_view head) {
    for (const std::string_view piece : {"{", "\"schema\"", ":", "\""}) {
        head = trim(head);
        if (!head.starts_with(piece)) return {};
        head.remove_prefix(piece.size());
    }
    return head.substr(0, head.find('"'));
}

/// What an input holds by its first words; nothing where it is no document of these.
const KnownSchema* schema_of(Input& input) {
    const std::string_view schema = schema_in(input.peek(4096));
    const auto* const found =
        std::find_if(known_schemas.begin(), known_schemas.end(),
                     [&](const KnownSchema& known) { return schema.starts_with(known.any_version); });
    return found == known_schemas.end() ? nullptr : found;
}

/// Looks whether a document has what its page reads, so that a damaged one is told here and not there.
class Check {
  public:
    Check(std::string file, const KnownSchema& schema) : file_(std::move(file)), schema_(&schema) {}

    [[noreturn]] void fail(const std::string& message) const {
        throw Error(ErrorKind::input, Place{.file = file_}, message,
                    fmt::format("write it again with '{} ... --json'", schema_->command));
    }

    const json& member(const json& of, const std::string& where, const char* name, json::value_t type) const {
        const auto found = of.find(name);
        if (found == of.end()) fail(fmt::format("{}'{}' is missing", where, name));
        const bool is_number = type == json::value_t::number_float && found->is_number();
        if (!is_number && found->type() != type)
            fail(fmt::format("{}'{}' is {} and not {}", where, name, article(*found), article(json(type))));
        return *found;
    }

    /// A member that is an object, or null: then there is none.
    const json* object_or_null(const json& of, const std::string& where, const char* name) const {
        const auto found = of.find(name);
        if (found == of.end()) fail(fmt::format("{}'{}' is missing", where, name));
        return found->is_null() ? nullptr : &member(of, where, name, json::value_t::object);
    }

    /// Calls `look` with each of a member's entries, which have to be objects, and with where they stand.
    template <class Look>
    void each(const json& of, const std::string& where, const char* name, Look look) const {
        std::size_t number = 0;
        for (const json& one : member(of, where, name, json::value_t::array)) {
            const std::string inside = fmt::format("{}{} {}: ", where, name, ++number);
            if (!one.is_object())
                fail(fmt::format("{}{} {} is {} and not an object", where, name, number, article(one)));
            look(one, inside);
        }
    }

    void texts(const json& of, const std::string& where, const char* name) const {
        std::size_t number = 0;
        for (const json& one : member(of, where, name, json::value_t::array)) {
            ++number;
            if (!one.is_string())
                fail(fmt::format("{}{} {} is {} and not a string", where, name, number, article(one)));
        }
    }

    /// Members that are objects with a value, or null.
    void estimates(const json& of, const std::string& where, std::initializer_list<const char*> names) const {
        for (const char* const name : names) {
            const json* const estimate = object_or_null(of, where, name);
            if (estimate == nullptr) continue;
            const std::string inside = fmt::format("{}{}: ", where, name);
            for (const char* const end : {"value", "low", "high"})
                member(*estimate, inside, end, json::value_t::number_float);
        }
    }

    void training(const json& root) const {
        member(root, "", "coverage", json::value_t::number_float);
        member(root, "", "schedule", json::value_t::object);
        texts(root, "", "notes");
        each(root, "", "profiled", [&](const json& steps, const std::string& where) {
            member(steps, where, "at", json::value_t::object);
            member(steps, where, "steps", json::value_t::number_float);
            member(steps, where, "half_width", json::value_t::number_float);
            member(steps, where, "needed_steps", json::value_t::number_float);
        });
        std::size_t number = 0;
        for (const json& point : member(root, "", "points", json::value_t::array)) {
            const std::string where = fmt::format("point {}: ", ++number);
            if (!point.is_object()) fail(fmt::format("point {} is no object", number));
            member(point, where, "at", json::value_t::object);
            member(point, where, "processes", json::value_t::number_float);
            member(point, where, "throughput_per_s", json::value_t::number_float);
            each(point, where, "collectives", [&](const json& collective, const std::string& inside) {
                member(collective, inside, "name", json::value_t::string);
                for (const char* const name : {"calls", "time_s", "bytes", "bus_bandwidth_bytes_per_s"})
                    member(collective, inside, name, json::value_t::number_float);
            });
            estimates(point, where, {"step_s", "epoch_s", "training_s"});
            object_or_null(point, where, "parts_s");
            object_or_null(point, where, "factors");
        }
        if (number == 0) fail("has no points");
    }

    void place(const json& of, const std::string& where) const {
        member(of, where, "machine", json::value_t::string);
        member(of, where, "at", json::value_t::object);
    }

    void config(const json& config, const std::string& where) const {
        if (!config.is_object()) fail(where + "is no object");
        place(config, where);
        member(config, where, "nodes", json::value_t::number_float);
        member(config, where, "time_s", json::value_t::object);
        each(config, where, "limits", [&](const json& limit, const std::string& inside) {
            member(limit, inside, "limit", json::value_t::string);
        });
    }

    /// A configuration with its name and, where that was looked at, for how long it stays.
    void answer(const json& answer, const std::string& where) const {
        config(answer, where);
        member(answer, where, "answer", json::value_t::string);
        if (answer.find("stays") == answer.end()) return;
        each(answer, where, "stays", [&](const json& stay, const std::string& inside) {
            member(stay, inside, "limit", json::value_t::string);
            for (const char* const side : {"below", "above"}) {
                const json* const other = object_or_null(stay, inside, side);
                if (other != nullptr) place(*other, fmt::format("{}{}: ", inside, side));
            }
        });
    }

    void plan(const json& root) const {
        member(root, "", "time_of", json::value_t::string);
        member(root, "", "confidence", json::value_t::number_float);
        member(root, "", "cost_unit", json::value_t::string);
        each(member(root, "", "limits", json::value_t::object), "limits: ", "budgets",
             [&](const json& budget, const std::string& where) {
                 member(budget, where, "value", json::value_t::number_float);
                 member(budget, where, "unit", json::value_t::string);
             });
        texts(root, "", "machines");
        member(root, "", "configurations", json::value_t::number_float);
        texts(root, "", "notes");
        each(root, "", "answers", [&](const json& one, const std::string& where) { answer(one, where); });
        each(root, "", "front", [&](const json& one, const std::string& where) { config(one, where); });
        each(root, "", "reliefs", [&](const json& relief, const std::string& where) {
            member(relief, where, "limit", json::value_t::string);
            config(member(relief, where, "configuration", json::value_t::object), where);
        });
        const auto is_there = [&](const char* name) {
            const auto found = root.find(name);
            return found != root.end() && !found->is_null();
        };
        if (is_there("nearest_miss")) config(root["nearest_miss"], "nearest_miss: ");
        if (!is_there("scaling")) return;
        const json& scaling = member(root, "", "scaling", json::value_t::object);
        member(scaling, "scaling: ", "size_parameter", json::value_t::string);
        object_or_null(scaling, "scaling: ", "largest_processes");
        each(scaling, "scaling: ", "sizes", [&](const json& size, const std::string& where) {
            member(size, where, "processes", json::value_t::number_float);
            if (size.find("size") == size.end()) fail(where + "'size' is missing");
        });
    }

    void campaign(const json& root) const {
        std::size_t number = 0;
        for (const json& job : member(root, "", "jobs", json::value_t::array)) {
            const std::string where = fmt::format("job {}: ", ++number);
            if (!job.is_object()) fail(fmt::format("job {} is no object", number));
            member(job, where, "name", json::value_t::string);
            member(job, where, "state", json::value_t::string);
            member(job, where, "tasks", json::value_t::number_float);
            member(job, where, "counts", json::value_t::object);
            for (const char* const list : {"command", "tags"}) texts(job, where, list);
        }
        each(root, "", "workers", [&](const json& worker, const std::string& where) {
            member(worker, where, "name", json::value_t::string);
            member(worker, where, "running", json::value_t::number_float);
            member(worker, where, "queued", json::value_t::number_float);
        });
    }

  private:
    static std::string article(const json& value) {
        const std::string name = value.type_name();
        return value.is_null() ? name : (value.is_array() || value.is_object() ? "an " : "a ") + name;
    }

    std::string file_;
    const KnownSchema* schema_;
};

ShownDocument read_document(Input& input, const KnownSchema& schema) {
    ShownDocument document{.kind = schema.kind, .name = input.name(), .json = input.rest()};
    const Check check(document.name, schema);
    json root;
    try {
        root = json::parse(document.json);
    } catch (const json::parse_error& error) {
        const auto end = document.json.begin() +
                         static_cast<std::ptrdiff_t>(std::min<std::size_t>(error.byte, document.json.size()));
        const auto line = 1 + std::count(document.json.begin(), end, '\n');
        throw Error(ErrorKind::input, Place{.file = document.name, .line = static_cast<std::uint64_t>(line)},
                    "is no valid JSON", fmt::format("write it again with '{} ... --json'", schema.command));
    } catch (const json::out_of_range&) {
        check.fail("a number is too large for any computer");
    }
    const json& found = check.member(root, "", "schema", json::value_t::string);
    if (found != schema.ours)
        throw Error(ErrorKind::input, Place{.file = document.name},
                    fmt::format("was written by a later version of plimsoll (its schema is '{}', ours '{}')",
                                found.get<std::string>(), schema.ours),
                    "use that version");
    switch (schema.kind) {
        case DocumentKind::training: check.training(root); break;
        case DocumentKind::plan: check.plan(root); break;
        case DocumentKind::campaign: check.campaign(root); break;
    }
    return document;
}

}  // namespace

std::vector<ShownDocument> take_documents(Inputs& inputs) {
    namespace fs = std::filesystem;
    std::vector<ShownDocument> documents;
    std::vector<std::string> others;
    for (const std::string& path : inputs.paths) {
        std::error_code failure;
        const bool is_pipe = path == "-" || (fs::exists(path, failure) && !fs::is_directory(path, failure) &&
                                             !fs::is_regular_file(path, failure));
        const bool is_file = !is_pipe && fs::is_regular_file(path, failure);
        const bool was_opened = inputs.read.opened.contains(path);
        if (!(is_pipe || is_file) || was_opened) {
            others.push_back(path);
            continue;
        }
        auto input = std::make_shared<Input>(path);
        if (const KnownSchema* const schema = schema_of(*input)) {
            documents.push_back(read_document(*input, *schema));
            continue;
        }
        others.push_back(path);
        if (is_pipe) inputs.read.opened.emplace(path, std::move(input));
    }
    inputs.paths = std::move(others);
    return documents;
}

}  // namespace plimsoll::app
