#include "training/run_list.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "plimsoll/core/error.hpp"

namespace plimsoll::training_workload {

namespace {

Settings settings_of_line(int argc, const char* const* argv, const Settings& settings,
                          const std::vector<std::string>& words, const Place& place) {
    std::vector<const char*> arguments(argv, argv + argc);
    for (const std::string& word : words) arguments.push_back(word.c_str());
    Settings own;
    try {
        const Request request =
            parse_command_line(static_cast<int>(arguments.size()), arguments.data(), Repeated::last_counts);
        if (request.help)
            throw Error(ErrorKind::usage, "asks for help", "give options of a training on each line");
        own = request.settings;
    } catch (const Error& error) {
        throw Error(ErrorKind::input, place, error.what(), error.hint());
    }
    if (own.output != settings.output || own.runs != settings.runs)
        throw Error(ErrorKind::input, place, "all trainings of a list write to the same file",
                    "leave out -o and --runs here");
    return own;
}

}  // namespace

std::vector<Settings> settings_of_runs(int argc, const char* const* argv, const Settings& settings) {
    if (settings.runs.empty()) return {settings};
    std::ifstream file(settings.runs);
    if (!file)
        throw Error(ErrorKind::environment, fmt::format("{}: {}", settings.runs, std::strerror(errno)),
                    "give --runs a file with options on each line");
    std::vector<Settings> all;
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
        std::istringstream text(line);
        std::vector<std::string> words;
        for (std::string word; text >> word;) words.push_back(word);
        if (words.empty() || words.front().front() == '#') continue;
        all.push_back(settings_of_line(argc, argv, settings, words, {.file = settings.runs, .line = number}));
    }
    if (all.empty())
        throw Error(ErrorKind::input, Place{.file = settings.runs}, "has no line with options",
                    "write the options of a training on each line, such as --batch 8 --depth 20");
    return all;
}

}  // namespace plimsoll::training_workload
