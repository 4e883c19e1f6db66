#include <cmath>
#include <string_view>

#include "app/render/documents.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using plan::LimitKind;

/// "needed_s", "needed_bytes" ...: what a limit of some kind counts.
std::string with_unit_name(std::string_view what, LimitKind kind) {
    std::string name(what);
    switch (kind) {
        case LimitKind::deadline:
        case LimitKind::longest_job: return name + "_s";
        case LimitKind::memory: return name + "_bytes";
        case LimitKind::budget:
        case LimitKind::efficiency:
        case LimitKind::nodes: break;
    }
    return name;
}

class Writer {
  public:
    explicit Writer(const PlanConfigReport& report) : report_(&report), json_(2) {}

    std::string document() {
        json_.begin_object().member("schema", "plimsoll.plan-config/1");
        json_.member("time_of", report_->time_of).member("confidence", report_->confidence);
        json_.member("work", report_->work == plan::Work::in_all ? "in-all" : "per-process");
        json_.member("cost_unit", plan::unit_of(report_->cost.kind, report_->cost.currency));
        limits();
        json_.key("machines").begin_array();
        for (const plan::Machine& machine : report_->machines) json_.value(machine.name);
        json_.end_array().member("configurations", report_->configurations);
        json_.member("without_value", report_->without_value).member("feasible", report_->feasible);
        json_.key("answers").begin_array();
        for (const PlannedAnswer& one : report_->answers) answer(one);
        json_.end_array().key("front").begin_array();
        for (const PlannedConfig& one : report_->front) object(one);
        json_.end_array().member("front_size", report_->front_size).key("nearest_miss");
        if (report_->nearest_miss) {
            object(*report_->nearest_miss);
        } else {
            json_.null();
        }
        json_.key("reliefs").begin_array();
        for (const plan::Relief& relief : report_->reliefs) {
            json_.begin_object();
            which(relief.kind, relief.budget);
            json_.member(with_unit_name("needed", relief.kind), relief.needed).key("configuration");
            object(report_->config(relief.configuration));
            json_.end_object();
        }
        json_.end_array();
        scaling();
        json_.key("notes").begin_array();
        for (const std::string& note : report_->notes) json_.value(note);
        return json_.end_array().end_object().take();
    }

  private:
    void limits() {
        const plan::Limits& limits = report_->limits;
        json_.key("limits").begin_object().key("deadline_s");
        if (limits.deadline) {
            json_.value(limits.deadline->count());
        } else {
            json_.null();
        }
        json_.key("budgets").begin_array();
        for (const plan::Amount& budget : limits.budgets) {
            json_.begin_object().member("value", budget.value);
            json_.member("unit", plan::unit_of(budget.kind, budget.currency)).end_object();
        }
        json_.end_array().member("efficiency", limits.efficiency).end_object();
    }

    void scaling() {
        json_.key("scaling");
        if (!report_->scaling) {
            json_.null();
            return;
        }
        const PlannedScaling& s = *report_->scaling;
        json_.begin_object().numbers("at", report_->parameters, s.at).key("largest_processes");
        if (s.largest) {
            json_.begin_object().member("processes", s.largest->processes);
            json_.member("efficiency", s.largest->efficiency)
                .member("is_end", s.largest->is_end)
                .end_object();
        } else {
            json_.null();
        }
        json_.member("size_parameter", s.size_parameter).member("largest_size", s.largest_size);
        json_.key("sizes").begin_array();
        for (const PlannedScaling::Size& size : s.sizes) {
            json_.begin_object().member("processes", size.processes).key("size");
            if (size.size) {
                json_.value(*size.size);
            } else {
                json_.null();
            }
            json_.end_object();
        }
        json_.end_array().end_object();
    }

    /// Which limit something is about.
    void which(LimitKind kind, std::size_t budget) {
        json_.member("limit", enum_name(kind));
        if (kind != LimitKind::budget) return;
        const plan::Amount& amount = report_->limits.budgets[budget];
        json_.member("unit", plan::unit_of(amount.kind, amount.currency));
    }

    void object(const PlannedConfig& config) {
        json_.begin_object();
        members(config);
        json_.end_object();
    }

    void members(const PlannedConfig& config) {
        json_.member("machine", config.machine).numbers("at", report_->parameters, config.at);
        json_.member("processes", config.processes).member("nodes", config.nodes);
        json_.key("time_s").begin_object().member("value", config.time.value);
        json_.member("low", config.time.low).member("high", config.time.high).end_object();
        json_.member("cost", config.cost).member("cost_at_confidence", config.most);
        json_.member("efficiency", config.efficiency).member("probability", config.probability);
        if (config.efficient) json_.member("efficiency_probability", *config.efficient);
        json_.key("limits").begin_array();
        for (const plan::LimitCheck& limit : config.limits) {
            json_.begin_object();
            which(limit.kind, limit.budget);
            json_.member("kept", limit.is_kept());
            json_.member(with_unit_name("needed", limit.kind), limit.needed);
            json_.member(with_unit_name("allowed", limit.kind), limit.allowed).end_object();
        }
        json_.end_array();
    }

    void answer(const PlannedAnswer& one) {
        json_.begin_object().member("answer", one.name);
        members(one.config);
        if (one.sensitivity) sensitivity(*one.sensitivity);
        json_.end_object();
    }

    /// A configuration by its number, or null.
    void named(std::string_view key, const std::optional<std::size_t>& id) {
        json_.key(key);
        if (id) {
            const PlannedConfig& config = report_->config(*id);
            json_.begin_object().member("machine", config.machine);
            json_.numbers("at", report_->parameters, config.at).end_object();
        } else {
            json_.null();
        }
    }

    void sensitivity(const plan::Sensitivity& s) {
        json_.key("stays").begin_array();
        for (const plan::LimitRange& range : s.limits) {
            json_.begin_object();
            which(range.kind, range.budget);
            json_.member(with_unit_name("from", range.kind), range.from);
            json_.member(with_unit_name("to", range.kind), range.to);
            named("below", range.before);
            named("above", range.behind);
            json_.end_object();
        }
        json_.end_array().member("time_factor", s.time_factor).member("price_factor", s.price_factor);
        named("at_another_price", s.at_another_price);
    }

    const PlanConfigReport* report_;
    JsonWriter json_;
};

}  // namespace

std::string to_json(const PlanConfigReport& report) { return Writer(report).document(); }

}  // namespace plimsoll::app
