#include "app/usage.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <utility>

#include "app/help.hpp"
#include "app/option_binder.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* const option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// What we have for an option of Extra-P's command line; empty where there is nothing.
std::string_view option_for_extrap_users(std::string_view name) {
    using Pair = std::pair<std::string_view, std::string_view>;
    static constexpr std::array<Pair, 16> options{
        {{"--text", "--format text"},
         {"--talpas", "--format talpas"},
         {"--cube", "--format cube"},
         {"--extra-p-3", "--format extra-p-3"},
         {"--experiment", "--format extra-p"},
         {"--median", "--statistic median"},
         {"--mean", "--statistic mean"},
         {"--minimum", "--statistic min"},
         {"--maximum", "--statistic max"},
         {"--print", "--formula text"},
         {"--out", "-o FILE"},
         {"--save-experiment", "'plimsoll convert ... -o FILE.extra-p'"},
         {"--aggregation", "--tree inclusive"},
         {"--aggregate", "--tree inclusive"},
         {"--log", "--debug"},
         {"--disable-progress", "--quiet"}}};
    const auto* const found =
        std::find_if(options.begin(), options.end(), [&](const Pair& o) { return o.first == name; });
    return found == options.end() ? std::string_view{} : found->second;
}

/// A word that no option or argument took.
Error unexpected_word(const CLI::App& app, const CLI::App& command, const std::string& word) {
    const std::string help = fmt::format("run 'plimsoll {}--help' for the options",
                                         &command == &app ? "" : command_path(command) + " ");
    const bool runs_programs = command.get_name() == "measure" || command.get_name() == "submit";
    if (!word.starts_with('-') && runs_programs) {
        return {ErrorKind::usage, fmt::format("'{}' is one argument too many", word),
                "write '--' before the program's command line"};
    }
    if (!word.starts_with('-')) {
        return {ErrorKind::usage, fmt::format("'{}' is one argument too many", word), help};
    }
    const std::string name = word.substr(0, word.find('='));
    std::string message = fmt::format("unknown option '{}'", name);
    const std::vector<std::string> names = option_names(command);
    if (contains(names, name)) {
        return {ErrorKind::usage, fmt::format("'{}' stands before the command", name),
                fmt::format("write it behind: 'plimsoll {} {} ...'", command_path(command), name)};
    }
    if (const std::string_view ours = option_for_extrap_users(name); !ours.empty())
        return {ErrorKind::usage, std::move(message), fmt::format("Extra-P's {} is {} here", name, ours)};
    std::vector<std::string> others;
    for (const CLI::App* const other : commands_of(app)) {
        if (contains(option_names(*other), name))
            others.push_back(fmt::format("'plimsoll {}'", other->get_name()));
    }
    if (&command != &app && !others.empty()) {
        return {ErrorKind::usage, fmt::format("'{}' has no option '{}'", command.get_name(), name),
                fmt::format("it is an option of {}", join(others, ", "))};
    }
    const auto near = name.starts_with("--") ? nearest(name, names) : std::nullopt;
    if (near) return {ErrorKind::usage, std::move(message), fmt::format("did you mean '{}'?", *near)};
    return {ErrorKind::usage, std::move(message), help};
}

}  // namespace

std::set<std::string> given_options(std::span<const char* const> arguments) {
    std::set<std::string> given;
    for (const std::string_view word : arguments) {
        if (word == "--") break;
        if (word.starts_with("--")) given.emplace(word.substr(2, word.find('=') - 2));
    }
    return given;
}

ColorChoice color_choice(std::span<const char* const> arguments) {
    std::string_view choice;
    if (const char* const variable = std::getenv("PLIMSOLL_COLOR")) choice = variable;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view word = arguments[i];
        if (word == "--") break;
        if (word.starts_with("--color=")) choice = word.substr(8);
        if (word == "--color" && i + 1 < arguments.size()) choice = arguments[i + 1];
    }
    for (const auto& entry : enum_names(ColorChoice::automatic)) {
        if (entry.name == choice) return entry.value;
    }
    return ColorChoice::automatic;
}

std::vector<std::string> mistyped_variables(const std::set<std::string>& known,
                                            const std::function<std::set<std::string>()>& all_names) {
    constexpr std::string_view prefix = "PLIMSOLL_";
    // What we tell the programs that we run.
    static const std::set<std::string> told_to_tasks{
        "PLIMSOLL_PARAMETERS", "PLIMSOLL_REGIONS", "PLIMSOLL_CAMPAIGN",  "PLIMSOLL_JOB",
        "PLIMSOLL_TASK",       "PLIMSOLL_ATTEMPT", "PLIMSOLL_EXIT_CODE", "PLIMSOLL_TIME_LEFT_S"};
    std::vector<std::string> strange;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        std::string name(text.substr(0, text.find('=')));
        if (told_to_tasks.contains(name)) continue;
        if (name.starts_with(prefix) && !known.contains(name)) strange.push_back(std::move(name));
    }
    if (strange.empty()) return {};
    const std::set<std::string> names = all_names();
    std::vector<std::string> words;  // the prefix would make all of them alike
    words.reserve(names.size());
    for (const std::string& name : names) words.push_back(name.substr(prefix.size()));
    std::vector<std::string> lines;
    for (const std::string& name : strange) {
        const auto near = nearest(name.substr(prefix.size()), words);
        if (names.contains(name) || !near) continue;
        lines.push_back(
            fmt::format("the variable {} has no effect; did you mean {}{}?", name, prefix, *near));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

void refuse_unknown_command(const CLI::App& app, std::span<const char* const> arguments) {
    if (arguments.size() < 2 || *arguments[1] == '-') return;
    const std::string word = arguments[1];
    std::vector<std::string> names;
    for (const CLI::App* const command : commands_of(app)) names.push_back(command->get_name());
    if (contains(names, word)) {
        const CLI::App& command = *app.get_subcommand(word);
        if (!commands_of(command).empty()) refuse_unknown_command(command, arguments.subspan(1));
        return;
    }
    const auto near = nearest(word, names);
    throw Error(
        ErrorKind::usage, fmt::format("unknown command '{}'", word),
        near ? fmt::format("did you mean '{}'?", *near) : fmt::format("use one of {}", join(names, ", ")));
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& command = innermost(app);
    const std::string path = command_path(command);
    const std::string help =
        fmt::format("run 'plimsoll {}--help' for the options", path.empty() ? "" : path + " ");
    const std::string message = error.what();
    const std::vector<std::string> rest =
        app.remaining(true);  // told first: a mistyped option hides what it takes
    if (!rest.empty()) return unexpected_word(app, command, rest.front());
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
        const std::string name = message.substr(0, message.find(' '));
        for (const CLI::Option* const option : command.get_options()) {
            if (!option->get_positional() || option->get_name() != name) continue;
            std::string what = option->get_description();
            what.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(what.front())));
            return {ErrorKind::usage, fmt::format("no {} is given", name), fmt::format("give {}", what)};
        }
        return {ErrorKind::usage, fmt::format("no {} is given", name), help};
    }
    // CLI11 begins these with the name: "--at: 1 required POINT missing", "json was given a disallowed ...".
    std::string name = message.substr(0, message.find_first_of(": "));
    if (!name.starts_with('-')) name.insert(0, "--");
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (option != nullptr && option->get_items_expected_max() == 0) {
        return {ErrorKind::usage, fmt::format("{} takes no value", name),
                name == "--json" ? "write --json alone, or --format json for an input that is JSON"
                                 : fmt::format("write {} alone", name)};
    }
    if (option != nullptr) {
        return {ErrorKind::usage, fmt::format("{}: the value is missing", name),
                fmt::format("write {} {}", name, option->get_type_name())};
    }
    return {ErrorKind::usage, fmt::format("the command line is not understood: {}", message), help};
}

}  // namespace plimsoll::app
