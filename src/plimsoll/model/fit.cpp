#include "plimsoll/model/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/parallel.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/model/detail/posterior/axis_origins.hpp"
#include "plimsoll/model/detail/posterior/name_function.hpp"
#include "plimsoll/model/detail/posterior/noise_evidence.hpp"
#include "plimsoll/model/detail/posterior/posterior_search.hpp"
#include "plimsoll/model/detail/posterior/regime_search.hpp"
#include "plimsoll/model/detail/posterior/rolling_origin.hpp"
#include "plimsoll/model/detail/posterior/undecided.hpp"
#include "plimsoll/model/detail/series_search.hpp"
#include "plimsoll/model/formula.hpp"

namespace plimsoll::model {

namespace {

using experiment::Experiment;
using experiment::Measurement;
using experiment::PointId;
using experiment::Series;

constexpr std::size_t enough_points = 5;
constexpr std::size_t series_per_task = 64;

/// What looks for the models of a group, by the search that was asked for.
struct GroupSearch {
    std::unique_ptr<detail::SeriesSearch> extra_p;
    std::unique_ptr<detail::PosteriorSearch> posterior;
    std::unique_ptr<detail::RollingOrigin> rolling_origin;  ///< for one parameter
    std::unique_ptr<detail::RegimeSearch> regimes;          ///< the same
    std::unique_ptr<detail::AxisOrigins> axis_origins;      ///< for several
};

/// Series that are measured at the same points in the same order share all that depends on the points.
class Group {
  public:
    Group(const Experiment& experiment, std::span<const PointId> points)
        : parameters_(experiment.parameters.size()) {
        for (const PointId point : points) {
            const auto coordinates = experiment.point(point);
            points_.insert(points_.end(), coordinates.begin(), coordinates.end());
        }
    }

    std::vector<std::size_t> series;

    /// A search of this group that no other thread uses.
    GroupSearch borrow(const FitOptions& options, std::span<const detail::Form> forms) {
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                GroupSearch search = std::move(idle_.back());
                idle_.pop_back();
                return search;
            }
        }
        GroupSearch search;
        if (options.search == Search::posterior) {
            using Laws = detail::PosteriorSearch::Laws;
            const Laws laws = options.laws.on ? Laws::with : Laws::without;
            search.posterior = std::make_unique<detail::PosteriorSearch>(points_, parameters_, laws);
            if (parameters_ == 1) {
                search.rolling_origin = std::make_unique<detail::RollingOrigin>(
                    points_, search.posterior->tables().front(), laws);
                search.regimes = std::make_unique<detail::RegimeSearch>(points_, *search.posterior, laws);
            } else {
                search.axis_origins = std::make_unique<detail::AxisOrigins>(points_, parameters_);
            }
        } else {
            search.extra_p = std::make_unique<detail::SeriesSearch>(points_, parameters_, options, forms);
        }
        return search;
    }

    /// Keeps the search for the group's next task; the last task frees them all.
    void give_back(GroupSearch search, std::size_t fitted) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(search));
        done_ += fitted;
        if (done_ == series.size()) idle_.clear();
    }

    [[nodiscard]] std::span<const double> points() const { return points_; }

  private:
    std::size_t parameters_;
    std::vector<double> points_;
    std::mutex mutex_;
    std::vector<GroupSearch> idle_;
    std::size_t done_ = 0;
};

struct Task {
    Group* group;
    std::size_t begin;
    std::size_t end;
};

/// What can be said of a series before it is modelled.
Fit prepare(const Experiment& experiment, std::size_t position, Statistic statistic) {
    const Series& series = experiment.series[position];
    Fit fit;
    fit.series = position;
    fit.points = series.measurements.size();
    bool has_statistic = true;
    const Measurement* not_finite = nullptr;
    for (const Measurement& measurement : series.measurements) {
        fit.repetitions = std::max<std::size_t>(fit.repetitions, measurement.repetitions);
        has_statistic = has_statistic && measurement.complete_summary;
        if (not_finite == nullptr && !std::isfinite(value_of(measurement, statistic)))
            not_finite = &measurement;
    }
    const std::size_t all = experiment.point_count();
    if (fit.points < std::min(enough_points, all)) {
        fit.status = Status::too_few_points;
        fit.reason = fmt::format("{} of {} points", fit.points, all);
    } else if (fit.points < enough_points) {
        fit.warnings.push_back(
            fmt::format("only {}: a model wants {}", counted(fit.points, "point"), enough_points));
    } else if (fit.points < all) {
        fit.warnings.push_back(fmt::format("measured at {} of {} points", fit.points, all));
    }
    const bool needs_extremes = statistic == Statistic::minimum || statistic == Statistic::maximum;
    if (fit.status == Status::ok && needs_extremes && !has_statistic) {
        fit.status = Status::failed;
        fit.reason = "the file gives mean and median only";
    } else if (fit.status == Status::ok && not_finite != nullptr) {
        fit.status = Status::failed;
        fit.reason = fmt::format("the {} is not finite at {}", enum_name(statistic),
                                 experiment::describe_point(experiment, not_finite->point));
    }
    return fit;
}

void refuse_negative_values(const Experiment& experiment) {
    for (const Series& series : experiment.series) {
        for (const Measurement& m : series.measurements) {
            const double value = m.complete_summary ? m.summary.minimum : m.summary.mean;
            if (!(value < 0.0)) continue;
            const experiment::Metric& metric = experiment.metric(series);
            throw Error(
                ErrorKind::input,
                fmt::format("'{}' / '{}' at {}: the value {}{}{} is negative", experiment.region(series).path,
                            metric.name, experiment::describe_point(experiment, m.point), shortest(value),
                            metric.unit.empty() ? "" : " ", metric.unit),
                "drop the value, or leave out --positive yes");
        }
    }
}

std::string dropped_warning(const Experiment& experiment,
                            const detail::SeriesSearch::DroppedLogarithms& dropped) {
    const std::string& name = experiment.parameters[dropped.parameter].name;
    return fmt::format("forms with a logarithm of {0} are left out, since {0} goes down to {1}", name,
                       shortest(dropped.smallest));
}

std::string too_few_warning(const Experiment& experiment,
                            const detail::SeriesSearch::TooFewForSegments& few) {
    return fmt::format("modelled by one function along {}: segments want {}, and there are {}",
                       experiment.parameters[few.parameter].name,
                       counted(detail::SegmentedSearch::fewest_values, "value"), few.values);
}

std::string outlier_warning(const Experiment& experiment, std::size_t series,
                            std::span<const detail::Outlier> outliers, Statistic statistic) {
    const detail::Outlier& first = outliers.front();
    const PointId point = experiment.series[series].measurements[first.point].point;
    return fmt::format(
        "{} far off{}: {:.4g} at {}, beside a median of {:.4g}{}",
        outliers.size() == 1 ? "a repetition is" : fmt::format("{} repetitions are", outliers.size()),
        statistic == Statistic::mean ? " and left out" : "", first.value,
        experiment::describe_point(experiment, point), first.median,
        outliers.size() == 1 ? "" : ", and others");
}

std::string undecided_warning(const Experiment& experiment, const Posterior& posterior,
                              const detail::Undecided& undecided) {
    const std::vector<std::string> names = experiment.parameter_names();
    const auto text = [&](std::size_t form) {
        return formula(posterior.forms.function(form), names, FormulaStyle::text, FormulaDigits::four);
    };
    return fmt::format("the form {} ({:.0f} %) fits these points as well; a measurement at {} would tell",
                       text(undecided.other), 100.0 * posterior.forms.probability(undecided.other),
                       assignments(names, undecided.point));
}

std::string changes_warning(const std::string& parameter, std::span<const ChangePoint> changes) {
    std::vector<std::string> places;
    bool is_sure_of_places = true;
    for (const ChangePoint& change : changes) {
        is_sure_of_places = is_sure_of_places && change.probability >= 0.5;
        places.push_back(fmt::format("between {0}={1} and {0}={2} ({3:.0f} %)", parameter,
                                     shortest(change.after), shortest(change.before),
                                     100.0 * change.probability));
    }
    return (is_sure_of_places ? "the behaviour changes " : "the behaviour changes, most likely ") +
           join(places, ", ");
}

/// Where several regimes are possible but not clear; nothing where they are not.
std::optional<std::string> possible_change_warning(const std::string& parameter, const Posterior& posterior) {
    constexpr double worth_telling = 0.1;
    std::map<double, double> probability;  // by what the last regime begins after
    double of_any = 0.0;
    for (std::size_t i = 0; i < posterior.forms.size(); ++i) {
        const Range range = posterior.forms.range(i);
        if (range.is_everywhere() || !range.is_last()) continue;
        probability[range.from] += posterior.forms.probability(i);
        of_any += posterior.forms.probability(i);
    }
    if (of_any < worth_telling) return std::nullopt;
    const auto most = std::max_element(probability.begin(), probability.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return fmt::format(
        "the behaviour may change ({0:.0f} %), most likely beyond {1}={2}; more points about it would tell",
        100.0 * of_any, parameter, shortest(most->first));
}

void fit_posterior(const Experiment& experiment, std::span<const double> points, const FitOptions& options,
                   const GroupSearch& group_search, Fit& fit) {
    constexpr std::size_t least_points = 3;
    if (fit.points < least_points) {  // any form with growth would go through them, whatever they are
        fit.status = Status::too_few_points;
        fit.reason = fmt::format("{}: growth shows from {}", counted(fit.points, "point"), least_points);
        fit.warnings.clear();
        return;
    }
    detail::PosteriorSearch& search = *group_search.posterior;
    const detail::NoiseEvidence noise = detail::read_noise(experiment.series[fit.series], options.statistic);
    const auto is_beyond = [](double value) {
        constexpr double most = 1e150;  // its square is still a number
        return value != 0.0 && (std::abs(value) > most || std::abs(value) < 1.0 / most);
    };
    if (std::any_of(noise.values.begin(), noise.values.end(), is_beyond)) {
        fit.status = Status::failed;
        fit.reason = "values above 1e150 or below 1e-150 cannot be modelled";
        return;
    }
    fit.posterior = search.fit(noise, options.positive);
    if (group_search.rolling_origin != nullptr) {
        group_search.rolling_origin->examine(noise, options.positive, fit.posterior);
        if (group_search.regimes->examine(noise, options.positive, search, fit.posterior)) {
            fit.warnings.emplace_back(
                "an exponential or factorial law explains the values better than any form tried; --laws "
                "tries those");
        }
    }
    if (group_search.axis_origins != nullptr)
        group_search.axis_origins->examine(noise, options.positive, search.fitted(), fit.posterior);
    const std::vector<std::size_t> named = detail::named_forms(fit.posterior);
    fit.function = detail::named_function(fit.posterior, named);
    fit.quality = assess(fit.function, points, noise.values);
    if (!noise.outliers.empty())
        fit.warnings.push_back(outlier_warning(experiment, fit.series, noise.outliers, options.statistic));
    if (noise.drifts) {
        fit.warnings.emplace_back(
            "repetitions drift: each lies near the one before, so only the first ones are used");
    }
    const std::size_t parameters = experiment.parameters.size();
    const std::string& first_parameter = experiment.parameters.front().name;
    if (!fit.posterior.changes.empty()) {
        fit.warnings.push_back(changes_warning(first_parameter, fit.posterior.changes));
    } else if (const auto possible = possible_change_warning(first_parameter, fit.posterior)) {
        fit.warnings.push_back(*possible);
    }
    if (const auto undecided = detail::find_undecided(fit.posterior, named.back(), points, parameters)) {
        fit.warnings.push_back(undecided_warning(experiment, fit.posterior, *undecided));
    }
    for (const detail::AxisTable& table : search.tables()) {
        if (table.dropped_logarithms() && fit.posterior.changes.empty()) {
            fit.warnings.push_back(
                dropped_warning(experiment, {.parameter = table.axis(), .smallest = table.smallest()}));
        }
    }
}

std::vector<std::unique_ptr<Group>> group_by_points(const Experiment& experiment, std::span<const Fit> fits) {
    std::map<std::vector<PointId>, Group*> group_of;
    std::vector<std::unique_ptr<Group>> groups;
    std::vector<PointId> points;
    for (const Fit& fit : fits) {
        if (fit.status != Status::ok) continue;
        points.clear();
        for (const Measurement& m : experiment.series[fit.series].measurements) points.push_back(m.point);
        const auto [found, is_new] = group_of.try_emplace(points, nullptr);
        if (is_new) {
            groups.push_back(std::make_unique<Group>(experiment, points));
            found->second = groups.back().get();
        }
        found->second->series.push_back(fit.series);
    }
    return groups;
}

}  // namespace

double value_of(const Measurement& measurement, Statistic statistic) {
    switch (statistic) {
        case Statistic::mean:
        case Statistic::mean_of_all: return measurement.summary.mean;
        case Statistic::median: return measurement.summary.median;
        case Statistic::minimum: return measurement.summary.minimum;
        case Statistic::maximum: break;
    }
    return measurement.summary.maximum;
}

std::vector<Fit> fit_all(const Experiment& experiment, const FitOptions& options, int threads,
                         Progress& progress) {
    if (options.search == Search::posterior && experiment.parameters.size() > detail::most_slots) {
        throw Error(ErrorKind::usage,
                    fmt::format("there are {} parameters, and the search over all forms takes {}",
                                experiment.parameters.size(), detail::most_slots),
                    "leave out parameters that hardly matter, or model with --search extra-p");
    }
    const std::vector<detail::Form> forms = detail::candidate_forms(options);
    if (options.search == Search::posterior && options.positive == Positive::yes)
        refuse_negative_values(experiment);
    std::vector<Fit> fits;
    fits.reserve(experiment.series.size());
    for (std::size_t i = 0; i < experiment.series.size(); ++i) {
        fits.push_back(prepare(experiment, i, options.statistic));
    }
    const std::vector<std::unique_ptr<Group>> groups = group_by_points(experiment, fits);
    std::vector<Task> tasks;
    for (const auto& group : groups) {
        for (std::size_t begin = 0; begin < group->series.size(); begin += series_per_task) {
            tasks.push_back({.group = group.get(),
                             .begin = begin,
                             .end = std::min(begin + series_per_task, group->series.size())});
        }
    }
    Activity activity(progress, "fitting", std::ssize(tasks));
    parallel_for(tasks.size(), threads, activity, [&](std::size_t first, std::size_t last) {
        std::vector<double> values;
        for (std::size_t t = first; t < last; ++t) {
            const Task& task = tasks[t];
            GroupSearch search = task.group->borrow(options, forms);
            for (std::size_t i = task.begin; i < task.end; ++i) {
                const std::size_t position = task.group->series[i];
                if (search.posterior != nullptr) {
                    fit_posterior(experiment, task.group->points(), options, search, fits[position]);
                    continue;
                }
                values.clear();
                for (const Measurement& m : experiment.series[position].measurements) {
                    values.push_back(value_of(m, options.statistic));
                }
                search.extra_p->fit(values, fits[position]);
                for (const auto& dropped : search.extra_p->dropped_logarithms()) {
                    fits[position].warnings.push_back(dropped_warning(experiment, dropped));
                }
                for (const auto& few : search.extra_p->too_few_for_segments()) {
                    fits[position].warnings.push_back(too_few_warning(experiment, few));
                }
            }
            task.group->give_back(std::move(search), task.end - task.begin);
        }
    });
    return fits;
}

}  // namespace plimsoll::model
