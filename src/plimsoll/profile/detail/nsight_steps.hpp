#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/profile/detail/timeline.hpp"

namespace plimsoll::profile::detail {

/// A range that may mark a step: by its category, as Extra-Deep's instrumentation has it, or by its name.
struct StepMark {
    Timeline::StepKind kind = Timeline::StepKind::training;
    int precedence = 0;  ///< of marks of one kind those with the smallest count; the others are regions
    std::optional<std::int64_t> number;
    std::string_view name;  ///< without its number
};

/// What a range of the user's marks, nothing for most: `training_step`, `epoch` and the like as category, or
/// names such as `step 12`, `iter_3`, `val_step 4`, `epoch 1`, `ProfilerStep#7`.
[[nodiscard]] std::optional<StepMark> step_mark(std::string_view name, std::string_view category);

/// A range of the user's that may mark a step.
struct MarkedRange {
    StepMark mark;
    Timeline::Event event;
    bool is_nested = true;  ///< lies on one thread
};

struct LeftOut {
    std::size_t warm_up = 0;   ///< steps
    std::size_t unnested = 0;  ///< ranges that are no steps, and may begin and end on different threads
};

/// Which of the marked ranges of a process are its steps. Those of the first epoch are warm-up where there
/// are more epochs. The others are added to the timeline as regions. Returns what was left out.
LeftOut add_steps(Timeline& timeline, std::vector<MarkedRange>& ranges);

}  // namespace plimsoll::profile::detail
