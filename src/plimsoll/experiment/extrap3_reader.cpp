#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/experiment/detail/binary_reader.hpp"
#include "plimsoll/experiment/detail/cube_unit.hpp"
#include "plimsoll/experiment/detail/extrap3_models.hpp"
#include "plimsoll/experiment/detail/formats.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::string_view mark = "EXTRAP_EXPERIMENT";
constexpr std::string_view little_start{"\x01\x00\x11\x00\x00\x00", 6};
constexpr std::string_view big_start{"\x00\x01\x00\x00\x00\x11", 6};
constexpr std::size_t longest_path = std::size_t{1} << 16U;  // a chain of call paths must not fill the memory

/// One pass over the records. What a record refers to by its id comes before it in the file.
class Extrap3File {
  public:
    Extrap3File(Input& input, ExperimentBuilder& builder)
        : reader_(input), models_(reader_), builder_(&builder), place_(reader_.place()) {}

    void read() {
        read_header();
        while (!reader_.at_end()) read_record(reader_.text());
    }

  private:
    struct CallPath {
        std::int64_t region;
        std::int64_t parent;
        std::string path;  ///< empty until a measurement asks for it
    };

    void read_header();
    void read_record(const std::string& type);
    void read_region();
    void read_coordinate();
    void read_point();
    const std::string& path_of(std::int64_t id);

    template <class Map>
    auto& find(Map& map, std::int64_t id, std::string_view kind) {
        const auto found = map.find(id);
        if (found == map.end()) reader_.fail(fmt::format("there is no {} with the id {}", kind, id));
        return found->second;
    }

    BinaryReader reader_;
    ModelSkipper models_;
    ExperimentBuilder* builder_;
    Place place_;
    std::vector<std::string> parameters_;
    bool parameters_are_set_ = false;
    std::unordered_map<std::int64_t, MetricId> metrics_;
    std::unordered_map<std::int64_t, std::string> regions_;
    std::unordered_map<std::string, int> region_names_;  ///< with the number of the last double
    std::unordered_map<std::int64_t, CallPath> call_paths_;
    std::unordered_map<std::int64_t, std::vector<double>> coordinates_;
};

void Extrap3File::read_header() {
    const std::string_view start = reader_.peek(little_start.size() + mark.size());
    const bool is_big = start.starts_with(big_start);
    if ((!is_big && !start.starts_with(little_start)) || !start.ends_with(mark)) {
        throw Error(ErrorKind::input, place_, "this is not an experiment file of Extra-P 3",
                    "leave --format out, and the format is detected");
    }
    reader_.set_order(is_big ? std::endian::big : std::endian::little);
    reader_.skip(2);
    (void)reader_.text();
    (void)reader_.text();  // version
}

void Extrap3File::read_record(const std::string& type) {
    if (type == "ExperimentPoint") {
        read_point();
    } else if (type == "Parameter") {
        (void)reader_.integer();
        if (parameters_are_set_) reader_.fail("a parameter is defined behind the first coordinate");
        parameters_.push_back(reader_.text());
    } else if (type == "Metric") {
        const std::int64_t id = reader_.integer();
        const MetricId metric = builder_->metric(reader_.text());
        builder_->set_unit(metric, unit_from_cube(reader_.text()));
        metrics_[id] = metric;
    } else if (type == "Region") {
        read_region();
    } else if (type == "Callpath") {
        const std::int64_t id = reader_.integer();
        const std::int64_t region = reader_.integer();
        call_paths_[id] = {.region = region, .parent = reader_.integer(), .path = {}};
    } else if (type == "Coordinate") {
        read_coordinate();
    } else if (!models_.skip(type)) {
        reader_.fail(fmt::format("a record of the unknown type '{}'", type));
    }
}

/// Regions of equal name in different files or lines are different regions: the later ones are numbered.
void Extrap3File::read_region() {
    const std::int64_t id = reader_.integer();
    const std::string name = reader_.text();
    (void)reader_.text();     // source file
    (void)reader_.integer();  // line
    std::string unique = name;
    while (!region_names_.emplace(unique, 0).second)
        unique = fmt::format("{} #{}", name, ++region_names_[name]);
    regions_[id] = std::move(unique);
}

void Extrap3File::read_coordinate() {
    if (!parameters_are_set_) {
        builder_->set_parameters(parameters_, place_);
        parameters_are_set_ = true;
    }
    std::vector<double>& coordinate = coordinates_[reader_.integer()];
    coordinate.assign(parameters_.size(), std::numeric_limits<double>::quiet_NaN());
    const std::uint64_t count = reader_.count();
    if (count != parameters_.size()) {
        reader_.fail(fmt::format("a coordinate has {} values for {}", count,
                                 counted(parameters_.size(), "parameter")));
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string name = reader_.text();
        const auto found = std::find(parameters_.begin(), parameters_.end(), name);
        if (found == parameters_.end()) reader_.fail(fmt::format("there is no parameter '{}'", name));
        coordinate[static_cast<std::size_t>(found - parameters_.begin())] = reader_.number();
    }
}

/// The path of a call path and of all those above it that have none yet, from the top down.
const std::string& Extrap3File::path_of(std::int64_t id) {
    std::vector<CallPath*> missing;
    const std::string* above = nullptr;
    std::int64_t at = id;
    do {
        CallPath& call_path = find(call_paths_, at, "call path");
        if (!call_path.path.empty()) {
            above = &call_path.path;
            break;
        }
        missing.push_back(&call_path);
        if (missing.size() > call_paths_.size()) reader_.fail("a call path is its own parent");
        at = call_path.parent;
    } while (at != -1);
    for (std::size_t i = missing.size(); i-- > 0;) {
        const std::string& region = find(regions_, missing[i]->region, "region");
        missing[i]->path = above == nullptr ? region : path_below(*above, region);
        above = &missing[i]->path;
        if (above->size() > longest_path)
            reader_.fail(fmt::format("a call path exceeds {} bytes", longest_path));
    }
    return *above;
}

void Extrap3File::read_point() {
    const std::vector<double>& coordinate = find(coordinates_, reader_.integer(), "coordinate");
    const std::int64_t samples = reader_.integer();
    numeric::Summary summary;
    summary.mean = reader_.number();
    reader_.skip(16);  // confidence interval of the mean
    summary.deviation = reader_.number();
    summary.median = reader_.number();
    reader_.skip(16);  // confidence interval of the median
    summary.minimum = reader_.number();
    summary.maximum = reader_.number();
    const MetricId metric = find(metrics_, reader_.integer(), "metric");
    const RegionId region = builder_->region(path_of(reader_.integer()));
    const bool complete =
        std::isfinite(summary.minimum) && std::isfinite(summary.maximum) && std::isfinite(summary.deviation);
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    builder_->add_summary(builder_->series(region, metric), builder_->point(coordinate, place_), summary,
                          complete, static_cast<std::uint32_t>(std::clamp<std::int64_t>(samples, 0, most)),
                          place_);
}

}  // namespace

bool is_extrap3(const Probe& probe) {
    const std::string_view start = probe.head.substr(0, little_start.size() + mark.size());
    return (start.starts_with(little_start) || start.starts_with(big_start)) && start.ends_with(mark);
}

void read_extrap3(Input& input, ExperimentBuilder& builder, const ReadOptions& /*options*/) {
    Extrap3File(input, builder).read();
}

}  // namespace plimsoll::experiment::detail
