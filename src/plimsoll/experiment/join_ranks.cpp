#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/experiment/detail/transform_steps.hpp"

namespace plimsoll::experiment::detail {

void join_ranks(Experiment& experiment, RankAggregate how, Locations before) {
    if (how == RankAggregate::each) return;
    bool used = false;
    for (Series& series : experiment.series) {
        if (series.locations.empty()) continue;
        used = true;
        rewrite_repetitions(series, Replaced::run,
                            [how](std::span<const double> values, std::vector<double>& out) {
                                double joined = 0.0;
                                if (how == RankAggregate::maximum) {
                                    joined = *std::max_element(values.begin(), values.end());
                                } else if (how == RankAggregate::mean) {
                                    joined = numeric::mean(values);
                                } else {
                                    for (const double value : values) joined += value;
                                }
                                out.push_back(joined);
                            });
    }
    if (used) return;
    experiment.notes.push_back(
        {.place = {},
         .message = fmt::format("--ranks does nothing here: {}",
                                before == Locations::kept
                                    ? "--scaling strong has added up the values of single processes"
                                    : "there are no values of single processes")});
}

}  // namespace plimsoll::experiment::detail
