#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "plimsoll/profile/detail/formats.hpp"

namespace plimsoll::profile::detail {

/// Makes a profile of the events of a trace: for each call path and location its own time, that with all
/// below it, its visits, and what was counted in it.
///
/// Events come location by location, those of each in the order of their time. Memory grows with call paths
/// and locations, not with events.
class EventProfile {
  public:
    /// `ticks_per_second` is that of all times given. The part takes the values.
    EventProfile(Sink& sink, Part& part, double ticks_per_second);

    /// The number of a region's name.
    std::uint32_t name(std::string_view text);

    /// What the values of a counter say.
    enum class Counting {
        since_start,  ///< how much there was since the measurement began
        since_last,   ///< how much there was since the value before
    };
    /// The number of a counter; its values times `factor` are in the unit. Counters of one name, such as
    /// those of many devices, each go on from their own last value and are added up.
    std::uint32_t counter(std::string_view name, std::string_view unit, Counting counting, double factor);

    void begin_location(std::uint32_t location);
    void enter(std::uint64_t time, std::uint32_t name);
    /// Ends the innermost region of this name, and those within it; what was not entered is not left.
    void leave(std::uint64_t time, std::uint32_t name);
    /// A counter's value, taken before the event that it stands in front of: what was counted since belongs
    /// to the region that is open.
    void count(std::uint32_t counter, double value);
    /// Bytes that the open region has sent or received.
    void transfer(std::uint64_t bytes);
    /// Ends what is still open, and hands the location's values over.
    void end_location();

    /// Notes what was odd in the trace.
    void finish();

  private:
    struct Node {
        std::uint32_t level = 0;
        std::optional<experiment::RegionId> region;
        std::string path;
    };
    struct Values {  ///< of a node at the location in hand
        std::uint64_t own = 0;
        std::uint64_t inclusive = 0;
        std::uint64_t visits = 0;
        double bytes = 0.0;
        std::vector<double> counted;  ///< by quantity; may be shorter
        bool is_used = false;
    };
    struct Frame {
        std::uint32_t node;
        std::uint32_t name;
        std::uint64_t begin;
        bool is_folded;
    };
    /// What counters of one name count together.
    struct Quantity {
        std::string name;
        std::string unit;
        double factor;
    };
    struct Counter {
        std::uint32_t quantity;  ///< in `quantities_`
        Counting counting;
        std::uint64_t read_at = 0;  ///< the location at which `last` was, counted from 1
        double last = 0.0;
    };

    void advance(std::uint64_t time);
    void close(std::uint64_t time);
    Values& values(std::uint32_t node);
    [[noreturn]] void fail(const std::string& what) const;

    Sink* sink_;
    Part* part_;
    double ticks_per_second_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::uint32_t> name_ids_;
    std::vector<Quantity> quantities_;
    std::map<std::tuple<std::string, std::string, double>, std::uint32_t> quantity_ids_;
    std::vector<Counter> counters_;
    std::uint64_t locations_ = 0;  ///< begun so far
    std::vector<Node> nodes_;
    std::unordered_map<std::uint64_t, std::uint32_t> node_below_;  ///< of node and name
    std::vector<Values> values_;                                   ///< by node
    std::vector<std::uint32_t> used_;                              ///< nodes with values
    std::vector<Frame> open_;
    std::uint32_t location_ = 0;
    std::optional<std::uint64_t> last_time_;
    std::size_t not_left_ = 0;
    std::size_t not_entered_ = 0;
    std::size_t counted_back_ = 0;
    bool is_folded_ = false;
};

}  // namespace plimsoll::profile::detail
