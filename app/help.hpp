#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace plimsoll::app {

// Groups of options, in the order in which help lists them.
inline constexpr const char* own_group = "Options";
inline constexpr const char* input_group = "Measurements";
inline constexpr const char* search_group = "Search";
inline constexpr const char* shared_group = "Shared options";

/// What help says of the program or a command beside its options.
struct HelpText {
    std::vector<std::string> examples;  ///< command lines
    std::string remarks;                ///< laid out already, may be empty
    std::string behind = {};  ///< what stands behind the options, such as another program's command line
};
using HelpTexts = std::map<const CLI::App*, HelpText>;

/// The commands of the program; empty for a command.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& app);

/// What a bare command prints: what it is for, its commands, two examples, and where to read more.
[[nodiscard]] std::string short_page(const CLI::App& app, const HelpText& text, std::size_t width);

/// What `--help` prints: every option with its choices, help and default, the shared ones last.
[[nodiscard]] std::string help_page(const CLI::App& app, const HelpText& text, std::size_t width);

}  // namespace plimsoll::app
