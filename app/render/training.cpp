#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using training::Estimate;
using training::TrainingTime;

/// The parameters that differ between points; all where there is one point alone.
std::string point_text(const TrainingReport& report, const TrainingTime& point) {
    std::vector<std::string> pieces;
    for (std::size_t k = 0; k < report.parameters.size(); ++k) {
        const bool varies =
            std::any_of(report.points.begin(), report.points.end(),
                        [&](const TrainingTime& other) { return other.at[k] != point.at[k]; });
        if (varies || report.points.size() == 1)
            pieces.push_back(fmt::format("{}={}", report.parameters[k], shortest(point.at[k])));
    }
    return join(pieces, ", ");
}

/// How well the profiled steps tell their time, and how many would do where most are wanted.
std::string profiled_text(const TrainingReport& report) {
    const TrainingReport::Profiled* most = nullptr;
    double widest = 0.0;
    std::size_t fewest = 0;
    for (const TrainingReport::Profiled& profiled : report.profiled) {
        if (profiled.precision.needed == 0) continue;
        if (most == nullptr || profiled.precision.needed > most->precision.needed) most = &profiled;
        widest = std::max(widest, profiled.precision.half_width);
        fewest = fewest == 0 ? profiled.precision.steps : std::min(fewest, profiled.precision.steps);
    }
    if (most == nullptr) return {};
    const training::StepPrecision& there = most->precision;
    std::string text = fmt::format(
        "\nSteps that were profiled, {} or more in each configuration, tell their time within {} ({:.4g} % "
        "interval);\n"
        "at {}, where most are wanted, {} would tell it within {}",
        fewest, percent(widest), 100.0 * report.coverage, assignments(report.parameters, there.at),
        there.needed, percent(report.options.precision));
    if (most->epoch_steps > 0.0) {
        const double saved = 1.0 - static_cast<double>(there.needed) / most->epoch_steps;
        text += fmt::format(", of {} in an epoch", shortest(most->epoch_steps));
        if (saved > 0.0) text += fmt::format(", which saves {} of one", percent(saved));
    }
    return text + ".\n";
}

/// The factor that falls most between two points, and from where on efficiency is below a share.
std::string cause_text(const TrainingReport& report) {
    constexpr double low = 0.8;
    constexpr double plainly = 0.9;  // of what it was: less is no fall worth a word
    const auto& points = report.points;
    const TrainingTime& first = points.front();
    const TrainingTime& last = points.back();
    // Of the time per process even perfect scaling lowers it, and none of the factors does.
    if (report.options.efficiency == training::Efficiency::extra_deep) return {};
    if (points.size() < 2 || !first.factors || !last.factors || !first.efficiency || !last.efficiency)
        return {};
    if (!(*last.efficiency < plainly * *first.efficiency)) return {};
    struct Factor {
        const char* name;
        double before;
        double behind;
    };
    const training::Factors& a = *first.factors;
    const training::Factors& b = *last.factors;
    const std::array<Factor, 3> all{
        {{"load balance", a.load_balance.value_or(1.0), b.load_balance.value_or(1.0)},
         {"communication efficiency", a.communication_efficiency, b.communication_efficiency},
         {"computation scalability", a.computation_scalability.value_or(1.0),
          b.computation_scalability.value_or(1.0)}}};
    const Factor& cause = *std::min_element(all.begin(), all.end(), [](const Factor& x, const Factor& y) {
        return x.behind / x.before < y.behind / y.before;
    });
    std::string text =
        fmt::format("\nEfficiency falls from {} to {}, most by {}: from {} at {} to {} at {}",
                    percent(*first.efficiency), percent(*last.efficiency), cause.name, percent(cause.before),
                    point_text(report, first), percent(cause.behind), point_text(report, last));
    for (const TrainingTime& t : points) {
        if (!t.efficiency || *t.efficiency >= low) continue;
        text += fmt::format("; it is below {} from {} on", percent(low), point_text(report, t));
        break;
    }
    return text + ".\n";
}

/// Why efficiency falls, where devices of trainings were traced.
std::string factors_text(const TrainingReport& report, const Style& style) {
    const auto any = [&](auto has) { return std::any_of(report.points.begin(), report.points.end(), has); };
    if (!any([](const TrainingTime& t) { return t.factors.has_value(); })) return {};
    const auto share = [](const std::optional<double>& value) { return value ? percent(*value) : "-"; };
    Table table({{"at"},
                 {"parallel efficiency", Align::right},
                 {"load balance", Align::right},
                 {"communication efficiency", Align::right},
                 {"computation scalability", Align::right}});
    for (const TrainingTime& t : report.points) {
        if (!t.factors) continue;
        table.add({point_text(report, t), percent(t.factors->parallel_efficiency),
                   share(t.factors->load_balance),
                   t.factors->load_balance ? percent(t.factors->communication_efficiency) : "-",
                   share(t.factors->computation_scalability)});
    }
    return "\n" + table.text(style) + cause_text(report);
}

/// Collectives at the last point, which is the largest unless the user says otherwise.
std::string collectives_text(const TrainingReport& report, const Style& style) {
    const TrainingTime& last = report.points.back();
    if (last.collectives.empty()) return {};
    Table table({{fmt::format("collectives of a step at {}", assignments(report.parameters, last.at))},
                 {"calls", Align::right},
                 {"time", Align::right},
                 {"MB", Align::right},
                 {"bus GB/s", Align::right}});
    for (const training::Collective& c : last.collectives) {
        constexpr double mega = 1e6;
        constexpr double giga = 1e9;
        table.add({c.name, short_number(c.calls), duration_text(c.time),
                   c.bytes > 0.0 ? short_number(c.bytes / mega) : "-",
                   c.bus_bandwidth > 0.0 ? short_number(c.bus_bandwidth / giga) : "-"});
    }
    return "\n" + table.text(style);
}

void write_optional(JsonWriter& json, const char* name, const std::optional<double>& value) {
    json.key(name);
    if (value) {
        json.value(*value);
    } else {
        json.null();
    }
}

void write_factors(JsonWriter& json, const std::optional<training::Factors>& factors) {
    json.key("factors");
    if (!factors) {
        json.null();
        return;
    }
    json.begin_object().member("parallel_efficiency", factors->parallel_efficiency);
    write_optional(json, "load_balance", factors->load_balance);
    json.member("communication_efficiency", factors->communication_efficiency);
    write_optional(json, "computation_scalability", factors->computation_scalability);
    json.end_object();
}

void write_known(JsonWriter& json, const char* name, bool is_known, double value) {
    write_optional(json, name, is_known ? std::optional(value) : std::nullopt);
}

void write_profiled(JsonWriter& json, const TrainingReport& report) {
    json.key("profiled").begin_array();
    for (const TrainingReport::Profiled& profiled : report.profiled) {
        const training::StepPrecision& p = profiled.precision;
        json.begin_object();
        json.numbers("at", report.parameters, p.at);
        json.member("steps", p.steps).member("step_s", p.mean).member("half_width", p.half_width);
        json.member("autocorrelation_time", p.autocorrelation_time).member("needed_steps", p.needed);
        json.member("epoch_steps", profiled.epoch_steps).end_object();
    }
    json.end_array();
}

/// What throughput is counted in.
std::string unit_of_throughput(const TrainingReport& report) {
    const TrainingTime& first = report.points.front();
    if (!first.step) return report.schedule.dataset_size > 0 ? "samples/s" : "epochs/s";
    return first.batch > 0.0 ? "samples/s" : "steps/s";
}

void write_time(JsonWriter& json, const char* name, const std::optional<Estimate>& time) {
    json.key(name);
    if (!time) {
        json.null();
        return;
    }
    json.begin_object().member("value", time->value).member("low", time->low).member("high", time->high);
    json.end_object();
}

}  // namespace

std::string to_text(const TrainingReport& report, const Style& style) {
    const auto any = [&](auto has) { return std::any_of(report.points.begin(), report.points.end(), has); };
    const bool has_parts = any([](const TrainingTime& t) { return t.parts.has_value(); });
    const bool has_idle = any([](const TrainingTime& t) { return t.parts && t.parts->idle; });
    const bool has_epoch = any([](const TrainingTime& t) { return t.training.has_value(); });
    const bool has_steps = any([](const TrainingTime& t) { return t.step.has_value(); });
    std::vector<Table::Column> columns{{"at"},
                                       {has_steps ? "step" : "epoch", Align::right},
                                       {fmt::format("{:.4g} % interval", 100.0 * report.coverage)},
                                       {unit_of_throughput(report), Align::right},
                                       {"efficiency", Align::right}};
    if (has_parts) {
        columns.push_back({"computing", Align::right});
        columns.push_back({"communication alone", Align::right});
        columns.push_back({"rest", Align::right});
        if (has_idle) columns.push_back({"of it idle", Align::right});
    }
    const bool has_counts = any([](const TrainingTime& t) { return t.steps.training > 0.0; });
    if (has_counts) {
        columns.push_back({"steps", Align::right});
        columns.push_back({"epoch", Align::right});
    }
    if (has_epoch) {
        columns.push_back({"training", Align::right});
        columns.push_back({"interval"});
        columns.push_back({"process hours", Align::right});
    }
    Table table(columns);
    for (const TrainingTime& t : report.points) {
        const Estimate time = t.step ? *t.step : t.epoch.value_or(Estimate{});
        std::vector<std::string> row{point_text(report, t), duration_text(time.value),
                                     duration_range_text(time), short_number(t.throughput),
                                     t.efficiency ? percent(*t.efficiency) : "-"};
        if (has_parts) {
            for (const auto part : {&training::StepParts::computation,
                                    &training::StepParts::exposed_communication, &training::StepParts::rest})
                row.push_back(t.parts ? percent((*t.parts).*part / time.value) : "-");
            if (has_idle)
                row.push_back(t.parts && t.parts->idle ? percent(*t.parts->idle / time.value) : "-");
        }
        if (has_counts) {
            row.push_back(shortest(t.steps.training + t.steps.validation));
            row.push_back(t.epoch ? duration_text(t.epoch->value) : "-");
        }
        if (has_epoch) {
            row.push_back(t.training ? duration_text(t.training->value) : "-");
            row.push_back(t.training ? duration_range_text(*t.training) : "-");
            row.push_back(t.process_hours ? short_number(*t.process_hours) : "-");
        }
        table.add(row);
    }
    std::string text = table.text(style) + factors_text(report, style) + collectives_text(report, style);
    if (report.critical_batch) {
        text += fmt::format(
            "\nBeyond a global batch of {} samples, more than twice as many of them are needed.\n",
            short_number(*report.critical_batch));
    }
    return text + profiled_text(report);
}

std::string to_lines(const TrainingReport& report) {
    std::string text;
    for (const TrainingTime& t : report.points) {
        text += fmt::format("{}\t{}\n", point_text(report, t),
                            shortest(t.training ? t.training->value : t.step.value_or(Estimate{}).value));
    }
    return text;
}

std::string to_json(const TrainingReport& report) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.training/1").member("coverage", report.coverage);
    json.key("schedule").begin_object();
    json.member("dataset_size", report.schedule.dataset_size);
    json.member("validation_size", report.schedule.validation_size).member("epochs", report.schedule.epochs);
    json.member("batch", report.schedule.batch).member("batch_is", enum_name(report.schedule.batch_is));
    json.member("model_parallel", report.schedule.model_parallel);
    json.member("pipeline_parallel", report.schedule.pipeline_parallel);
    json.member("last_step", enum_name(report.schedule.last_step));
    json.member("validation", enum_name(report.schedule.validation)).end_object();
    json.member("efficiency_definition", enum_name(report.options.efficiency));
    json.member("precision", report.options.precision);
    write_optional(json, "critical_batch", report.critical_batch);
    json.key("points").begin_array();
    for (const TrainingTime& t : report.points) {
        json.begin_object();
        json.numbers("at", report.parameters, t.at);
        json.member("processes", t.processes);
        write_known(json, "batch", t.batch > 0.0, t.batch);
        write_time(json, "step_s", t.step);
        write_time(json, "validation_step_s", t.validation_step);
        json.key("parts_s");
        if (t.parts) {
            json.begin_object().member("computation", t.parts->computation);
            json.member("exposed_communication", t.parts->exposed_communication);
            json.member("rest", t.parts->rest);
            write_optional(json, "idle", t.parts->idle);
            json.end_object();
        } else {
            json.null();
        }
        write_factors(json, t.factors);
        json.key("collectives").begin_array();
        for (const training::Collective& c : t.collectives) {
            json.begin_object().member("name", c.name).member("calls", c.calls).member("time_s", c.time);
            json.member("bytes", c.bytes).member("bus_bandwidth_bytes_per_s", c.bus_bandwidth).end_object();
        }
        json.end_array();
        json.member("throughput_per_s", t.throughput).member("throughput_unit", unit_of_throughput(report));
        write_optional(json, "efficiency", t.efficiency);
        const bool knows_steps = t.steps.training > 0.0;
        write_known(json, "training_steps", knows_steps, t.steps.training);
        write_known(json, "validation_steps", knows_steps, t.steps.validation);
        write_time(json, "epoch_s", t.epoch);
        write_time(json, "samples", t.samples);
        write_time(json, "training_s", t.training);
        write_optional(json, "process_hours", t.process_hours);
        json.end_object();
    }
    json.end_array();
    write_profiled(json, report);
    json.key("notes").begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::app
