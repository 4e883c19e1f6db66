#include <filesystem>

#include "plimsoll/experiment/detail/cube_archive.hpp"
#include "plimsoll/experiment/detail/cube_folders.hpp"
#include "plimsoll/experiment/detail/cube_profile.hpp"
#include "plimsoll/experiment/detail/formats.hpp"

namespace plimsoll::experiment::detail {

bool is_cube_file(const Probe& probe) {
    return std::filesystem::path(probe.path).extension() == ".cubex" || begins_as_cube_archive(probe.head);
}

void read_cube_file(Input& input, ExperimentBuilder& builder, const ReadOptions& /*options*/) {
    const Place place{.file = input.name()};
    if (place.file == "<stdin>") {
        throw Error(ErrorKind::input, place,
                    "a Cube profile alone does not tell with which parameters it was measured",
                    "name the file, in a folder such as app.p64n1000.r1");
    }
    const CubeCampaign campaign = arrange_cube_file(place.file, builder);
    builder.set_parameters(campaign.parameters, place);
    for (const std::string& name : campaign.parameters) builder.suggest_parameter(name, "");
    add_cube_profile(input, campaign.measurements.front().coordinates, builder);
}

bool is_cube_folder(const std::string& path) {
    try {
        return !find_cube_files(path).empty();
    } catch (const Error&) {
        return false;  // a folder that cannot be listed is nobody's
    }
}

void read_cube_folder(const std::string& path, ExperimentBuilder& builder, const ReadOptions& /*options*/,
                      Progress& progress) {
    const std::vector<std::string> files = find_cube_files(path);
    const CubeCampaign campaign = arrange_cube_files(path, files, builder);
    builder.set_parameters(campaign.parameters, Place{.file = path});
    Activity activity(progress, "reading", total_size(files));
    for (const CubeMeasurement& measurement : campaign.measurements) {
        Input input(measurement.file);
        input.count_for(activity);
        add_cube_profile(input, measurement.coordinates, builder);
    }
}

}  // namespace plimsoll::experiment::detail
