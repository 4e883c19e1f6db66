#include "plimsoll/checkpoint_torch/torch_state.hpp"

#include <ATen/core/Generator.h>
#include <fmt/core.h>
#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "plimsoll/checkpoint_torch/detail/optimizer_state.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint {

namespace {

ElementType type_of(const torch::Tensor& tensor, const std::string& name) {
    switch (tensor.scalar_type()) {
        case torch::kBool: return ElementType::boolean;
        case torch::kByte: return ElementType::uint8;
        case torch::kChar: return ElementType::int8;
        case torch::kShort: return ElementType::int16;
        case torch::kInt: return ElementType::int32;
        case torch::kLong: return ElementType::int64;
        case torch::kHalf: return ElementType::float16;
        case torch::kBFloat16: return ElementType::bfloat16;
        case torch::kFloat: return ElementType::float32;
        case torch::kDouble: return ElementType::float64;
        default: break;
    }
    throw Error(ErrorKind::usage,
                fmt::format("'{}' has elements of type {}, which saves do not have", name,
                            torch::toString(tensor.scalar_type())),
                "protect it as numbers of another type, such as a complex one as pairs of real ones");
}

std::span<std::byte> bytes_of(const torch::Tensor& tensor) {
    return {static_cast<std::byte*>(tensor.data_ptr()), tensor.nbytes()};
}

}  // namespace

class TorchState::Implementation {
  public:
    explicit Implementation(Session& session) : session_(&session) {}

    void protect(const std::string& name, const torch::Tensor& tensor, Layout::Kind kind) {
        if (!tensor.defined()) return;
        if (!tensor.device().is_cpu())
            throw Error(ErrorKind::usage, fmt::format("'{}' is on {}", name, tensor.device().str()),
                        "protect a copy in the memory of the processor");
        if (!tensor.is_contiguous())
            throw Error(ErrorKind::usage, fmt::format("'{}' does not lie in one piece", name),
                        "make it contiguous() before it is protected");
        Shape shape;
        for (const std::int64_t extent : tensor.sizes()) shape.push_back(static_cast<std::uint64_t>(extent));
        session_->protect_bytes(name, type_of(tensor, name), bytes_of(tensor),
                                {.kind = kind, .box = whole(shape)});
        tensors_.push_back({.name = name, .tensor = tensor, .place = tensor.data_ptr()});
    }

    void protect(const std::string& name, const at::Generator& generator) {
        // The memory of a state lives here; the generator has its own.
        const torch::Tensor state = generator.get_state();
        session_->protect_bytes(name, ElementType::uint8, bytes_of(state),
                                Layout::own({static_cast<std::uint64_t>(state.numel())}));
        generators_.push_back({.generator = generator, .state = state});
    }

    [[nodiscard]] Session& session() const { return *session_; }

    /// The session knows where tensors lay.
    void expect_in_place() const {
        for (const Placed& placed : tensors_) {
            if (placed.tensor.data_ptr() == placed.place) continue;
            throw Error(ErrorKind::usage,
                        fmt::format("'{}' lies elsewhere than when it was protected", placed.name),
                        "protect modules after the last call of to() or set_data()");
        }
    }

    void read_generators() const {
        for (const Random& random : generators_) random.state.copy_(random.generator.get_state());
    }

    void set_generators() {
        for (Random& random : generators_) random.generator.set_state(random.state);
    }

  private:
    struct Placed {
        std::string name;
        torch::Tensor tensor;
        void* place = nullptr;
    };
    struct Random {
        at::Generator generator;
        torch::Tensor state;
    };

    Session* session_;
    std::vector<Placed> tensors_;
    std::vector<Random> generators_;
};

TorchState::TorchState(Session& session) : implementation_(std::make_unique<Implementation>(session)) {}

TorchState::~TorchState() = default;

void TorchState::protect(const std::string& name, torch::nn::Module& module, Layout::Kind kind) {
    for (const auto& item : module.named_parameters())
        implementation_->protect(fmt::format("{}.{}", name, item.key()), item.value(), kind);
    for (const auto& item : module.named_buffers())
        implementation_->protect(fmt::format("{}.{}", name, item.key()), item.value(), kind);
}

void TorchState::protect(const std::string& name, torch::optim::Optimizer& optimizer, Layout::Kind kind) {
    Session& session = implementation_->session();
    detail::visit_state(
        optimizer,
        {.tensor =
             [&](const std::string& own, at::Tensor& tensor) {
                 implementation_->protect(fmt::format("{}.{}", name, own), tensor, kind);
             },
         .count = [&](const std::string& own,
                      std::int64_t& count) { session.protect(fmt::format("{}.{}", name, own), count, kind); },
         .rate = [&](const std::string& own,
                     double& rate) { session.protect(fmt::format("{}.{}", name, own), rate, kind); }});
}

void TorchState::protect(const std::string& name, const at::Generator& generator) {
    implementation_->protect(name, generator);
}

Save TorchState::save(std::uint64_t step) {
    implementation_->expect_in_place();
    implementation_->read_generators();
    return implementation_->session().save(step);
}

std::optional<Restored> TorchState::restore() {
    implementation_->expect_in_place();
    std::optional<Restored> restored = implementation_->session().restore();
    if (restored) implementation_->set_generators();
    return restored;
}

Restored TorchState::restore(std::uint64_t step) {
    implementation_->expect_in_place();
    Restored restored = implementation_->session().restore(step);
    implementation_->set_generators();
    return restored;
}

}  // namespace plimsoll::checkpoint
