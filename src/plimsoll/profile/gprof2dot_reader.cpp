#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/text_input.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr std::string_view opening = "digraph {";
constexpr std::string_view settings = "nodesep=0.125, ranksep=0.25]";  // of gprof2dot
constexpr std::string_view times_sign = "\xC3\x97";                    // of calls, in UTF-8

/// What the label of a node says.
struct Label {
    std::string name;
    std::optional<double> inclusive;  ///< share of the run's time, %
    std::optional<double> exclusive;
    std::optional<double> calls;
};

class Reader {
  public:
    Reader(Input& input, Sink& sink) : lines_(input, longest_line), sink_(&sink) {}

    void read() {
        Part part;
        part.place = {.file = lines_.file()};
        std::string_view line;
        bool is_open = false;
        while (lines_.next(line)) {
            const std::string_view text = trim(line);
            if (text.starts_with('}')) is_open = false;
            if (text.starts_with(opening)) is_open = true;
            if (is_open && !text.starts_with(opening)) read_statement(text, part);
        }
        if (is_open) fail("the graph is not closed");
        sink_->parts.push_back(std::move(part));
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(ErrorKind::input, Place{.file = lines_.file(), .line = lines_.number()}, what,
                    "write the graph again, with gprof2dot ... -o FILE");
    }

    /// A word, or what is in quotation marks with its backslashes.
    std::string_view take_id(std::string_view& rest) const {
        std::size_t end = 0;
        if (rest.starts_with('"')) {
            end = 1;
            while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
            if (end >= rest.size()) fail("quotation marks are not closed");
            const std::string_view id = rest.substr(1, end - 1);
            rest = trim(rest.substr(end + 1));
            return id;
        }
        end = std::min(rest.find_first_of(" \t[]=,;"), rest.size());
        const std::string_view id = rest.substr(0, end);
        rest = trim(rest.substr(end));
        return id;
    }

    /// `id [name=value, ...];` is a node, `id -> id [...]` an edge.
    void read_statement(std::string_view rest, Part& part) const {
        if (rest.empty()) return;
        const bool is_quoted = rest.starts_with('"');
        const std::string_view id = take_id(rest);
        if (!is_quoted && (id == "graph" || id == "node" || id == "edge")) return;
        if (rest.starts_with("->") || rest.starts_with('=')) return;  // an edge; an attribute of the graph
        if (!rest.starts_with('[')) fail("this is neither a node nor an edge");
        rest = trim(rest.substr(1));
        std::optional<Label> label;
        while (!rest.starts_with(']')) {
            const std::string_view key = take_id(rest);
            if (key.empty() || !rest.starts_with('=')) fail("an attribute of the node has no value");
            rest = trim(rest.substr(1));
            const std::string_view value = take_id(rest);
            if (rest.starts_with(',') || rest.starts_with(';')) rest = trim(rest.substr(1));
            if (key == "label") label = read_label(id, value);
        }
        if (!label) return;
        const experiment::RegionId region =
            sink_->builder.region(label->name.empty() ? plain(id) : label->name);
        if (label->exclusive) part.add(region, sink_->metric("share", "%"), *label->exclusive);
        if (label->inclusive) part.add(region, sink_->metric("share.inclusive", "%"), *label->inclusive);
        if (label->calls) part.add(region, sink_->metric("visits", ""), *label->calls);
    }

    /// Without its backslashes.
    static std::string plain(std::string_view text) {
        std::string plain;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\\' && i + 1 < text.size()) ++i;
            plain += text[i];
        }
        return plain;
    }

    /// Lines: the module where it is known, the name, 5.3% of the time with all below, (1.2%) in the function
    /// alone, 7× calls. Each but the name may be absent.
    Label read_label(std::string_view id, std::string_view text) const {
        Label label;
        std::vector<std::string> names;
        bool is_name_over = false;
        while (!text.empty()) {
            std::size_t end = 0;
            while (end < text.size() && text.substr(end, 2) != "\\n") end += text[end] == '\\' ? 2 : 1;
            end = std::min(end, text.size());
            std::string_view line = trim(text.substr(0, end));
            text.remove_prefix(std::min(text.size(), end + 2));
            const bool is_own = line.starts_with('(') && line.ends_with("%)");
            if (is_own) {
                label.exclusive = share(line.substr(1, line.size() - 3));
            } else if (line.ends_with("%)") && parse_number(line.substr(0, line.size() - 2))) {
                fail(fmt::format("'{}' is no share", excerpt(line)));
            } else if (line.ends_with('%') && parse_number(line.substr(0, line.size() - 1))) {
                label.inclusive = share(line.substr(0, line.size() - 1));
            } else if (line.ends_with(times_sign) &&
                       parse_number(line.substr(0, line.size() - times_sign.size()))) {
                label.calls = number(line.substr(0, line.size() - times_sign.size()));
            } else if (!is_name_over) {
                names.push_back(plain(line));
                continue;
            }
            is_name_over = true;
        }
        // Long names are cut into lines. Programs that number their nodes name no modules.
        label.name = join(names, " ");
        const bool is_numbered = parse_whole(id).has_value();
        if (names.size() > 1 && !is_numbered && label.name != plain(id))
            label.name = join(std::span(names).subspan(1), " ");
        return label;
    }

    /// Of all, in percent.
    [[nodiscard]] double share(std::string_view text) const {
        constexpr double all = 100.0;
        const double share = number(text);
        if (share < 0.0 || share > all) fail(fmt::format("{} % is no share of a whole", excerpt(text)));
        return share;
    }

    [[nodiscard]] double number(std::string_view text) const {
        return finite_number(parse_number(text), text, [&](const std::string& what) { fail(what); });
    }

    LineReader lines_;
    Sink* sink_;
};

}  // namespace

bool is_gprof2dot(const experiment::Probe& probe) {
    constexpr std::size_t beginning = 200;
    const std::string_view text = trim(probe.head).substr(0, beginning);
    return text.starts_with(opening) && text.find(settings) != std::string_view::npos;
}

void read_gprof2dot(Input& input, Sink& sink) { Reader(input, sink).read(); }

}  // namespace plimsoll::profile::detail
