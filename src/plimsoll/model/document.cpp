#include "plimsoll/model/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/model/formula.hpp"

namespace plimsoll::model {

namespace {

void write_fitness(JsonWriter& json, std::string_view name, const Fitness& fitness) {
    json.key(name).begin_object();
    json.member("rss", fitness.rss).member("smape", fitness.smape).member("r2", fitness.r2);
    json.member("adjusted_r2", fitness.adjusted_r2).end_object();
}

class FunctionWriter {
  public:
    FunctionWriter(JsonWriter& json, const std::vector<std::string>& parameters)
        : json_(&json), names_(&parameters) {}

    void function(const Function& f) const {
        json_->begin_object();
        if (!f.segments.empty()) {
            if (names_->size() > 1) json_->member("parameter", (*names_)[f.segment_parameter]);
            segments(f.segments);
        } else {
            json_->member("constant", f.constant).key("terms").begin_array();
            for (const Term& t : f.terms) term(t);
            json_->end_array();
        }
        json_->end_object();
    }

  private:
    void term(const Term& t) const {
        json_->begin_object().member("coefficient", t.coefficient).key("factors").begin_array();
        for (const Factor& factor : t.factors) {
            json_->begin_object().member("parameter", (*names_)[factor.parameter]);
            if (factor.segments.empty()) {
                json_->member("exponent", numeric::to_text(factor.exponent));
                json_->member("log_exponent", numeric::to_text(factor.log_exponent));
                if (factor.law.is_there()) law(factor.law);
            } else {
                segments(factor.segments);
            }
            json_->end_object();
        }
        json_->end_array().end_object();
    }

    void law(const Law& law) const {
        json_->member("law", enum_name(law.kind));
        if (law.kind != LawKind::exponential) return;
        json_->member("rate", law.rate).member("of", enum_name(law.of));
    }

    void segments(const std::vector<Segment>& list) const {
        json_->key("segments").begin_array();
        for (const Segment& segment : list) {
            json_->begin_object().member("from", segment.from).member("to", segment.to).key("function");
            function(segment.function);
            json_->end_object();
        }
        json_->end_array();
    }

    JsonWriter* json_;
    const std::vector<std::string>* names_;
};

/// The forms that a person should know of, in words.
void write_alternatives(JsonWriter& json, const FitDocument& document, const Posterior& posterior) {
    json.key("alternatives").begin_array();
    for (const WeighedForm& form : leading_forms(posterior)) {
        json.begin_object().member("formula", formula(form.function, document.parameters));
        json.member("probability", form.probability).end_object();
    }
    json.end_array();
}

/// What predictions are made of.
void write_posterior(JsonWriter& json, const FitDocument& document, const Posterior& posterior) {
    const auto numbers = [&](std::string_view key, const std::vector<double>& values) {
        json.key(key).begin_array();
        for (const double value : values) json.value(value);
        json.end_array();
    };
    json.key("posterior").begin_object();
    json.member("run_deviation", posterior.run_deviation);
    json.member("may_be_negative", posterior.may_be_negative);
    json.member("discrepancy", posterior.discrepancy);
    if (!posterior.changes.empty()) {
        json.key("changes").begin_array();
        for (const ChangePoint& change : posterior.changes) {
            json.begin_object().member("after", change.after).member("before", change.before);
            json.member("probability", change.probability).end_object();
        }
        json.end_array();
    }
    numbers("middle", posterior.middle);
    numbers("largest", posterior.largest);
    numbers("step", posterior.step);
    if (!posterior.misfit.empty()) {
        const Misfit& misfit = posterior.misfit;
        json.key("misfit").begin_object();
        json.member("variance", misfit.variance).member("noise", misfit.noise);
        numbers("origin", misfit.origin);
        numbers("range", misfit.range);
        numbers("length", misfit.length);
        numbers("points", misfit.points);
        numbers("residuals", misfit.residuals);
        json.end_object();
    }
    json.key("forms").begin_array();
    for (std::size_t i = 0; i < posterior.forms.size(); ++i) {
        const WeighedForm form = posterior.forms[i];
        json.begin_object().member("probability", form.probability);
        if (!form.range.is_everywhere()) json.member("from", form.range.from).member("to", form.range.to);
        json.key("function");
        FunctionWriter(json, document.parameters).function(form.function);
        json.member("has_constant", form.has_constant);
        json.member("degrees_of_freedom", form.degrees_of_freedom).key("free_parameters").begin_array();
        for (const std::size_t p : form.free_parameters) json.value(document.parameters[p]);
        json.end_array();
        numbers("covariance", form.covariance);
        json.end_object();
    }
    json.end_array().end_object();
}

void write_model(JsonWriter& json, const FitDocument& document, const RegionModel& model) {
    json.begin_object()
        .member("region", model.region)
        .member("metric", model.metric)
        .member("unit", model.unit);
    json.member("status", enum_name(model.status));
    if (model.status != Status::ok) {
        json.member("reason", model.reason)
            .member("points", model.points)
            .member("repetitions", model.repetitions);
        json.key("function").null().end_object();
        return;
    }
    json.member("points", model.points).member("repetitions", model.repetitions).key("function");
    FunctionWriter(json, document.parameters).function(model.function);
    json.member("formula", formula(model.function, document.parameters));
    json.member("growth", growth(model.function, document.parameters));
    json.key("quality").begin_object();
    write_fitness(json, "in_sample", model.quality.in_sample);
    write_fitness(json, "leave_one_out", model.quality.leave_one_out);
    json.end_object().key("predictions").begin_array();
    for (const Prediction& prediction : model.predictions) {
        json.begin_object().numbers("at", document.parameters, prediction.at);
        json.member("value", prediction.value).member("share", prediction.share);
        if (prediction.interval) {
            json.key("interval").begin_object().member("coverage", prediction.interval->coverage);
            json.member("low", prediction.interval->low)
                .member("high", prediction.interval->high)
                .end_object();
        }
        json.end_object();
    }
    json.end_array().key("warnings").begin_array();
    for (const std::string& warning : model.warnings) json.value(warning);
    json.end_array();
    if (!model.posterior.forms.empty()) {
        write_alternatives(json, document, model.posterior);
        write_posterior(json, document, model.posterior);
    }
    if (model.explanation) {
        json.key("explanation");
        write(json, *model.explanation, document.parameters);
    }
    json.end_object();
}

/// "also fits: ..." for forms that the measured points do not tell apart.
std::string equal_form_warning(const Function& other, const std::vector<std::string>& names) {
    Function form = other;
    form.constant = 0.0;
    return fmt::format(
        "the form {} fits these points as well; a measurement where several parameters are raised at "
        "once would tell",
        formula(form, names));
}

}  // namespace

FitDocument make_document(const experiment::Experiment& experiment, std::vector<Fit> fits) {
    FitDocument document;
    for (const auto& parameter : experiment.parameters) document.parameters.push_back(parameter.name);
    document.largest.assign(document.parameters.size(), -std::numeric_limits<double>::infinity());
    document.smallest.assign(document.parameters.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < experiment.coordinates.size(); ++i) {
        const std::size_t parameter = i % document.parameters.size();
        const double value = experiment.coordinates[i];
        document.smallest[parameter] = std::min(document.smallest[parameter], value);
        document.largest[parameter] = std::max(document.largest[parameter], value);
    }
    document.models.reserve(fits.size());
    for (Fit& fit : fits) {
        const experiment::Series& series = experiment.series[fit.series];
        RegionModel model{.region = experiment.region(series).path,
                          .metric = experiment.metric(series).name,
                          .unit = experiment.metric(series).unit,
                          .status = fit.status,
                          .reason = fit.reason,
                          .points = fit.points,
                          .repetitions = fit.repetitions,
                          .function = std::move(fit.function),
                          .quality = fit.quality,
                          .posterior = std::move(fit.posterior),
                          .predictions = {},
                          .warnings = std::move(fit.warnings)};
        for (const Function& other : fit.equals)
            model.warnings.push_back(equal_form_warning(other, document.parameters));
        document.models.push_back(std::move(model));
    }
    for (const experiment::Note& note : experiment.notes) document.notes.push_back(to_text(note));
    return document;
}

std::string_view recorded_option(const FitDocument& document, std::string_view name) {
    for (const auto& [recorded, value] : document.options) {
        if (recorded == name) return value;
    }
    return {};
}

void predict(FitDocument& document, const std::vector<double>& at, double coverage) {
    PLIMSOLL_EXPECT(at.size() == document.parameters.size());
    std::set<std::pair<std::string_view, std::string_view>> modelled;  // metric, region
    for (const RegionModel& model : document.models) {
        if (document.inclusive && model.status == Status::ok) modelled.emplace(model.metric, model.region);
    }
    const auto lies_within_another = [&](const RegionModel& model) {
        std::string_view above = model.region;
        for (above = experiment::path_above(above); !above.empty(); above = experiment::path_above(above)) {
            if (modelled.contains({model.metric, above})) return true;
        }
        return false;
    };
    std::map<std::string_view, double> totals;
    for (RegionModel& model : document.models) {
        if (model.status != Status::ok) continue;
        Prediction prediction{.at = at};
        if (model.posterior.forms.empty()) {
            prediction.value = model.function(at);
        } else {
            const Estimate e = estimate(model.posterior, at, coverage);
            prediction.value = e.value;
            prediction.interval = {.coverage = coverage, .low = e.low, .high = e.high};
        }
        const double value = prediction.value;
        model.predictions.push_back(std::move(prediction));
        const bool counts =
            std::isfinite(value) && value > 0.0 && !(document.inclusive && lies_within_another(model));
        totals[model.metric] += counts ? value : 0.0;
    }
    for (RegionModel& model : document.models) {
        if (model.status != Status::ok) continue;
        Prediction& prediction = model.predictions.back();
        const double total = totals[model.metric];
        const bool defined = total > 0.0 && std::isfinite(total) && std::isfinite(prediction.value);
        prediction.share =
            defined ? std::max(prediction.value, 0.0) / total : std::numeric_limits<double>::quiet_NaN();
    }
}

void write(JsonWriter& json, const Function& function, const std::vector<std::string>& parameters) {
    FunctionWriter(json, parameters).function(function);
}

std::string to_json(const FitDocument& document) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.fit/1").key("parameters").begin_array();
    for (const std::string& name : document.parameters) json.value(name);
    json.end_array().key("options").begin_object();
    for (const auto& [name, value] : document.options) json.member(name, value);
    json.end_object();
    const auto measured_values = [&](std::string_view key, const std::vector<double>& values) {
        if (values.empty()) return;
        json.key(key).begin_array();
        for (const double value : values) json.value(value);
        json.end_array();
    };
    measured_values("smallest", document.smallest);
    measured_values("largest", document.largest);
    json.key("models").begin_array();
    for (const RegionModel& model : document.models) write_model(json, document, model);
    json.end_array().key("notes").begin_array();
    for (const std::string& note : document.notes) json.value(note);
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::model
