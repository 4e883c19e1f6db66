#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using model::Check;
using model::Rule;
using model::RuleKind;

const Rule& rule_of(const ExpectReport& report, const Check& check) { return report.rules.rules[check.rule]; }

/// "38.03 s, 21.56 to 77.2".
std::string estimate_text(const model::Estimate& e, const std::string& unit) {
    if (e.low == e.high) return with_unit(e.value, unit);
    return fmt::format("{}, {} to {}", with_unit(e.value, unit), short_number(e.low), short_number(e.high));
}

/// The text of a rule whose parts need not stand below those of others.
std::string with_single_blanks(const std::string& text) {
    std::string result;
    for (const char c : text) {
        const bool is_blank = c == ' ' || c == '\t';
        if (!is_blank || !result.ends_with(' ')) result.push_back(is_blank ? ' ' : c);
    }
    return result;
}

/// What the models say that the rule is about.
std::string found_text(const ExpectReport& report, const Check& check) {
    if (!check.reason.empty()) return check.reason;
    switch (rule_of(report, check).kind) {
        case RuleKind::growth: return check.growth;
        case RuleKind::value: return estimate_text(check.estimate, check.unit);
        case RuleKind::efficiency:
            return fmt::format(
                "{} of {} ({} scaling{})", estimate_text(check.estimate, ""),
                assignments(report.parameters, check.base), enum_name(check.scaling),
                check.regions > 1 ? fmt::format(", {}", counted(check.regions, "region")) : "");
    }
    return {};
}

void write_check(JsonWriter& json, const ExpectReport& report, const Check& check) {
    const Rule& rule = rule_of(report, check);
    json.begin_object().member("line", static_cast<std::size_t>(rule.line)).member("rule", rule.text);
    json.member("kind", enum_name(rule.kind)).member("region", check.region).member("metric", check.metric);
    json.member("verdict", enum_name(check.verdict)).member("probability", check.probability);
    if (!check.reason.empty()) json.member("reason", check.reason);
    if (rule.kind == RuleKind::growth) {
        if (!check.growth.empty()) json.member("growth", check.growth);
        json.end_object();
        return;
    }
    json.member("unit", check.unit)
        .member("comparison", rule.relation == model::Relation::at_most ? "<=" : ">=");
    json.member("bound", check.bound);
    if (!check.at.empty()) json.numbers("at", report.parameters, check.at);
    json.member("value", check.estimate.value);
    json.key("interval").begin_object().member("coverage", report.coverage);
    json.member("low", check.estimate.low).member("high", check.estimate.high).end_object();
    if (rule.kind == RuleKind::efficiency) {
        json.member("scaling", enum_name(check.scaling));
        if (!check.base.empty()) json.numbers("base", report.parameters, check.base);
        json.member("regions", check.regions);
    }
    json.end_object();
}

}  // namespace

std::string to_text(const ExpectReport& report, const Style& style) {
    const auto& checks = report.checks;
    const bool several_metrics = std::any_of(checks.begin(), checks.end(), [&](const Check& check) {
        return check.metric != checks.front().metric;
    });
    std::vector<Table::Column> columns{{"verdict"}, {"line", Align::right}, {"rule"}, {"region"}};
    if (several_metrics) columns.push_back({"metric"});
    columns.insert(columns.end(), {{"kept with", Align::right}, {"found"}});
    Table table(columns);
    for (const Check& check : checks) {
        const Rule& rule = rule_of(report, check);
        std::vector<std::string> row{std::string(enum_name(check.verdict)), std::to_string(rule.line),
                                     with_single_blanks(rule.text), check.region};
        if (several_metrics) row.push_back(check.metric);
        row.push_back(percent(check.probability));
        row.push_back(found_text(report, check));
        table.add(std::move(row));
    }
    return fmt::format(
        "{}{} kept, {} broken, {} undecided{}\n", table.text(style), report.count(model::Verdict::kept),
        report.count(model::Verdict::broken), report.count(model::Verdict::undecided),
        report.strict && report.count(model::Verdict::undecided) > 0 ? ", which counts as broken (--strict)"
                                                                     : "");
}

std::string to_lines(const ExpectReport& report) {
    std::string text;
    for (const Check& check : report.checks) {
        if (!report.fails(check)) continue;
        text += fmt::format("{}\t{}\t{}\t{}\n", enum_name(check.verdict), rule_of(report, check).line,
                            check.region, check.metric);
    }
    return text;
}

std::string to_json(const ExpectReport& report) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.expect/1").key("parameters").begin_array();
    for (const std::string& name : report.parameters) json.value(name);
    json.end_array().member("file", report.rules.file).member("coverage", report.coverage);
    json.member("strict", report.strict).member("passed", !report.any_fails());
    json.member("kept", report.count(model::Verdict::kept))
        .member("broken", report.count(model::Verdict::broken));
    json.member("undecided", report.count(model::Verdict::undecided)).key("checks").begin_array();
    for (const Check& check : report.checks) write_check(json, report, check);
    json.end_array().key("notes").begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::app
