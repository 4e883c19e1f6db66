#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::checkpoint {

/// Bytes for another rank.
struct Outgoing {
    int to = 0;
    std::span<const std::byte> bytes;
};

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
    /// Sends to some ranks and receives from others, one message each; both know of it. Returns what came, in
    /// the order of `from`. Ranks may be their own partners; those that neither send nor receive need not
    /// call it.
    [[nodiscard]] virtual std::vector<std::vector<std::byte>> exchange(const std::vector<Outgoing>& outgoing,
                                                                       const std::vector<int>& from) = 0;
};

/// A program of one process.
[[nodiscard]] std::unique_ptr<Communicator> one_process();

}  // namespace plimsoll::checkpoint
