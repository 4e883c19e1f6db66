#pragma once

#include <optional>

#include "plimsoll/core/seconds.hpp"
#include "plimsoll/plan/machine.hpp"

namespace plimsoll::plan {

/// What a job of so many processes costs on a machine, by the time that it takes.
///
/// Time is charged in whole multiples of the machine's granularity, at least its minimum; energy is used for
/// the time itself. Each cost rises with the time, in steps and between them, and never falls.
class JobCost {
  public:
    JobCost(const Machine& machine, double processes);

    [[nodiscard]] double nodes() const { return nodes_; }

    /// Time that is charged.
    [[nodiscard]] double charged_seconds(double seconds) const;

    /// Money, hours or kWh of a job that takes so many seconds; not a number where the machine does not tell.
    [[nodiscard]] double of(CostKind kind, double seconds) const;

    /// The longest time, in seconds, of which the cost is at most this: the last number of its kind, however
    /// steep the steps. Empty where the shortest job costs more already.
    [[nodiscard]] std::optional<double> longest_within(CostKind kind, double amount) const;

    /// How many times dearer the price may become for a job that takes so many seconds to cost this much
    /// money: energy costs what it did, and the least charge stays. Infinite where the price is nothing; not
    /// above 0 where the energy costs as much already.
    [[nodiscard]] double price_factor(double seconds, double money) const;

  private:
    double nodes_ = 1.0;
    double granularity_ = 0.0;
    double minimum_time_ = 0.0;
    double minimum_charge_ = 0.0;
    // For each second: not a number where it is not told.
    double money_rate_ = 0.0;
    double money_of_energy_rate_ = 0.0;
    double node_rate_ = 0.0;
    double core_rate_ = 0.0;
    double device_rate_ = 0.0;
    double energy_rate_ = 0.0;
};

}  // namespace plimsoll::plan
