#pragma once

#include <cstdint>
#include <string>

#include "plimsoll/core/options.hpp"
#include "plimsoll/measure/design.hpp"
#include "plimsoll/measure/stop_rule.hpp"

namespace plimsoll::measure {

/// How points are chosen and repeated.
struct MeasureOptions {
    Design design = Design::grid;
    int repetitions = 5;
    int max_repetitions = 30;
    Percent until_interval;  ///< 0: not a rule
    Center interval_of = Center::median;
    int warmups = 1;
    std::uint64_t seed = 0;
    std::string timeout;  ///< "60s"; empty: none
    Switch require_quiet;
};

template <class Visitor>
void describe(MeasureOptions& o, Visitor&& option) {
    constexpr int most = 1'000'000;
    option("design", o.design, "Which combinations of the values are run: all, or lines and corners");
    option("repetitions", o.repetitions, "Runs of each point, at least", Between{1, most});
    option("until-interval", o.until_interval,
           "Go on with a point until the 95 % interval of its first metric is within +- this share; 0% for "
           "no such rule",
           Shares{0.0, 1.0});
    option("interval-of", o.interval_of, "What that interval is of");
    option("max-repetitions", o.max_repetitions, "Runs of each point at most, with --until-interval",
           Between{1, most});
    option("warmups", o.warmups, "Runs of each point before the first that counts", Between{0, most});
    option("seed", o.seed, "Seed of the random order of the runs",
           Between{std::uint64_t{0}, std::uint64_t{1} << 53U});
    option("timeout", o.timeout, "Stop a run that takes longer, such as 60s, 5min or 2h");
    option("require-quiet", o.require_quiet,
           "Wait for up to a minute until nothing else runs here, else fail");
}

}  // namespace plimsoll::measure
