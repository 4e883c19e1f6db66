#include "plimsoll/checkpoint_torch/detail/optimizer_state.hpp"

#include <fmt/core.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include <memory>

#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

using torch::Tensor;
using torch::optim::Optimizer;

Tensor nothing_yet(const Tensor& parameter) {
    return torch::zeros_like(parameter, torch::MemoryFormat::Preserve);
}

/// The state of one parameter, by libtorch's own key; a new one where there is none.
template <class State, class Make>
State& state_of(Optimizer& optimizer, const Tensor& parameter, const Make& make) {
    auto& state = optimizer.state()[c10::guts::to_string(parameter.unsafeGetTensorImpl())];
    if (!state) {
        auto made = std::make_unique<State>();
        make(*made);
        state = std::move(made);
    }
    return static_cast<State&>(*state);
}

template <class Options, class Visit>
void for_each_parameter(Optimizer& optimizer, const OptimizerVisitor& visitor, const Visit& visit) {
    for (std::size_t g = 0; g < optimizer.param_groups().size(); ++g) {
        auto& group = optimizer.param_groups()[g];
        auto& options = static_cast<Options&>(group.options());
        visitor.rate(fmt::format("{}.lr", g), options.lr());
        for (std::size_t i = 0; i < group.params().size(); ++i)
            visit(options, group.params()[i], fmt::format("{}.{}.", g, i));
    }
}

void visit_sgd(Optimizer& optimizer, const OptimizerVisitor& visitor) {
    using torch::optim::SGDOptions;
    using torch::optim::SGDParamState;
    for_each_parameter<SGDOptions>(
        optimizer, visitor, [&](const SGDOptions& options, const Tensor& parameter, const std::string& name) {
            if (options.momentum() == 0.0) return;
            auto& state = state_of<SGDParamState>(optimizer, parameter, [&](SGDParamState& made) {
                if (options.dampening() != 0.0)
                    throw Error(ErrorKind::usage,
                                "the momentum of SGD with dampening is not known before its first step",
                                "make one step before protecting the optimizer");
                made.momentum_buffer(nothing_yet(parameter));
            });
            visitor.tensor(name + "momentum_buffer", state.momentum_buffer());
        });
}

template <class Options, class State>
void visit_adam(Optimizer& optimizer, const OptimizerVisitor& visitor) {
    for_each_parameter<Options>(
        optimizer, visitor, [&](const Options& options, const Tensor& parameter, const std::string& name) {
            auto& state = state_of<State>(optimizer, parameter, [&](State& made) {
                made.step(0);
                made.exp_avg(nothing_yet(parameter));
                made.exp_avg_sq(nothing_yet(parameter));
                if (options.amsgrad()) made.max_exp_avg_sq(nothing_yet(parameter));
            });
            visitor.count(name + "step", state.step());
            visitor.tensor(name + "exp_avg", state.exp_avg());
            visitor.tensor(name + "exp_avg_sq", state.exp_avg_sq());
            if (options.amsgrad()) visitor.tensor(name + "max_exp_avg_sq", state.max_exp_avg_sq());
        });
}

void visit_rmsprop(Optimizer& optimizer, const OptimizerVisitor& visitor) {
    using torch::optim::RMSpropOptions;
    using torch::optim::RMSpropParamState;
    for_each_parameter<RMSpropOptions>(
        optimizer, visitor,
        [&](const RMSpropOptions& options, const Tensor& parameter, const std::string& name) {
            auto& state = state_of<RMSpropParamState>(optimizer, parameter, [&](RMSpropParamState& made) {
                made.step(0);
                made.square_avg(nothing_yet(parameter));
                if (options.momentum() > 0.0) made.momentum_buffer(nothing_yet(parameter));
                if (options.centered()) made.grad_avg(nothing_yet(parameter));
            });
            visitor.count(name + "step", state.step());
            visitor.tensor(name + "square_avg", state.square_avg());
            if (options.momentum() > 0.0) visitor.tensor(name + "momentum_buffer", state.momentum_buffer());
            if (options.centered()) visitor.tensor(name + "grad_avg", state.grad_avg());
        });
}

void visit_adagrad(Optimizer& optimizer, const OptimizerVisitor& visitor) {
    using torch::optim::AdagradOptions;
    using torch::optim::AdagradParamState;
    for_each_parameter<AdagradOptions>(
        optimizer, visitor,
        [&](const AdagradOptions& options, const Tensor& parameter, const std::string& name) {
            auto& state = state_of<AdagradParamState>(optimizer, parameter, [&](AdagradParamState& made) {
                made.step(0);
                made.sum(torch::full_like(parameter, options.initial_accumulator_value(),
                                          torch::MemoryFormat::Preserve));
            });
            visitor.count(name + "step", state.step());
            visitor.tensor(name + "sum", state.sum());
        });
}

}  // namespace

void visit_state(Optimizer& optimizer, const OptimizerVisitor& visitor) {
    using namespace torch::optim;
    if (dynamic_cast<SGD*>(&optimizer) != nullptr) return visit_sgd(optimizer, visitor);
    if (dynamic_cast<Adam*>(&optimizer) != nullptr)
        return visit_adam<AdamOptions, AdamParamState>(optimizer, visitor);
    if (dynamic_cast<AdamW*>(&optimizer) != nullptr)
        return visit_adam<AdamWOptions, AdamWParamState>(optimizer, visitor);
    if (dynamic_cast<RMSprop*>(&optimizer) != nullptr) return visit_rmsprop(optimizer, visitor);
    if (dynamic_cast<Adagrad*>(&optimizer) != nullptr) return visit_adagrad(optimizer, visitor);
    throw Error(ErrorKind::usage, "what this optimizer keeps from step to step is not known",
                "use SGD, Adam, AdamW, RMSprop or Adagrad, or protect its tensors one by one");
}

}  // namespace plimsoll::checkpoint::detail
