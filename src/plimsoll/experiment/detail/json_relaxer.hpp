#pragma once

#include <string>
#include <string_view>

namespace plimsoll::experiment::detail {

enum class Semicolons { stay, become_commas };

/// Makes strict JSON of what Python and Talpas write.
///
/// The literals NaN, Infinity and -Infinity become strings, and semicolons outside strings become commas
/// where asked. All else stays as it is, newlines included. The text may come in pieces, cut anywhere.
class JsonRelaxer {
  public:
    explicit JsonRelaxer(Semicolons semicolons) : semicolons_(semicolons) {}

    /// Appends the strict form of a piece; up to ten characters are held back for the next one.
    void append(std::string_view piece, std::string& strict);

    /// Appends what was held back and begins anew.
    void finish(std::string& strict);

  private:
    void append(char c, std::string& strict);
    void end_word(std::string& strict);

    Semicolons semicolons_;
    std::string word_;  // the letters since the last character that is none, if they may be a literal
    bool in_string_ = false;
    bool is_escaped_ = false;
};

}  // namespace plimsoll::experiment::detail
