#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/campaign/engine.hpp"
#include "plimsoll/campaign/job_spec.hpp"
#include "plimsoll/launch/command.hpp"
#include "plimsoll/launch/template.hpp"

namespace plimsoll::campaign {

/// Names that may stand in braces for every task of a job: `index`, `line`, `task`, `job`, `attempt`, and the
/// keys of its entry where entries are JSON objects.
[[nodiscard]] launch::Replacements replacements_of(const JobSpec& spec, const Lease& lease,
                                                   const std::string& entry);

/// A job's command with its placeholders found, ready to be filled for each task.
class TaskCommand {
  public:
    /// Throws a usage error that names an unknown placeholder. `entry` is any one of the job's, for its keys.
    TaskCommand(JobSpec spec, const std::string& entry);

    [[nodiscard]] const JobSpec& spec() const { return spec_; }

    /// What to start for one attempt. Streams that have no file of their own are pipes.
    [[nodiscard]] launch::Command fill(
        const Lease& lease, const std::string& entry,
        const std::vector<std::pair<std::string, std::string>>& environment) const;

    /// Whether a placeholder stands in the command, its environment, folder or files.
    [[nodiscard]] bool uses(std::string_view placeholder) const;

  private:
    JobSpec spec_;
    std::vector<launch::Template> arguments_;
    std::vector<std::pair<std::string, launch::Template>> environment_;
    launch::Template folder_;
    launch::Template input_;
    launch::Template output_;
    launch::Template errors_;
};

}  // namespace plimsoll::campaign
