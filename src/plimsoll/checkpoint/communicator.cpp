#include "plimsoll/checkpoint/communicator.hpp"

#include <utility>

#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint {

namespace {

class OneProcess : public Communicator {
  public:
    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    [[nodiscard]] std::string broadcast(std::string text) override { return text; }
    [[nodiscard]] std::vector<std::string> gather(std::string text) override { return {std::move(text)}; }
    [[nodiscard]] std::vector<std::vector<std::byte>> exchange(const std::vector<Outgoing>& outgoing,
                                                               const std::vector<int>& from) override {
        PLIMSOLL_EXPECT(outgoing.size() == from.size());
        std::vector<std::vector<std::byte>> received;
        received.reserve(outgoing.size());
        for (const Outgoing& message : outgoing)
            received.emplace_back(message.bytes.begin(), message.bytes.end());
        return received;
    }
};

}  // namespace

std::unique_ptr<Communicator> one_process() { return std::make_unique<OneProcess>(); }

}  // namespace plimsoll::checkpoint
