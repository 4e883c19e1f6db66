#include "plimsoll/experiment/detail/json_old_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plimsoll/core/text.hpp"

namespace plimsoll::experiment::detail {

namespace {

/// Position of an id in a list that is sorted by ids; its size where there is none.
template <class Item>
std::size_t position_of(double id, const std::vector<Item>& items) {
    const auto found = std::ranges::lower_bound(items, id, {}, &Item::id);
    return found != items.end() && found->id == id ? static_cast<std::size_t>(found - items.begin())
                                                   : items.size();
}

}  // namespace

void OldForm::define_coordinate(double id, const std::vector<Pair>& pairs, std::uint64_t line) {
    coordinates_.push_back({.id = id, .first = pairs_.size(), .count = pairs.size(), .line = line});
    pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
}

void OldForm::add(const Row& row) {
    if (!is_resolved_ && ended_ == all_lists) resolve_definitions();
    if (is_resolved_) {
        resolve(row);
    } else {
        held_.push_back(row);
    }
}

void OldForm::finish(std::uint64_t line) {
    constexpr std::array<std::pair<List, std::string_view>, 4> lists{{{parameters, "parameters"},
                                                                      {callpaths, "callpaths"},
                                                                      {metrics, "metrics"},
                                                                      {coordinates, "coordinates"}}};
    for (const auto& [list, name] : lists) {
        if ((ended_ & list) != 0) continue;
        fail(line, fmt::format("the document has no list '{}'", name),
             "give the lists parameters, callpaths, metrics, coordinates and measurements");
    }
    if (!is_resolved_) resolve_definitions();
    for (const Row& row : held_) resolve(row);
    held_.clear();
}

void OldForm::resolve_definitions() {
    const auto sort = [this](auto& items, std::string_view what) {
        std::ranges::stable_sort(items, {}, [](const auto& item) { return item.id; });
        const auto twice = std::ranges::adjacent_find(items, {}, [](const auto& item) { return item.id; });
        if (twice == items.end()) return;
        fail(std::next(twice)->line, fmt::format("the id {} stands for two {}", shortest(twice->id), what),
             "give each an id of its own");
    };
    sort(parameters_, "parameters");
    sort(callpaths_, "callpaths");
    sort(metrics_, "metrics");
    sort(coordinates_, "coordinates");

    if (parameters_.empty()) {
        fail(0, "the document defines no parameter", R"(define one, such as {"id": 1, "name": "p"})");
    }
    std::vector<std::string> names;
    for (const Definition& definition : parameters_) names.push_back(definition.name);
    builder_->set_parameters(names, at(parameters_.front().line));
    for (const Definition& definition : callpaths_) region_ids_.push_back(builder_->region(definition.name));
    for (const Definition& definition : metrics_) metric_ids_.push_back(builder_->metric(definition.name));
    std::vector<double> values(parameters_.size());
    for (const Coordinate& coordinate : coordinates_) resolve_coordinate(coordinate, values);
    is_resolved_ = true;
}

void OldForm::resolve_coordinate(const Coordinate& coordinate, std::vector<double>& values) {
    std::vector<bool> is_given(parameters_.size());
    for (std::size_t i = coordinate.first; i < coordinate.first + coordinate.count; ++i) {
        const std::size_t k = position_of(pairs_[i].parameter, parameters_);
        if (k == parameters_.size()) {
            fail(coordinate.line,
                 fmt::format("there is no parameter with the id {}", shortest(pairs_[i].parameter)),
                 "define it in the list 'parameters'");
        }
        if (is_given[k]) {
            fail(coordinate.line, fmt::format("the coordinate has two values for '{}'", parameters_[k].name),
                 "keep one of the two");
        }
        is_given[k] = true;
        values[k] = pairs_[i].value;
    }
    const auto missing = std::find(is_given.begin(), is_given.end(), false);
    if (missing != is_given.end()) {
        const auto k = static_cast<std::size_t>(missing - is_given.begin());
        fail(coordinate.line, fmt::format("the coordinate has no value for '{}'", parameters_[k].name),
             "give each coordinate a value for each parameter");
    }
    point_ids_.push_back(builder_->point(values, at(coordinate.line)));
}

void OldForm::resolve(const Row& row) {
    const auto find = [&](double id, const auto& items, std::string_view what) {
        const std::size_t position = position_of(id, items);
        if (position == items.size()) {
            fail(row.line, fmt::format("there is no {} with the id {}", what, shortest(id)),
                 fmt::format("define it in the list '{}s'", what));
        }
        return position;
    };
    const PointId point = point_ids_[find(row.coordinate, coordinates_, "coordinate")];
    const RegionId region = region_ids_[find(row.callpath, callpaths_, "callpath")];
    const MetricId metric = metric_ids_[find(row.metric, metrics_, "metric")];
    builder_->add_repetitions(builder_->series(region, metric), point, {&row.value, 1}, at(row.line));
}

const Place& OldForm::at(std::uint64_t line) {
    place_.line = line;
    return place_;
}

void OldForm::fail(std::uint64_t line, std::string message, std::string hint) {
    throw Error(ErrorKind::input, at(line), std::move(message), std::move(hint));
}

}  // namespace plimsoll::experiment::detail
