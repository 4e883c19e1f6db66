#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/input.hpp"
#include "plimsoll/profile/detail/formats.hpp"

namespace plimsoll::profile::detail {

/// The process and thread that a file of values is of.
struct HpctoolkitThread {
    std::int64_t rank = 0;
    std::int64_t thread = 0;
    bool operator<(const HpctoolkitThread& other) const {
        return rank != other.rank ? rank < other.rank : thread < other.thread;
    }
};

/// That of `1.cpi-000002-000-a8c00270-160445-0.metric-db`: rank 2, thread 0.
[[nodiscard]] std::optional<HpctoolkitThread> hpctoolkit_thread(std::string_view file);

/// Reads one database: `experiment.xml` with the call tree, and a file of values for each thread.
class HpctoolkitReader {
  public:
    /// Reads `experiment.xml`.
    HpctoolkitReader(Input& experiment, Sink& sink);

    /// Reads the values of one thread, the next location of the run.
    void read_values(Input& input, const HpctoolkitThread& thread);

    /// Hands the run over. Where no values were read, it takes those that `experiment.xml` has.
    void finish();

  private:
    /// What a column of numbers means.
    struct Column {
        std::uint32_t id = 0;  ///< in the file of values or in the XML
        std::string name;
        std::string unit;
        double factor = 1.0;
        bool is_inclusive = false;
        std::uint32_t location = 0;
        experiment::MetricId metric{};
    };
    /// A node of the call tree that has values.
    struct Node {
        std::uint64_t id = 0;         ///< counted from 1
        std::uint32_t procedure = 0;  ///< in `procedures_`
        bool has_inclusive = false;   ///< a procedure
        bool has_exclusive = false;   ///< a statement, or a procedure where no statements are there
    };
    struct Procedure {
        std::string path;
        std::optional<experiment::RegionId> region;  ///< once it has a value
    };
    struct Document;  ///< of the XML parser

    void read_columns(const Document& document);
    void read_nodes(const Document& document);
    void add(const Node& node, const Column& column, double value, std::uint32_t location);
    static std::vector<Column> named(std::vector<Column> columns);

    Sink* sink_;
    Part part_;
    std::vector<Column> columns_;         ///< of the files of values
    std::vector<Column> summed_columns_;  ///< of the XML
    std::vector<Procedure> procedures_;
    std::vector<Node> nodes_;  ///< in the order of their ids
    struct Sum {
        Node node;
        std::uint32_t column;  ///< in `summed_columns_`
        double value;
    };
    std::vector<Sum> sums_;
    std::vector<std::int64_t> ranks_;
    std::uint32_t threads_ = 0;
};

}  // namespace plimsoll::profile::detail
