#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::experiment::detail {

/// A JSON document of the old form: lists of definitions with ids, and measurements that refer to them.
///
/// Ids need neither begin at 1 nor follow each other. Measurements that come before the definitions are held
/// until these are known. Errors name the line of the definition or measurement.
class OldForm {
  public:
    struct Definition {
        double id = 0.0;
        std::string name;
        std::uint64_t line = 0;
    };
    struct Pair {
        double parameter = 0.0;
        double value = 0.0;
    };
    struct Row {
        double coordinate = 0.0;
        double callpath = 0.0;
        double metric = 0.0;
        double value = 0.0;
        std::uint64_t line = 0;
    };
    /// The lists of definitions, as bits.
    enum List : unsigned { parameters = 1, callpaths = 2, metrics = 4, coordinates = 8, all_lists = 15 };

    OldForm(ExperimentBuilder& builder, const std::string& file) : builder_(&builder), place_{.file = file} {}

    void define_parameter(Definition definition) { parameters_.push_back(std::move(definition)); }
    void define_callpath(Definition definition) { callpaths_.push_back(std::move(definition)); }
    void define_metric(Definition definition) { metrics_.push_back(std::move(definition)); }
    void define_coordinate(double id, const std::vector<Pair>& pairs, std::uint64_t line);
    void end_list(List list) { ended_ |= list; }

    void add(const Row& row);

    /// The document has ended. Throws where a list is missing.
    void finish(std::uint64_t line);

  private:
    struct Coordinate {
        double id;
        std::size_t first;  // of its pairs
        std::size_t count;
        std::uint64_t line;
    };

    void resolve_definitions();
    void resolve_coordinate(const Coordinate& coordinate, std::vector<double>& values);
    void resolve(const Row& row);
    const Place& at(std::uint64_t line);
    [[noreturn]] void fail(std::uint64_t line, std::string message, std::string hint);

    ExperimentBuilder* builder_;
    Place place_;  // of what is resolved now
    std::vector<Definition> parameters_;
    std::vector<Definition> callpaths_;
    std::vector<Definition> metrics_;
    std::vector<Coordinate> coordinates_;
    std::vector<Pair> pairs_;
    std::vector<Row> held_;
    unsigned ended_ = 0;
    bool is_resolved_ = false;
    // What the definitions have become, in the order of their ids.
    std::vector<RegionId> region_ids_;
    std::vector<MetricId> metric_ids_;
    std::vector<PointId> point_ids_;
};

}  // namespace plimsoll::experiment::detail
