#include "kernels/progress_line.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace plimsoll::kernels {

namespace {

constexpr std::chrono::milliseconds before_first_draw{500};
constexpr std::chrono::milliseconds between_draws{100};

}  // namespace

ProgressLine::ProgressLine()
    : on_terminal_(isatty(STDERR_FILENO) == 1), next_draw_(Clock::now() + before_first_draw) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(std::size_t done, std::size_t total, std::string_view what) {
    const Clock::time_point now = Clock::now();
    if (!on_terminal_ || now < next_draw_) {
        return;
    }
    fmt::print(stderr, "\r\x1b[Kmeasuring: run {} of {} ({})", done + 1, total, what);
    is_drawn_ = true;
    next_draw_ = now + between_draws;
}

void ProgressLine::clear() {
    if (is_drawn_) {
        std::fputs("\r\x1b[K", stderr);
        is_drawn_ = false;
    }
}

}  // namespace plimsoll::kernels
