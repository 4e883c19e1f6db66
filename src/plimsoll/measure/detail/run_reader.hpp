#pragma once

#include <string>
#include <vector>

#include "plimsoll/measure/detail/task_maker.hpp"
#include "plimsoll/measure/region_file.hpp"
#include "plimsoll/measure/run_file.hpp"
#include "plimsoll/measure/runner.hpp"

namespace plimsoll::measure::detail {

/// Takes the numbers of one run from its end, its output and the files that it wrote.
class RunReader {
  public:
    RunReader(const Subject& subject, const TaskMaker& tasks) : subject_(&subject), tasks_(&tasks) {}

    /// Remembers the files that the run is to write, so that those of another are not taken for its own.
    void before(const RunRecord& record);

    /// Fills in the record: values, or why there are none. Lines of regions come back.
    [[nodiscard]] std::vector<std::string> read(const Outcome& outcome, const RunFiles& files,
                                                RunRecord& record);

    /// Notes so far, each once.
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  private:
    void add_note(std::string note);
    void note_metrics_of_both(const std::vector<std::string>& lines);
    void read_value(const MetricChoice& metric, std::size_t position, const Outcome& outcome,
                    const RunFiles& files, RunRecord& record);
    void read_lines(const std::string& path, SeveralValues several, RunRecord& record,
                    std::vector<std::string>& lines);

    const Subject* subject_;
    const TaskMaker* tasks_;
    std::vector<std::string> stamps_;  ///< [metrics] of files before the run
    std::vector<std::string> notes_;
};

}  // namespace plimsoll::measure::detail
