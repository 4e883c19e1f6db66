#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace at {
class Tensor;
}
namespace torch::optim {
class Optimizer;
}

namespace plimsoll::checkpoint::detail {

/// Takes in what an optimizer keeps from step to step.
struct OptimizerVisitor {
    std::function<void(const std::string& name, at::Tensor& tensor)> tensor;
    std::function<void(const std::string& name, std::int64_t& count)> count;
    std::function<void(const std::string& name, double& rate)> rate;
};

/// Visits all that an optimizer keeps, "0.lr" of each group and "0.3.exp_avg" of each of its parameters; what
/// the first step would make is made here, zeros. Throws a usage error where that cannot be known.
void visit_state(torch::optim::Optimizer& optimizer, const OptimizerVisitor& visitor);

}  // namespace plimsoll::checkpoint::detail
