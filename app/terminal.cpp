#include "app/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "plimsoll/core/file.hpp"

namespace plimsoll::app {

namespace {

std::atomic<Progress*> interrupted_progress =
    nullptr;  // NOLINT(*-avoid-non-const-global-variables): a signal handler's only way

extern "C" void leave_now(int /*signal*/) {
    constexpr std::string_view message = "interrupted\n";
    remove_unfinished_files();
    (void)!::write(STDERR_FILENO, message.data(), message.size());
    ::_exit(130);
}

extern "C" void on_interrupt(int signal) {
    Progress* const progress = interrupted_progress.load();
    if (progress == nullptr || progress->stop_requested()) leave_now(signal);
    progress->request_stop();
    ::alarm(1);
}

void handle(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    ::sigaction(signal, &action, nullptr);
}

std::string remaining_text(double seconds) {
    if (seconds < 90.0) return fmt::format("{:.0f} s left", std::max(seconds, 1.0));
    if (seconds < 5400.0) return fmt::format("{:.0f} min left", seconds / 60.0);
    return fmt::format("{:.1f} h left", seconds / 3600.0);
}

}  // namespace

bool use_color(ColorChoice choice, int stream) {
    if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
    const char* const no_color = std::getenv("NO_COLOR");
    const char* const term = std::getenv("TERM");
    const bool wanted = no_color == nullptr || *no_color == '\0';
    return wanted && (term == nullptr || std::string_view(term) != "dumb") && ::isatty(stream) == 1;
}

std::string Style::wrap(std::string_view code, std::string_view text) const {
    return colored_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::size_t text_width() {
    constexpr std::size_t narrowest = 60;
    constexpr std::size_t widest = 100;
    std::size_t width = widest;
    struct winsize size {};
    if (const char* const columns = std::getenv("COLUMNS"); columns != nullptr && *columns != '\0') {
        width = std::strtoul(columns, nullptr, 10);
    } else if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        width = size.ws_col;
    }
    return std::clamp(width, narrowest, widest);
}

TerminalProgress::TerminalProgress(Trace trace) : trace_(trace), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

void TerminalProgress::begin(std::string_view what, std::int64_t total) {
    what_ = what;
    total_ = total;
    begun_ = Clock::now();
    next_ = begun_ + std::chrono::milliseconds(500);
}

void TerminalProgress::advance(std::int64_t done) {
    if (!is_terminal_) return;
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    draw(done, now);
}

void TerminalProgress::draw(std::int64_t done, Clock::time_point now) {
    drawn_ = true;
    if (total_ <= 0) {
        fmt::print(stderr, "\r\x1b[K{} {}", what_, done);
    } else {
        constexpr int width = 30;
        const double share = std::clamp(static_cast<double>(done) / static_cast<double>(total_), 0.0, 1.0);
        const int filled = static_cast<int>(share * width);
        const double elapsed = std::chrono::duration<double>(now - begun_).count();
        const std::string left = share > 0.02 ? remaining_text(elapsed / share - elapsed) : std::string();
        fmt::print(stderr, "\r\x1b[K{} [{:#<{}}{:.<{}}] {:3.0f} %  {}", what_, "", filled, "", width - filled,
                   100.0 * share, left);
    }
    std::fflush(stderr);
}

void TerminalProgress::end() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
    if (trace_ == Trace::on) {
        fmt::print(stderr, "debug: {} took {:.3f} s\n", what_,
                   std::chrono::duration<double>(Clock::now() - begun_).count());
    }
    std::fflush(stderr);
    drawn_ = false;
}

void stop_on_interrupt(Progress& progress) {
    interrupted_progress.store(&progress);
    handle(SIGALRM, leave_now);
    handle(SIGINT, on_interrupt);
    handle(SIGTERM, on_interrupt);
    struct sigaction hang_up {};
    ::sigaction(SIGHUP, nullptr, &hang_up);
    if (hang_up.sa_handler != SIG_IGN) handle(SIGHUP, on_interrupt);  // nohup has it ignored
}

void end_quietly_on_closed_pipe() { handle(SIGPIPE, SIG_DFL); }

}  // namespace plimsoll::app
