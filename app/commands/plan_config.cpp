#include "app/commands/plan_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "app/commands/config_grid.hpp"
#include "app/commands/config_limits.hpp"
#include "app/commands/machines.hpp"
#include "app/commands/plan_workload.hpp"
#include "app/commands/training_models.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::app {

namespace {

constexpr std::size_t most_of_front = 1000;  // listed: nobody chooses among more

/// Tells all of a configuration.
class Teller {
  public:
    Teller(const plan::Configurations& configurations, const PlannedWork& work, double confidence)
        : configurations_(&configurations), work_(&work), coverage_(2.0 * confidence - 1.0) {}

    [[nodiscard]] PlannedConfig tell(std::size_t id) const {
        const plan::Evaluation e = configurations_->evaluate(id);
        const plan::Machine& machine = configurations_->machines()[e.machine];
        const plan::JobCost& job = configurations_->job(e);
        PlannedConfig config{.id = id,
                             .at = configurations_->predictions().grid.point(e.point),
                             .machine = machine.name,
                             .processes = configurations_->processes(e),
                             .nodes = job.nodes(),
                             .time = {},
                             .cost = e.cost,
                             .longest = e.longest,
                             .most = job.of(configurations_->cost(), e.longest),
                             .efficiency = e.efficiency,
                             .efficient = {},
                             .limits = {}};
        config.time = plan::time_at(work_->workload, config.at, coverage_);
        for (double* const value : {&config.time.value, &config.time.low, &config.time.high})
            *value /= machine.speed;
        const double allowed = configurations_->longest_allowed(e);
        config.probability = std::isinf(allowed) ? 1.0
                                                 : plan::probability_within(work_->workload, config.at,
                                                                            allowed * machine.speed);
        if (const double least = configurations_->limits().efficiency; least > 0.0)
            config.efficient = plan::probability_efficient(work_->workload, config.at, least);
        configurations_->for_each_limit(
            e, [&](const plan::LimitCheck& limit) { config.limits.push_back(limit); });
        return config;
    }

  private:
    const plan::Configurations* configurations_;
    const PlannedWork* work_;
    double coverage_;
};

void add_answers(const plan::Configurations& configurations, const plan::Choice& choice, const Teller& teller,
                 PlanConfigReport& report, Progress& progress) {
    const auto changes = plan::sensitivities(configurations, choice, progress);
    for (const auto& goal : enum_names(plan::Goal::cheapest)) {
        const auto g = static_cast<std::size_t>(goal.value);
        if (!choice.best[g]) continue;
        report.answers.push_back({.name = std::string(goal.name),
                                  .config = teller.tell(*choice.best[g]),
                                  .sensitivity = changes[g]});
    }
    if (choice.knee)
        report.answers.push_back({.name = "knee", .config = teller.tell(*choice.knee), .sensitivity = {}});
    report.front_size = choice.front.size();
    const std::size_t listed = std::min(choice.front.size(), most_of_front);
    for (std::size_t i = 0; i < listed; ++i) {
        const std::size_t position = listed < 2 ? i : i * (choice.front.size() - 1) / (listed - 1);
        report.front.push_back(teller.tell(choice.front[position]));
    }
    if (choice.nearest_miss) {
        report.nearest_miss = teller.tell(*choice.nearest_miss);
        report.reliefs = plan::reliefs(configurations, progress);
    }
    std::set<std::size_t> named;
    for (const PlannedAnswer& answer : report.answers) {
        if (!answer.sensitivity) continue;
        if (answer.sensitivity->at_another_price) named.insert(*answer.sensitivity->at_another_price);
        for (const plan::LimitRange& range : answer.sensitivity->limits) {
            if (range.before) named.insert(*range.before);
            if (range.behind) named.insert(*range.behind);
        }
    }
    for (const plan::Relief& relief : report.reliefs) named.insert(relief.configuration);
    for (const std::size_t id : named) report.others.push_back(teller.tell(id));
}

/// How far the efficiency asked for reaches, and with which sizes it reaches further.
PlannedScaling scaling_of(const plan::ConfigOptions& options, const PlannedWork& work,
                          const model::Grid& grid, const std::vector<plan::Machine>& machines) {
    constexpr double beyond = 1000.0;  // times the largest measured value, where nothing else is a limit
    const model::FitDocument& document = work.document;
    const std::size_t axis = work.workload.processes;
    PlannedScaling scaling{.at = {}, .largest = {}, .size_parameter = options.size_parameter, .sizes = {}};
    for (const std::vector<double>& values : grid.values)
        scaling.at.push_back(*std::max_element(values.begin(), values.end()));
    double most = 0.0;
    for (const plan::Machine& machine : machines)
        most = std::max(most, machine.nodes * machine.processes_per_node);
    scaling.largest = plan::largest_efficient(work.workload, scaling.at, options.efficiency,
                                              std::min(most, beyond * document.largest[axis]));
    if (options.size_parameter.empty()) return scaling;
    const auto found =
        std::find(document.parameters.begin(), document.parameters.end(), options.size_parameter);
    const auto size = static_cast<std::size_t>(found - document.parameters.begin());
    scaling.largest_size = beyond * document.largest[size];
    for (const double p : grid.values[axis]) {
        std::vector<double> at = scaling.at;
        at[axis] = p;
        scaling.sizes.push_back(
            {.processes = p,
             .size = plan::efficient_size(work.workload, at, size, options.efficiency,
                                          document.smallest[size], scaling.largest_size)});
    }
    return scaling;
}

void check_size_parameter(const plan::ConfigOptions& options, const PlannedWork& work) {
    const std::string& name = options.size_parameter;
    if (name.empty()) return;
    const auto& parameters = work.document.parameters;
    if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) {
        const auto near = nearest(name, parameters);
        throw Error(ErrorKind::usage, fmt::format("--size-parameter: there is no parameter '{}'", name),
                    near ? fmt::format("did you mean '{}'?", *near)
                         : fmt::format("choose one of {}", join(parameters, ", ")));
    }
    if (name == work.parameters[work.workload.processes])
        throw Error(ErrorKind::usage, fmt::format("--size-parameter: '{}' counts the {}", name, work.counted),
                    "name the parameter that says how large the problem is");
    if (options.efficiency == 0.0)
        throw Error(ErrorKind::usage, "--size-parameter has no effect without --efficiency",
                    "say which efficiency is to be kept: --efficiency 0.7");
}

/// The models of a training as `plimsoll training` makes them, or those of any run.
void read_work(PlanConfigRequest& request, PlannedWork& work, Progress& progress) {
    const bool has_data = request.schedule.dataset_size > 0;
    if (has_data) {
        // All steps count, those that take long now and then too, and those that nobody marked.
        model::Statistic& statistic = request.models.fit.fit.statistic;
        if (statistic == model::Statistic::mean) statistic = model::Statistic::mean_of_all;
        request.models.fit.inputs.profiles.steps = profile::StepSearch::period;
    }
    model::FitDocument document =
        has_data ? models_of_training(request.models, request.schedule.batch_is, progress).models
                 : models_of(request.models, progress);
    if (!is_training(document, request.schedule)) {
        const training::Schedule usual;
        const training::Schedule& own = request.schedule;
        const char* const idle = own.epochs != usual.epochs  ? "--epochs"
                                 : own.batch != usual.batch  ? "--batch"
                                 : own.validation_size > 0   ? "--validation-size"
                                 : !request.samples.empty()  ? "--samples"
                                 : own.model_parallel > 1    ? "--model-parallel"
                                 : own.pipeline_parallel > 1 ? "--pipeline-parallel"
                                                             : nullptr;
        if (idle != nullptr)
            throw Error(ErrorKind::usage, fmt::format("{} has no effect without --dataset-size", idle),
                        "say how many samples the training set has");
    }
    plan_work(std::move(document), request.models, request.schedule,
              sample_need(request.samples, request.models, progress), request.options, work);
}

/// Says of how many configurations nothing is predicted, and why of the first.
std::string without_value_note(const plan::Predictions& predictions, const PlannedWork& work,
                               const PlanConfigReport& report) {
    std::string why = "no time above 0 is predicted";
    for (std::size_t i = 0; i < predictions.time.size(); ++i) {
        if (predictions.time[i] > 0.0) continue;
        const std::vector<double> point = predictions.grid.point(i);
        std::string reason = work.training ? work.training->why_none(point) : std::string();
        if (reason.empty()) reason = "no time above 0 is predicted";
        why = fmt::format("at {} {}", assignments(report.parameters, point), reason);
        break;
    }
    return fmt::format("{} of {} are left out: {}", report.without_value,
                       counted(report.configurations, "configuration"), why);
}

}  // namespace

const PlannedConfig& PlanConfigReport::config(std::size_t id) const {
    const auto found =
        std::find_if(others.begin(), others.end(), [&](const PlannedConfig& c) { return c.id == id; });
    PLIMSOLL_EXPECT(found != others.end());
    return *found;
}

PlanConfigReport plan_config(PlanConfigRequest request, Progress& progress) {
    if (request.machines.empty())
        throw Error(
            ErrorKind::usage, "no machine is given",
            "describe some as in docs/formats/machines.md, and give the file: --machine machines.toml");
    // Before the work, so that a mistake costs no time.
    std::vector<plan::Machine> machines = machines_of(request.machines);
    const plan::Limits limits = limits_of(request.options, machines, request.machines);
    const plan::CostKind cost = cost_of(request.options, limits, machines, request.machines);

    PlannedWork work;
    read_work(request, work, progress);
    count_in(work.counted, work.parameters[work.workload.processes], request.machines, machines);
    PlanConfigReport report{.parameters = work.parameters,
                            .processes = work.workload.processes,
                            .chosen = {},
                            .time_of = work.time_of,
                            .confidence = request.options.confidence,
                            .work = work.workload.work,
                            .limits = limits,
                            .cost = {.kind = cost, .value = 0.0, .currency = {}},
                            .machines = machines,
                            .answers = {},
                            .front = {},
                            .nearest_miss = {},
                            .reliefs = {},
                            .scaling = {},
                            .others = {},
                            .notes = notes_of(work.document)};
    if (cost == plan::CostKind::money) report.cost.currency = currency_of(machines);
    if (work.processes_are_guessed)
        report.notes.push_back(guess_of_processes(work) + "; give --processes 64 where it does not");
    report.notes.insert(report.notes.end(), work.notes.begin(), work.notes.end());
    check_size_parameter(request.options, work);
    model::Grid grid = grid_of(request.parameters, work, machines, report.notes);
    for (const std::vector<double>& values : grid.values) report.chosen.push_back(values.size() > 1);
    const plan::Predictions predictions = plan::predict(work.workload, std::move(grid), report.confidence,
                                                        request.models.fit.threads, progress);
    const plan::Configurations configurations(predictions, machines, limits, cost);
    const plan::Choice choice = plan::choose(configurations, progress);
    report.configurations = configurations.size();
    report.without_value = choice.without_value;
    report.feasible = choice.feasible;
    const Teller teller(configurations, work, report.confidence);
    add_answers(configurations, choice, teller, report, progress);
    const bool has_counts = work.workload.processes < work.document.parameters.size();
    if (limits.efficiency > 0.0 && has_counts)  // else all runs have the same number of processes
        report.scaling = scaling_of(request.options, work, predictions.grid, machines);

    if (report.without_value > 0) report.notes.push_back(without_value_note(predictions, work, report));
    for (std::string& remark : remarks_on_points(work.document, corners_of(predictions.grid)))
        report.notes.push_back(std::move(remark));
    if (report.front_size > report.front.size())
        report.notes.push_back(fmt::format("of {} on the front between time and cost, {} are listed",
                                           report.front_size, report.front.size()));
    if (machines.size() > 1)
        report.notes.emplace_back(
            "models are of the machine that was measured; 'speed' says how much faster each machine is (1 if "
            "it "
            "does not)");
    return report;
}

}  // namespace plimsoll::app
