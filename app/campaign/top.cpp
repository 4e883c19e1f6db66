// The terminal dashboard.
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include "app/campaign/verbs.hpp"
#include "app/render/table.hpp"
#include "app/terminal.hpp"
#include "plimsoll/core/byte_size.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int frame_ms = 1000;
constexpr int look_ms = 100;
constexpr int jobs_shown = 15;
constexpr int interrupted = 130;  ///< exit status

/// The terminal without echo and line editing, and as it was at the end, whatever ends us but SIGKILL.
class RawTerminal {
  public:
    RawTerminal() {
        fmt::print("\x1b[?1049h\x1b[?25l");  // another screen, no cursor
        if (::isatty(STDIN_FILENO) != 1 || ::tcgetattr(STDIN_FILENO, &before_) != 0) return;
        termios raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        changed_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    }
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;
    ~RawTerminal() {
        fmt::print("\x1b[?25h\x1b[?1049l");
        std::fflush(stdout);
        if (changed_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }

    /// The key that was pressed within the time, or 0.
    [[nodiscard]] static char key_within(int milliseconds) {
        pollfd wait{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        if (::poll(&wait, 1, milliseconds) != 1) return 0;
        char key = 0;
        return ::read(STDIN_FILENO, &key, 1) == 1 ? key : 'q';
    }

  private:
    termios before_{};
    bool changed_ = false;
};

std::string bar(double share) {
    constexpr int width = 20;
    const int filled = static_cast<int>(share * width);
    return fmt::format("[{:#<{}}{:.<{}}]", "", filled, "", width - filled);
}

/// Tasks ended per second, from two pictures.
class Rate {
  public:
    double next(std::int64_t ended) {
        const auto now = Clock::now();
        double rate = 0.0;
        if (last_)
            rate = static_cast<double>(ended - ended_) / std::chrono::duration<double>(now - *last_).count();
        last_ = now;
        ended_ = ended;
        return std::max(0.0, rate);
    }

  private:
    std::optional<Clock::time_point> last_;
    std::int64_t ended_ = 0;
};

/// "cpus=4 memory=8GB" of "cpus=4 memory=8000000000".
std::string resources_text(const std::string& text) {
    std::vector<std::string> words;
    for (const std::string_view word : split(text, ' ')) {
        constexpr std::string_view memory = "memory=";
        const auto bytes = word.starts_with(memory) ? parse_number(word.substr(memory.size())) : std::nullopt;
        if (bytes)
            words.push_back(fmt::format("{}{}", memory, byte_size_text(*bytes)));
        else
            words.emplace_back(word);
    }
    return join(words, ", ");
}

std::string picture(campaign::Client& client, Rate& rate, json& document) {
    const json totals = client.ask({{"verb", "totals"}});
    const json jobs = client.ask({{"verb", "ls"}, {"limit", jobs_shown}}).at("jobs");
    const json workers = client.ask({{"verb", "workers"}}).at("workers");
    const Style style(false);
    std::int64_t ended = 0;
    Table table({{"job", Align::right},
                 {"state"},
                 {"progress"},
                 {"done", Align::right},
                 {"failed", Align::right},
                 {"tasks", Align::right},
                 {"command"}});
    for (const json& job : jobs) {
        const auto all = job.at("tasks").get<std::int64_t>();
        std::int64_t done = 0;
        for (const char* const state : {"succeeded", "exhausted", "skipped", "cancelled"})
            done += job.at("counts").value(state, std::int64_t{0});
        ended += done;
        table.add({fmt::format("{}", job.at("job").get<std::int64_t>()), job.at("state"),
                   bar(static_cast<double>(done) / static_cast<double>(all)),
                   fmt::format("{}", job.at("counts").value("succeeded", 0)),
                   fmt::format("{}", job.at("counts").value("exhausted", 0)), fmt::format("{}", all),
                   command_text(job, 30)});
    }
    const double per_second = rate.next(ended);
    std::string text =
        fmt::format("{} running, {} leased, {} ready, {} waiting, {} held; {} tasks/s\n\n",
                    totals.at("running").get<std::int64_t>(), totals.at("leased").get<std::int64_t>(),
                    totals.at("ready").get<std::int64_t>(), totals.at("waiting").get<std::int64_t>(),
                    totals.at("held").get<std::int64_t>(), short_number(per_second));
    text += table.empty() ? "no jobs\n" : table.text(style);
    text += "\n";
    Table hands({{"worker", Align::right},
                 {"name"},
                 {"running", Align::right},
                 {"queued", Align::right},
                 {"resources"}});
    for (const json& worker : workers) {
        hands.add({fmt::format("{}", worker.at("worker").get<std::int64_t>()), worker.at("name"),
                   fmt::format("{}", worker.at("running").get<int>()),
                   fmt::format("{}", worker.at("queued").get<int>()),
                   resources_text(worker.at("resources"))});
    }
    text += hands.empty() ? "no worker: start one with 'plimsoll campaign worker'\n" : hands.text(style);
    document = {{"totals", totals}, {"jobs", jobs}, {"workers", workers}};
    return text;
}

/// What draws the picture over the last one: as much of it as the terminal has room for.
std::string screen_of(const std::string& text) {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        size = {.ws_row = 24, .ws_col = 80};
    std::string screen = "\x1b[H";
    int room = size.ws_row - 1;
    for (const std::string_view line : split(text, '\n')) {
        if (room-- <= 0) break;
        std::string shown(line);
        while (display_width(shown) > size.ws_col) {
            // The last letter, which may be several bytes.
            while ((static_cast<unsigned char>(shown.back()) & 0xc0U) == 0x80U) shown.pop_back();
            shown.pop_back();
        }
        screen += fmt::format("{}\x1b[K\r\n", shown);
    }
    return screen + "q ends it\x1b[K\x1b[J";
}

}  // namespace

CampaignAnswer watch_campaign(const CampaignRequest& request, Progress& progress) {
    CampaignAnswer answer;
    const auto client = connect_campaign(campaign::Folder::find(request.folder), answer);
    Rate rate;
    json document;
    if (request.once || ::isatty(STDOUT_FILENO) != 1) {
        answer.text = picture(*client, rate, document);
        answer.lines = answer.text;
        answer.document = document_of("plimsoll.campaign-top/1", document);
        return answer;
    }
    const RawTerminal terminal;
    while (!progress.stop_requested()) {
        const std::string text = picture(*client, rate, document);
        const std::string screen = screen_of(text);
        fmt::print("{}", screen);
        std::fflush(stdout);
        char key = 0;
        // In pieces: a signal that comes just before the wait does not end it.
        for (int waited = 0; waited < frame_ms && key == 0 && !progress.stop_requested(); waited += look_ms)
            key = RawTerminal::key_within(look_ms);
        if (key == 'q' || key == '\x1b') return answer;
    }
    answer.status = interrupted;
    return answer;
}

}  // namespace plimsoll::app
