#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/byte_size.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using plan::LimitKind;

constexpr std::size_t most_front_rows = 12;

/// A report's configurations and values as a person reads them.
class Words {
  public:
    explicit Words(const PlanConfigReport& report) : report_(&report) {}

    /// "p=64, n=9000": the number of processes, and what else was to be chosen.
    [[nodiscard]] std::string point(const PlannedConfig& config) const {
        std::vector<std::string> pieces;
        for (std::size_t k = 0; k < config.at.size(); ++k) {
            if (k == report_->processes || report_->chosen[k])
                pieces.push_back(fmt::format("{}={}", report_->parameters[k], shortest(config.at[k])));
        }
        return join(pieces, ", ");
    }

    /// "p=64 on cpu", or the point alone where there is one machine.
    [[nodiscard]] std::string config(const PlannedConfig& config) const {
        return report_->machines.size() > 1 ? fmt::format("{} on {}", point(config), config.machine)
                                            : point(config);
    }

    [[nodiscard]] std::string cost(double value) const {
        return plan::amount_text(
            {.kind = report_->cost.kind, .value = value, .currency = report_->cost.currency});
    }

    [[nodiscard]] std::string limit(LimitKind kind, std::size_t budget, double value) const {
        switch (kind) {
            case LimitKind::deadline:
            case LimitKind::longest_job: return duration_text(value);
            case LimitKind::budget: {
                plan::Amount amount = report_->limits.budgets[budget];
                amount.value = value;
                return plan::amount_text(amount);
            }
            case LimitKind::efficiency: return percent(value);
            case LimitKind::nodes: return counted(static_cast<std::size_t>(value), "node");
            case LimitKind::memory: return byte_size_text(value) + " a process";
        }
        return {};
    }

    /// "within 24 h, for at most 5000 EUR, with 95 % probability"; empty where there is no limit.
    [[nodiscard]] std::string limits() const {
        std::vector<std::string> pieces;
        const plan::Limits& limits = report_->limits;
        if (limits.deadline) pieces.push_back("within " + duration_text(limits.deadline->count()));
        for (const plan::Amount& budget : limits.budgets)
            pieces.push_back("for at most " + plan::amount_text(budget));
        if (!pieces.empty())
            pieces.push_back(fmt::format("with {:.4g} % probability", 100.0 * report_->confidence));
        if (limits.efficiency > 0.0) pieces.push_back("efficiency at least " + percent(limits.efficiency));
        return join(pieces, ", ");
    }

  private:
    const PlanConfigReport* report_;
};

std::string name_text(std::string_view name) {
    return name == "most-efficient" ? "most efficient" : std::string(name);
}

/// Rows of configurations, each with a name in front where names are given.
class ConfigTable {
  public:
    ConfigTable(const PlanConfigReport& report, const Words& words, const std::string& first_column)
        : report_(&report),
          words_(&words),
          has_names_(!first_column.empty()),
          table_(columns(report, first_column)) {}

    void add(const std::string& name, const PlannedConfig& config) {
        std::vector<std::string> row;
        if (has_names_) row.push_back(name);
        row.push_back(words_->point(config));
        if (report_->machines.size() > 1) row.push_back(config.machine);
        row.push_back(shortest(config.nodes));
        row.push_back(duration_text(config.time.value));
        row.push_back(duration_range_text(config.time));
        row.push_back(words_->cost(config.cost));
        row.push_back(percent(config.efficiency));
        if (has_limits(*report_)) row.push_back(percent(config.probability));
        if (config.efficient) row.push_back(percent(*config.efficient));
        table_.add(row);
    }

    [[nodiscard]] std::string text(const Style& style) const { return table_.text(style); }

  private:
    static bool has_limits(const PlanConfigReport& report) {
        return report.limits.deadline || !report.limits.budgets.empty() ||
               std::any_of(report.machines.begin(), report.machines.end(),
                           [](const plan::Machine& machine) { return machine.longest_job.has_value(); });
    }

    static std::vector<Table::Column> columns(const PlanConfigReport& report,
                                              const std::string& first_column) {
        std::vector<Table::Column> columns;
        if (!first_column.empty()) columns.push_back({first_column});
        columns.push_back({"at"});
        if (report.machines.size() > 1) columns.push_back({"machine"});
        columns.push_back({"nodes", Align::right});
        columns.push_back({"time", Align::right});
        columns.push_back({fmt::format("{:.4g} % interval", 200.0 * report.confidence - 100.0)});
        columns.push_back({"cost", Align::right});
        columns.push_back({"efficiency", Align::right});
        if (has_limits(report)) columns.push_back({"keeps limits", Align::right});
        if (report.limits.efficiency > 0.0) columns.push_back({"is efficient", Align::right});
        return columns;
    }

    const PlanConfigReport* report_;
    const Words* words_;
    bool has_names_;
    Table table_;
};

std::string limit_name(LimitKind kind) {
    return kind == LimitKind::longest_job ? "longest job" : std::string(enum_name(kind));
}

/// For each answer, between which values of what was assumed it stays, and what it is beyond them.
std::string changes_text(const PlanConfigReport& report, const Words& words, const Style& style) {
    Table table(
        {{"answer"}, {"stays with"}, {"from", Align::right}, {"below"}, {"to", Align::right}, {"above"}});
    const auto beyond = [&](const std::optional<std::size_t>& id) {
        return id ? words.config(report.config(*id)) : std::string("nothing");
    };
    for (const PlannedAnswer& answer : report.answers) {
        if (!answer.sensitivity) continue;
        const plan::Sensitivity& s = *answer.sensitivity;
        const std::string name = name_text(answer.name);
        for (const plan::LimitRange& range : s.limits) {
            const bool has_begin = range.from > 0.0;
            const bool has_end = std::isfinite(range.to);
            table.add({name, limit_name(range.kind),
                       has_begin ? words.limit(range.kind, range.budget, range.from) : "any",
                       has_begin ? beyond(range.before) : "-",
                       has_end ? words.limit(range.kind, range.budget, range.to) : "any",
                       has_end ? beyond(range.behind) : "-"});
        }
        if (std::isfinite(s.time_factor))
            table.add({name, "runs longer than predicted", "any", "-", fmt::format("{:.3g} x", s.time_factor),
                       "a limit is missed"});
        if (std::isfinite(s.price_factor))
            table.add({name, "price of " + answer.config.machine, "any", "-",
                       fmt::format("{:.3g} x", s.price_factor),
                       s.at_another_price ? beyond(s.at_another_price) : "a limit is missed"});
    }
    return table.empty() ? std::string()
                         : "\n" + style.bold("what would change this") + "\n" + table.text(style);
}

/// How far the efficiency asked for reaches.
std::string scaling_text(const PlanConfigReport& report, const Style& style) {
    const PlannedScaling& scaling = *report.scaling;
    const std::string& counted = report.parameters[report.processes];
    const std::string wanted = percent(report.limits.efficiency);
    std::string text = "\n";
    std::vector<std::string> others;
    for (std::size_t k = 0; k < scaling.at.size(); ++k) {
        if (k != report.processes && report.parameters[k] != scaling.size_parameter)
            others.push_back(fmt::format("{}={}", report.parameters[k], shortest(scaling.at[k])));
    }
    std::vector<std::string> with_size = others;
    for (std::size_t k = 0; k < scaling.at.size(); ++k) {
        if (report.parameters[k] == scaling.size_parameter)
            with_size.push_back(fmt::format("{}={}", report.parameters[k], shortest(scaling.at[k])));
    }
    const std::string at = with_size.empty() ? "" : " at " + join(with_size, ", ");
    if (scaling.largest) {
        text += fmt::format("an efficiency of {} lasts {} {}={}{}\n", wanted,
                            scaling.largest->is_end ? "beyond" : "up to", counted,
                            shortest(scaling.largest->processes), at);
    } else {
        text += fmt::format("no {} has an efficiency of {}{}\n", counted, wanted, at);
    }
    if (scaling.size_parameter.empty()) return text;
    Table table({{counted, Align::right}, {scaling.size_parameter + " needed", Align::right}});
    for (const PlannedScaling::Size& size : scaling.sizes)
        table.add({shortest(size.processes),
                   size.size ? short_number(*size.size) : "above " + short_number(scaling.largest_size)});
    text += "\n" +
            style.bold(fmt::format("sizes that keep an efficiency of {}{}", wanted,
                                   others.empty() ? "" : " at " + join(others, ", "))) +
            "\n" + table.text(style);
    return text;
}

std::string miss_text(const PlanConfigReport& report, const Words& words, const Style& style) {
    std::string text;
    if (!report.nearest_miss) return text;
    ConfigTable table(report, words, "answer");
    table.add("nearest miss", *report.nearest_miss);
    text += table.text(style);
    for (const plan::LimitCheck& limit : report.nearest_miss->limits) {
        if (limit.is_kept()) continue;
        const bool is_floor = limit.kind == LimitKind::efficiency;
        text += fmt::format("it misses the {}: {} {}, {} {}\n", limit_name(limit.kind),
                            words.limit(limit.kind, limit.budget, is_floor ? limit.allowed : limit.needed),
                            is_floor ? "reached" : "needed",
                            words.limit(limit.kind, limit.budget, is_floor ? limit.needed : limit.allowed),
                            is_floor ? "asked for" : "allowed");
    }
    for (const plan::Relief& relief : report.reliefs) {
        text += fmt::format("with the other limits as they are, {} {} of {} would do: {}\n",
                            relief.kind == LimitKind::efficiency ? "an" : "a", limit_name(relief.kind),
                            words.limit(relief.kind, relief.budget, relief.needed),
                            words.config(report.config(relief.configuration)));
    }
    return text;
}

}  // namespace

std::string to_text(const PlanConfigReport& report, const Style& style) {
    const Words words(report);
    const std::string limits = words.limits();
    std::string text =
        fmt::format("{} of {} can be taken{}\n\n",
                    report.feasible == 0 ? std::string("none") : std::to_string(report.feasible),
                    counted(report.configurations, "configuration"), limits.empty() ? "" : ": " + limits);
    const std::string scaling = report.scaling ? scaling_text(report, style) : std::string();
    if (report.feasible == 0) return text + miss_text(report, words, style) + scaling;
    ConfigTable answers(report, words, "answer");
    std::vector<std::size_t> told;
    for (const PlannedAnswer& answer : report.answers) {
        if (std::find(told.begin(), told.end(), answer.config.id) != told.end()) continue;
        told.push_back(answer.config.id);
        std::vector<std::string> names;
        for (const PlannedAnswer& other : report.answers) {
            if (other.config.id == answer.config.id) names.push_back(name_text(other.name));
        }
        answers.add(join(names, ", "), answer.config);
    }
    text += answers.text(style);
    if (report.front.size() > 1) {
        text += "\n" + style.bold("less time for more cost: no other configuration is better in both") + "\n";
        ConfigTable front(report, words, "");
        // Evenly along the front where it is long; both ends are among them.
        const std::size_t rows = std::min(report.front.size(), most_front_rows);
        for (std::size_t i = 0; i < rows; ++i)
            front.add("", report.front[i * (report.front.size() - 1) / (rows - 1)]);
        text += front.text(style);
        if (rows < report.front_size)
            text += fmt::format("and {} more between these; --json lists all\n", report.front_size - rows);
    }
    return text + changes_text(report, words, style) + scaling;
}

std::string to_lines(const PlanConfigReport& report) {
    std::string text;
    for (const PlannedAnswer& answer : report.answers) {
        text += fmt::format("{}\t{}\t{}\t{}\n", answer.name, answer.config.machine,
                            assignments(report.parameters, answer.config.at), shortest(answer.config.nodes));
    }
    return text;
}

}  // namespace plimsoll::app
