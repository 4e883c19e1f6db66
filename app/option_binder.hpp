#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/options.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

/// The words that call a command: "fit", "campaign submit"; empty for the program.
[[nodiscard]] inline std::string command_path(const CLI::App& app) {
    if (app.get_parent() == nullptr) return {};
    const std::string above = command_path(*app.get_parent());
    return above.empty() ? app.get_name() : above + " " + app.get_name();
}

/// The command within a command that was parsed; the app itself where there is none.
[[nodiscard]] inline const CLI::App& innermost(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : innermost(*chosen.front());
}

/// What the program knows of its options beside what CLI11 does.
struct OptionTable {
    /// For help, errors and shell completion.
    std::map<const CLI::Option*, std::vector<std::string>> choices;
    std::string command;              ///< the only one whose options may come from variables
    std::set<std::string> given;      ///< options on the command line, without dashes
    std::set<std::string> variables;  ///< of the options declared
};

/// How a message names an option: as the flag or as the variable, whichever the user wrote.
struct Speaker {
    std::string name;
    std::string variable;
    const OptionTable* table;
    [[nodiscard]] std::string operator()() const {
        return table->given.contains(name) ? "--" + name : variable;
    }
};

/// Turns declared options into flags of a command: name, help, default, limits, names of enumerators, and the
/// environment variable PLIMSOLL_<NAME>. A flag that is given twice has its last value.
class OptionBinder {
  public:
    OptionBinder(CLI::App& command, OptionTable& table, std::string group)
        : command_(&command), table_(&table), group_(std::move(group)) {}

    void operator()(const std::string& name, std::string& value, const std::string& help) {
        finish(name, command_->add_option("--" + name, value, with_default(help, value)), placeholder(name));
    }

    void operator()(const std::string& name, std::vector<std::string>& values, const std::string& help) {
        CLI::Option* const option = command_->add_option("--" + name, values, with_default(help, ""));
        finish(name, option, placeholder(name))
            ->allow_extra_args(false)
            ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    }

    void operator()(const std::string& name, bool& value, const std::string& help) {
        static const std::vector<std::string> words{"yes", "no"};
        const auto parse = [this_name = speaker(name), &value](const std::string& word) {
            value = choose(this_name(), word, words) == 0;
        };
        add_choice(name, parse, with_default(help, value ? "yes" : "no"), words);
    }

    void operator()(const std::string& name, Switch& value, const std::string& help) {
        CLI::Option* const option = command_->add_flag("--" + name, value.on, help)->group(group_);
        if (table_->command == command_path(*command_)) option->envname(variable(name));
    }

    template <NamedEnum Enum>
    void operator()(const std::string& name, Enum& value, const std::string& help) {
        std::vector<std::string> words;
        for (const auto& entry : enum_names(value)) words.emplace_back(entry.name);
        const auto parse = [this_name = speaker(name), words, &value](const std::string& word) {
            value = enum_names(value)[choose(this_name(), word, words)].value;
        };
        add_choice(name, parse, with_default(help, std::string(enum_name(value))), words);
    }

    template <class Number>
    requires std::is_arithmetic_v<Number>
    void operator()(const std::string& name, Number& value, const std::string& help, Between<Number> limits) {
        const auto parse = [this_name = speaker(name), &value, limits](const std::string& word) {
            const auto number = parse_number(word);
            const bool inside = number && *number >= static_cast<double>(limits.lowest) &&
                                *number <= static_cast<double>(limits.highest);
            if (!inside || (std::is_integral_v<Number> &&
                            *number != static_cast<double>(static_cast<Number>(*number)))) {
                throw Error(
                    ErrorKind::usage, fmt::format("{}: '{}' is not allowed", this_name(), word),
                    fmt::format("give a {}number from {} to {}", std::is_integral_v<Number> ? "whole " : "",
                                limits.lowest, limits.highest));
            }
            value = static_cast<Number>(*number);
        };
        finish(name,
               command_->add_option_function<std::string>("--" + name, parse,
                                                          with_default(help, fmt::format("{}", value))),
               fmt::format("{}..{}", limits.lowest, limits.highest));
    }

    /// `95%`, `95` or `0.95`.
    void operator()(const std::string& name, double& share, const std::string& help, Shares limits) {
        const auto parse = [this_name = speaker(name), &share, limits](const std::string& word) {
            const bool is_percent = word.ends_with('%');
            const auto number = parse_number(trim(word.substr(0, word.size() - (is_percent ? 1 : 0))));
            const double written = number.value_or(-1.0);
            const double value = is_percent || written > 1.0 ? written / 100.0 : written;
            constexpr double rounding = 1e-12;  // of 99.9 / 100
            if (!(value >= limits.lowest - rounding && value <= limits.highest + rounding)) {
                throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not allowed", this_name(), word),
                            fmt::format("give a share from {:.6g}% to {:.6g}%", 100.0 * limits.lowest,
                                        100.0 * limits.highest));
            }
            share = std::clamp(value, limits.lowest, limits.highest);
        };
        finish(name,
               command_->add_option_function<std::string>(
                   "--" + name, parse, with_default(help, fmt::format("{:.6g}%", 100.0 * share))),
               fmt::format("{:.6g}%..{:.6g}%", 100.0 * limits.lowest, 100.0 * limits.highest));
    }

    void operator()(const std::string& name, Percent& value, const std::string& help, Shares limits) {
        (*this)(name, value.share, help, limits);
    }

    /// Position of a word among those allowed; a usage error offers the nearest. `name` is for the message.
    static std::size_t choose(const std::string& name, const std::string& word,
                              const std::vector<std::string>& words) {
        const auto found = std::find(words.begin(), words.end(), word);
        if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
        const auto near = nearest_choice(word, words);
        throw Error(ErrorKind::usage, fmt::format("{}: there is no '{}'", name, word),
                    near ? fmt::format("did you mean '{}'?", *near)
                         : fmt::format("choose one of {}", join(words, ", ")));
    }

    /// The choice that a word is near to, or that one of the two abbreviates: `min` for `minimum`.
    static std::optional<std::string> nearest_choice(const std::string& word,
                                                     const std::vector<std::string>& words) {
        if (auto near = nearest(word, words)) return near;
        const auto is_part = [&](const std::string& choice) {
            return !word.empty() && (word.starts_with(choice) || choice.starts_with(word));
        };
        const auto found = std::find_if(words.begin(), words.end(), is_part);
        return found == words.end() ? std::nullopt : std::optional(*found);
    }

  private:
    static std::string with_default(const std::string& help, const std::string& value) {
        if (!value.empty()) return fmt::format("{} (default {})", help, value);
        return help.find("if absent") == std::string::npos ? help + " (default none)" : help;
    }

    static std::string variable(const std::string& name) {
        std::string result = "PLIMSOLL_";
        for (const char c : name) result.push_back(c == '-' ? '_' : static_cast<char>(std::toupper(c)));
        return result;
    }

    /// The last word of the name: `--region-column COLUMN`.
    static std::string placeholder(const std::string& name) {
        std::string word = name.substr(name.rfind('-') + 1);
        for (char& c : word) c = static_cast<char>(std::toupper(c));
        return word;
    }

    [[nodiscard]] Speaker speaker(const std::string& name) const {
        return {.name = name, .variable = variable(name), .table = table_};
    }

    template <class Parse>
    void add_choice(const std::string& name, const Parse& parse, const std::string& help,
                    const std::vector<std::string>& words) {
        CLI::Option* const option = command_->add_option_function<std::string>("--" + name, parse, help);
        table_->choices[finish(name, option, join(words, "|"))] = words;
    }

    CLI::Option* finish(const std::string& name, CLI::Option* option, const std::string& value_name) {
        option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        table_->variables.insert(variable(name));
        if (table_->command == command_path(*command_)) option->envname(variable(name));
        return option->type_name(value_name)->group(group_);
    }

    CLI::App* command_;
    OptionTable* table_;
    std::string group_;
};

}  // namespace plimsoll::app
