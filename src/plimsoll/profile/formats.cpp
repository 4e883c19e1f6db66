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
    ProfileFormat{.name = "timemory",
                  .description = "timemory components, as trees or lists (JSON)",
                  .example = "TIMEMORY_JSON_OUTPUT=ON timem ./app",
                  .matches = detail::is_timemory,
                  .read = detail::read_timemory},
    ProfileFormat{.name = "hpctoolkit",
                  .description = "HPCToolkit databases (folder with experiment.xml and *.metric-db)",
                  .example = "hpcprof-mpi --metric-db yes -o hpctoolkit-database hpctoolkit-measurements",
                  .matches = detail::is_hpctoolkit,
                  .read = detail::read_hpctoolkit,
                  .matches_folder = detail::is_hpctoolkit_folder,
                  .read_folder = detail::read_hpctoolkit_folder},
    ProfileFormat{.name = "otf2",
                  .description = "traces in OTF2 (folder with traces.otf2)",
                  .example = "SCOREP_ENABLE_TRACING=true ./app",
                  .matches = detail::is_otf2,
                  .read = detail::read_otf2,
                  .matches_folder = detail::is_otf2_folder,
                  .read_folder = detail::read_otf2_folder},
    ProfileFormat{.name = "darshan",
                  .description = "Darshan logs, as text of darshan-parser",
                  .example = "darshan-parser app.darshan > app.darshan.txt",
                  .matches = detail::is_darshan,
                  .read = detail::read_darshan},
    ProfileFormat{.name = "kineto",
                  .description = "traces of the PyTorch profiler (Kineto, JSON)",
                  .example = "torch.profiler.profile(...).export_chrome_trace('rank0.json.gz')",
                  .matches = detail::is_kineto,
                  .read = detail::read_kineto},
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
};

}  // namespace

std::span<const ProfileFormat> formats() { return table; }

}  // namespace plimsoll::profile
