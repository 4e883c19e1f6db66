#include "training/trainer.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <fmt/core.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/sgd.h>
#include <torch/serialize.h>
#include <torch/utils.h>
#include <zlib.h>

#include <filesystem>
#include <vector>

#include "plimsoll/checkpoint_torch/torch_state.hpp"
#include "plimsoll/core/error.hpp"
#include "training/gradient_sum.hpp"
#include "training/network.hpp"
#include "training/phase.hpp"

namespace plimsoll::training_workload {

namespace {

/// libtorch leaves the threads of OpenBLAS alone, which would be as many as there are processors in each
/// rank.
void limit_threads(std::size_t threads) {
    const int count = static_cast<int>(threads);
    at::set_num_threads(count);
    using SetThreads = void (*)(int);
    if (void* const found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"); found != nullptr)
        reinterpret_cast<SetThreads>(found)(count);
}

/// Images and labels as tensors, which share the memory of the batch.
torch::Tensor pixels_of(const Batch& batch) {
    const auto size = static_cast<std::int64_t>(batch.image_size);
    return torch::from_blob(const_cast<float*>(batch.pixels.data()),
                            {static_cast<std::int64_t>(batch.images()), 1, size, size}, torch::kFloat32);
}
torch::Tensor labels_of(const Batch& batch) {
    return torch::from_blob(const_cast<std::int64_t*>(batch.labels.data()),
                            {static_cast<std::int64_t>(batch.images())}, torch::kInt64);
}

NetworkShape shape_of(const Settings& settings) {
    return {.blocks = static_cast<std::int64_t>((settings.depth - other_layers) / layers_of_block_row),
            .width = static_cast<std::int64_t>(settings.width),
            .classes = static_cast<std::int64_t>(settings.classes)};
}

ResidualNetwork make_network(const Settings& settings) {
    limit_threads(settings.threads);
    torch::manual_seed(settings.seed);
    // Numbers too small to be normal would make the time of a step depend on what was learnt.
    at::Context::setFlushDenormal(true);
    return ResidualNetwork(shape_of(settings));
}

std::vector<std::size_t> sizes_of(const std::vector<torch::Tensor>& tensors) {
    std::vector<std::size_t> sizes;
    sizes.reserve(tensors.size());
    for (const torch::Tensor& tensor : tensors) sizes.push_back(static_cast<std::size_t>(tensor.numel()));
    return sizes;
}

}  // namespace

class Trainer::Network {
  public:
    Network(const Settings& settings, MPI_Comm comm, Trace& trace)
        : network_(make_network(settings)),
          parameters_(network_->parameters()),
          optimiser_(parameters_,
                     torch::optim::SGDOptions(settings.learning_rate).momentum(settings.momentum)),
          gradients_(sizes_of(parameters_), settings.bucket_bytes, comm, trace),
          trace_(&trace) {
        for (std::size_t i = 0; i < parameters_.size(); ++i) follow(i, comm);
    }

    double step(const Batch& batch) {
        torch::Tensor loss;
        {
            const Phase phase(*trace_, "forward");
            loss = torch::nn::functional::cross_entropy(network_(pixels_of(batch)), labels_of(batch));
        }
        {
            const Phase phase(*trace_, "backward");
            gradients_.clear();
            loss.backward();
            for (std::size_t i = 0; i < parameters_.size(); ++i)
                PLIMSOLL_EXPECT(parameters_[i].grad().data_ptr() == gradients_.gradient(i).data());
        }
        {
            const Phase phase(*trace_, "communication");
            gradients_.finish();
        }
        const Phase phase(*trace_, "update");
        optimiser_.step();
        return loss.item<double>();
    }

    std::size_t count_right(const Batch& batch) {
        const torch::NoGradGuard no_gradients;
        const torch::Tensor best = network_(pixels_of(batch)).argmax(1);
        return static_cast<std::size_t>(best.eq(labels_of(batch)).sum().item<std::int64_t>());
    }

    [[nodiscard]] std::size_t parameters() const {
        std::size_t sum = 0;
        for (const std::size_t size : sizes_of(parameters_)) sum += size;
        return sum;
    }

    [[nodiscard]] std::uint32_t checksum() const {
        uLong sum = crc32(0, nullptr, 0);
        for (const torch::Tensor& parameter : parameters_)
            sum = crc32_z(sum, static_cast<const Bytef*>(parameter.data_ptr()), parameter.nbytes());
        return static_cast<std::uint32_t>(sum);
    }

    void save(const std::string& path) const { torch::save(network_, path); }

    void protect(checkpoint::TorchState& state) {
        state.protect("network", *network_);
        state.protect("optimizer", optimiser_);
    }

  private:
    /// Begins with the first rank's parameter, and has its gradient added up where ranks sum it.
    void follow(std::size_t index, MPI_Comm comm) {
        torch::Tensor& parameter = parameters_[index];
        MPI_Bcast(parameter.data_ptr(), static_cast<int>(parameter.numel()), MPI_FLOAT, 0, comm);
        parameter.mutable_grad() =
            torch::from_blob(gradients_.gradient(index).data(), parameter.sizes(), torch::kFloat32);
        // libtorch keeps the node that adds up a gradient only as long as somebody holds it.
        nodes_.push_back(torch::autograd::impl::grad_accumulator(parameter));
        using Tensors = std::vector<torch::Tensor>;
        nodes_.back()->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
            [this, index](const Tensors& outputs, const Tensors& /*inputs*/) {
                gradients_.ready(index);
                return outputs;
            }));
    }

    ResidualNetwork network_;
    std::vector<torch::Tensor> parameters_;
    torch::optim::SGD optimiser_;
    GradientSum gradients_;
    Trace* trace_;
    std::vector<std::shared_ptr<torch::autograd::Node>> nodes_;
};

Trainer::Trainer(const Settings& settings, MPI_Comm comm, Trace& trace)
    : network_(std::make_unique<Network>(settings, comm, trace)) {}

Trainer::~Trainer() = default;

double Trainer::step(const Batch& batch) { return network_->step(batch); }

std::size_t Trainer::count_right(const Batch& batch) const { return network_->count_right(batch); }

std::size_t Trainer::parameters() const { return network_->parameters(); }

std::uint32_t Trainer::checksum() const { return network_->checksum(); }

void Trainer::protect(checkpoint::TorchState& state) { network_->protect(state); }

void Trainer::save(const std::string& path) const {
    try {
        const std::string unfinished = path + ".tmp";
        network_->save(unfinished);
        std::filesystem::rename(unfinished, path);
    } catch (const std::exception& error) {
        throw Error(ErrorKind::environment, fmt::format("{}: cannot write the network", path),
                    "give --save a file in a folder that exists and has room");
    }
}

}  // namespace plimsoll::training_workload
