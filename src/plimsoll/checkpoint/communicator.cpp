#include "plimsoll/checkpoint/communicator.hpp"

#include <utility>

namespace plimsoll::checkpoint {

namespace {

class OneProcess : public Communicator {
  public:
    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    [[nodiscard]] std::string broadcast(std::string text) override { return text; }
    [[nodiscard]] std::vector<std::string> gather(std::string text) override { return {std::move(text)}; }
};

}  // namespace

std::unique_ptr<Communicator> one_process() { return std::make_unique<OneProcess>(); }

}  // namespace plimsoll::checkpoint
