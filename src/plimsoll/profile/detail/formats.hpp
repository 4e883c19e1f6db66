#pragma once

#include <string_view>
#include <vector>

#include "plimsoll/core/input.hpp"
#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/experiment/reader.hpp"
#include "plimsoll/profile/part.hpp"

namespace plimsoll::profile::detail {

/// What a reader puts its parts into.
struct Sink {
    experiment::ExperimentBuilder& builder;  ///< for regions, metrics, their units, and notes
    std::vector<Part>& parts;

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

bool is_google_benchmark(const experiment::Probe& probe);
void read_google_benchmark(Input& input, Sink& sink);

bool is_gprof(const experiment::Probe& probe);
void read_gprof(Input& input, Sink& sink);

bool is_gprof2dot(const experiment::Probe& probe);
void read_gprof2dot(Input& input, Sink& sink);

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

bool is_talp(const experiment::Probe& probe);
void read_talp(Input& input, Sink& sink);

bool is_tau(const experiment::Probe& probe);
void read_tau(Input& input, Sink& sink);

}  // namespace plimsoll::profile::detail
