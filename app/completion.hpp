#pragma once

#include <string>
#include <vector>

namespace plimsoll::app {

/// An option as shell completion sees it.
struct CompletionOption {
    std::string name;  ///< "--at" or "-o"
    std::string help;
    bool takes_value = true;
    std::vector<std::string> choices;  ///< empty: a file name, where it takes a value
};

struct CompletionCommand {
    std::string name;
    std::string help;
    std::vector<CompletionOption> options;
    std::vector<std::string> words;                ///< what its arguments may be; empty: file names
    std::vector<CompletionCommand> commands = {};  ///< its own ones, such as the verbs of `campaign`
};

/// The completion script of a shell: "bash", "zsh" or "fish".
[[nodiscard]] std::string completion_script(const std::string& shell,
                                            const std::vector<CompletionCommand>& commands);

}  // namespace plimsoll::app
