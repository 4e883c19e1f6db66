#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/text.hpp"

namespace plimsoll {

/// Writes one JSON value piece by piece, without building it in memory first.
///
/// Objects and arrays are indented down to a depth, and on one line below it. Keys and values alternate as in
/// the text; what would not be JSON fails an expectation.
class JsonWriter {
  public:
    /// Levels deeper than `indented_levels` stay on one line.
    explicit JsonWriter(int indented_levels = 2) : indented_levels_(indented_levels) {}

    JsonWriter& begin_object() { return open('{'); }
    JsonWriter& end_object() { return close('}'); }
    JsonWriter& begin_array() { return open('['); }
    JsonWriter& end_array() { return close(']'); }
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text) { return raw(json_quote(text)); }
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(double number) { return raw(json_number(number)); }
    JsonWriter& value(std::size_t number) { return raw(std::to_string(number)); }
    JsonWriter& value(int number) { return raw(std::to_string(number)); }
    JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
    JsonWriter& null() { return raw("null"); }

    /// A value that is JSON text already.
    JsonWriter& raw(std::string_view json);

    /// `key(name)` and `value(v)` in one.
    template <class Value>
    JsonWriter& member(std::string_view name, const Value& v) {
        key(name);
        return value(v);
    }

    /// An object with a number for each name: `"at": {"p": 4, "n": 1000}`.
    JsonWriter& numbers(std::string_view name, std::span<const std::string> names,
                        std::span<const double> values);

    /// The whole text once every object and array is closed, ending with a newline.
    [[nodiscard]] std::string take();

  private:
    struct Level {
        bool array;
        bool empty = true;
    };

    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    void separate();
    void new_line(std::size_t depth);

    int indented_levels_;
    std::string text_;
    std::vector<Level> levels_;
    bool after_key_ = false;
};

}  // namespace plimsoll
