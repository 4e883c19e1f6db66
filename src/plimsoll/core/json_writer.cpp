#include "plimsoll/core/json_writer.hpp"

#include <utility>

#include "plimsoll/core/error.hpp"

namespace plimsoll {

void JsonWriter::new_line(std::size_t depth) {
    text_.push_back('\n');
    text_.append(2 * depth, ' ');
}

void JsonWriter::separate() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (levels_.empty()) {
        PLIMSOLL_EXPECT(text_.empty());
        return;
    }
    Level& level = levels_.back();
    if (!level.empty) text_ += ",";
    if (static_cast<int>(levels_.size()) <= indented_levels_) {
        new_line(levels_.size());
    } else if (!level.empty) {
        text_.push_back(' ');
    }
    level.empty = false;
}

JsonWriter& JsonWriter::numbers(std::string_view name, std::span<const std::string> names,
                                std::span<const double> values) {
    PLIMSOLL_EXPECT(names.size() == values.size());
    key(name).begin_object();
    for (std::size_t i = 0; i < names.size(); ++i) member(names[i], values[i]);
    return end_object();
}

JsonWriter& JsonWriter::key(std::string_view name) {
    PLIMSOLL_EXPECT(!levels_.empty() && !levels_.back().array && !after_key_);
    separate();
    text_ += json_quote(name);
    text_ += ": ";
    after_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    PLIMSOLL_EXPECT(after_key_ || levels_.empty() || levels_.back().array);
    separate();
    text_ += json;
    return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
    PLIMSOLL_EXPECT(after_key_ || levels_.empty() || levels_.back().array);
    separate();
    text_.push_back(bracket);
    levels_.push_back({.array = bracket == '['});
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    PLIMSOLL_EXPECT(!levels_.empty() && levels_.back().array == (bracket == ']') && !after_key_);
    const Level level = levels_.back();
    const bool indented = static_cast<int>(levels_.size()) <= indented_levels_;
    levels_.pop_back();
    if (!level.empty && indented) new_line(levels_.size());
    text_.push_back(bracket);
    return *this;
}

std::string JsonWriter::take() {
    PLIMSOLL_EXPECT(levels_.empty() && !text_.empty());
    text_.push_back('\n');
    return std::exchange(text_, {});
}

}  // namespace plimsoll
