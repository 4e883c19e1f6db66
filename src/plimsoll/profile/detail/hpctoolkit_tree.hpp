#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/core/input.hpp"
#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::profile::detail {

/// What `experiment.xml` of a database says: the call tree, and what its numbers mean.
struct HpctoolkitTree {
    /// What a column of numbers means.
    struct Column {
        std::uint32_t id = 0;  ///< in the files of values or in the XML
        std::string name;
        std::string unit;
        double factor = 1.0;
        bool is_inclusive = false;
        std::optional<experiment::MetricId> metric;  ///< once it has a value
    };
    static constexpr std::uint32_t none = 0xffffffff;
    struct Procedure {
        std::uint32_t above = none;                  ///< its caller in `procedures`
        std::uint32_t name = 0;                      ///< in `names`
        std::optional<experiment::RegionId> region;  ///< once it has a value
    };
    /// A node of the call tree that may have values.
    struct Node {
        std::uint64_t id = 0;         ///< counted from 1
        std::uint32_t procedure = 0;  ///< in `procedures`
        bool is_statement = false;
        bool has_inclusive = false;  ///< a procedure that is not folded into one above it
        bool has_exclusive = false;  ///< a statement, or a procedure where no statements are there
    };
    /// A value in the XML, which is that of all threads together.
    struct Sum {
        Node node;
        std::uint32_t column = 0;  ///< in `summed_columns`
        double value = 0.0;
    };

    std::string program;
    std::vector<Column> columns;  ///< of the files of values
    std::vector<Column> summed_columns;
    std::vector<std::string> names;
    std::vector<Procedure> procedures;
    std::vector<Node> nodes;  ///< in the order of their ids
    std::vector<Sum> sums;
    bool is_folded = false;  ///< procedures beyond `most_levels` count for the one there

    /// The path of a procedure below its callers.
    [[nodiscard]] std::string path(std::uint32_t procedure) const;
};

/// One thing to do about a damaged database.
inline constexpr const char* hpctoolkit_hint = "copy the whole database, as hpcprof or hpcprof-mpi wrote it";

/// Reads `experiment.xml`. Throws an input error with the line of what is damaged.
[[nodiscard]] HpctoolkitTree read_hpctoolkit_tree(Input& input);

}  // namespace plimsoll::profile::detail
