#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plimsoll/launch/command.hpp"
#include "plimsoll/launch/template.hpp"
#include "plimsoll/measure/measure.hpp"

namespace plimsoll::measure::detail {

/// Where the streams and regions of a run go.
struct RunFiles {
    std::string out;
    std::string err;
    std::string regions;
};

/// Makes the command of each run of a subject.
class TaskMaker {
  public:
    /// Throws a usage error for a placeholder that is none.
    explicit TaskMaker(const Subject& subject);

    [[nodiscard]] launch::Command command(const Point& point, std::size_t repetition, std::size_t run,
                                          const RunFiles& files) const;

    /// Path of a file that the program writes, for a metric of this kind.
    [[nodiscard]] std::string file(std::size_t metric, const Point& point, std::size_t repetition,
                                   std::size_t run) const;

    /// Whether each run starts the same program in the same folder.
    [[nodiscard]] bool has_one_program() const;

    /// Parameters that no run is told of but by PLIMSOLL_PARAMETERS.
    [[nodiscard]] std::vector<std::string> unused_parameters() const;

  private:
    [[nodiscard]] launch::Replacements replacements(const Point& point, std::size_t repetition,
                                                    std::size_t run) const;

    const Subject* subject_;
    std::vector<launch::Template> arguments_;
    std::vector<std::pair<std::string, launch::Template>> environment_;
    launch::Template input_;
    launch::Template folder_;
    std::vector<launch::Template> files_;  ///< [metrics]
};

}  // namespace plimsoll::measure::detail
