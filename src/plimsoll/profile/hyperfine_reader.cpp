#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/json_input.hpp"

namespace plimsoll::profile::detail {

namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;  ///< parameters with their values

/// A command in which some values of parameters are replaced by the parameters' names.
struct Template {
    std::string text;     ///< "./app {n}"
    std::size_t end = 0;  ///< of the command's bytes that are in it
    int replaced = 0;     ///< values
};

/// Whether a text stands in another at a position, and is not part of a longer word.
bool is_word_at(std::string_view text, std::size_t at, std::string_view word) {
    const auto continues = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    };
    const std::size_t end = at + word.size();
    return !word.empty() && text.substr(at, word.size()) == word && (at == 0 || !continues(text[at - 1])) &&
           (end == text.size() || !continues(text[end]));
}

/// What a result says beside its times.
struct Result {
    std::string command;
    Texts texts;  ///< of parameters that are numbers
    std::vector<std::pair<std::string, double>> parameters;
};

Result result_of(const nlohmann::json& object, const Place& place) {
    if (!object.is_object() || !object.contains("command") || !object["command"].is_string()) {
        throw Error(ErrorKind::input, place, "a result has no command",
                    "write it again with --export-json FILE");
    }
    Result result{.command = object["command"].get<std::string>()};
    const auto named = object.find("parameters");
    if (named == object.end() || !named->is_object()) return result;
    for (const auto& [name, value] : named->items()) {
        const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
        // Values that are no numbers tell commands apart, and stay in them.
        const auto number = parse_number(text);
        if (!number) continue;
        result.texts.emplace_back(name, text);
        result.parameters.emplace_back(name, *number);
    }
    return result;
}

/// Each way to replace words that are values of parameters. Of very many words that may be replaced, the last
/// all are.
std::vector<Template> templates_of(const Result& result) {
    const std::string& command = result.command;
    constexpr std::size_t most_templates = 256;
    std::vector<Template> templates(1);
    const auto keep = [&](Template& made, std::size_t end) {
        if (end > made.end) made.text.append(command, made.end, end - made.end);
        made.end = std::max(made.end, end);
    };
    for (std::size_t at = 0; at < command.size(); ++at) {
        std::vector<Template> with_value;
        const bool is_full = templates.size() >= most_templates;
        for (const auto& [name, value] : result.texts) {
            if (!is_word_at(command, at, value)) continue;
            for (const Template& before : templates) {
                if (before.end > at) continue;
                Template made = before;
                keep(made, at);
                made.text += "{" + name + "}";
                made.end = at + value.size();
                ++made.replaced;
                with_value.push_back(std::move(made));
            }
            if (is_full) break;
        }
        if (with_value.empty()) continue;
        if (is_full) std::erase_if(templates, [at](const Template& before) { return before.end <= at; });
        templates.insert(templates.end(), with_value.begin(), with_value.end());
    }
    for (Template& made : templates) keep(made, command.size());
    return templates;
}

/// Commands as regions, with `{n}` in place of the parameter n, so that they are the same for all of its
/// values.
///
/// A word may be the value of a parameter by chance, as the second 4 of `./app 4 --threads 4`. Of all that a
/// command may have been, that counts with which most results of the file agree; of several such, that which
/// fewer of these results could do without, and then that with most parameters.
class Regions {
  public:
    explicit Regions(const std::vector<Result>& results) {
        for (const Result& result : results) {
            for (const std::string& text : texts_of(templates_of(result))) ++supports_[text].results;
        }
        for (const Result& result : results) {
            const std::set<std::string> best = texts_of(best_of(result));
            for (const std::string& text : best)
                supports_[text].need += 1.0 / static_cast<double>(best.size());
        }
    }

    [[nodiscard]] std::string region(const Result& result) const {
        const auto best = best_of(result);
        const auto rank = [this](const Template& made) {
            return std::pair(supports_.at(made.text).need, made.replaced);
        };
        return std::max_element(best.begin(), best.end(),
                                [&](const Template& a, const Template& b) { return rank(a) < rank(b); })
            ->text;
    }

  private:
    struct Support {
        std::size_t results = 0;  ///< that agree
        double need = 0.0;        ///< those of them of which it is among the best, as a share of these
    };

    /// Those of a command with which most results agree.
    [[nodiscard]] std::vector<Template> best_of(const Result& result) const {
        auto templates = templates_of(result);
        std::size_t most = 0;
        for (const Template& made : templates) most = std::max(most, supports_.at(made.text).results);
        std::erase_if(templates,
                      [&](const Template& made) { return supports_.at(made.text).results < most; });
        return templates;
    }

    static std::set<std::string> texts_of(const std::vector<Template>& templates) {
        std::set<std::string> texts;
        for (const Template& made : templates) texts.insert(made.text);
        return texts;
    }

    std::map<std::string, Support> supports_;  ///< of templates by their text
};

}  // namespace

bool is_hyperfine(const experiment::Probe& probe) {
    return has_key(probe, "results") && has_key(probe, "command") && has_key(probe, "mean");
}

void read_hyperfine(Input& input, Sink& sink) {
    const nlohmann::json document = read_json(input);
    const Place place{.file = input.name()};
    const auto results = document.is_object() ? document.find("results") : document.end();
    if (results == document.end() || !results->is_array()) {
        throw Error(ErrorKind::input, place, "holds no list 'results'",
                    "write it again with --export-json FILE");
    }
    std::vector<Result> read;
    for (const nlohmann::json& object : *results) read.push_back(result_of(object, place));
    const Regions regions(read);
    for (std::size_t at = 0; at < read.size(); ++at) {
        const nlohmann::json& object = (*results)[at];
        const Result& result = read[at];
        const experiment::RegionId region = sink.builder.region(regions.region(result));
        const auto list = [&](const char* key) {
            const auto found = object.find(key);
            return found != object.end() && found->is_array() ? *found : nlohmann::json::array();
        };
        nlohmann::json times = list("times");
        if (times.empty()) {
            if (const auto mean = number_at(object, "mean")) times.push_back(*mean);
        }
        const nlohmann::json codes = list("exit_codes");
        const nlohmann::json memory = list("memory_usage_byte");
        bool first = true;
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (!times[i].is_number()) continue;
            if (i < codes.size() && codes[i].is_number() && codes[i] != 0) {
                sink.builder.note(place,
                                  fmt::format("a run of '{}' failed, and is left out", result.command));
                continue;
            }
            Part& part = sink.parts.emplace_back();
            part.place = place;
            part.parameters = result.parameters;
            part.add(region, sink.metric("time", "s"), times[i].get<double>());
            if (i < memory.size() && memory[i].is_number())
                part.add(region, sink.metric("memory", "B"), memory[i].get<double>());
            // Of these, the means over all runs are what there is.
            if (!std::exchange(first, false)) continue;
            for (const char* const key : {"user", "system"}) {
                if (const auto seconds = number_at(object, key))
                    part.add(region, sink.metric(key, "s"), *seconds);
            }
        }
    }
}

}  // namespace plimsoll::profile::detail
