#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/experiment/reader.hpp"
#include "plimsoll/profile/options.hpp"
#include "plimsoll/profile/part.hpp"
#include "plimsoll/profile/path_pattern.hpp"

namespace plimsoll::profile {

/// Reads what profilers write, puts together what belongs to one run, and finds out which configuration each
/// run had.
///
/// A parameter is, in this order: what `--set` says, what `--path-pattern` finds in the path, what the file
/// states as a parameter, what its name or a folder says (`app.p4.n1000.r1`), the number of processes as `p`,
/// and well-known metadata such as `problem_size`. Of the last three kinds those are left out that do not
/// vary, or vary together with an earlier one. Runs of the same configuration are repetitions.
class Collector final : public experiment::FormatFamily {
  public:
    /// Throws a usage error where an option is no assignment or no pattern.
    explicit Collector(const ProfileOptions& options);

    [[nodiscard]] std::vector<std::string> names() const override;
    [[nodiscard]] std::string_view match(const experiment::Probe& probe) const override;
    void read(std::string_view format, Input& input, experiment::ExperimentBuilder& builder) override;
    [[nodiscard]] std::string_view match_folder(const std::string& path) const override;
    [[nodiscard]] bool yields_to_cube(std::string_view format) const override;
    void read_folder(std::string_view format, const std::string& path, experiment::ExperimentBuilder& builder,
                     Activity& activity) override;
    void finish(experiment::ExperimentBuilder& builder) override;

  private:
    struct Assignment {
        std::string name;
        std::string value;  ///< a number, or in braces the name of metadata
    };

    /// What is said of a run.
    struct Facts {
        std::vector<std::pair<std::string, double>> stated;
        std::vector<std::pair<std::string, double>> suggested;
    };

    /// Takes the parts that a reader delivers; `name` is that of its file or folder.
    template <class Read>
    void take_parts(const std::string& name, experiment::ExperimentBuilder& builder, Read read_into);

    /// Leaves out, of the parts from a position on, runs of which an earlier file tells the same.
    void drop_known_runs(std::size_t first, experiment::ExperimentBuilder& builder);

    /// Finds out what is said of a part's run, and which process it is.
    void complete(Part& part, Facts& facts);
    /// A parameter's value, unless one is known already, and who says so.
    void put(std::vector<std::pair<std::string, double>>& list, std::string_view name, double value,
             std::string_view origin);

    StepSearch steps_;
    std::vector<Assignment> assignments_;
    std::optional<PathPattern> pattern_;
    std::vector<Part> parts_;
    std::multimap<std::string, std::size_t> identified_;  ///< parts by their identity
    std::map<std::string, std::string> origins_;          ///< of parameters, the first that was found
};

}  // namespace plimsoll::profile
