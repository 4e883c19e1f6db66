#include "plimsoll/checkpoint/detail/json_fields.hpp"

#include <fmt/format.h>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

bool is_whole(const nlohmann::json& value) { return value.is_number_unsigned(); }

}  // namespace

Fields::Fields(std::string_view text, const std::string& file) : file_(file) {
    constexpr int deepest = 16;  // levels; what is copied and freed level by level must not fill the stack
    bool is_too_deep = false;
    value_ = nlohmann::json::parse(
        text,
        [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
            is_too_deep = is_too_deep || depth > deepest;
            return !is_too_deep;
        },
        false);
    if (is_too_deep) fail("is nested too deeply");
    if (!value_.is_object()) fail("is not a JSON object");
}

Fields::Fields(nlohmann::json value, std::string file, std::string where)
    : value_(std::move(value)), file_(std::move(file)), where_(std::move(where)) {
    if (!value_.is_object()) fail("is not an object");
}

void Fields::fail(const std::string& what) const {
    throw Error(ErrorKind::input, Place{.file = file_},
                where_.empty() ? what : fmt::format("{}: {}", json_quote(where_), what),
                "restore from another save");
}

const nlohmann::json& Fields::member(const std::string& key) const {
    const auto found = value_.find(key);
    if (found == value_.end()) fail(fmt::format("has no '{}'", key));
    return *found;
}

const nlohmann::json& Fields::list(const std::string& key) const {
    const nlohmann::json& value = member(key);
    if (!value.is_array()) fail(fmt::format("'{}' is not a list", key));
    return value;
}

std::string Fields::text(const std::string& key) const {
    const nlohmann::json& value = member(key);
    if (!value.is_string()) fail(fmt::format("'{}' is not a text", key));
    return value.get<std::string>();
}

std::uint64_t Fields::number(const std::string& key) const {
    const nlohmann::json& value = member(key);
    if (!is_whole(value)) fail(fmt::format("'{}' is not a whole number", key));
    return value.get<std::uint64_t>();
}

std::optional<std::uint64_t> Fields::optional_number(const std::string& key) const {
    const auto found = value_.find(key);
    if (found == value_.end() || found->is_null()) return std::nullopt;
    return number(key);
}

std::vector<std::uint64_t> Fields::numbers(const std::string& key) const {
    std::vector<std::uint64_t> result;
    for (const nlohmann::json& value : list(key)) {
        if (!is_whole(value)) fail(fmt::format("'{}' holds what is not a whole number", key));
        result.push_back(value.get<std::uint64_t>());
    }
    return result;
}

std::vector<std::string> Fields::texts(const std::string& key) const {
    std::vector<std::string> result;
    for (const nlohmann::json& value : list(key)) {
        if (!value.is_string()) fail(fmt::format("'{}' holds what is not a text", key));
        result.push_back(value.get<std::string>());
    }
    return result;
}

std::vector<Fields> Fields::objects(const std::string& key) const {
    std::vector<Fields> result;
    for (const nlohmann::json& value : list(key)) result.emplace_back(value, file_, key);
    return result;
}

}  // namespace plimsoll::checkpoint::detail
