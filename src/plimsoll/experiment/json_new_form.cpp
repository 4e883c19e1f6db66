#include "plimsoll/experiment/detail/json_new_form.hpp"

namespace plimsoll::experiment::detail {

void NewForm::set_parameters(const std::vector<std::string>& names, std::uint64_t line) {
    place_.line = line;
    builder_->set_parameters(names, place_);
    has_parameters_ = true;
    for (const Entry& entry : held_) add(entry);
    held_.clear();
}

void NewForm::add(const Entry& entry) {
    if (!has_parameters_) {
        held_.push_back(entry);
        return;
    }
    place_.line = entry.line;
    const PointId point = builder_->point(entry.point, place_);
    if (entry.has_null) builder_->note(place_, "a value is null and is left out");
    if (entry.values.empty() && !entry.has_null) {
        builder_->note(place_, "a measurement has no values; its point counts as missing");
    }
    entry.values.add_to(*builder_, entry.series, point, place_);
}

}  // namespace plimsoll::experiment::detail
