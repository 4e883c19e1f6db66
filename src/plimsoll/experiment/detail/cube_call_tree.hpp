#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"

namespace plimsoll::experiment::detail {

/// The call tree of a profile. Its nodes stand in pre-order, which is how exclusive metrics count them.
struct CubeCallTree {
    std::vector<std::string> paths;        ///< distinct ones, in order of first appearance: `main->solve`
    std::vector<std::uint32_t> path_of;    ///< of each node; several nodes may have one path
    std::vector<std::uint32_t> parent_of;  ///< of each node; a root is its own parent
    /// All nodes in the order of their parents, so that siblings stand together: how inclusive metrics count
    /// them.
    std::vector<std::uint32_t> by_parent;

    [[nodiscard]] std::size_t size() const { return path_of.size(); }
    /// Children of a node, in order.
    [[nodiscard]] std::span<const std::uint32_t> children(std::uint32_t node) const;
};

/// Makes a call tree of nodes that come in pre-order.
class CubeTreeBuilder {
  public:
    /// `text_limit` bounds the length of all paths together, in bytes: a deep tree could ask for far more
    /// memory than its file takes.
    CubeTreeBuilder(Place place, std::size_t text_limit)
        : place_(std::move(place)), text_limit_(text_limit) {}

    /// Adds a node, a root where there is no parent. The name must live as long as the builder. Throws an
    /// input error where the limit is passed.
    std::uint32_t add(std::optional<std::uint32_t> parent, std::string_view region);

    /// The tree; the builder is then empty.
    [[nodiscard]] CubeCallTree finish();

  private:
    struct Path {
        std::optional<std::uint32_t> parent;
        std::string_view region;
        std::size_t length;
    };
    std::uint32_t path(std::optional<std::uint32_t> parent, std::string_view region);

    Place place_;
    std::size_t text_limit_;
    std::size_t text_size_ = 0;
    CubeCallTree tree_;  ///< without the paths' texts, which are made once their size is known
    std::vector<Path> path_list_;
    std::unordered_map<std::string_view, std::uint32_t> region_numbers_;
    std::unordered_map<std::uint64_t, std::uint32_t> paths_;  ///< by parent's path and region
};

}  // namespace plimsoll::experiment::detail
