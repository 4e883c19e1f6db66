#include "plimsoll/profile/detail/formats.hpp"

#include <array>

#include "plimsoll/profile/format.hpp"

namespace plimsoll::profile {

namespace {

/// A new format is one file and one line here. Each is recognised by marks that no other file has.
constexpr std::array table{
    ProfileFormat{.name = "caliper",
                  .description = "Caliper profiles (.cali)",
                  .example = "CALI_CONFIG=spot ./app",
                  .matches = detail::is_caliper,
                  .read = detail::read_caliper},
    ProfileFormat{.name = "caliper-json",
                  .description = "Caliper profiles (json-split)",
                  .example = "CALI_CONFIG=hatchet-region-profile ./app",
                  .matches = detail::is_caliper_json,
                  .read = detail::read_caliper_json},
    ProfileFormat{.name = "tau",
                  .description = "TAU profiles (profile.0.0.0)",
                  .example = "tau_exec ./app",
                  .matches = detail::is_tau,
                  .read = detail::read_tau},
    ProfileFormat{.name = "kineto",
                  .description = "traces of the PyTorch profiler (Kineto, JSON)",
                  .example = "torch.profiler.profile(...).export_chrome_trace('rank0.json.gz')",
                  .matches = detail::is_kineto,
                  .read = detail::read_kineto},
    ProfileFormat{.name = "nsight",
                  .description = "exports of Nsight Systems (SQLite)",
                  .example = "nsys profile ./app; nsys export --type sqlite report1.nsys-rep",
                  .matches = detail::is_nsight,
                  .read = detail::read_nsight},
    ProfileFormat{.name = "talp",
                  .description = "TALP reports of DLB (JSON)",
                  .example = "DLB_ARGS='--talp --talp-output-file=talp.json'",
                  .matches = detail::is_talp,
                  .read = detail::read_talp},
    ProfileFormat{.name = "gbench",
                  .description = "Google Benchmark (JSON)",
                  .example = "./bench --benchmark_out=bench.json",
                  .matches = detail::is_google_benchmark,
                  .read = detail::read_google_benchmark},
    ProfileFormat{.name = "hyperfine",
                  .description = "hyperfine (JSON)",
                  .example = "hyperfine -L n 1,2,4 './app {n}' --export-json times.json",
                  .matches = detail::is_hyperfine,
                  .read = detail::read_hyperfine},
    ProfileFormat{.name = "perf",
                  .description = "counts of perf stat (-x or -j)",
                  .example = "perf stat -x, -e cycles,instructions,duration_time -o perf.csv ./app",
                  .matches = detail::is_perf,
                  .read = detail::read_perf},
    ProfileFormat{.name = "gprof",
                  .description = "flat profile and call graph of gprof (text)",
                  .example = "gprof ./app gmon.out > gprof.txt",
                  .matches = detail::is_gprof,
                  .read = detail::read_gprof},
    ProfileFormat{.name = "gprof2dot",
                  .description = "graphs of gprof2dot (.dot)",
                  .example = "gprof2dot -f callgrind callgrind.out -o app.dot",
                  .matches = detail::is_gprof2dot,
                  .read = detail::read_gprof2dot},
    ProfileFormat{.name = "pstats",
                  .description = "profiles of Python (cProfile)",
                  .example = "python -m cProfile -o app.pstats app.py",
                  .matches = detail::is_pstats,
                  .read = detail::read_pstats},
    ProfileFormat{.name = "sacct",
                  .description = "jobs of Slurm (sacct --parsable2)",
                  .example = "sacct -P -o JobID,JobName,State,NNodes,NTasks,Elapsed,MaxRSS > jobs.txt",
                  .matches = detail::is_sacct,
                  .read = detail::read_sacct},
    ProfileFormat{.name = "prometheus",
                  .description = "answers of Prometheus to range queries (JSON)",
                  .example = "curl 'http://HOST:9090/api/v1/query_range?query=...' > power.json",
                  .matches = detail::is_prometheus,
                  .read = detail::read_prometheus},
};

}  // namespace

std::span<const ProfileFormat> formats() { return table; }

}  // namespace plimsoll::profile
