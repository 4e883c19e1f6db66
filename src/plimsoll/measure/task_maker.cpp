#include "plimsoll/measure/detail/task_maker.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/text.hpp"

namespace plimsoll::measure::detail {

TaskMaker::TaskMaker(const Subject& subject) : subject_(&subject) {
    std::vector<std::string> names = subject.points.names;
    names.insert(names.end(), {"repetition", "run"});
    for (const std::string& argument : subject.command) arguments_.emplace_back(argument, names);
    for (const auto& [name, value] : subject.environment)
        environment_.emplace_back(name, launch::Template(value, names));
    input_ = launch::Template(subject.input, names);
    folder_ = launch::Template(subject.folder, names);
    for (const MetricChoice& metric : subject.metrics) files_.emplace_back(metric.path, names);
}

launch::Replacements TaskMaker::replacements(const Point& point, std::size_t repetition,
                                             std::size_t run) const {
    launch::Replacements all{{"repetition", std::to_string(repetition)}, {"run", std::to_string(run)}};
    for (std::size_t k = 0; k < point.size(); ++k) all.emplace_back(subject_->points.names[k], point[k].text);
    return all;
}

launch::Command TaskMaker::command(const Point& point, std::size_t repetition, std::size_t run,
                                   const RunFiles& files) const {
    using To = launch::Redirection::To;
    const launch::Replacements values = replacements(point, repetition, run);
    launch::Command command;
    for (const launch::Template& argument : arguments_) command.arguments.push_back(argument.fill(values));
    for (const auto& [name, value] : environment_) command.environment.emplace_back(name, value.fill(values));
    std::vector<std::string> assigned;
    for (std::size_t k = 0; k < point.size(); ++k)
        assigned.push_back(fmt::format("{}={}", subject_->points.names[k], point[k].text));
    command.environment.emplace_back("PLIMSOLL_PARAMETERS", join(assigned, ","));
    command.environment.emplace_back("PLIMSOLL_REGIONS", files.regions);
    command.working_folder = folder_.fill(values);
    if (!subject_->input.empty()) command.streams.in = {.to = To::file, .path = input_.fill(values)};
    // Who prints without end fills no disk where nobody reads it.
    const bool reads_output = std::ranges::any_of(
        subject_->metrics, [](const MetricChoice& metric) { return metric.source == Source::output; });
    command.streams.out = {.to = reads_output ? To::file : To::null, .path = files.out};
    command.streams.err = {.to = To::file, .path = files.err};
    const bool counts_bytes = std::ranges::any_of(subject_->metrics, [](const MetricChoice& metric) {
        return metric.source == Source::bytes_read || metric.source == Source::bytes_written;
    });
    if (counts_bytes) command.accounting = launch::Accounting::with_bytes;
    const bool measures_memory = std::ranges::any_of(
        subject_->metrics, [](const MetricChoice& metric) { return metric.source == Source::peak_memory; });
    if (measures_memory) command.beginning = launch::Beginning::small;
    return command;
}

std::string TaskMaker::file(std::size_t metric, const Point& point, std::size_t repetition,
                            std::size_t run) const {
    const std::string path = files_[metric].fill(replacements(point, repetition, run));
    const std::string folder = folder_.fill(replacements(point, repetition, run));
    return folder.empty() || path.starts_with('/') ? path : fmt::format("{}/{}", folder, path);
}

bool TaskMaker::has_one_program() const {
    return !arguments_.front().has_placeholders() && !folder_.has_placeholders();
}

std::vector<std::string> TaskMaker::unused_parameters() const {
    std::vector<std::string> unused;
    for (const std::string& name : subject_->points.names) {
        const auto uses = [&](const launch::Template& text) { return text.uses(name); };
        const bool is_used =
            std::ranges::any_of(arguments_, uses) || uses(input_) || uses(folder_) ||
            std::ranges::any_of(environment_, [&](const auto& entry) { return uses(entry.second); });
        if (!is_used) unused.push_back(name);
    }
    return unused;
}

}  // namespace plimsoll::measure::detail
