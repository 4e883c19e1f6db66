#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plimsoll/experiment/detail/cube_call_tree.hpp"

namespace plimsoll::experiment::detail {

/// How a metric's values are stored.
enum class CubeStorage {
    exclusive,  ///< of a node alone
    inclusive,  ///< of a node and all below it
    other       ///< computed from other metrics, or in a way that is not known here: no values to read
};

struct CubeMetric {
    std::string id;    ///< names its files: `ID.index`, `ID.data`
    std::string name;  ///< Cube's unique name
    std::string unit;
    std::string value_type;    ///< as the file spells it: `DOUBLE`, `UINT64`
    std::string storage_name;  ///< as the file spells it: `EXCLUSIVE`, `POSTDERIVED`
    CubeStorage storage = CubeStorage::other;
};

/// What anchor.xml says: what was measured, where in the program, and in how many processes and threads.
struct CubeAnchor {
    std::vector<CubeMetric> metrics;  ///< children behind their parents
    CubeCallTree tree;
    std::size_t location_count = 0;  ///< processes and threads: the columns of the data
};

/// Reads anchor.xml, plain or compressed by gzip, of the profile `file`.
///
/// Throws an input error where it is not well-formed, is of something else, lacks a name or refers to a
/// region that is not there.
[[nodiscard]] CubeAnchor read_cube_anchor(std::string anchor, const std::string& file);

}  // namespace plimsoll::experiment::detail
