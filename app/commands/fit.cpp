#include "app/commands/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <unordered_map>

#include "app/commands/contradictions.hpp"
#include "app/options_record.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using model::FitDocument;
using model::RegionModel;

/// Names models in notes: by the region, and where there are several metrics by the metric as well.
class ModelNames {
  public:
    explicit ModelNames(const FitDocument& document) {
        for (const RegionModel& m : document.models)
            several_metrics_ = several_metrics_ || m.metric != document.models.front().metric;
    }

    /// "'main'" or "'main' / 'time'".
    [[nodiscard]] std::string of(const RegionModel& m) const {
        return several_metrics_ ? fmt::format("'{}' / '{}'", m.region, m.metric)
                                : fmt::format("'{}'", m.region);
    }

    /// "'main' and 2 other regions" or "'main' / 'time' and 2 other models".
    [[nodiscard]] std::string of(const std::vector<const RegionModel*>& models) const {
        std::string text = of(*models.front());
        const std::size_t others = models.size() - 1;
        if (others > 0) text += " and " + counted(others, several_metrics_ ? "other model" : "other region");
        return text;
    }

  private:
    bool several_metrics_ = false;
};

/// Most values that a parameter has.
std::size_t most_values(const experiment::Experiment& experiment) {
    std::size_t most = 0;
    for (std::size_t axis = 0; axis < experiment.parameters.size(); ++axis) {
        std::set<double> values;
        for (std::size_t i = 0; i < experiment.point_count(); ++i)
            values.insert(experiment.point(static_cast<experiment::PointId>(i))[axis]);
        most = std::max(most, values.size());
    }
    return most;
}

bool is_finite(const model::Function& function) {
    const auto of_segments = [](const std::vector<model::Segment>& segments) {
        return std::all_of(segments.begin(), segments.end(),
                           [](const model::Segment& s) { return is_finite(s.function); });
    };
    return std::isfinite(function.constant) && of_segments(function.segments) &&
           std::all_of(function.terms.begin(), function.terms.end(), [&](const model::Term& term) {
               return std::isfinite(term.coefficient) &&
                      std::all_of(term.factors.begin(), term.factors.end(),
                                  [&](const model::Factor& f) { return of_segments(f.segments); });
           });
}

/// A function whose numbers went beyond those of a double is none.
void refuse_boundless(FitDocument& document) {
    for (RegionModel& m : document.models) {
        if (m.status != model::Status::ok || is_finite(m.function)) continue;
        m.status = model::Status::failed;
        m.reason = "the values are too large to be modelled";
        m.function = {};
        m.quality = {};
    }
}

/// Says where no model came out, and which ones predict points that they were not fitted to badly.
void add_doubts(FitDocument& document, const experiment::Experiment& experiment,
                const model::FitOptions& options) {
    constexpr double most_smape = 30.0;  // per cent; a coin's worth beside the 1 to 5 of good models
    // Values of a parameter: two segments of five points that share one.
    constexpr std::size_t enough_for_segments = 9;
    const bool segments_may_help =
        options.modeler != model::Modeler::segmented && most_values(experiment) >= enough_for_segments;
    struct Doubt {
        std::vector<const RegionModel*> models;
        double smape = 0.0;
    };
    Doubt few;   // points
    Doubt many;  // enough for segments
    bool any_model = false;
    bool only_few_points = true;
    for (const RegionModel& m : document.models) {
        any_model = any_model || m.status == model::Status::ok;
        only_few_points = only_few_points && m.status == model::Status::too_few_points;
        const double smape = m.quality.leave_one_out.smape;
        if (m.status != model::Status::ok || !std::isfinite(smape) || smape <= most_smape) continue;
        // Values under a law range so widely that the largest alone decide how the others are predicted.
        const model::Function& last =
            m.function.segments.empty() ? m.function : m.function.segments.back().function;
        const bool has_law = std::any_of(last.terms.begin(), last.terms.end(),
                                         [](const model::Term& t) { return model::has_law(t.factors); });
        if (has_law) continue;
        Doubt& doubt = segments_may_help && m.points >= enough_for_segments ? many : few;
        doubt.models.push_back(&m);
        doubt.smape = std::max(doubt.smape, smape);
    }
    const ModelNames names(document);
    const auto say = [&](const Doubt& doubt, std::string_view action) {
        if (doubt.models.empty()) return;
        document.notes.push_back(fmt::format(
            "{}: do not trust the model, which misses points left out of the fit by {}{:.0f} % "
            "(leave-one-out SMAPE); {}",
            names.of(doubt.models), doubt.models.size() > 1 ? "up to " : "", doubt.smape, action));
    };
    if (options.laws.on && document.parameters.size() > 1) {
        document.notes.emplace_back(
            "--laws: laws are looked for with one parameter alone, here there are several");
    }
    say(few, "measure at more points");
    const bool has_regimes = options.search == model::Search::posterior && document.parameters.size() == 1;
    say(many, has_regimes ? "no form that is tried follows these values"
                          : "try --search extra-p --modeler segmented");
    if (!any_model) {
        document.notes.emplace_back(only_few_points ? "nothing could be modelled: a region wants 5 points"
                                                    : "nothing could be modelled");
    }
}

/// Says why a prediction is missing, and where one is below zero.
void add_prediction_notes(const FitDocument& document, std::vector<std::string>& notes) {
    const RegionModel* first = nullptr;
    for (const RegionModel& m : document.models) {
        if (m.status == model::Status::ok && first == nullptr) first = &m;
    }
    if (first == nullptr) return;
    const ModelNames names(document);
    bool told_negative = false;
    for (std::size_t i = 0; i < first->predictions.size(); ++i) {
        std::vector<const RegionModel*> undefined;
        std::vector<const RegionModel*> negative;
        bool are_times = true;
        for (const RegionModel& m : document.models) {
            if (m.status != model::Status::ok || i >= m.predictions.size()) continue;
            const double value = m.predictions[i].value;
            if (!std::isfinite(value)) undefined.push_back(&m);
            if (!std::isfinite(value) || value >= 0.0) continue;
            negative.push_back(&m);
            are_times = are_times && experiment::is_time({.name = m.metric, .unit = m.unit, .tags = {}});
        }
        const std::string at = assignments(document.parameters, first->predictions[i].at);
        if (!undefined.empty()) {
            notes.push_back(
                fmt::format("{}: the model has no value at {}; logarithms and broken powers need "
                            "parameters above 0",
                            names.of(undefined), at));
        }
        if (negative.empty() || told_negative) continue;
        told_negative = true;
        std::vector<std::string> ways;
        const bool either_sign = recorded_option(document, "positive") == "no";
        if (either_sign) ways.emplace_back("--positive auto");
        if (are_times && recorded_option(document, "scaling") != "strong")
            ways.emplace_back("--scaling strong");
        if (!either_sign && recorded_option(document, "negative-exponents") != "yes")
            ways.emplace_back("--search extra-p --negative-exponents yes");
        notes.push_back(fmt::format("{}: the prediction at {} is below zero; {}", names.of(negative), at,
                                    ways.empty() ? "predict nearer to the measured points"
                                                 : "if this cannot be, try " + join(ways, " or ")));
    }
}

/// The smallest and the largest value of each parameter.
struct Extremes {
    std::vector<double> smallest;
    std::vector<double> largest;
};
Extremes extremes_of(const experiment::Experiment& experiment) {
    Extremes extremes;
    for (std::size_t i = 0; i < experiment.point_count(); ++i) {
        const auto point = experiment.point(static_cast<experiment::PointId>(i));
        if (i == 0) extremes = {{point.begin(), point.end()}, {point.begin(), point.end()}};
        for (std::size_t k = 0; k < point.size(); ++k) {
            extremes.smallest[k] = std::min(extremes.smallest[k], point[k]);
            extremes.largest[k] = std::max(extremes.largest[k], point[k]);
        }
    }
    return extremes;
}

/// As the model module does, with the input's name in what is wrong with it.
std::vector<model::Fit> fit_all(const experiment::Experiment& experiment, const FitRequest& request,
                                Progress& progress) try {
    return model::fit_all(experiment, request.fit, request.threads, progress);
} catch (const Error& error) {
    if (error.kind() != ErrorKind::input || !error.place().file.empty()) throw;
    throw Error(error.kind(), Place{.file = join(request.inputs.paths, ", ")}, error.what(), error.hint());
}

}  // namespace

model::FitDocument fit(const FitRequest& request, Progress& progress) {
    experiment::Experiment experiment = read_inputs(request.inputs, progress);
    if (!request.explain.empty() && request.others == FitRequest::Others::left_out) {
        const std::vector<bool> chosen = experiment::fitting_regions(experiment, request.explain, "explain");
        std::erase_if(experiment.series, [&](const experiment::Series& series) {
            return !chosen[experiment::index(series.region)];
        });
    }
    return fit(experiment, request, progress);
}

model::FitDocument fit(const experiment::Experiment& experiment, const FitRequest& request,
                       Progress& progress) {
    const std::vector<std::string> parameters = experiment.parameter_names();
    std::vector<std::vector<double>> points;  // before the work, so that a mistyped point costs no time
    const Extremes extremes = extremes_of(experiment);
    for (const std::string& at : request.at)
        points.push_back(parse_point(at, parameters, extremes.smallest, extremes.largest));
    const std::vector<bool> explained = experiment::fitting_regions(experiment, request.explain, "explain");

    model::FitDocument document = model::make_document(experiment, fit_all(experiment, request, progress));
    experiment::TransformOptions transform = request.inputs.transform;
    transform.scaling = experiment.scaling.value_or(transform.scaling);  // the input may be converted already
    if (experiment.inclusive) transform.tree = experiment::TreeAggregate::inclusive;
    document.options = record_options(request.fit, transform);
    document.inclusive = experiment.inclusive;
    refuse_boundless(document);
    for (std::size_t i = 0; i < document.models.size(); ++i) {  // in the order of the series
        const experiment::Series& series = experiment.series[i];
        RegionModel& m = document.models[i];
        if (!explained[experiment::index(series.region)] || m.status != model::Status::ok) continue;
        if (m.posterior.forms.empty()) continue;  // a search that weighs no forms
        m.explanation =
            model::explain(experiment, series, m.posterior, request.fit.statistic, request.fit.coverage);
    }
    if (transform.ranks != experiment::RankAggregate::sum) {
        for (std::string& remark : experiment::strong_scaling_remarks(experiment))
            document.notes.push_back(std::move(remark));
    }
    for (std::string& remark : experiment::coupled_parameter_remarks(experiment))
        document.notes.push_back(std::move(remark));
    add_doubts(document, experiment, request.fit);
    if (points.empty()) points.push_back(document.largest);
    for (const std::vector<double>& point : points) model::predict(document, point, request.fit.coverage);
    return document;
}

std::vector<std::string> remarks_on_points(const FitDocument& document,
                                           std::span<const std::vector<double>> points) {
    constexpr double far = 10.0;  // times the largest measured value: forms that fit alike part long before
    std::vector<std::string> remarks;
    for (const std::vector<double>& point : points) {
        for (std::size_t k = 0; k < point.size() && k < document.largest.size(); ++k) {
            const double least = k < document.smallest.size() ? document.smallest[k] : 0.0;
            const double most = document.largest[k];
            const std::string what = fmt::format("{}={}", document.parameters[k], shortest(point[k]));
            std::string remark;
            if (least == most && point[k] != most) {
                remark = fmt::format("all that was measured had {}={}: how values change to {} is not known",
                                     document.parameters[k], shortest(most), what);
            } else if (point[k] <= 0.0 && least > 0.0) {
                remark = fmt::format("{} is not above zero, as all measured values are", what);
            } else if (point[k] < least) {
                remark = fmt::format("{} is below the smallest measured value, {}", what, shortest(least));
            } else if (most > 0.0 && point[k] > far * most) {
                remark = fmt::format("{} is {:.0f} times the largest measured value, {}", what,
                                     point[k] / most, shortest(most));
            }
            if (!remark.empty() && std::find(remarks.begin(), remarks.end(), remark) == remarks.end())
                remarks.push_back(std::move(remark));
        }
    }
    return remarks;
}

std::vector<std::string> without_model(const model::FitDocument& document) {
    std::vector<std::string> lines;
    for (const RegionModel& m : document.models) {
        if (m.status != model::Status::ok)
            lines.push_back(fmt::format("'{}' / '{}' has no model: {}", m.region, m.metric, m.reason));
    }
    return lines;
}

std::vector<std::string> notes_of(const model::FitDocument& document) {
    std::vector<std::string> notes = document.notes;
    std::vector<std::vector<double>> points;
    for (const RegionModel& m : document.models) {
        if (m.status != model::Status::ok) continue;
        for (const model::Prediction& prediction : m.predictions) points.push_back(prediction.at);
        break;
    }
    for (std::string& remark : remarks_on_points(document, points)) notes.push_back(std::move(remark));
    add_prediction_notes(document, notes);
    for (std::string& line : contradictions(document)) notes.push_back(std::move(line));
    struct Warning {
        std::string text;
        std::vector<const RegionModel*> models;
    };
    const ModelNames names(document);
    std::vector<Warning> warnings;  // in order of appearance
    std::unordered_map<std::string, std::size_t> known;
    for (const model::RegionModel& m : document.models) {
        for (const std::string& text : m.warnings) {
            const auto [entry, is_new] = known.try_emplace(text, warnings.size());
            if (is_new) warnings.push_back({.text = text, .models = {}});
            warnings[entry->second].models.push_back(&m);
        }
    }
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < std::min(most, warnings.size()); ++i) {
        notes.push_back(fmt::format("{}: {}", names.of(warnings[i].models), warnings[i].text));
    }
    if (warnings.size() > most) {
        notes.push_back(fmt::format("{} more; --json lists all", counted(warnings.size() - most, "warning")));
    }
    return notes;
}

}  // namespace plimsoll::app
