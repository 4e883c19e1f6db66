#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/input.hpp"
#include "plimsoll/core/options.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/experiment/experiment.hpp"

namespace plimsoll::experiment {

/// What becomes of parameters that only the names of columns or folders suggest, and that do not vary while
/// others do.
enum class ConstantParameters {
    leave_out,
    keep_outside_folders,  ///< one of them may count the processes of single values
    keep                   ///< measurements that are compared with others may need them
};

/// What a reader may be told.
struct ReadOptions {
    std::string format;  ///< name of a format; empty: each file's is detected
    // Tables (CSV and TSV); comma-separated names of columns. Empty: found by their usual names.
    std::string parameter_columns;
    std::string region_column;
    std::string metric_column;
    std::string value_column;
    std::string repetition_columns;
    ConstantParameters constants = ConstantParameters::leave_out;  ///< no option of a command
    /// Pipes that somebody has looked into, by their paths: they cannot be opened again. No option either.
    std::map<std::string, std::shared_ptr<Input>> opened;
};

/// Opens an input, or takes the one that was opened before.
[[nodiscard]] Input open_input(const std::string& path, const ReadOptions& options);

template <class Visitor>
void describe(ReadOptions& o, Visitor&& option) {
    option("format", o.format, "Format of the input (see 'plimsoll formats'); detected if absent");
    option("parameter-columns", o.parameter_columns, "CSV: columns that hold parameters, such as p,n");
    option("region-column", o.region_column, "CSV: column that names the region");
    option("metric-column", o.metric_column, "CSV: column that names the metric");
    option("value-column", o.value_column, "CSV: column that holds the values; several in a wide table");
    option("repetition-columns", o.repetition_columns,
           "CSV: columns that each hold one repetition of the same metric, such as rep1,rep2,rep3");
}

/// What a format is recognised by.
struct Probe {
    std::string_view path;  ///< as the user gave it
    std::string_view head;  ///< the first 64 KiB, or all of a shorter file
};

/// One file format: a row of the table of formats.
struct Format {
    std::string_view name;         ///< for --format
    std::string_view description;  ///< one line for the list of formats
    std::string_view example;      ///< how such a file comes about
    bool (*matches)(const Probe&);
    void (*read)(Input&, ExperimentBuilder&, const ReadOptions&);
    /// Formats that are folders instead; null for files.
    bool (*matches_folder)(const std::string& path) = nullptr;
    void (*read_folder)(const std::string& path, ExperimentBuilder&, const ReadOptions&, Progress&) = nullptr;
};

/// All formats, in the order in which they are tried.
[[nodiscard]] std::span<const Format> formats();

/// Formats beyond these, of which several files may make one run: their values come when all are read.
class FormatFamily {
  public:
    virtual ~FormatFamily() = default;
    /// For --format.
    [[nodiscard]] virtual std::vector<std::string> names() const = 0;
    /// The name of a file's format, by marks that no other file has; empty for none of these. Asked first.
    [[nodiscard]] virtual std::string_view match(const Probe& probe) const = 0;
    virtual void read(std::string_view format, Input& input, ExperimentBuilder& builder) = 0;
    /// The name of the format whose files make this folder one input; empty for any other folder. Asked of a
    /// folder that is read and of those below it.
    [[nodiscard]] virtual std::string_view match_folder(const std::string& path) const;
    /// Whether a Cube profile that lies in a folder of this format tells the same run, and all that is known
    /// of its configuration: it may be read in place of the folder then.
    [[nodiscard]] virtual bool yields_to_cube(std::string_view format) const;
    /// Reads such a folder; the activity counts bytes of the files in it.
    virtual void read_folder(std::string_view format, const std::string& path, ExperimentBuilder& builder,
                             Activity& activity);
    /// Hands over what was read, once.
    virtual void finish(ExperimentBuilder& builder) = 0;
};

/// Reads and merges files, folders and `-` (standard input).
///
/// A folder that is itself an input (profiles in folders named by their configuration, a trace of many files)
/// is read as one; of any other folder each file is read whose format is known, sub-folders included, hidden
/// files aside. Throws an input error that names file and line, and a usage error for an unknown format.
[[nodiscard]] Experiment read(std::span<const std::string> paths, const ReadOptions& options,
                              Progress& progress, FormatFamily* others = nullptr);

/// Reads one open input into a builder; the format is detected where the options name none. Progress is that
/// of the activity that the input counts for.
void read(Input& input, ExperimentBuilder& builder, const ReadOptions& options,
          FormatFamily* others = nullptr);

}  // namespace plimsoll::experiment
