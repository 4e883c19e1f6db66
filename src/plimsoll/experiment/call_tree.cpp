#include "plimsoll/experiment/call_tree.hpp"

#include <functional>
#include <unordered_map>

#include "plimsoll/experiment/call_path.hpp"

namespace plimsoll::experiment {

namespace {

/// A child by its parent and name, so that the work grows with the length of the paths and not its square.
struct Step {
    std::size_t parent;
    std::string_view name;
    friend bool operator==(const Step&, const Step&) = default;
};

struct StepHash {
    std::size_t operator()(const Step& step) const {
        return std::hash<std::string_view>{}(step.name) ^ (step.parent * 0x9E3779B97F4A7C15U);
    }
};

}  // namespace

CallTree build_call_tree(const Experiment& experiment) {
    CallTree tree;
    const std::size_t count = experiment.regions.size();
    tree.nodes.reserve(count + 1);
    tree.nodes.emplace_back();
    tree.node_of.reserve(count);
    std::unordered_map<Step, std::size_t, StepHash> children(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::string_view rest = experiment.regions[i].path;
        std::size_t node = 0;
        for (bool is_last = false; !is_last;) {
            const std::size_t end = find_arrow(rest);
            is_last = end == std::string_view::npos;
            const std::string_view name = rest.substr(0, end);
            const auto [found, is_new] = children.try_emplace({node, name}, tree.nodes.size());
            if (is_new) {
                tree.nodes[node].children.push_back(found->second);
                tree.nodes.push_back(
                    {.name = std::string(name), .region = {}, .parent = node, .children = {}});
            }
            node = found->second;
            if (!is_last) rest.remove_prefix(end + arrow.size());
        }
        if (!tree.nodes[node].region) tree.nodes[node].region = static_cast<RegionId>(i);
        tree.node_of.push_back(node);
    }
    return tree;
}

}  // namespace plimsoll::experiment
