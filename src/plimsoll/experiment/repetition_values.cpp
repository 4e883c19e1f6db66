#include "plimsoll/experiment/detail/repetition_values.hpp"

namespace plimsoll::experiment::detail {

void RepetitionValues::clear() {
    values_.clear();
    locations_.clear();
}

void RepetitionValues::begin_repetition() {
    if (locations_.empty()) locations_.assign(values_.size(), 1);
    locations_.push_back(0);
}

void RepetitionValues::add_location(double value) {
    values_.push_back(value);
    ++locations_.back();
}

void RepetitionValues::add_to(ExperimentBuilder& builder, SeriesId series, PointId point,
                              const Place& place) const {
    if (locations_.empty()) {
        builder.add_repetitions(series, point, values_, place);
        return;
    }
    const double* next = values_.data();
    for (const std::uint32_t count : locations_) {
        if (count == 0) {
            builder.note(place, "a repetition without values is left out");
        } else {
            builder.add_repetition(series, point, {next, count}, place);
        }
        next += count;
    }
}

}  // namespace plimsoll::experiment::detail
