#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::profile {

/// How further values of the same region, metric and process join the first.
enum class Joining { sum, smallest, largest, last };

/// What a file tells of one run, or of some of its processes.
///
/// A run whose processes write a file each consists of several parts: those in the same folder, or whose
/// paths differ in the rank alone, with the same `run` and step, each with its rank and thread.
class Part {
  public:
    struct Value {
        experiment::RegionId region{};
        experiment::MetricId metric{};
        std::uint32_t location = 0;  ///< of processes and threads, numbered within the part
        double value = 0.0;
        bool operator==(const Value&) const = default;
    };

    /// A step of several that a profile tells of in their order: a run by itself.
    struct Step {
        std::string kind;         ///< those of one kind are alike
        std::int64_t number = 0;  ///< the same in all processes
        double begin = 0.0;       ///< orders the steps of a process
        double duration = 0.0;    ///< s
    };

    Place place;                                             ///< where it comes from
    std::vector<std::pair<std::string, double>> parameters;  ///< that the file itself states, in its order
    std::map<std::string, std::string> metadata;             ///< texts as the file has them
    std::optional<std::int64_t> processes;                   ///< of the whole run
    std::optional<std::int64_t> rank;                        ///< of the one process that this is
    std::int64_t thread = 0;                                 ///< of it, where each has a part
    bool is_rank_guessed = false;  ///< by its place among others of the file: what else says it counts more
    bool is_inclusive = false;     ///< its regions hold the values of their whole sub-trees
    std::optional<Step> step;      ///< that it is, where it is one
    std::string run;               ///< tells runs of the same files apart
    std::string identity;          ///< of a run that several files may tell of, such as a job; empty: none

    void add(experiment::RegionId region, experiment::MetricId metric, double value,
             std::uint32_t location = 0, Joining joining = Joining::sum);

    /// In order of arrival.
    [[nodiscard]] const std::vector<Value>& values() const { return values_; }

  private:
    struct Key {
        std::uint64_t series;
        std::uint32_t location;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    std::vector<Value> values_;
    std::unordered_map<Key, std::size_t, Hash> places_;
};

}  // namespace plimsoll::profile
