#pragma once

// libtorch's headers take seconds to compile; trainer.cpp and network.cpp alone include them.
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>

namespace plimsoll::training_workload {

struct NetworkShape {
    std::int64_t blocks = 2;  ///< in each stage
    std::int64_t width = 8;   ///< channels of the first stage
    std::int64_t classes = 8;
};

/// A residual network for images of one channel: a convolution of 3 x 3, then three stages of `blocks`
/// residual blocks, each with half the resolution and twice the channels of the one before, so that all
/// blocks take alike many multiplications; the mean of each channel, and a linear map to the classes.
///
/// Each block is two convolutions of 3 x 3. Source: He, Zhang, Ren, Sun, "Deep residual learning for image
/// recognition", CVPR 2016, section 4.2. Unlike there, channels are normalised by groups within each image
/// (Wu, He, "Group normalization", ECCV 2018) and not over the images of a batch: else what a rank computes
/// would depend on which images happen to be on it, and p ranks with B images each would not do what one does
/// with p B.
class ResidualNetworkImpl : public torch::nn::Module {
  public:
    explicit ResidualNetworkImpl(const NetworkShape& shape);

    /// Scores [images x classes] of pixels [images x 1 x size x size].
    torch::Tensor forward(const torch::Tensor& pixels);

  private:
    torch::nn::Sequential convolutions_;
    torch::nn::Linear scores_{nullptr};
};
TORCH_MODULE(ResidualNetwork);

}  // namespace plimsoll::training_workload
