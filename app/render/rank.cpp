#include <fmt/format.h>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using model::Crossing;
using model::Estimate;
using model::RankedRegion;
using model::RegionRanking;

std::string range_text(const Estimate& e) {
    return e.low == e.high ? "-" : fmt::format("{} to {}", short_number(e.low), short_number(e.high));
}

std::string metric_table(const RankReport& report, const RegionRanking& ranking, std::size_t begin,
                         std::size_t end, const Style& style) {
    const bool by_growth = report.by == model::RankBy::growth;
    Table table({{by_growth ? "growth" : "cost", Align::right},
                 {by_growth ? "cost" : "growth", Align::right},
                 {"at " + assignments(report.parameters, ranking.from), Align::right},
                 {"at " + assignments(report.parameters, ranking.at), Align::right},
                 {fmt::format("{:.4g} % interval", 100.0 * report.coverage)},
                 {"region"},
                 {"grows as"}});
    for (std::size_t i = begin; i < end; ++i) {
        const RankedRegion& r = ranking.regions[i];
        table.add({std::to_string(by_growth ? r.growth_rank : r.cost_rank),
                   std::to_string(by_growth ? r.cost_rank : r.growth_rank), short_number(r.measured.value),
                   short_number(r.cost.value), range_text(r.cost), r.region, r.growth});
    }
    const RankedRegion& first = ranking.regions[begin];
    std::string text = style.bold(metric_title(first.metric, first.unit)) + "\n" + table.text(style);
    for (const Crossing& c : ranking.crossings) {
        if (c.metric != first.metric) continue;
        std::vector<std::string> pieces;
        for (std::size_t k = 0; k < c.at.size(); ++k)
            pieces.push_back(fmt::format("{}={}", report.parameters[k], short_number(c.at[k])));
        text += fmt::format("{} overtakes {} at {}", c.region, c.overtaken, join(pieces, ", "));
        if (c.probability < 1.0) {
            text += fmt::format(" ({} sure to be larger at {})", percent(c.probability),
                                assignments(report.parameters, ranking.at));
        }
        text += "\n";
    }
    return text;
}

/// Calls `visit(begin, end)` for the regions of each metric.
template <class Visit>
void for_each_metric(const RegionRanking& ranking, const Visit& visit) {
    std::size_t begin = 0;
    for (std::size_t i = 1; i <= ranking.regions.size(); ++i) {
        if (i < ranking.regions.size() && ranking.regions[i].metric == ranking.regions[begin].metric)
            continue;
        visit(begin, i);
        begin = i;
    }
}

void write_region(JsonWriter& json, const RankReport& report, const RankedRegion& r) {
    json.begin_object().member("region", r.region).member("metric", r.metric).member("unit", r.unit);
    json.member("growth_rank", r.growth_rank).member("cost_rank", r.cost_rank).member("growth", r.growth);
    json.member("growth_probability", r.growth_probability).member("value_from", r.measured.value);
    json.member("value", r.cost.value);
    json.key("interval").begin_object().member("coverage", report.coverage);
    json.member("low", r.cost.low).member("high", r.cost.high).end_object().end_object();
}

}  // namespace

std::string to_text(const RankReport& report, const Style& style) {
    std::string text;
    for (const RegionRanking& ranking : report.rankings) {
        for_each_metric(ranking, [&](std::size_t begin, std::size_t end) {
            text += (text.empty() ? "" : "\n") + metric_table(report, ranking, begin, end, style);
        });
    }
    return text;
}

std::string to_lines(const RankReport& report) {
    std::string text;
    for (const RegionRanking& ranking : report.rankings) {
        for (const RankedRegion& r : ranking.regions) {
            text += fmt::format("{}\t{}\t{}\t{}\n", r.region, r.metric,
                                assignments(report.parameters, ranking.at),
                                report.by == model::RankBy::growth ? r.growth_rank : r.cost_rank);
        }
    }
    return text;
}

std::string to_json(const RankReport& report) {
    JsonWriter json(3);
    json.begin_object().member("schema", "plimsoll.rank/1").key("parameters").begin_array();
    for (const std::string& name : report.parameters) json.value(name);
    json.end_array().member("by", enum_name(report.by)).key("rankings").begin_array();
    for (const RegionRanking& ranking : report.rankings) {
        json.begin_object();
        json.numbers("from", report.parameters, ranking.from);
        json.numbers("at", report.parameters, ranking.at);
        json.key("regions").begin_array();
        for (const RankedRegion& r : ranking.regions) write_region(json, report, r);
        json.end_array().key("crossings").begin_array();
        for (const Crossing& c : ranking.crossings) {
            json.begin_object().member("region", c.region).member("overtaken", c.overtaken);
            json.member("metric", c.metric);
            json.numbers("at", report.parameters, c.at);
            json.member("probability", c.probability).end_object();
        }
        json.end_array().end_object();
    }
    json.end_array().key("notes").begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::app
