#include "plimsoll/experiment/call_tree.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/text.hpp"

namespace plimsoll::experiment {
namespace {

Experiment with_regions(std::initializer_list<std::string> paths) {
    Experiment experiment;
    for (const std::string& path : paths) experiment.regions.push_back({.path = path, .tags = {}});
    return experiment;
}

std::vector<std::string> names_of(const CallTree& tree, std::span<const std::size_t> nodes) {
    std::vector<std::string> names;
    for (const std::size_t node : nodes) names.push_back(tree.nodes[node].name);
    return names;
}

std::string path_of(const CallTree& tree, std::size_t node) {
    std::string path = tree.nodes[node].name;
    for (std::size_t parent = tree.nodes[node].parent; parent != 0; parent = tree.nodes[parent].parent) {
        path = tree.nodes[parent].name + "->" + path;
    }
    return path;
}

TEST(CallTree, LeadsFromEachRegionBackToItsPath) {
    const Experiment experiment = with_regions({"main", "main->a->b", "other->x", "main->c", "main->a", ""});
    const CallTree tree = build_call_tree(experiment);
    ASSERT_EQ(tree.node_of.size(), experiment.regions.size());
    for (std::size_t i = 0; i < experiment.regions.size(); ++i) {
        EXPECT_EQ(path_of(tree, tree.node_of[i]), experiment.regions[i].path);
        EXPECT_EQ(tree.nodes[tree.node_of[i]].region, static_cast<RegionId>(i));
    }
}

TEST(CallTree, TakesTheArrowOfAnOperatorForAPartOfItsName) {
    const CallTree tree =
        build_call_tree(with_regions({"main", "main->operator->", "main->operator->->copy"}));
    EXPECT_EQ(tree.nodes.size(), 4U);
    EXPECT_EQ(tree.nodes[tree.node_of[1]].name, "operator->");
    EXPECT_EQ(tree.nodes[tree.node_of[2]].name, "copy");
    EXPECT_EQ(tree.nodes[tree.node_of[2]].parent, tree.node_of[1]);
}

TEST(CallTree, HasANodeForAPrefixThatIsNoRegion) {
    const CallTree tree = build_call_tree(with_regions({"main", "main->a->b", "other->x"}));
    ASSERT_EQ(tree.nodes.size(), 6U);
    const auto a = tree.nodes[tree.node_of[1]].parent;
    EXPECT_EQ(tree.nodes[a].name, "a");
    EXPECT_FALSE(tree.nodes[a].region.has_value());
    EXPECT_EQ(tree.nodes[a].parent, tree.node_of[0]);
}

TEST(CallTree, KeepsChildrenInOrderOfFirstAppearance) {
    const CallTree tree = build_call_tree(with_regions({"m->z->1", "n", "m->a", "m->z", "m->b", "a"}));
    EXPECT_EQ(names_of(tree, tree.nodes[0].children), (std::vector<std::string>{"m", "n", "a"}));
    const std::size_t m = tree.nodes[0].children[0];
    EXPECT_EQ(names_of(tree, tree.nodes[m].children), (std::vector<std::string>{"z", "a", "b"}));
}

TEST(CallTree, PutsParentsBeforeTheirChildren) {
    const CallTree tree = build_call_tree(with_regions({"a->b->c->d", "a->x", "e->f", "a->b"}));
    EXPECT_EQ(tree.nodes[0].parent, 0U);
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) EXPECT_LT(tree.nodes[i].parent, i);
}

TEST(CallTree, GivesARegionNamedTwiceTheNodeOfTheFirst) {
    const CallTree tree = build_call_tree(with_regions({"a", "a"}));
    EXPECT_EQ(tree.node_of[0], tree.node_of[1]);
    EXPECT_EQ(tree.nodes[tree.node_of[0]].region, RegionId{0});
}

TEST(CallTree, TakesAPathOfAHundredThousandLevels) {
    constexpr std::size_t levels = 100'000;
    std::string path = "f";
    for (std::size_t i = 1; i < levels; ++i) path += "->f";
    const CallTree tree = build_call_tree(with_regions({path}));
    EXPECT_EQ(tree.nodes.size(), levels + 1);
    EXPECT_EQ(tree.node_of[0], levels);
}

TEST(CallTree, OfNoRegionIsTheRootAlone) {
    const CallTree tree = build_call_tree(Experiment{});
    EXPECT_EQ(tree.nodes.size(), 1U);
    EXPECT_TRUE(tree.node_of.empty());
}

}  // namespace
}  // namespace plimsoll::experiment
