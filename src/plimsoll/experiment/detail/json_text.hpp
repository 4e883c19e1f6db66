#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "plimsoll/core/text.hpp"

namespace plimsoll::experiment::detail {

/// Builds JSON text from its pieces in order, and sets the commas. Unlike JsonWriter it hands over what is
/// there before the whole is, and is compact.
class JsonText {
  public:
    void open(char bracket) {
        separate();
        text_.push_back(bracket);
        needs_comma_ = false;
    }
    void close(char bracket) {
        text_.push_back(bracket);
        needs_comma_ = true;
    }
    void key(std::string_view name) {
        separate();
        text_ += json_quote(name);
        text_.push_back(':');
        needs_comma_ = false;
    }
    /// A value that is JSON already.
    void value(std::string_view json) {
        separate();
        text_ += json;
        needs_comma_ = true;
    }
    void string(std::string_view text) { value(json_quote(text)); }

    [[nodiscard]] std::string& text() { return text_; }
    /// What was built so far, which is then forgotten; the commas go on.
    [[nodiscard]] std::string take() { return std::exchange(text_, {}); }

  private:
    void separate() {
        if (needs_comma_) text_.push_back(',');
    }
    std::string text_;
    bool needs_comma_ = false;
};

}  // namespace plimsoll::experiment::detail
