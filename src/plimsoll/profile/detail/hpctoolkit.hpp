#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plimsoll/core/input.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/hpctoolkit_tree.hpp"

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
    /// Reads `experiment.xml`, which outlives the reader.
    HpctoolkitReader(Input& experiment, Sink& sink);

    /// Reads the values of one thread, the next location of the run.
    void read_values(Input& input, const HpctoolkitThread& thread);

    /// Hands the run over. Where no values were read, it takes those that `experiment.xml` has.
    void finish();

  private:
    void add(const HpctoolkitTree::Node& node, HpctoolkitTree::Column& column, double value,
             std::uint32_t location);
    void count_processes();

    const Input* experiment_;
    Sink* sink_;
    Part part_;
    HpctoolkitTree tree_;
    std::vector<std::int64_t> ranks_;
    std::uint32_t threads_ = 0;
};

}  // namespace plimsoll::profile::detail
