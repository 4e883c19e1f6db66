#pragma once

#include <memory>
#include <string>
#include <vector>

namespace plimsoll::checkpoint {

/// The ranks that save and restore together. All of them make the same calls in the same order.
class Communicator {
  public:
    Communicator() = default;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    virtual ~Communicator() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    /// The text of rank 0, on every rank.
    [[nodiscard]] virtual std::string broadcast(std::string text) = 0;
    /// The texts of all ranks, by rank, on every rank.
    [[nodiscard]] virtual std::vector<std::string> gather(std::string text) = 0;
};

/// A program of one process.
[[nodiscard]] std::unique_ptr<Communicator> one_process();

}  // namespace plimsoll::checkpoint
