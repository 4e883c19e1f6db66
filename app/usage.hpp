#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/terminal.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::app {

// What can be said of a command line before, or although not, it is parsed.

/// Long options that stand on the command line, without dashes and values.
[[nodiscard]] std::set<std::string> given_options(std::span<const char* const> arguments);

/// What `--color` or PLIMSOLL_COLOR say; automatic where neither says one of its words.
[[nodiscard]] ColorChoice color_choice(std::span<const char* const> arguments);

/// Throws a usage error where the first word is no command. CLI11 would take it for an argument too many.
void refuse_unknown_command(const CLI::App& app, std::span<const char* const> arguments);

/// CLI11's complaint in our words and with our exit status.
[[nodiscard]] Error usage_error(const CLI::App& app, const CLI::ParseError& error);

/// A line for each environment variable that is nearly that of an option. The names are those of all options,
/// and are asked for only where one of our variables is not among `known`.
[[nodiscard]] std::vector<std::string> mistyped_variables(
    const std::set<std::string>& known, const std::function<std::set<std::string>()>& all_names);

}  // namespace plimsoll::app
