#include "app/report/report_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/experiment/call_tree.hpp"
#include "plimsoll/model/fit.hpp"
#include "plimsoll/model/formula.hpp"
#include "plimsoll/model/growth.hpp"
#include "plimsoll/model/predictive.hpp"
#include "version.hpp"

namespace plimsoll::app {

namespace {

using model::RegionModel;
using model::Status;

/// Each text once, by its place.
class Texts {
  public:
    std::size_t place_of(const std::string& text) {
        const auto [found, is_new] = places_.try_emplace(text, texts_.size());
        if (is_new) texts_.push_back(text);
        return found->second;
    }
    [[nodiscard]] const std::vector<std::string>& all() const { return texts_; }

  private:
    std::unordered_map<std::string, std::size_t> places_;
    std::vector<std::string> texts_;
};

template <class Values>
void write_list(JsonWriter& json, std::string_view name, const Values& values) {
    json.key(name).begin_array();
    for (const auto& value : values) json.value(value);
    json.end_array();
}

/// Six digits, for what is drawn.
void write_short(JsonWriter& json, double value) {
    if (std::isfinite(value)) {
        json.raw(fmt::format("{:.6g}", value));
    } else {
        json.null();
    }
}

/// A report of so many models would be slow to open with all forms of each.
constexpr std::size_t many_models = 10000;
constexpr std::size_t few_forms = 2;

/// A function of a leading form, which has no segments, with what is worth drawing of its coefficients.
model::Function six_digits(model::Function function) {
    const auto rounded = [](double value) {
        return std::isfinite(value) ? std::stod(fmt::format("{:.6g}", value)) : value;
    };
    function.constant = rounded(function.constant);
    for (model::Term& term : function.terms) term.coefficient = rounded(term.coefficient);
    return function;
}

/// What a model finally grows as: the sum of its fastest growing terms, without coefficients.
model::Function growth_function(const model::Function& function, std::size_t parameters) {
    model::Function growth;
    for (const model::Order& order : model::growth_orders(function, parameters)) {
        if (order.factors.empty()) {
            growth.constant = 1.0;
        } else {
            growth.terms.push_back({.coefficient = 1.0, .factors = order.factors});
        }
    }
    return growth;
}

/// Nodes of the tree that the regions' paths span, parents first; the first one is the root.
void write_tree(JsonWriter& json, const std::vector<std::string>& regions) {
    experiment::Experiment paths;
    for (const std::string& region : regions) paths.regions.push_back({.path = region, .tags = {}});
    const experiment::CallTree tree = experiment::build_call_tree(paths);
    json.key("tree").begin_object().key("name").begin_array();
    for (const experiment::CallTree::Node& node : tree.nodes) json.value(node.name);
    json.end_array().key("parent").begin_array();
    for (const experiment::CallTree::Node& node : tree.nodes) json.value(node.parent);
    json.end_array().key("region").begin_array();
    for (const experiment::CallTree::Node& node : tree.nodes)
        json.value(node.region ? static_cast<int>(experiment::index(*node.region)) : -1);
    json.end_array().end_object();
}

/// Numbers of all models, one list for each.
void write_columns(JsonWriter& json, const ReportData& data) {
    const std::vector<RegionModel>& models = data.document->models;
    const std::vector<std::string>& parameters = data.document->parameters;
    Texts regions;
    Texts growths;
    std::vector<std::size_t> region_of;
    std::vector<std::size_t> growth_of;
    std::map<std::size_t, model::Function> functions;
    for (const RegionModel& m : models) {
        region_of.push_back(regions.place_of(m.region));
        if (m.status != Status::ok) {
            growth_of.push_back(growths.place_of(""));
            continue;
        }
        growth_of.push_back(growths.place_of(model::growth(m.function, parameters)));
        functions.try_emplace(growth_of.back(), growth_function(m.function, parameters.size()));
    }
    write_list(json, "regions", regions.all());
    write_tree(json, regions.all());
    json.key("growths").begin_array();
    for (std::size_t i = 0; i < growths.all().size(); ++i) {
        json.begin_object().member("text", growths.all()[i]);
        if (const auto found = functions.find(i); found != functions.end()) {
            json.key("function");
            model::write(json, found->second, parameters);
        }
        json.end_object();
    }
    json.end_array();
    json.key("models").begin_object();
    write_list(json, "region", region_of);
    write_list(json, "metric", data.values.metric_of);
    write_list(json, "growth", growth_of);
    json.key("status").begin_array();
    for (const RegionModel& m : models) json.value(static_cast<std::size_t>(m.status));
    json.end_array().key("points").begin_array();
    for (const RegionModel& m : models) json.value(m.points);
    json.end_array().key("repetitions").begin_array();
    for (const RegionModel& m : models) json.value(m.repetitions);
    json.end_array().key("smape").begin_array();
    for (const RegionModel& m : models)
        write_short(json, m.status == Status::ok ? m.quality.leave_one_out.smape : std::nan(""));
    json.end_array().key("warnings").begin_array();
    for (const RegionModel& m : models) json.value(m.warnings.size());
    json.end_array().end_object();
}

void write_line(JsonWriter& json, const ReportData& data) {
    if (!data.line) {
        json.member("no_scale", data.why_no_line);
        return;
    }
    const plan::Workload& workload = data.work->workload;
    json.key("scale").begin_object();
    json.member("parameter", workload.processes).member("counted", data.work->counted);
    json.member("work", workload.work == plan::Work::in_all ? "in-all" : "per-process");
    json.member("fewest", workload.fewest).member("least", data.line->least);
    json.member("time_of", data.work->time_of);
    write_list(json, "notes", data.notes_of_line);
    const auto numbers = [&](std::string_view name, const std::vector<double>& values) {
        json.key(name).begin_array();
        for (const double value : values) write_short(json, value);
        json.end_array();
    };
    numbers("time", data.line->predictions.time);
    numbers("efficiency", data.line->predictions.efficiency);
    json.key("ends").begin_array();
    for (const auto& end : data.line->ends) {
        if (!end) {
            json.null();
            continue;
        }
        json.begin_object().member("processes", end->processes).member("is_end", end->is_end).end_object();
    }
    json.end_array().end_object();
}

void write_experiment(JsonWriter& json, const ReportData& data) {
    const model::FitDocument& document = *data.document;
    json.begin_object();
    json.member("name", data.name);
    write_list(json, "parameters", document.parameters);
    json.key("options").begin_object();
    for (const auto& [name, value] : document.options) json.member(name, value);
    json.end_object();
    write_list(json, "smallest", document.smallest);
    write_list(json, "largest", document.largest);
    write_list(json, "target", data.target);
    json.member("coverage", data.coverage);
    json.member("inclusive", document.inclusive);
    json.key("axes").begin_array();
    for (const std::vector<double>& axis : data.values.grid.values) {
        json.begin_array();
        for (const double value : axis) json.value(value);
        json.end_array();
    }
    json.end_array().key("measured").begin_array();
    if (data.experiment != nullptr) {
        for (std::size_t i = 0; i < data.experiment->point_count(); ++i) {
            json.begin_array();
            for (const double x : data.experiment->point(static_cast<experiment::PointId>(i))) json.value(x);
            json.end_array();
        }
    }
    json.end_array().key("metrics").begin_array();
    for (const MetricTotal& metric : data.values.metrics) {
        json.begin_object().member("name", metric.metric).member("unit", metric.unit);
        json.key("totals").begin_array();
        for (const double total : metric.totals) write_short(json, total);
        json.end_array().end_object();
    }
    json.end_array().member("has_intervals", !data.values.low.empty());
    json.member("details_of_a_block", details_of_a_block);
    write_columns(json, data);
    write_line(json, data);
    write_list(json, "notes", data.notes);
    json.end_object();
}

std::string header(const ReportData* experiment, const std::vector<ShownDocument>& documents) {
    JsonWriter json(0);
    json.begin_object().member("schema", "plimsoll.report-data/1").member("plimsoll", version);
    json.key("experiments").begin_array();
    if (experiment != nullptr) write_experiment(json, *experiment);
    json.end_array().key("documents").begin_array();
    for (const ShownDocument& document : documents) {
        json.begin_object().member("kind", enum_name(document.kind)).member("name", document.name);
        json.end_object();
    }
    return json.end_array().end_object().take();
}

/// The measured points of a model.
void write_points(JsonWriter& json, const ReportData& data, const RegionModel& m,
                  const experiment::Series& series) {
    json.key("measurements").begin_array();
    std::vector<double> means;
    for (const experiment::Measurement& measurement : series.measurements) {
        json.begin_array().value(experiment::index(measurement.point));
        write_short(json, model::value_of(measurement, data.statistic));
        if (m.status == Status::ok) {
            const model::Estimate e = model::predicted(
                m.posterior, m.function, data.experiment->point(measurement.point), data.coverage);
            write_short(json, e.value);
        } else {
            json.null();
        }
        experiment::repetition_means(series, measurement, means);
        if (!means.empty()) {
            json.begin_array();
            for (const double value : means) write_short(json, value);
            json.end_array();
        } else if (measurement.complete_summary) {
            json.begin_object().key("range").begin_array();
            write_short(json, measurement.summary.minimum);
            write_short(json, measurement.summary.maximum);
            json.end_array().end_object();
        } else {
            json.null();
        }
        json.end_array();
    }
    json.end_array();
}

void write_details(JsonWriter& json, const ReportData& data, const RegionModel& m,
                   const experiment::Series* series) {
    const std::vector<std::string>& parameters = data.document->parameters;
    json.begin_object();
    if (m.status == Status::ok) {
        json.key("function");
        model::write(json, m.function, parameters);
        json.key("quality").begin_object();
        for (const auto& [name, fitness] : {std::pair("in_sample", &m.quality.in_sample),
                                            std::pair("leave_one_out", &m.quality.leave_one_out)}) {
            json.key(name).begin_object();
            for (const auto& [key, number] :
                 {std::pair("rss", fitness->rss), std::pair("smape", fitness->smape),
                  std::pair("r2", fitness->r2), std::pair("adjusted_r2", fitness->adjusted_r2)}) {
                json.key(key);
                write_short(json, number);
            }
            json.end_object();
        }
        json.end_object();
        write_list(json, "warnings", m.warnings);
        json.key("alternatives").begin_array();
        std::vector<model::WeighedForm> forms = model::leading_forms(m.posterior);
        if (data.document->models.size() > many_models) forms.resize(std::min(forms.size(), few_forms));
        for (model::WeighedForm& form : forms) {
            json.begin_object().key("probability");
            write_short(json, form.probability);
            if (!form.range.is_everywhere()) json.member("from", form.range.from).member("to", form.range.to);
            json.key("function");
            model::write(json, six_digits(std::move(form.function)), parameters);
            json.end_object();
        }
        json.end_array();
        if (std::isfinite(m.posterior.run_deviation)) json.member("run_deviation", m.posterior.run_deviation);
    } else {
        json.member("reason", m.reason);
    }
    if (series != nullptr) write_points(json, data, m, *series);
    json.end_object();
}

/// The measurements of each model; none where there are none.
std::vector<const experiment::Series*> series_of(const ReportData& data) {
    std::vector<const experiment::Series*> found(data.document->models.size(), nullptr);
    if (data.experiment == nullptr) return found;
    std::map<std::pair<std::string_view, std::string_view>, const experiment::Series*> by_name;
    for (const experiment::Series& series : data.experiment->series)
        by_name.try_emplace({data.experiment->region(series).path, data.experiment->metric(series).name},
                            &series);
    for (std::size_t k = 0; k < found.size(); ++k) {
        const RegionModel& m = data.document->models[k];
        const auto place = by_name.find({m.region, m.metric});
        if (place != by_name.end()) found[k] = place->second;
    }
    return found;
}

}  // namespace

void write_data(report::Page& page, const ReportData* experiment,
                const std::vector<ShownDocument>& documents) {
    page.add_json("report", header(experiment, documents));
    for (std::size_t i = 0; i < documents.size(); ++i)
        page.add_json(fmt::format("document-{}", i), documents[i].json);
    if (experiment == nullptr) return;
    const ReportData& data = *experiment;
    if (!data.comparison.empty()) page.add_json("compare", data.comparison);
    const std::vector<const experiment::Series*> series = series_of(data);
    const std::vector<RegionModel>& models = data.document->models;
    for (std::size_t begin = 0; begin < models.size(); begin += details_of_a_block) {
        JsonWriter json(0);
        json.begin_array();
        for (std::size_t k = begin; k < std::min(begin + details_of_a_block, models.size()); ++k)
            write_details(json, data, models[k], series[k]);
        page.add_json(fmt::format("details-{}", begin / details_of_a_block), json.end_array().take());
    }
    const auto columns = [&](std::string_view name, const std::vector<float>& numbers) {
        for (std::size_t i = 0; i < numbers.size() / std::max<std::size_t>(models.size(), 1); ++i)
            page.add_floats(fmt::format("{}-{}", name, i),
                            std::span(numbers).subspan(i * models.size(), models.size()));
    };
    columns("value", data.values.value);
    columns("low", data.values.low);
    columns("high", data.values.high);
}

}  // namespace plimsoll::app
