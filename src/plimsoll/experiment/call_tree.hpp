#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/experiment/experiment.hpp"

namespace plimsoll::experiment {

/// The tree that the paths of the regions span. A prefix of a path that was not measured is a node as well.
struct CallTree {
    struct Node {
        std::string name;                   ///< last piece of the path
        std::optional<RegionId> region;     ///< empty where the prefix is no region
        std::size_t parent = 0;             ///< the root is its own parent
        std::vector<std::size_t> children;  ///< in order of first appearance
    };
    std::vector<Node> nodes;           ///< nodes[0] is the root, which has no name
    std::vector<std::size_t> node_of;  ///< node of each region
};

[[nodiscard]] CallTree build_call_tree(const Experiment& experiment);

}  // namespace plimsoll::experiment
