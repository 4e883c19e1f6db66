#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/launch/exit.hpp"
#include "plimsoll/launch/process.hpp"
#include "plimsoll/measure/design.hpp"
#include "plimsoll/measure/metric.hpp"

namespace plimsoll::measure {

/// The region of what is measured of a run as a whole.
inline constexpr const char* run_region = "run";

/// A run of the program, as the file keeps it.
struct RunRecord {
    std::size_t number = 0;      ///< in the file, from 1
    std::size_t point = 0;       ///< position in the design
    std::size_t repetition = 0;  ///< of the point, from 1
    std::string failure;         ///< empty where it succeeded
    launch::Exit exit;
    std::optional<double> others;          ///< share of the processors that other processes took
    std::vector<std::string> error_lines;  ///< last lines of the error stream, where it failed
    std::vector<std::optional<double>>
        values;  ///< [metrics], those of the run as a whole; empty where it failed
};

/// What measurements are of: two commands may continue one another where all of this is the same.
struct Identity {
    std::vector<std::string> command;
    std::vector<std::string> environment;
    std::string input;
    std::string folder;
    std::vector<std::string> metrics;
};

namespace detail {
/// A line of a file; the last one may lack its newline.
struct Line {
    std::string_view text;
    std::size_t begin = 0;  ///< in the file
    bool is_whole = true;
};
}  // namespace detail

/// What is done with a file that is there.
enum class Existing {
    continued,
    replaced  ///< by the first run, so that a program that does not start costs nothing
};

/// The file that measurements go to, our JSON lines: a header, and for each run a record and its
/// measurements.
///
/// A run is appended whole and is on the disk when `append` returns. What a writer that was killed left
/// unfinished is taken away on opening. While it is open, no other RunFile opens the same file.
class RunFile {
  public:
    /// Opens a file, and makes it where there is none. Throws an input error where it holds other
    /// measurements, and an environment error where it cannot be written or another process measures into it.
    RunFile(const std::string& path, Existing existing, const Points& points,
            const std::vector<MetricChoice>& metrics, const Identity& identity,
            const std::map<std::string, std::string>& metadata);

    /// Runs that were in the file.
    [[nodiscard]] const std::vector<RunRecord>& past() const { return past_; }

    /// Whether an unfinished run was taken away.
    [[nodiscard]] bool was_repaired() const { return was_repaired_; }

    /// Appends a run with further lines that belong to it. Throws an environment error where the disk is
    /// full.
    void append(const RunRecord& record, const std::vector<std::string>& lines);

  private:
    void write(std::string_view text);
    void continue_from(const std::string& content, const Identity& identity);
    void keep(std::span<const detail::Line> lines, const std::map<std::string, std::size_t>& point_of,
              const std::map<std::string, std::size_t>& metric_of);

    std::string path_;
    launch::Descriptor file_;
    const Points* points_;
    const std::vector<MetricChoice>* metrics_;
    std::vector<RunRecord> past_;
    bool was_repaired_ = false;
    std::string new_header_;  ///< of a file that the first run replaces
};

}  // namespace plimsoll::measure
