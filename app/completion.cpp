#include "app/completion.hpp"

#include <fmt/format.h>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

/// A text in single quotes for a POSIX shell; zsh's own separators in descriptions are taken out.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
        } else if (c == '[' || c == ']' || c == ':') {
            result.push_back(' ');
        } else {
            result.push_back(c);
        }
    }
    return result + "'";
}

std::string bash_script(const std::vector<CompletionCommand>& commands) {
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const CompletionCommand& command : commands) names.push_back(command.name);
    std::string script =
        "# bash completion of plimsoll; source it, or put it in /etc/bash_completion.d\n_plimsoll() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
        "command=${COMP_WORDS[1]}\n"
        "    COMPREPLY=()\n    if [[ $COMP_CWORD -eq 1 ]]; then\n";
    script += fmt::format(
        "        mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- \"$word\")\n        return\n   "
        " fi\n",
        join(names, " "));
    script += "    case \"$command $before\" in\n";
    for (const CompletionCommand& command : commands) {
        for (const CompletionOption& option : command.options) {
            if (option.choices.empty()) continue;
            script += fmt::format(
                "        '{} {}') mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\"); return ;;\n",
                command.name, option.name, join(option.choices, " "));
        }
    }
    script += "    esac\n    case \"$command\" in\n";
    for (const CompletionCommand& command : commands) {
        std::vector<std::string> options;
        for (const CompletionOption& option : command.options) options.push_back(option.name);
        script += fmt::format("        {})\n            if [[ $word == -* ]]; then\n", command.name);
        script += fmt::format(
            "                mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\")\n            else\n",
            join(options, " "));
        script +=
            command.words.empty()
                ? "                mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                : fmt::format("                mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\")\n",
                              join(command.words, " "));
        script += "            fi ;;\n";
    }
    return script + "    esac\n}\ncomplete -o filenames -F _plimsoll plimsoll\n";
}

std::string zsh_script(const std::vector<CompletionCommand>& commands) {
    std::string script =
        "#compdef plimsoll\n# zsh completion of plimsoll; put it as _plimsoll into a folder of $fpath\n"
        "_plimsoll() {\n    local -a commands\n    commands=(\n";
    for (const CompletionCommand& command : commands) {
        script +=
            fmt::format("        {}\n",
                        quoted(command.name + "\\:" + command.help).replace(command.name.size() + 1, 3, ":"));
    }
    script +=
        "    )\n    if (( CURRENT == 2 )); then\n        _describe 'command' commands\n        return\n    "
        "fi\n"
        "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n";
    for (const CompletionCommand& command : commands) {
        script += fmt::format("        {})\n            _arguments \\\n", command.name);
        for (const CompletionOption& option : command.options) {
            std::string spec = fmt::format("'*'{}'['{}']'", option.name, quoted(option.help));
            if (option.takes_value) {
                spec += option.choices.empty() ? "':value:_files'"
                                               : fmt::format("':value:({})'", join(option.choices, " "));
            }
            script += "                " + spec + " \\\n";
        }
        script += command.words.empty()
                      ? "                '*:file:_files' ;;\n"
                      : fmt::format("                '*:word:({})' ;;\n", join(command.words, " "));
    }
    return script + "    esac\n}\n_plimsoll \"$@\"\n";
}

std::string fish_script(const std::vector<CompletionCommand>& commands) {
    std::string script =
        "# fish completion of plimsoll; put it into ~/.config/fish/completions/plimsoll.fish\n";
    for (const CompletionCommand& command : commands) {
        script += fmt::format("complete -c plimsoll -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                              quoted(command.help));
        const std::string condition = fmt::format("'__fish_seen_subcommand_from {}'", command.name);
        for (const CompletionOption& option : command.options) {
            const bool is_long = option.name.starts_with("--");
            script += fmt::format("complete -c plimsoll -n {} {} {}{} -d {}\n", condition,
                                  is_long ? "-l" : "-s", option.name.substr(is_long ? 2 : 1),
                                  option.takes_value ? " -r" : "", quoted(option.help));
            if (!option.choices.empty()) {
                script.pop_back();
                script += fmt::format(" -f -a '{}'\n", join(option.choices, " "));
            }
        }
        if (!command.words.empty()) {
            script +=
                fmt::format("complete -c plimsoll -n {} -f -a '{}'\n", condition, join(command.words, " "));
        }
    }
    return script;
}

}  // namespace

std::string completion_script(const std::string& shell, const std::vector<CompletionCommand>& commands) {
    if (shell == "bash") return bash_script(commands);
    if (shell == "zsh") return zsh_script(commands);
    if (shell == "fish") return fish_script(commands);
    const std::vector<std::string> shells{"bash", "zsh", "fish"};
    const auto near = nearest(shell, shells);
    throw Error(ErrorKind::usage, fmt::format("there is no completion for '{}'", shell),
                near ? fmt::format("did you mean '{}'?", *near) : "choose one of bash, zsh, fish");
}

}  // namespace plimsoll::app
