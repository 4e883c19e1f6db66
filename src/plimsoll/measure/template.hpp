#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::measure {

/// What stands for each placeholder in one run.
using Replacements = std::vector<std::pair<std::string, std::string>>;

/// A text with placeholders such as `{n}`; `{{` is a brace, as is a `}` that closes nothing.
class Template {
  public:
    Template() = default;

    /// Throws a usage error for a placeholder that is not among `names`; it offers the nearest.
    Template(std::string_view text, const std::vector<std::string>& names);

    /// Every name of the template must have a replacement.
    [[nodiscard]] std::string fill(const Replacements& replacements) const;

    /// Whether a placeholder occurs.
    [[nodiscard]] bool uses(std::string_view name) const;

    [[nodiscard]] bool has_placeholders() const;

    /// As it was written.
    [[nodiscard]] const std::string& source() const { return source_; }

  private:
    struct Piece {
        std::string text;  ///< or the name of a placeholder
        bool is_placeholder = false;
    };
    std::string source_;
    std::vector<Piece> pieces_;
};

}  // namespace plimsoll::measure
