#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "plimsoll/checkpoint/communicator.hpp"

namespace plimsoll::heat {

/// The processes that share a grid. All of them make the same calls in the same order.
class Ranks {
  public:
    Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    virtual ~Ranks() = default;

    [[nodiscard]] virtual std::uint64_t rank() const = 0;
    [[nodiscard]] virtual std::uint64_t size() const = 0;
    /// Sends the outermost planes to the neighbours, `first` to the rank below and `last` to the one above,
    /// and receives theirs into `below` and `above`. Where there is no neighbour these stay as they are.
    virtual void exchange(std::span<const double> first, std::span<const double> last,
                          std::span<double> below, std::span<double> above) = 0;
    /// Sums of all ranks, on each, modulo 2^64.
    [[nodiscard]] virtual std::uint64_t sum(std::uint64_t mine) = 0;
    [[nodiscard]] virtual double largest(double mine) = 0;
    /// Ends the others, which would wait for this one: it has failed alone.
    virtual void end_all(int status) = 0;
    /// For the checkpoints.
    [[nodiscard]] virtual std::unique_ptr<checkpoint::Communicator> communicator() const = 0;
};

/// One process, which has the grid for itself.
[[nodiscard]] std::unique_ptr<Ranks> alone();

}  // namespace plimsoll::heat
