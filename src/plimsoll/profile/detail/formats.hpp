#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/input.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/experiment/reader.hpp"
#include "plimsoll/profile/options.hpp"
#include "plimsoll/profile/part.hpp"

namespace plimsoll::profile::detail {

/// What a reader puts its parts into.
struct Sink {
    experiment::ExperimentBuilder& builder;  ///< for regions, metrics, their units, and notes
    std::vector<Part>& parts;
    StepSearch steps = StepSearch::marks;  ///< how those of a trace are found
    bool is_left_out = false;              ///< set by a reader that has left the whole file out, with a note

    /// A metric with its unit.
    [[nodiscard]] experiment::MetricId metric(std::string_view name, std::string_view unit) const {
        const experiment::MetricId id = builder.metric(name);
        if (!unit.empty()) builder.set_unit(id, unit);
        return id;
    }
};

bool is_caliper(const experiment::Probe& probe);
void read_caliper(Input& input, Sink& sink);

bool is_caliper_json(const experiment::Probe& probe);
void read_caliper_json(Input& input, Sink& sink);

bool is_darshan(const experiment::Probe& probe);
void read_darshan(Input& input, Sink& sink);

bool is_google_benchmark(const experiment::Probe& probe);
void read_google_benchmark(Input& input, Sink& sink);

bool is_gprof(const experiment::Probe& probe);
void read_gprof(Input& input, Sink& sink);

bool is_gprof2dot(const experiment::Probe& probe);
void read_gprof2dot(Input& input, Sink& sink);

bool is_hpctoolkit(const experiment::Probe& probe);
void read_hpctoolkit(Input& input, Sink& sink);
bool is_hpctoolkit_folder(const std::string& path);
void read_hpctoolkit_folder(const std::string& path, Sink& sink, Activity& activity);

bool is_hyperfine(const experiment::Probe& probe);
void read_hyperfine(Input& input, Sink& sink);

bool is_kineto(const experiment::Probe& probe);
void read_kineto(Input& input, Sink& sink);

bool is_nsight(const experiment::Probe& probe);
void read_nsight(Input& input, Sink& sink);

bool is_perf(const experiment::Probe& probe);
void read_perf(Input& input, Sink& sink);

bool is_prometheus(const experiment::Probe& probe);
void read_prometheus(Input& input, Sink& sink);

bool is_pstats(const experiment::Probe& probe);
void read_pstats(Input& input, Sink& sink);

bool is_sacct(const experiment::Probe& probe);
void read_sacct(Input& input, Sink& sink);

bool is_otf2(const experiment::Probe& probe);
void read_otf2(Input& input, Sink& sink);
bool is_otf2_folder(const std::string& path);
void read_otf2_folder(const std::string& path, Sink& sink, Activity& activity);

bool is_talp(const experiment::Probe& probe);
void read_talp(Input& input, Sink& sink);

bool is_tau(const experiment::Probe& probe);
void read_tau(Input& input, Sink& sink);

bool is_timemory(const experiment::Probe& probe);
void read_timemory(Input& input, Sink& sink);

}  // namespace plimsoll::profile::detail
