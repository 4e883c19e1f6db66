#include "plimsoll/checkpoint_torch/torch_state.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::checkpoint {
namespace {

using Make = std::function<std::unique_ptr<torch::optim::Optimizer>(std::vector<torch::Tensor>)>;

/// A network with what keeps state beside its parameters: running means, and random numbers.
class Training {
  public:
    explicit Training(const Make& make, std::uint64_t seed = 1) {
        torch::manual_seed(seed);
        network_ = torch::nn::Sequential(torch::nn::Linear(6, 10), torch::nn::BatchNorm1d(10),
                                         torch::nn::Dropout(0.3), torch::nn::Linear(10, 2));
        optimizer_ = make(network_->parameters());
    }

    void train(std::uint64_t steps) {
        for (std::uint64_t i = 0; i < steps; ++i, ++step) {
            const torch::Tensor x =
                torch::linspace(-1.0, 1.0, 48).reshape({8, 6}) * (1.0 + 0.1 * static_cast<double>(step));
            optimizer_->zero_grad();
            torch::nn::functional::mse_loss(network_->forward(x), x.slice(1, 0, 2)).backward();
            optimizer_->step();
        }
    }

    void protect(Session& session, TorchState& state) {
        state.protect("net", *network_);
        state.protect("optimizer", *optimizer_);
        state.protect("random", at::detail::getDefaultCPUGenerator());
        session.protect("step", step);
    }

    /// All bits of the parameters and buffers.
    [[nodiscard]] std::string bits() const {
        std::string bits;
        const auto add = [&](const torch::Tensor& t) {
            bits.append(static_cast<const char*>(t.data_ptr()), t.nbytes());
        };
        for (const torch::Tensor& t : network_->parameters()) add(t);
        for (const torch::Tensor& t : network_->buffers()) add(t);
        return bits;
    }

    [[nodiscard]] torch::nn::Sequential& network() { return network_; }
    [[nodiscard]] torch::optim::Optimizer& optimizer() { return *optimizer_; }
    std::uint64_t step = 0;

  private:
    torch::nn::Sequential network_;
    std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

template <class Optimizer, class Options>
Make maker(Options options) {
    return [options](std::vector<torch::Tensor> parameters) {
        return std::make_unique<Optimizer>(std::move(parameters), options);
    };
}

template <class Function>
std::string usage_error(const Function& function) {
    try {
        function();
    } catch (const Error& error) {
        return error.kind() == ErrorKind::usage ? error.what() : "of another kind";
    }
    return "none";
}

struct Named {
    const char* name;
    Make make;
};

std::vector<Named> optimizers() {
    using namespace torch::optim;
    return {{"sgd", maker<SGD>(SGDOptions(0.05))},
            {"momentum", maker<SGD>(SGDOptions(0.05).momentum(0.9).nesterov(true))},
            {"adam", maker<Adam>(AdamOptions(0.01))},
            {"amsgrad", maker<Adam>(AdamOptions(0.01).amsgrad(true))},
            {"adamw", maker<AdamW>(AdamWOptions(0.01))},
            {"rmsprop", maker<RMSprop>(RMSpropOptions(0.01).momentum(0.5).centered(true))},
            {"adagrad", maker<Adagrad>(AdagradOptions(0.01).initial_accumulator_value(0.1))}};
}

class TorchStateTest : public testing::TestWithParam<Named> {
  protected:
    test::TemporaryFolder folder_;
};

TEST_P(TorchStateTest, GoesOnBitByBitAsIfNothingHadHappened) {
    Training uninterrupted(GetParam().make);
    uninterrupted.train(11);
    {
        Training first(GetParam().make);
        Session session({.folder = folder_ / "saves"});
        TorchState state(session);
        first.protect(session, state);
        EXPECT_FALSE(state.restore());
        first.train(4);
        state.save(4);
        first.train(3);  // lost
        session.finish();
    }
    Training second(GetParam().make, 77);
    Session session({.folder = folder_ / "saves"});
    TorchState state(session);
    second.protect(session, state);
    const auto restored = state.restore();
    ASSERT_TRUE(restored);
    EXPECT_EQ(restored->step, 4U);
    EXPECT_EQ(second.step, 4U);
    second.train(7);
    EXPECT_EQ(second.bits(), uninterrupted.bits());
    // Not because training changes nothing, or the state of the optimizer were of no account.
    Training another(GetParam().make, 77);
    another.train(11);
    EXPECT_NE(another.bits(), uninterrupted.bits());
}

TEST_P(TorchStateTest, GoesOnAfterAnEarlierStepOfTheSameProcess) {
    Training training(GetParam().make);
    Session session({.folder = folder_ / "saves"});
    TorchState state(session);
    training.protect(session, state);
    training.train(3);
    ASSERT_TRUE(state.save(3).wait());
    training.train(5);
    const std::string bits = training.bits();
    EXPECT_EQ(state.restore(3).step, 3U);
    training.train(5);
    EXPECT_EQ(training.bits(), bits);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, TorchStateTest, testing::ValuesIn(optimizers()),
                         [](const auto& tested) { return tested.param.name; });

TEST(TorchState, SavesWhatASchedulerHasMadeOfTheLearningRate) {
    const test::TemporaryFolder folder;
    const Make make = maker<torch::optim::SGD>(torch::optim::SGDOptions(0.05));
    {
        Training training(make);
        Session session({.folder = folder / "saves"});
        TorchState state(session);
        training.protect(session, state);
        training.optimizer().param_groups()[0].options().set_lr(0.0125);
        ASSERT_TRUE(state.save(0).wait());
    }
    Training training(make);
    Session session({.folder = folder / "saves"});
    TorchState state(session);
    training.protect(session, state);
    ASSERT_TRUE(state.restore());
    EXPECT_EQ(training.optimizer().param_groups()[0].options().get_lr(), 0.0125);
}

TEST(TorchState, RefusesWhatItCannotKeep) {
    const test::TemporaryFolder folder;
    Session session({.folder = folder / "saves"});
    TorchState state(session);
    const torch::nn::Linear linear(3, 3);
    torch::optim::SGD dampened(linear->parameters(),
                               torch::optim::SGDOptions(0.1).momentum(0.9).dampening(0.5));
    EXPECT_EQ(usage_error([&] { state.protect("sgd", dampened); }),
              "the momentum of SGD with dampening is not known before its first step");
    torch::optim::LBFGS lbfgs(linear->parameters());
    EXPECT_EQ(usage_error([&] { state.protect("lbfgs", lbfgs); }),
              "what this optimizer keeps from step to step is not known");
    torch::nn::Module turned;
    turned.register_buffer("table", torch::zeros({2, 3}).t());
    EXPECT_EQ(usage_error([&] { state.protect("turned", turned); }),
              "'turned.table' does not lie in one piece");
    torch::nn::Module waves;
    waves.register_buffer("phase", torch::zeros({2}, torch::kComplexFloat));
    EXPECT_EQ(usage_error([&] { state.protect("waves", waves); }),
              "'waves.phase' has elements of type ComplexFloat, which saves do not have");
}

TEST(TorchState, NoticesThatATensorLiesElsewhereByNow) {
    const test::TemporaryFolder folder;
    Session session({.folder = folder / "saves"});
    TorchState state(session);
    torch::nn::Linear linear(3, 3);
    state.protect("linear", *linear);
    linear->weight.set_data(torch::ones({3, 3}));
    EXPECT_EQ(usage_error([&] { (void)state.save(1); }),
              "'linear.weight' lies elsewhere than when it was protected");
    EXPECT_EQ(usage_error([&] { (void)state.restore(); }),
              "'linear.weight' lies elsewhere than when it was protected");
}

}  // namespace
}  // namespace plimsoll::checkpoint
