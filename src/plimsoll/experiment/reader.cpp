#include "plimsoll/experiment/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/cube_folder_name.hpp"
#include "plimsoll/experiment/detail/cube_folders.hpp"
#include "plimsoll/experiment/detail/formats.hpp"
#include "plimsoll/experiment/detail/other_programs_file.hpp"
#include "plimsoll/experiment/detail/table_columns.hpp"

namespace plimsoll::experiment {

namespace {

constexpr std::size_t probe_size = std::size_t{1} << 16U;

/// A new format is one file and one line here. Formats with a clear mark come first.
constexpr std::array table{
    Format{.name = "extra-p",
           .description = "Extra-P 4 experiment (.extra-p)",
           .example = "Extra-P 4: File, Save experiment; plimsoll convert -o runs.extra-p",
           .matches = detail::is_extrap4,
           .read = detail::read_extrap4},
    Format{.name = "extra-p-3",
           .description = "Extra-P 3 binary experiment",
           .example = "Extra-P 3: File, Save",
           .matches = detail::is_extrap3,
           .read = detail::read_extrap3},
    Format{.name = "cube",
           .description = "Cube 4 profiles of Score-P and Scalasca (*.cubex), one folder per configuration",
           .example = "scorep gcc app.c; SCOREP_EXPERIMENT_DIRECTORY=app.p4.r1 mpiexec -n 4 ./a.out",
           .matches = detail::is_cube_file,
           .read = detail::read_cube_file,
           .matches_folder = detail::is_cube_folder,
           .read_folder = detail::read_cube_folder},
    Format{.name = "talpas",
           .description = "Talpas lines (JSON lines with semicolons)",
           .example = R"({"parameters": {"p": 4}; "metric": "time"; "value": 1.2})",
           .matches = detail::is_talpas,
           .read = detail::read_talpas},
    Format{.name = "jsonl",
           .description = "JSON lines, our own and Extra-P's",
           .example = "plimsoll measure -p n=1,2,4 -o runs.jsonl -- ./app {n}",
           .matches = detail::is_json_lines,
           .read = detail::read_json_lines},
    Format{
        .name = "json",
        .description = "JSON documents of Extra-P, new and old form",
        .example =
            R"({"parameters": ["p"], "measurements": {"main": {"time": [{"point": [4], "values": [1.2]}]}}})",
        .matches = detail::is_json,
        .read = detail::read_json},
    Format{.name = "text",
           .description = "Extra-P's text (PARAMETER, POINTS, REGION, METRIC, DATA)",
           .example = "PARAMETER p, POINTS 2 4 8, DATA 1.2 1.3 1.1 ...",
           .matches = detail::is_text,
           .read = detail::read_text},
    Format{.name = "csv",
           .description = "table with a header line, comma, semicolon or tab, long or wide",
           .example = "p,n,time and a line of numbers for each run",
           .matches = detail::is_table,
           .read = detail::read_table},
};

/// A format that an input has: one of the table, or of the family.
struct Detected {
    const Format* format = nullptr;
    std::string_view other;

    explicit operator bool() const { return format != nullptr || !other.empty(); }
};

Detected format_named(const std::string& name, const FormatFamily* others) {
    std::vector<std::string> names;
    for (const Format& format : table) {
        if (format.name == name) return {.format = &format};
        names.emplace_back(format.name);
    }
    if (others != nullptr) {
        for (const std::string& other : others->names()) {
            if (other == name) return {.other = name};
            names.push_back(other);
        }
    }
    const auto near = nearest(name, names);
    throw Error(
        ErrorKind::usage, fmt::format("unknown format '{}'", name),
        near ? fmt::format("did you mean '{}'?", *near) : fmt::format("choose one of {}", join(names, ", ")));
}

Detected detect(Input& input, const FormatFamily* others) {
    if (detail::other_programs_file(input.name()) != nullptr) return {};
    const Probe probe{.path = input.name(), .head = input.peek(probe_size)};
    if (others != nullptr) {
        if (const std::string_view other = others->match(probe); !other.empty()) return {.other = other};
    }
    const auto* const found =
        std::find_if(table.begin(), table.end(), [&](const Format& f) { return f.matches(probe); });
    return {.format = found == table.end() ? nullptr : &*found};
}

/// Whether a file that nobody named is one of measurements: any JSON document may be in a folder.
bool is_meant(const Detected& detected, Input& input) {
    if (detected.format == nullptr || detected.format->name != "json") return static_cast<bool>(detected);
    const std::string_view head = input.peek(probe_size);
    constexpr std::array<std::string_view, 5> keys{"\"measurements\"", "\"parameters\"", "\"coordinates\"",
                                                   "\"experiments\"", "\"plimsoll."};
    return std::any_of(keys.begin(), keys.end(),
                       [&](std::string_view key) { return head.find(key) != std::string_view::npos; });
}

/// The schema of a document that `plimsoll fit` or another command wrote, such as `plimsoll.fit/1`; empty for
/// what may be measurements.
std::string own_document(Input& input) {
    constexpr std::size_t mark_size = 200;
    const std::string_view head = trim(input.peek(probe_size)).substr(0, mark_size);
    constexpr std::string_view mark = "\"plimsoll.";
    const std::size_t begin = head.starts_with('{') ? head.find(mark) : std::string_view::npos;
    if (begin == std::string_view::npos) return {};
    const std::size_t key = head.rfind("\"schema\"", begin);
    const std::string_view schema = head.substr(begin + 1, head.find('"', begin + 1) - (begin + 1));
    if (key == std::string_view::npos || !trim(head.substr(key + 8, begin - (key + 8))).starts_with(':'))
        return {};
    return schema.starts_with("plimsoll.experiment/") ? std::string() : std::string(schema);
}

/// The format of a folder that is one input of the family's, where it is the one that the user wants.
std::string_view folder_format(const std::string& path, const ReadOptions& options,
                               const FormatFamily* others) {
    if (others == nullptr) return {};
    const std::string_view format = others->match_folder(path);
    return options.format.empty() || options.format == format ? format : std::string_view();
}

/// Whether the reader of Cube can tell a profile's parameters, from the name of its folder.
bool names_parameters(const std::string& profile) {
    std::error_code ignored;  // a path that cannot be completed has no folder
    const auto whole = std::filesystem::absolute(profile, ignored).lexically_normal();
    return detail::parse_cube_folder_name(whole.parent_path().filename().string()).has_value();
}

/// A Cube profile in such a folder, of the same run as a trace beside it, and read in no time. Nothing where
/// the user names a format, or the profile's parameters are not known.
std::optional<std::string> profile_within(const std::string& folder, std::string_view format,
                                          const ReadOptions& options, const FormatFamily& others) {
    if (!options.format.empty() || !others.yields_to_cube(format)) return std::nullopt;
    std::optional<std::string> profile;
    std::error_code failure;
    std::filesystem::directory_iterator it(folder, failure);
    for (; !failure && it != std::filesystem::end(it); it.increment(failure)) {
        const std::string path = it->path().string();
        if (it->path().extension() == ".cubex" && (!profile || path < *profile)) profile = path;
    }
    if (profile && !names_parameters(*profile)) return std::nullopt;
    return profile;
}

/// Notes what a folder is read as.
void note_profile(const std::string& folder, const std::string& profile, ExperimentBuilder& builder) {
    builder.note(Place{.file = folder}, fmt::format("is read as '{}' alone, the profile of the run in it",
                                                    std::filesystem::path(profile).filename().string()));
}

/// Whether none of the Cube profiles in a set of folders is to be read, but what lies beside them.
bool is_no_cube_set(const std::string& path, const ReadOptions& options, const FormatFamily* others) {
    if (!options.format.empty() || others == nullptr) return false;
    bool lies_something_beside = false;
    for (const std::string& profile : detail::find_cube_files(path)) {
        const std::string folder = std::filesystem::path(profile).parent_path().string();
        const std::string_view format = folder_format(folder, options, others);
        const bool is_read = format.empty() ? names_parameters(profile)
                                            : profile_within(folder, format, options, *others).has_value();
        if (is_read) return false;
        lies_something_beside = lies_something_beside || !format.empty();
    }
    return lies_something_beside;
}

/// What a folder holds: a file, or a folder that is one input.
struct Entry {
    std::string path;
    std::string_view folder_format;  ///< empty for a file
};

/// Leaves out what is there compressed as well as not, and would count twice. Entries are sorted.
void leave_out_copies(std::vector<Entry>& entries, ExperimentBuilder& builder) {
    constexpr std::string_view ending = ".gz";
    std::set<std::string_view> paths;
    for (const Entry& entry : entries) paths.insert(entry.path);
    const auto is_copy = [&](const Entry& entry) {
        const std::string_view path = entry.path;
        return path.ends_with(ending) && paths.contains(path.substr(0, path.size() - ending.size()));
    };
    std::vector<Entry> kept;
    for (const Entry& entry : entries) {
        if (is_copy(entry)) {
            builder.note(Place{.file = entry.path},
                         "is left out, since the same stands beside it uncompressed");
        } else {
            kept.push_back(entry);
        }
    }
    entries = std::move(kept);
}

/// The files below a folder that are not hidden, and the folders that are inputs themselves, in the order of
/// their names. What cannot be looked at, such as a link to nothing, is noted.
std::vector<Entry> entries_below(const std::string& folder, ExperimentBuilder& builder,
                                 const ReadOptions& options, const FormatFamily* others) {
    std::vector<Entry> entries;
    const auto is_hidden = [](const auto& entry) {
        return entry.path().filename().string().starts_with('.');
    };
    std::error_code failure;
    std::filesystem::recursive_directory_iterator it(folder, failure);
    while (!failure && it != std::filesystem::end(it)) {
        if (is_hidden(*it)) {
            it.disable_recursion_pending();
        } else {
            std::error_code unknown;
            if (it->is_regular_file(unknown)) {
                entries.push_back({.path = it->path().string(), .folder_format = {}});
            } else if (std::error_code none; it->is_directory(none) && it->is_symlink(none)) {
                builder.note(Place{.file = it->path().string()}, "is a link to a folder, and is left out");
            } else if (it->is_directory(none)) {
                const std::string_view format = folder_format(it->path().string(), options, others);
                if (!format.empty()) {
                    it.disable_recursion_pending();
                    const auto profile = profile_within(it->path().string(), format, options, *others);
                    if (profile) note_profile(it->path().string(), *profile, builder);
                    entries.push_back({.path = profile.value_or(it->path().string()),
                                       .folder_format = profile ? std::string_view() : format});
                }
            }
            if (unknown) {
                builder.note(Place{.file = it->path().string()},
                             fmt::format("is left out: {}", unknown.message()));
            }
        }
        it.increment(failure);
    }
    if (failure) {
        throw Error(ErrorKind::environment, Place{.file = folder},
                    fmt::format("cannot be listed: {}", failure.message()),
                    "check the permissions of the folder and those below it");
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
    leave_out_copies(entries, builder);
    return entries;
}

/// Bytes of the files in a folder.
std::int64_t size_of_folder(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code failure;
    std::filesystem::recursive_directory_iterator it(folder, failure);
    for (; !failure && it != std::filesystem::end(it); it.increment(failure)) {
        std::error_code unknown;
        if (it->is_regular_file(unknown)) files.push_back(it->path().string());
    }
    return detail::total_size(files);
}

/// Reads one input and returns whether it is a table.
bool read_as_detected(Input& input, ExperimentBuilder& builder, const ReadOptions& options,
                      FormatFamily* others) {
    const Detected detected =
        options.format.empty() ? detect(input, others) : format_named(options.format, others);
    if (!detected) detail::refuse_other_programs_file(input.name());
    if (!detected) {
        const bool empty = trim(input.peek(probe_size)).empty();
        throw Error(ErrorKind::input, Place{.file = input.name()},
                    empty ? "the file is empty" : "the format is not recognised",
                    empty ? "check that the program wrote its measurements"
                          : "tell the format with --format; 'plimsoll formats' lists all");
    }
    if (!detected.other.empty()) {
        others->read(detected.other, input, builder);
        ++builder.rest().formats[std::string(detected.other)];
        return false;
    }
    detected.format->read(input, builder, options);
    ++builder.rest().formats[std::string(detected.format->name)];
    builder.finish_file(input.name());
    return detected.format->name == "csv";
}

/// Says of tables in a folder, of which nothing tells what they hold, that they are left out. Where nothing
/// else is there, the first was meant, and is an error.
void leave_out(const std::vector<detail::ForeignTable>& tables, bool is_something_else_there,
               ExperimentBuilder& builder) {
    if (!tables.empty() && !is_something_else_there) throw Error(tables.front());
    for (const Error& error : tables) {
        const std::string_view text = error.what();
        const std::size_t begin = text.find(": ", error.place().file.size());
        builder.note(error.place(), fmt::format("is left out: {}", text.substr(begin + 2)));
    }
}

/// Returns whether a table was among the files.
bool read_folder(const std::string& path, ExperimentBuilder& builder, const ReadOptions& options,
                 Progress& progress, FormatFamily* others) {
    for (const Format& format : table) {
        const bool chosen = options.format.empty() || options.format == format.name;
        if (chosen && format.read_folder != nullptr &&
            (!options.format.empty() ||
             (format.matches_folder(path) && !is_no_cube_set(path, options, others)))) {
            format.read_folder(path, builder, options, progress);
            ++builder.rest().formats[std::string(format.name)];
            builder.finish_file(path);
            return false;
        }
    }
    if (const std::string_view format = folder_format(path, options, others); !format.empty()) {
        if (const auto profile = profile_within(path, format, options, *others)) {
            note_profile(path, *profile, builder);
            Input input(*profile);
            Activity activity(progress, "reading", input.size());
            input.count_for(activity);
            return read_as_detected(input, builder, options, others);
        }
        Activity activity(progress, "reading", size_of_folder(path));
        others->read_folder(format, path, builder, activity);
        ++builder.rest().formats[std::string(format)];
        return false;
    }
    const std::vector<Entry> entries = entries_below(path, builder, options, others);
    std::vector<std::string> files;
    std::int64_t bytes = 0;
    for (const Entry& entry : entries) {
        if (entry.folder_format.empty()) {
            files.push_back(entry.path);
        } else {
            bytes += size_of_folder(entry.path);
        }
    }
    Activity activity(progress, "reading", bytes + detail::total_size(files));
    std::size_t read_count = 0;
    bool any_table = false;
    bool any_document = false;
    bool own = false;
    bool foreign = false;
    std::string first_to_turn;  // by another program into what is read
    std::vector<detail::ForeignTable> foreign_tables;
    for (const auto& [file, format] : entries) {
        if (!format.empty()) {
            foreign = true;
            others->read_folder(format, file, builder, activity);
            ++builder.rest().formats[std::string(format)];
            ++read_count;
            continue;
        }
        Input input(file);
        input.count_for(activity);
        const Detected detected = options.format.empty() ? detect(input, others) : Detected{};
        if (options.format.empty() && !is_meant(detected, input)) {
            const auto* const other = detail::other_programs_file(file);
            if (other != nullptr && first_to_turn.empty()) first_to_turn = file;
            builder.note(Place{.file = file}, input.peek(1).empty() ? "is empty, and is left out"
                                              : other != nullptr
                                                  ? fmt::format("{}, and is left out", other->what)
                                                  : "is in no known format and is left out");
        } else if (const std::string schema = own_document(input); !schema.empty()) {
            any_document = true;
            builder.note(Place{.file = file},
                         fmt::format("holds a document {}, no measurements, and is left out", schema));
        } else {
            try {
                any_table = read_as_detected(input, builder, options, others) || any_table;
            } catch (const detail::ForeignTable& error) {
                if (!options.format.empty()) throw;
                foreign_tables.push_back(error);
                continue;
            }
            ++read_count;
            (detected.other.empty() ? own : foreign) = true;
        }
    }
    leave_out(foreign_tables, read_count > 0, builder);
    if (own && foreign && options.format.empty()) {
        builder.note(
            Place{.file = path},
            "holds profiles and other measurements; of the same configuration, these count as further "
            "repetitions");
    }
    if (read_count == 0) {
        detail::refuse_other_programs_file(first_to_turn);
        throw Error(ErrorKind::input, Place{.file = path},
                    any_document ? "the folder holds documents of plimsoll alone, no measurements"
                                 : "the folder holds no file in a known format",
                    any_document
                        ? "name a file of measurements"
                        : "name a file, or tell its format with --format; 'plimsoll formats' lists all");
    }
    return any_table;
}

/// Notes options for tables where none was read.
void note_idle_options(const ReadOptions& options, ExperimentBuilder& builder) {
    const std::array<std::pair<const char*, const std::string*>, 4> table_options{
        {{"parameter-columns", &options.parameter_columns},
         {"region-column", &options.region_column},
         {"metric-column", &options.metric_column},
         {"value-column", &options.value_column}}};
    for (const auto& [name, value] : table_options) {
        if (!value->empty()) {
            builder.note({}, fmt::format("--{} does nothing here: no input is a table (CSV)", name));
        }
    }
}

}  // namespace

std::int64_t detail::total_size(std::span<const std::string> files) {
    std::uintmax_t total = 0;
    for (const std::string& file : files) {
        std::error_code unknown;
        const std::uintmax_t size = std::filesystem::file_size(file, unknown);
        if (!unknown) total += size;
    }
    return static_cast<std::int64_t>(total);
}

std::string_view FormatFamily::match_folder(const std::string& /*path*/) const { return {}; }

bool FormatFamily::yields_to_cube(std::string_view /*format*/) const { return false; }

void FormatFamily::read_folder(std::string_view /*format*/, const std::string& path,
                               ExperimentBuilder& /*builder*/, Activity& /*activity*/) {
    throw Error(ErrorKind::internal, Place{.file = path}, "no format of this family is a folder");
}

std::span<const Format> formats() { return table; }

void read(Input& input, ExperimentBuilder& builder, const ReadOptions& options, FormatFamily* others) {
    (void)read_as_detected(input, builder, options, others);
    if (others != nullptr) others->finish(builder);
}

Input open_input(const std::string& path, const ReadOptions& options) {
    const auto found = options.opened.find(path);
    return found == options.opened.end() ? Input(path) : std::move(*found->second);
}

Experiment read(std::span<const std::string> paths, const ReadOptions& options, Progress& progress,
                FormatFamily* others) {
    if (!options.format.empty()) (void)format_named(options.format, others);
    ExperimentBuilder builder;
    if (options.constants == ConstantParameters::keep) builder.keep_constant_parameters();
    bool any_table = false;
    for (const std::string& path : paths) {
        std::error_code ignored;
        if (path != "-" && std::filesystem::is_directory(path, ignored)) {
            any_table = read_folder(path, builder, options, progress, others) || any_table;
        } else {
            Input input = open_input(path, options);
            Activity activity(progress, "reading", input.size());
            input.count_for(activity);
            any_table = read_as_detected(input, builder, options, others) || any_table;
        }
    }
    if (others != nullptr) others->finish(builder);
    if (!any_table) note_idle_options(options, builder);
    if (options.constants != ConstantParameters::leave_out) builder.keep_constant_parameters();
    try {
        return builder.build();
    } catch (const Error& error) {
        if (!error.place().file.empty() || paths.size() != 1) throw;
        throw Error(error.kind(), Place{.file = paths.front()}, error.what(), error.hint());
    }
}

}  // namespace plimsoll::experiment
