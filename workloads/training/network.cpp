#include "training/network.hpp"

#include <torch/nn/modules/activation.h>

#include <numeric>

namespace plimsoll::training_workload {

namespace {

constexpr std::int64_t stages = 3;
constexpr std::int64_t most_groups = 4;  // of channels that are normalised together

torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t side, std::int64_t stride) {
    return torch::nn::Conv2d(
        torch::nn::Conv2dOptions(in, out, side).stride(stride).padding(side / 2).bias(false));
}

torch::nn::GroupNorm norm(std::int64_t channels) {
    return torch::nn::GroupNorm(torch::nn::GroupNormOptions(std::gcd(channels, most_groups), channels));
}

/// x + f(x) with f two convolutions; where resolution or channels change, x is mapped to the new ones.
class ResidualBlockImpl : public torch::nn::Module {
  public:
    ResidualBlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride)
        : first_(convolution(in, out, 3, stride)),
          first_norm_(norm(out)),
          second_(convolution(out, out, 3, 1)),
          second_norm_(norm(out)) {
        register_module("first", first_);
        register_module("first_norm", first_norm_);
        register_module("second", second_);
        register_module("second_norm", second_norm_);
        if (in != out || stride != 1)
            shortcut_ = register_module("shortcut", convolution(in, out, 1, stride));
    }

    torch::Tensor forward(const torch::Tensor& x) {
        torch::Tensor y = torch::relu(first_norm_(first_(x)));
        y = second_norm_(second_(y));
        return torch::relu(y + (shortcut_.is_empty() ? x : shortcut_(x)));
    }

  private:
    torch::nn::Conv2d first_;
    torch::nn::GroupNorm first_norm_;
    torch::nn::Conv2d second_;
    torch::nn::GroupNorm second_norm_;
    torch::nn::Conv2d shortcut_{nullptr};
};
TORCH_MODULE(ResidualBlock);

}  // namespace

ResidualNetworkImpl::ResidualNetworkImpl(const NetworkShape& shape) {
    convolutions_->push_back(convolution(1, shape.width, 3, 1));
    convolutions_->push_back(norm(shape.width));
    convolutions_->push_back(torch::nn::ReLU());
    std::int64_t channels = shape.width;
    for (std::int64_t stage = 0; stage < stages; ++stage) {
        const std::int64_t out = shape.width << stage;
        for (std::int64_t block = 0; block < shape.blocks; ++block) {
            convolutions_->push_back(ResidualBlock(channels, out, stage > 0 && block == 0 ? 2 : 1));
            channels = out;
        }
    }
    register_module("convolutions", convolutions_);
    scores_ = register_module("scores", torch::nn::Linear(channels, shape.classes));
}

torch::Tensor ResidualNetworkImpl::forward(const torch::Tensor& pixels) {
    return scores_(convolutions_->forward(pixels).mean({2, 3}));
}

}  // namespace plimsoll::training_workload
