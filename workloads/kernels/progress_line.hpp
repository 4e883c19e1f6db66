#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace plimsoll::kernels {

/// One line on stderr that says how far a long run is; nothing unless stderr is a terminal.
///
/// Drawn after half a second, ten times a second at most, and cleared at the end.
class ProgressLine {
  public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(std::size_t done, std::size_t total, std::string_view what);
    void clear();

  private:
    using Clock = std::chrono::steady_clock;

    bool on_terminal_;
    bool is_drawn_ = false;
    Clock::time_point next_draw_;
};

}  // namespace plimsoll::kernels
