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

std::vector<std::string> names_of(const std::vector<CompletionCommand>& commands) {
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const CompletionCommand& command : commands) names.push_back(command.name);
    return names;
}

/// The commands that have none of their own, under their whole names: "fit", "campaign submit".
std::vector<CompletionCommand> innermost(const std::vector<CompletionCommand>& commands) {
    std::vector<CompletionCommand> found;
    for (const CompletionCommand& command : commands) {
        if (command.commands.empty()) found.push_back(command);
        for (const CompletionCommand& inner : command.commands) {
            found.push_back(inner);
            found.back().name = command.name + " " + inner.name;
        }
    }
    return found;
}

std::string bash_script(const std::vector<CompletionCommand>& commands) {
    std::string script =
        "# bash completion of plimsoll; source it, or put it in /etc/bash_completion.d\n_plimsoll() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
        "command=${COMP_WORDS[1]}\n"
        "    COMPREPLY=()\n    if [[ $COMP_CWORD -eq 1 ]]; then\n";
    script += fmt::format(
        "        mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- \"$word\")\n        return\n   "
        " fi\n",
        join(names_of(commands), " "));
    for (const CompletionCommand& command : commands) {
        if (command.commands.empty()) continue;
        script += fmt::format(
            "    if [[ $command == {} ]]; then\n        if [[ $COMP_CWORD -eq 2 ]]; then\n"
            "            mapfile -t COMPREPLY < <(compgen -W '{} --help' -- \"$word\")\n            return\n"
            "        fi\n        command+=\" ${{COMP_WORDS[2]}}\"\n    fi\n",
            command.name, join(names_of(command.commands), " "));
    }
    const std::vector<CompletionCommand> leaves = innermost(commands);
    script += "    case \"$command $before\" in\n";
    for (const CompletionCommand& command : leaves) {
        for (const CompletionOption& option : command.options) {
            if (option.choices.empty()) continue;
            script += fmt::format(
                "        '{} {}') mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\"); return ;;\n",
                command.name, option.name, join(option.choices, " "));
        }
    }
    script += "    esac\n    case \"$command\" in\n";
    for (const CompletionCommand& command : leaves) {
        std::vector<std::string> options;
        for (const CompletionOption& option : command.options) options.push_back(option.name);
        script += fmt::format("        '{}')\n            if [[ $word == -* ]]; then\n", command.name);
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

/// Offers the commands where the second word stands, and what each takes behind it.
std::string zsh_commands(const std::vector<CompletionCommand>& commands, const std::string& array,
                         const std::string& indent) {
    std::string script = fmt::format("{}local -a {}\n{}{}=(\n", indent, array, indent, array);
    for (const CompletionCommand& command : commands) {
        script += indent + "    " +
                  quoted(command.name + "\\:" + command.help).replace(command.name.size() + 1, 3, ":") + "\n";
    }
    script += fmt::format(
        "{0})\n{0}if (( CURRENT == 2 )); then\n{0}    _describe 'command' {1}\n{0}    return\n{0}fi\n"
        "{0}command=$words[2]\n{0}shift words\n{0}(( CURRENT-- ))\n{0}case $command in\n",
        indent, array);
    for (const CompletionCommand& command : commands) {
        script += fmt::format("{}    {})\n", indent, command.name);
        if (!command.commands.empty()) {
            script += fmt::format("{}{}        ;;\n",
                                  zsh_commands(command.commands, "verbs", indent + "        "), indent);
            continue;
        }
        script += indent + "        _arguments \\\n";
        for (const CompletionOption& option : command.options) {
            std::string spec = fmt::format("'*'{}'['{}']'", option.name, quoted(option.help));
            if (option.takes_value) {
                spec += option.choices.empty() ? "':value:_files'"
                                               : fmt::format("':value:({})'", join(option.choices, " "));
            }
            script += fmt::format("{}            {} \\\n", indent, spec);
        }
        script += indent + (command.words.empty()
                                ? "            '*:file:_files' ;;\n"
                                : fmt::format("            '*:word:({})' ;;\n", join(command.words, " ")));
    }
    return script + indent + "esac\n";
}

std::string zsh_script(const std::vector<CompletionCommand>& commands) {
    return "#compdef plimsoll\n# zsh completion of plimsoll; put it as _plimsoll into a folder of $fpath\n"
           "_plimsoll() {\n    local command\n" +
           zsh_commands(commands, "commands", "    ") + "}\n_plimsoll \"$@\"\n";
}

std::string fish_options(const CompletionCommand& command, const std::string& condition) {
    std::string script;
    for (const CompletionOption& option : command.options) {
        const bool is_long = option.name.starts_with("--");
        script += fmt::format("complete -c plimsoll -n {} {} {}{} -d {}\n", condition, is_long ? "-l" : "-s",
                              option.name.substr(is_long ? 2 : 1), option.takes_value ? " -r" : "",
                              quoted(option.help));
        if (!option.choices.empty()) {
            script.pop_back();
            script += fmt::format(" -f -a '{}'\n", join(option.choices, " "));
        }
    }
    if (!command.words.empty())
        script += fmt::format("complete -c plimsoll -n {} -f -a '{}'\n", condition, join(command.words, " "));
    return script;
}

std::string fish_script(const std::vector<CompletionCommand>& commands) {
    std::string script =
        "# fish completion of plimsoll; put it into ~/.config/fish/completions/plimsoll.fish\n";
    for (const CompletionCommand& command : commands) {
        script += fmt::format("complete -c plimsoll -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                              quoted(command.help));
        // `show` is a verb of `campaign` as well.
        std::string others;
        for (const CompletionCommand& other : commands) {
            for (const CompletionCommand& verb : other.commands) {
                if (verb.name == command.name)
                    others += fmt::format("not __fish_seen_subcommand_from {}; and ", other.name);
            }
        }
        script +=
            fish_options(command, fmt::format("'{}__fish_seen_subcommand_from {}'", others, command.name));
        for (const CompletionCommand& verb : command.commands) {
            script += fmt::format(
                "complete -c plimsoll -n '__fish_seen_subcommand_from {}; and not "
                "__fish_seen_subcommand_from {}' -f "
                "-a {} -d {}\n",
                command.name, join(names_of(command.commands), " "), verb.name, quoted(verb.help));
            script += fish_options(
                verb, fmt::format("'__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}'",
                                  command.name, verb.name));
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
