#include "plimsoll/campaign/detail/task_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {

using nlohmann::json;

launch::Replacements replacements_of(const JobSpec& spec, const Lease& lease, const std::string& entry) {
    const std::uint32_t task = lease.task.index;
    const bool numbered = spec.entries == EntryKind::range;
    launch::Replacements values{
        {"index", numbered && !entry.empty() ? entry
                  : numbered                 ? fmt::format("{}", spec.first + spec.step * std::int64_t{task})
                                             : fmt::format("{}", task)},
        {"line", entry},
        {"task", fmt::format("{}", task)},
        {"job", fmt::format("{}", lease.task.job.value)},
        {"attempt", fmt::format("{}", lease.attempt)}};
    if (spec.entries == EntryKind::json) {
        const json object = json::parse(entry, nullptr, false);
        if (!object.is_object()) {
            throw Error(ErrorKind::input, fmt::format("entry of task {} is no JSON object: {}", task, entry),
                        "give an array of objects, or one object on each line");
        }
        for (const auto& [key, value] : object.items())
            values.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    }
    return values;
}

void check_placeholders(const JobSpec& spec) {
    const TaskCommand command(spec, spec.lines.substr(0, spec.lines.find('\n')));
    // A forgotten array would run one task, with 0 or nothing where its cases belong.
    if (spec.entries == EntryKind::single && command.uses("index")) {
        throw Error(ErrorKind::usage, "{index} stands for nothing: there is no array",
                    "give --array 1..100 or --each-line FILE; {{index} is the text itself");
    }
    if (spec.entries != EntryKind::lines && spec.entries != EntryKind::json && command.uses("line")) {
        throw Error(ErrorKind::usage, "{line} stands for nothing: there are no lines",
                    "give --each-line FILE; {{line} is the text itself");
    }
}

bool TaskCommand::uses(std::string_view placeholder) const {
    const auto uses = [&](const launch::Template& text) { return text.uses(placeholder); };
    return std::ranges::any_of(arguments_, uses) || uses(folder_) || uses(input_) || uses(output_) ||
           uses(errors_) ||
           std::ranges::any_of(environment_, [&](const auto& entry) { return uses(entry.second); });
}

TaskCommand::TaskCommand(JobSpec spec, const std::string& entry) : spec_(std::move(spec)) {
    std::vector<std::string> names;
    for (const auto& [name, value] : replacements_of(spec_, {}, entry)) names.push_back(name);
    for (const std::string& argument : spec_.command) arguments_.emplace_back(argument, names);
    for (const auto& [name, value] : spec_.environment)
        environment_.emplace_back(name, launch::Template(value, names));
    folder_ = launch::Template(spec_.folder, names);
    input_ = launch::Template(spec_.input, names);
    output_ = launch::Template(spec_.output, names);
    errors_ = launch::Template(spec_.errors, names);
}

launch::Command TaskCommand::fill(const Lease& lease, const std::string& entry,
                                  const std::vector<std::pair<std::string, std::string>>& environment) const {
    using To = launch::Redirection::To;
    const launch::Replacements values = replacements_of(spec_, lease, entry);
    launch::Command command{.environment = environment};
    for (const launch::Template& argument : arguments_) command.arguments.push_back(argument.fill(values));
    for (const auto& [name, value] : environment_) command.environment.emplace_back(name, value.fill(values));
    command.working_folder = folder_.fill(values);
    const auto file = [&](const launch::Template& path) {
        return (std::filesystem::path(command.working_folder) / path.fill(values)).string();
    };
    const auto to_file = [&](const launch::Template& path) {
        return path.source().empty() ? launch::Redirection{To::pipe, {}}
                                     : launch::Redirection{To::file, file(path)};
    };
    if (!spec_.input.empty()) command.streams.in = {To::file, file(input_)};
    command.streams.out = to_file(output_);
    command.streams.err = to_file(errors_);
    if (!spec_.output.empty() && spec_.output == spec_.errors) command.streams.err = {To::output, {}};
    return command;
}

}  // namespace plimsoll::campaign
