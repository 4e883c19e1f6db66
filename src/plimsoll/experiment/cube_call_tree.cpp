#include "plimsoll/experiment/detail/cube_call_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "plimsoll/experiment/call_path.hpp"

namespace plimsoll::experiment::detail {

std::span<const std::uint32_t> CubeCallTree::children(std::uint32_t node) const {
    const auto begin =
        std::ranges::lower_bound(by_parent, node, {}, [&](std::uint32_t n) { return parent_of[n]; });
    const auto end =
        std::find_if(begin, by_parent.end(), [&](std::uint32_t n) { return parent_of[n] != node; });
    const bool is_root = parent_of[node] == node;  // which then stands first among those whose parent it is
    return std::span<const std::uint32_t>(begin, end).subspan(is_root ? 1 : 0);
}

std::uint32_t CubeTreeBuilder::path(std::optional<std::uint32_t> parent, std::string_view region) {
    const auto region_number =
        region_numbers_.emplace(region, static_cast<std::uint32_t>(region_numbers_.size())).first->second;
    const std::uint64_t key = (std::uint64_t{parent ? *parent + 1 : 0} << 32U) | region_number;
    const auto [found, is_new] = paths_.emplace(key, static_cast<std::uint32_t>(path_list_.size()));
    if (is_new) {
        const std::size_t length = (parent ? path_list_[*parent].length + arrow.size() : 0) + region.size();
        path_list_.push_back({.parent = parent, .region = region, .length = length});
        text_size_ += length;
        if (text_size_ > text_limit_) {
            throw Error(
                ErrorKind::input, place_,
                fmt::format("the call tree is too deep: its call paths take more than {} bytes", text_limit_),
                "measure with a limit on the depth of the call tree");
        }
    }
    return found->second;
}

std::uint32_t CubeTreeBuilder::add(std::optional<std::uint32_t> parent, std::string_view region) {
    const auto node = static_cast<std::uint32_t>(tree_.size());
    const auto parent_path = parent ? std::optional(tree_.path_of[*parent]) : std::nullopt;
    tree_.path_of.push_back(path(parent_path, region));
    tree_.parent_of.push_back(parent.value_or(node));
    return node;
}

CubeCallTree CubeTreeBuilder::finish() {
    tree_.by_parent.resize(tree_.size());
    std::iota(tree_.by_parent.begin(), tree_.by_parent.end(), std::uint32_t{0});
    std::ranges::stable_sort(tree_.by_parent, {}, [&](std::uint32_t node) { return tree_.parent_of[node]; });
    for (const Path& path : path_list_) {
        std::string text;
        text.reserve(path.length);
        if (path.parent) text.append(tree_.paths[*path.parent]).append(arrow);
        tree_.paths.push_back(std::move(text.append(path.region)));
    }
    path_list_.clear();
    paths_.clear();
    region_numbers_.clear();
    return std::exchange(tree_, {});
}

}  // namespace plimsoll::experiment::detail
