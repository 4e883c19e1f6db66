#pragma once

#include <string>
#include <vector>

#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::experiment::detail {

/// The profiles `*/*.cubex` below a folder, hidden files and folders aside, in the order of their names.
/// Throws an environment error where a folder cannot be listed.
[[nodiscard]] std::vector<std::string> find_cube_files(const std::string& folder);

/// A profile and the point that it was measured at.
struct CubeMeasurement {
    std::string file;
    std::vector<double> coordinates;
};

/// Profiles with the parameters that the names of their folders tell.
struct CubeCampaign {
    std::vector<std::string> parameters;
    std::vector<CubeMeasurement> measurements;  ///< by coordinates, ascending
};

/// Sorts out the profiles below a folder by the names of the folders that they lie in.
///
/// A parameter that never varies is dropped with a note, unless the builder has it already; folders whose
/// names tell no parameters are left out with a note. Throws an input error where nothing is left, and where
/// two folders name different parameters.
[[nodiscard]] CubeCampaign arrange_cube_files(const std::string& folder,
                                              const std::vector<std::string>& files,
                                              ExperimentBuilder& builder);

/// A single profile, with all parameters that the name of its folder tells. Throws an input error where there
/// are none.
[[nodiscard]] CubeCampaign arrange_cube_file(const std::string& file, ExperimentBuilder& builder);

}  // namespace plimsoll::experiment::detail
