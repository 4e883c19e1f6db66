#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "plimsoll/core/options.hpp"
#include "plimsoll/core/progress.hpp"

namespace plimsoll::app {

/// When text is coloured.
enum class ColorChoice { automatic, always, never };
[[nodiscard]] constexpr std::array<EnumName<ColorChoice>, 3> enum_names(ColorChoice) {
    return {
        {{ColorChoice::automatic, "auto"}, {ColorChoice::always, "always"}, {ColorChoice::never, "never"}}};
}

/// Whether text to a stream (1 or 2) is coloured: by the choice, else if it is a terminal that is not dumb
/// and NO_COLOR is unset or empty.
[[nodiscard]] bool use_color(ColorChoice choice, int stream);

/// Emphasis that only repeats what the words say.
class Style {
  public:
    explicit Style(bool colored) : colored_(colored) {}
    [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }
    [[nodiscard]] std::string error(std::string_view text) const { return wrap("1;31", text); }
    [[nodiscard]] std::string hint(std::string_view text) const { return wrap("1;36", text); }
    [[nodiscard]] std::string warning(std::string_view text) const { return wrap("33", text); }

  private:
    [[nodiscard]] std::string wrap(std::string_view code, std::string_view text) const;
    bool colored_;
};

/// Columns for text on standard output: the variable COLUMNS, else those of the terminal, else 100; within
/// [60, 100].
[[nodiscard]] std::size_t text_width();

/// Whether each piece of work leaves a line on standard error.
enum class Trace { off, on };

/// A bar on standard error where that is a terminal: from half a second on, ten times a second at most,
/// cleared at the end. Elsewhere nothing, but for a trace.
class TerminalProgress final : public Progress {
  public:
    explicit TerminalProgress(Trace trace);
    void begin(std::string_view what, std::int64_t total) override;
    void advance(std::int64_t done) override;
    void end() override;

  private:
    using Clock = std::chrono::steady_clock;
    void draw(std::int64_t done, Clock::time_point now);

    Trace trace_;
    bool is_terminal_;
    bool drawn_ = false;
    std::string what_;
    std::int64_t total_ = 0;
    Clock::time_point begun_;
    Clock::time_point next_;
};

/// Lets Ctrl-C ask this progress to stop, and SIGTERM and SIGHUP likewise, which batch systems and closed
/// terminals send. A second one, or a second without an answer (a read that waits), ends the program at once;
/// unfinished files are removed. The status is 130 either way.
void stop_on_interrupt(Progress& progress);

/// Lets a closed pipe behind standard output end the program without a word, whatever its parent did to
/// SIGPIPE.
void end_quietly_on_closed_pipe();

}  // namespace plimsoll::app
