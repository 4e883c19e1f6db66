#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::test {

/// A node of a call tree; nodes stand in pre-order.
struct CubeNode {
    std::string region;
    int parent = -1;  ///< position of the caller, -1 for a root
};

struct CubeTestMetric {
    std::string name;
    std::string type = "EXCLUSIVE";
    std::string data_type = "DOUBLE";
    std::string unit = "sec";
    /// Exclusive values, [nodes x locations]; a node without values is not written. Those of an INCLUSIVE
    /// metric are summed up over the sub-trees on writing. Without any row the metric gets no files.
    std::vector<std::vector<double>> values;
    std::vector<CubeTestMetric> children;  ///< in the tree of metrics
};

/// A Cube profile to be written, with the ways in which such files differ.
struct CubeTestProfile {
    std::vector<CubeNode> nodes;
    std::size_t ranks = 1;
    std::size_t threads = 1;  ///< of each rank
    std::vector<CubeTestMetric> metrics;
    bool compressed = false;
    bool compressed_anchor = false;
    bool big_endian = false;
    bool all_nodes_listed = false;      ///< the index lists no nodes; each node must have values
    bool wrong_checksums = false;       ///< of the tar headers, as CubeWriter 4.8
    bool streams_reversed = false;      ///< compressed rows lie in the opposite order
    bool early_block_of_zeros = false;  ///< behind each member, as where one fills its last block
    std::string member_prefix;          ///< such as `./`
};

/// A member of a tar archive.
struct TarMember {
    std::string name;
    std::string content;
};

[[nodiscard]] std::string tar_archive(const std::vector<TarMember>& members,
                                      const CubeTestProfile& ways = {});

/// The members of the profile: anchor.xml last, as Score-P writes it.
[[nodiscard]] std::vector<TarMember> cube_members(const CubeTestProfile& profile);

/// The profile as the bytes of a .cubex file.
[[nodiscard]] std::string cube_archive(const CubeTestProfile& profile);

}  // namespace plimsoll::test
