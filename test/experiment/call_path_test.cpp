#include "plimsoll/experiment/call_path.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace plimsoll::experiment {
namespace {

std::vector<std::string> levels_of(std::string_view path) {
    std::vector<std::string> levels;
    for (std::size_t at = find_arrow(path); at != std::string_view::npos; at = find_arrow(path)) {
        levels.emplace_back(path.substr(0, at));
        path.remove_prefix(at + arrow.size());
    }
    levels.emplace_back(path);
    return levels;
}

TEST(CallPath, IsSplitAtItsArrows) {
    EXPECT_EQ(levels_of("main"), (std::vector<std::string>{"main"}));
    EXPECT_EQ(levels_of("main->solve->exchange"), (std::vector<std::string>{"main", "solve", "exchange"}));
    EXPECT_EQ(levels_of(""), (std::vector<std::string>{""}));
    EXPECT_EQ(levels_of("a->->b"), (std::vector<std::string>{"a", "", "b"}));
}

TEST(CallPath, LeavesTheArrowOfAnOperatorToItsName) {
    for (const std::string name : {"operator->", "operator->*", "Pointer<T>::operator->",
                                   "std::optional<A>::operator->()", "T& Field<T>::operator->*(int) const"}) {
        SCOPED_TRACE(name);
        EXPECT_EQ(levels_of(name), (std::vector<std::string>{name}));
        EXPECT_EQ(levels_of("main->" + name), (std::vector<std::string>{"main", name}));
        EXPECT_EQ(levels_of("main->" + name + "->x"), (std::vector<std::string>{"main", name, "x"}));
        EXPECT_EQ(levels_of(name + "->" + name), (std::vector<std::string>{name, name}));
    }
}

TEST(CallPath, TakesTheWordOperatorForAnyOther) {
    EXPECT_EQ(levels_of("operator->x"), (std::vector<std::string>{"operator", "x"}));
    EXPECT_EQ(levels_of("my_operator->"), (std::vector<std::string>{"my_operator", ""}));
    EXPECT_EQ(levels_of("operator->*x"), (std::vector<std::string>{"operator", "*x"}));
}

TEST(CallPath, IsPutTogetherAsItIsTakenApart) {
    EXPECT_EQ(path_below("main", "operator->"), "main->operator->");
    EXPECT_EQ(path_above("main"), "");
    EXPECT_EQ(path_above("main->solve->exchange"), "main->solve");
    EXPECT_EQ(path_above("main->operator->"), "main");
    EXPECT_EQ(path_above("main->operator->->x"), "main->operator->");
}

TEST(CallPath, IsGuessedFromAPartOfIt) {
    const std::vector<std::string> regions{"main", "main->solve", "main->solve->halo", "main->halo wait"};
    EXPECT_EQ(meant_regions("halo", regions), "*halo");
    EXPECT_EQ(meant_regions("main->slove", regions), "main->solve");
    EXPECT_EQ(meant_regions("wait", regions), "*wait*");
    EXPECT_EQ(meant_regions("checkpoint", regions), std::nullopt);
    EXPECT_EQ(meant_regions("", regions), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::experiment
