#include "plimsoll/experiment/detail/cube_folders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/cube_folder_name.hpp"

namespace plimsoll::experiment::detail {

namespace {

namespace fs = std::filesystem;

constexpr const char* naming_hint =
    "name the folders as in app.p64n1000.r1: name and value of each parameter, then .r and the repetition";

/// What is in a folder and not hidden, in the order of names.
std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (auto it = fs::directory_iterator(folder, error); !error && it != fs::end(it); it.increment(error)) {
        if (!it->path().filename().string().starts_with('.')) entries.push_back(it->path());
    }
    if (error) {
        throw Error(ErrorKind::environment, Place{.file = folder.string()},
                    fmt::format("the folder cannot be listed ({})", error.message()),
                    "check its permissions");
    }
    std::ranges::sort(entries);
    return entries;
}

std::string folder_of(const std::string& file) { return fs::path(file).parent_path().string(); }

/// Name of the folder that a file lies in, also where its path does not say it.
std::string folder_name_of(const std::string& file) {
    std::error_code ignored;  // a path that cannot be completed has no folder
    return fs::absolute(file, ignored).lexically_normal().parent_path().filename().string();
}

struct NamedFile {
    const std::string* file;
    CubeFolderName configuration;  ///< its values in the order of the first file's names
};

void note_doubtful_exponent(const NamedFile& named, ExperimentBuilder& builder) {
    if (named.configuration.doubtful_exponent) {
        builder.note(
            Place{.file = folder_of(*named.file)},
            "a folder's name is read with a parameter 'e': for an exponent write its sign, as in n1e+6");
    }
}

/// Brings a file's values into the order of the first file's names.
void adopt_order(const NamedFile& first, NamedFile& named) {
    const auto& wanted = first.configuration.names;
    const auto& names = named.configuration.names;
    if (!std::ranges::is_permutation(wanted, names)) {
        throw Error(ErrorKind::input, Place{.file = folder_of(*named.file)},
                    fmt::format("the folder's name tells the parameters {}, but that of {} tells {}",
                                join(names, ", "), folder_of(*first.file), join(wanted, ", ")),
                    "give all folders the same parameters, or read them one by one");
    }
    std::vector<double> values;
    values.reserve(wanted.size());
    for (const std::string& name : wanted) {
        values.push_back(
            named.configuration
                .values[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())]);
    }
    named.configuration.values = std::move(values);
    named.configuration.names = wanted;
}

/// The files whose folders have names that tell parameters, all in the order of the first.
std::vector<NamedFile> parse_names(const std::string& folder, const std::vector<std::string>& files,
                                   ExperimentBuilder& builder) {
    std::vector<NamedFile> named;
    for (const std::string& file : files) {
        if (auto configuration = parse_cube_folder_name(folder_name_of(file))) {
            named.push_back({.file = &file, .configuration = std::move(*configuration)});
            note_doubtful_exponent(named.back(), builder);
            if (named.size() > 1) adopt_order(named.front(), named.back());
        } else {
            builder.note(Place{.file = folder_of(file)},
                         fmt::format("the name '{}' tells no parameters: the folder is left out",
                                     folder_name_of(file)));
        }
    }
    if (named.empty()) {
        throw Error(ErrorKind::input, Place{.file = folder},
                    fmt::format("no folder's name tells parameters (the first is '{}')",
                                folder_name_of(files.front())),
                    naming_hint);
    }
    return named;
}

/// The parameters that are modelled, by their positions.
std::vector<std::size_t> choose_parameters(const std::string& folder, const std::vector<NamedFile>& named,
                                           ExperimentBuilder& builder) {
    const CubeFolderName& first = named.front().configuration;
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < first.names.size(); ++k) {
        const auto value_of = [&](const NamedFile& n) { return n.configuration.values[k]; };
        const bool varies = std::ranges::any_of(
            named, [&](double v) { return v != first.values[k]; }, value_of);
        if (varies || builder.keeps_constant_parameters() || builder.rest().find_parameter(first.names[k])) {
            chosen.push_back(k);
        } else {
            builder.note(Place{.file = folder},
                         fmt::format("parameter '{}' is {} in all folders and is left out", first.names[k],
                                     shortest(first.values[k])));
        }
        if (std::ranges::all_of(
                named, [](double v) { return v < 0.0; }, value_of)) {
            builder.note(Place{.file = folder},
                         fmt::format("parameter '{}' is negative in all folders: a '-' before a "
                                     "value is its sign, not a separator",
                                     first.names[k]));
        }
    }
    if (chosen.empty()) {
        throw Error(ErrorKind::input, Place{.file = folder},
                    fmt::format("no parameter varies over the folders (the first is '{}')",
                                folder_name_of(*named.front().file)),
                    "measure at several values of a parameter, or name the profiles themselves");
    }
    return chosen;
}

}  // namespace

std::vector<std::string> find_cube_files(const std::string& folder) {
    std::vector<std::string> files;
    for (const fs::path& entry : entries_of(folder)) {
        std::error_code ignored;
        if (!fs::is_directory(entry, ignored)) continue;
        for (const fs::path& file : entries_of(entry)) {
            if (file.extension() == ".cubex" && !fs::is_directory(file, ignored))
                files.push_back(file.string());
        }
    }
    return files;
}

CubeCampaign arrange_cube_files(const std::string& folder, const std::vector<std::string>& files,
                                ExperimentBuilder& builder) {
    if (files.empty()) {
        throw Error(ErrorKind::input, Place{.file = folder}, "no folder in it holds a Cube profile (*.cubex)",
                    naming_hint);
    }
    const std::vector<NamedFile> named = parse_names(folder, files, builder);
    CubeCampaign campaign;
    campaign.measurements.resize(named.size());
    std::ranges::transform(named, campaign.measurements.begin(), [](const NamedFile& n) {
        return CubeMeasurement{.file = *n.file, .coordinates = {}};
    });
    for (const std::size_t k : choose_parameters(folder, named, builder)) {
        campaign.parameters.push_back(named.front().configuration.names[k]);
        for (std::size_t i = 0; i < named.size(); ++i) {
            campaign.measurements[i].coordinates.push_back(named[i].configuration.values[k]);
        }
    }
    std::ranges::stable_sort(campaign.measurements, {}, &CubeMeasurement::coordinates);
    return campaign;
}

CubeCampaign arrange_cube_file(const std::string& file, ExperimentBuilder& builder) {
    auto configuration = parse_cube_folder_name(folder_name_of(file));
    if (!configuration) {
        throw Error(ErrorKind::input, Place{.file = file},
                    fmt::format("the profile lies in the folder '{}', whose name tells no parameters",
                                folder_name_of(file)),
                    "name the folder as in app.p64n1000.r1: name and value of each parameter, then .r and "
                    "the repetition");
    }
    const NamedFile named{.file = &file, .configuration = std::move(*configuration)};
    note_doubtful_exponent(named, builder);
    return {.parameters = named.configuration.names, .measurements = {{file, named.configuration.values}}};
}

}  // namespace plimsoll::experiment::detail
