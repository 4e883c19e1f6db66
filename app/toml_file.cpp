#include "app/toml_file.hpp"

#include <fmt/format.h>
// The one place where this header is read: it is large. The installed library is not needed with it.
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "plimsoll/core/file.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

class TomlReader {
  public:
    explicit TomlReader(const std::string& path) : path_(path) {}

    std::vector<TomlOption> options() const {
        return options_of(
            parsed("write options as in docs/guide/measure.md; a program's command line stands behind --"));
    }

    std::vector<TomlTable> tables(const std::string& name) const {
        const toml::table document =
            parsed(fmt::format("write tables [[{}]] with lines such as key = 1", name));
        std::vector<TomlTable> result;
        for (const auto& [key, value] : document) {
            const toml::array* const list = value.as_array();
            if (key.str() != name || list == nullptr || !list->is_homogeneous<toml::table>()) {
                throw Error(ErrorKind::input, place(value),
                            fmt::format("'{}' stands outside of a table [[{}]]", key.str(), name),
                            fmt::format("begin each {} with a line [[{}]]", name, name));
            }
            for (const toml::node& element : *list)
                result.push_back({.place = place(element), .options = options_of(*element.as_table())});
        }
        return result;
    }

  private:
    [[nodiscard]] std::vector<TomlOption> options_of(const toml::table& table) const {
        std::vector<TomlOption> result;
        for (const auto& [key, value] : table) {
            const std::string name(key.str());
            result.push_back({.name = name, .words = words_of(name, value), .place = place(value)});
        }
        // The library sorts by name, and parameters keep the order in which they are written.
        std::stable_sort(result.begin(), result.end(), [](const TomlOption& a, const TomlOption& b) {
            return a.place.line < b.place.line;
        });
        return result;
    }

    [[nodiscard]] toml::table parsed(const std::string& hint) const {
        try {
            return toml::parse(read_file(path_));
        } catch (const toml::parse_error& error) {
            throw Error(ErrorKind::input, Place{.file = path_, .line = error.source().begin.line},
                        fmt::format("is not TOML: {}", error.description()), hint);
        }
    }

    [[nodiscard]] Place place(const toml::node& node) const {
        return {.file = path_, .line = node.source().begin.line};
    }

    [[nodiscard]] std::vector<std::string> words_of(const std::string& name, const toml::node& node) const {
        std::vector<std::string> words;
        if (const toml::array* const list = node.as_array()) {
            for (const toml::node& element : *list) words.push_back(word_of(name, element));
            return words;
        }
        const toml::table* const table = node.as_table();
        if (table == nullptr) return {word_of(name, node)};
        struct Member {
            toml::source_position position;
            std::string word;
        };
        std::vector<Member> members;
        for (const auto& [key, value] : *table) {
            const std::string inner(key.str());
            members.push_back({.position = key.source().begin,
                               .word = fmt::format("{}={}", inner, join(words_of(inner, value), ","))});
        }
        std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
            return std::pair(a.position.line, a.position.column) <
                   std::pair(b.position.line, b.position.column);
        });
        for (Member& member : members) words.push_back(std::move(member.word));
        return words;
    }

    [[nodiscard]] std::string word_of(const std::string& name, const toml::node& node) const {
        if (const auto text = node.value_exact<std::string>()) return *text;
        if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
        if (const auto number = node.value_exact<double>()) return shortest(*number);
        if (const auto truth = node.value_exact<bool>()) return *truth ? "true" : "false";
        throw Error(ErrorKind::input, place(node), fmt::format("'{}' holds what no option takes", name),
                    "write a text, a number, true or false, or a list of them");
    }

    const std::string& path_;
};

}  // namespace

std::vector<TomlOption> read_toml(const std::string& path) { return TomlReader(path).options(); }

std::vector<TomlTable> read_toml_tables(const std::string& path, const std::string& name) {
    return TomlReader(path).tables(name);
}

std::string toml_as_json(const std::string& path) {
    try {
        std::ostringstream text;
        text << toml::json_formatter(toml::parse(read_file(path)));
        return text.str();
    } catch (const toml::parse_error& error) {
        throw Error(ErrorKind::input, Place{.file = path, .line = error.source().begin.line},
                    fmt::format("is not TOML: {}", error.description()),
                    "check the line, or write the file in JSON");
    }
}

}  // namespace plimsoll::app
