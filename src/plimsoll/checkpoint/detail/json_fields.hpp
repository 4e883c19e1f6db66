#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::checkpoint::detail {

/// An object of a JSON file, whose members are checked as they are read. Errors name the file and the member;
/// what nobody asks for is left alone, so that later versions may add members.
class Fields {
  public:
    /// Parses a text that must hold an object.
    Fields(std::string_view text, const std::string& file);
    /// A value within a file, which must be an object; `where` names it.
    Fields(nlohmann::json value, std::string file, std::string where);

    [[nodiscard]] const nlohmann::json& value() const { return value_; }
    [[nodiscard]] std::string text(const std::string& key) const;
    /// A whole number from 0 to 2^64 - 1, not written with a point or an exponent.
    [[nodiscard]] std::uint64_t number(const std::string& key) const;
    /// Empty where the member is absent or null.
    [[nodiscard]] std::optional<std::uint64_t> optional_number(const std::string& key) const;
    [[nodiscard]] std::vector<std::uint64_t> numbers(const std::string& key) const;
    [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;
    [[nodiscard]] std::vector<Fields> objects(const std::string& key) const;

    [[noreturn]] void fail(const std::string& what) const;

  private:
    [[nodiscard]] const nlohmann::json& member(const std::string& key) const;
    [[nodiscard]] const nlohmann::json& list(const std::string& key) const;

    nlohmann::json value_;
    std::string file_;
    std::string where_;
};

}  // namespace plimsoll::checkpoint::detail
