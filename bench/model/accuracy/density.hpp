#pragma once

#include <cstddef>
#include <vector>

namespace plimsoll::model::accuracy {

/// A distribution on a line, summed up of uniform pieces.
class Density {
  public:
    /// On [low, high]; what is added lies inside.
    Density(double low, double high);

    void add(double low, double high, double mass);

    /// Has to be called after the last `add` and before all that follows.
    void finish();

    [[nodiscard]] double quantile(double share) const;

    /// The window of this length with most mass, in the middle where several are as good.
    struct Window {
        double low = 0.0;
        double mass = 0.0;
    };
    [[nodiscard]] Window best_window(double length) const;

  private:
    /// Mass below a position in units of bins.
    [[nodiscard]] double below(double position) const;
    /// From here on the mass grows by `slope` more for each bin.
    void bend(double position, double slope);

    double low_;
    double bin_;  ///< its width
    std::vector<double> slope_;
    std::vector<double> offset_;
    std::vector<double> below_;  ///< at the edges of bins
};

}  // namespace plimsoll::model::accuracy
