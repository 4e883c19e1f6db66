#include "plimsoll/launch/template.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::launch {

Template::Template(std::string_view text, const std::vector<std::string>& names) : source_(text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((text[i] != '{' && text[i] != '}') || text.substr(i, 2) == "{{" || text.substr(i, 2) == "}}") {
            if (text[i] == '{' || text[i] == '}') ++i;
            plain += text[i];
            continue;
        }
        if (text[i] == '}') {
            plain += '}';
            continue;
        }
        const std::size_t end = text.find('}', i);
        if (end == std::string_view::npos)
            throw Error(ErrorKind::usage, fmt::format("a brace is not closed in '{}'", text),
                        "write '{{' where you mean the brace itself");
        std::string name(text.substr(i + 1, end - i - 1));
        if (std::ranges::find(names, name) == names.end()) {
            const auto near = nearest(name, names);
            std::vector<std::string> braced;
            braced.reserve(names.size());
            for (const std::string& known : names) braced.push_back("{" + known + "}");
            throw Error(
                ErrorKind::usage,
                fmt::format("there is no value '{}' for the placeholder in '{}'", name, text),
                near ? fmt::format("did you mean '{{{}}}'? For a brace itself write '{{{{'", *near)
                     : fmt::format("use one of {}; for a brace itself write '{{{{'", join(braced, ", ")));
        }
        if (!plain.empty()) pieces_.push_back({.text = std::exchange(plain, {})});
        pieces_.push_back({.text = std::move(name), .is_placeholder = true});
        i = end;
    }
    if (!plain.empty()) pieces_.push_back({.text = std::move(plain)});
}

std::string Template::fill(const Replacements& replacements) const {
    std::string text;
    for (const Piece& piece : pieces_) {
        if (!piece.is_placeholder) {
            text += piece.text;
            continue;
        }
        const auto found =
            std::ranges::find(replacements, piece.text, [](const auto& entry) { return entry.first; });
        PLIMSOLL_EXPECT(found != replacements.end());
        text += found->second;
    }
    return text;
}

bool Template::uses(std::string_view name) const {
    return std::ranges::any_of(
        pieces_, [&](const Piece& piece) { return piece.is_placeholder && piece.text == name; });
}

bool Template::has_placeholders() const { return std::ranges::any_of(pieces_, &Piece::is_placeholder); }

}  // namespace plimsoll::launch
