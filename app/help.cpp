#include "app/help.hpp"

#include <fmt/format.h>

#include <array>

#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

constexpr std::size_t margin = 2;
constexpr std::size_t help_column = 30;

std::string blanks(std::size_t count) { return std::string(count, ' '); }

/// The text in lines of at most `width` columns; all but the first begin with `indent` blanks.
std::string wrap(const std::string& text, std::size_t indent, std::size_t width) {
    std::string result;
    std::size_t column = indent;
    for (const std::string_view word : split(text, ' ')) {
        const std::size_t length = display_width(word);
        if (column > indent && column + 1 + length > width) {
            result += "\n" + blanks(indent);
            column = indent;
        } else if (column > indent) {
            result += ' ';
            ++column;
        }
        result += word;
        column += length;
    }
    return result;
}

/// A name and what it means, the meaning in a column of its own.
std::string entry(const std::string& name, const std::string& meaning, std::size_t column,
                  std::size_t width) {
    std::string text = blanks(margin) + name;
    const std::size_t used = margin + display_width(name);
    text += used + margin > column ? "\n" + blanks(column) : blanks(column - used);
    return text + wrap(meaning, column, width) + "\n";
}

std::string full_name(const CLI::App& app) {
    return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string positional_name(const CLI::Option& option) {
    return option.get_name() + (option.get_items_expected_max() > 1 ? "..." : "");
}

std::string option_name(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    const bool takes_value = option.get_items_expected_max() > 0;
    return join(names, ", ") + (takes_value ? " " + option.get_type_name() : "");
}

std::string usage_line(const CLI::App& app, const HelpText& text) {
    std::string line = "Usage: " + full_name(app);
    if (!commands_of(app).empty()) line += " COMMAND";
    line += " [OPTION...]";
    for (const CLI::Option* const option : app.get_options()) {
        if (!option->get_positional()) continue;
        const std::string name = positional_name(*option);
        line += option->get_required() ? " " + name : " [" + name + "]";
    }
    return line + (text.behind.empty() ? "" : " " + text.behind) + "\n";
}

std::string command_list(const CLI::App& app, std::size_t width) {
    std::string text;
    for (const CLI::App* const command : commands_of(app)) {
        text += entry(command->get_name(), command->get_description(), 14, width);
    }
    return text.empty() ? text : "\nCommands:\n" + text;
}

std::string example_list(const HelpText& text) {
    std::string list = "\nExamples:\n";
    for (const std::string& example : text.examples) list += blanks(margin) + example + "\n";
    return list;
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string short_page(const CLI::App& app, const HelpText& text, std::size_t width) {
    std::string page = app.get_description() + "\n\n" + usage_line(app, text) + command_list(app, width) +
                       example_list(text);
    const bool has_commands = !commands_of(app).empty();
    page += fmt::format(
        "\n'{} --help' {}{}\n", full_name(app), has_commands ? "says more" : "lists all options",
        has_commands ? fmt::format(", '{} COMMAND --help' lists a command's options", full_name(app))
                     : std::string());
    return page;
}

std::string help_page(const CLI::App& app, const HelpText& text, std::size_t width) {
    std::string page = app.get_description() + "\n\n" + usage_line(app, text);
    std::string arguments;
    for (const CLI::Option* const option : app.get_options()) {
        if (option->get_positional()) {
            arguments += entry(positional_name(*option), option->get_description(), help_column, width);
        }
    }
    if (!arguments.empty()) page += "\n" + arguments;
    page += command_list(app, width);
    for (const char* const group : std::array{own_group, input_group, search_group, shared_group}) {
        std::string options;
        for (const CLI::Option* const option : app.get_options()) {
            if (option->get_positional() || option->get_group() != group) continue;
            options += entry(option_name(*option), option->get_description(), help_column, width);
        }
        if (!options.empty()) page += fmt::format("\n{}:\n{}", group, options);
    }
    page += example_list(text);
    if (!text.remarks.empty()) page += "\n" + text.remarks;
    return page;
}

}  // namespace plimsoll::app
