#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plimsoll/experiment/experiment.hpp"

namespace plimsoll::experiment {

/// A (region, metric) pair of a builder.
enum class SeriesId : std::uint32_t {};

/// Collects measurements in any order, from any number of files, into one experiment.
///
/// Values for a (region, metric, point) that is there already are further repetitions of it. Values that
/// are not finite are left out with a note. Memory grows with the distinct measurements and their values.
class ExperimentBuilder {
  public:
    /// Opens a file whose points are given in the order of `names`; the place is for messages.
    ///
    /// The first file decides the parameters and their order; a later one must have the same names, in any
    /// order, else an input error is thrown. May be called again within a file with the same names.
    void set_parameters(std::span<const std::string> names, const Place& place);
    [[nodiscard]] bool has_parameters() const { return !experiment_.parameters.empty(); }

    /// The point with these coordinates, in the order of the names given last. Throws an input error
    /// where their number is wrong or one is not finite.
    PointId point(std::span<const double> coordinates, const Place& place);

    RegionId region(std::string_view path);
    MetricId metric(std::string_view name);
    /// States a metric's unit; the first statement counts.
    void set_unit(MetricId metric, std::string_view unit);
    void set_parameter_unit(std::string_view parameter, std::string_view unit);
    /// That a file's form suggests this parameter, and nobody stated it: it is left out with a note where it
    /// has one value and another parameter has several. `remedy` ends the note and may be empty.
    void suggest_parameter(std::string_view name, std::string_view remedy);
    /// Parameters that were only suggested stay, for measurements that are compared with others.
    void keep_constant_parameters() { keeps_constants_ = true; }
    [[nodiscard]] bool keeps_constant_parameters() const { return keeps_constants_; }
    SeriesId series(RegionId region, MetricId metric);

    /// One more repetition at a point, with a value for each process and thread, even where there is only
    /// one: such values add up to the time of all of them.
    void add_repetition(SeriesId series, PointId point, std::span<const double> locations,
                        const Place& place);

    /// One value for each of several repetitions, whatever number of processes ran.
    void add_repetitions(SeriesId series, PointId point, std::span<const double> values, const Place& place);

    /// A summary without raw values, as some files give. Throws an input error where the point has one
    /// already.
    void add_summary(SeriesId id, PointId point, const numeric::Summary& summary, bool complete_summary,
                     std::uint32_t repetitions, const Place& place);

    /// Notes of equal text are counted, with the place of the first.
    void note(const Place& place, std::string message);
    /// As above, of what is left out as the documentation says.
    void detail(const Place& place, std::string message);

    /// What the values of the open file were converted to. Throws an input error where it said otherwise.
    void state_scaling(Scaling scaling, const Place& place);
    /// That the regions of the open file hold the values of their whole sub-trees.
    void state_inclusive();
    /// Ends a file. Throws an input error where its values were converted otherwise than those of the files
    /// before: one that states no scaling is weak, and exclusive. Without a region within another one,
    /// values are neither exclusive nor inclusive.
    void finish_file(const std::string& file);

    /// The file that was the first to tell of something, of which others may tell the same: this one, where
    /// none has. `what` begins with the format.
    const std::string& first_to_tell(const std::string& what, const std::string& file);

    /// Metadata, tags and what else is not a measurement.
    [[nodiscard]] Experiment& rest() { return experiment_; }

    /// The experiment; the builder is then empty. Throws an input error where nothing was measured.
    [[nodiscard]] Experiment build();

  private:
    struct Sample {  ///< values of one call, in order of arrival
        std::uint32_t slot;
        std::uint32_t values;
        std::uint32_t repetitions;  ///< 1, or as many as there are values
    };
    enum class Repetitions { one, one_for_each_value };
    struct Slots {
        std::vector<Sample> samples;  ///< kept once values arrive out of order, or by process and thread
        std::unordered_map<PointId, std::uint32_t> by_point;  ///< once a point is looked for among many
        PointId largest{};                                    ///< of the points so far
        bool has_samples = false;
        bool has_locations = false;
    };
    struct Treatment {  ///< of the values, before they were written
        std::optional<Scaling> scaling;
        bool inclusive = false;
        bool has_nested_regions = false;

        [[nodiscard]] bool says_what_regions_hold() const { return inclusive || has_nested_regions; }
    };
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    using Names = std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>>;

    std::uint32_t slot_of(SeriesId id, PointId point);
    static std::optional<std::uint32_t> find_slot(std::span<const Measurement> measurements, Slots& slots,
                                                  PointId point);
    void store(SeriesId id, PointId point, std::span<const double> values, Repetitions repetitions,
               const Place& place);
    static void keep_samples(const Series& series, Slots& slots);
    static void arrange(Series& series, Slots& slots);
    static void reorder(Series& series, const Slots& slots, std::size_t repetitions);
    void leave_out_constant_parameters();

    Experiment experiment_;
    std::vector<Slots> slots_;
    std::vector<std::size_t> axis_of_;  ///< position in the experiment of each parameter of the open file
    std::vector<double> ordered_;
    Names regions_;
    Names metrics_;
    std::unordered_map<std::uint64_t, std::uint32_t> series_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> points_;  ///< by a hash of the coordinates
    std::unordered_map<std::string, std::size_t> notes_;
    std::vector<std::pair<std::string, std::string>> suggested_;  ///< parameters, each with its remedy
    bool keeps_constants_ = false;
    Treatment treatment_;  ///< of the open file
    Treatment first_treatment_;
    std::string first_file_;       ///< empty until one is finished
    std::string parameters_file_;  ///< the first that has named its parameters
    std::string regions_file_;     ///< the first that says what regions hold
    std::vector<bool> is_nested_;  ///< of each region, whether it is within another one
    std::unordered_map<std::string, std::string> first_to_tell_;
    std::string last_path_;  ///< the region asked for last: files list a region's points together
    RegionId last_region_{};
    PointId last_point_{};
};

}  // namespace plimsoll::experiment
