#include "app/render/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

void Table::add(std::vector<std::string> cells) {
    PLIMSOLL_EXPECT(cells.size() == columns_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::text(const Style& style) const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        std::size_t width = display_width(columns_[c].title);
        for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
        widths.push_back(width);
    }
    std::string text;
    const auto line = [&](const auto& cell_of, const auto& emphasis) {
        std::string out;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const std::string& cell = cell_of(c);
            const std::string padding(widths[c] - display_width(cell), ' ');
            const bool last = c + 1 == columns_.size();
            if (columns_[c].align == Align::right) {
                out += padding + cell;
            } else {
                out += last ? cell : cell + padding;
            }
            if (!last) out += "  ";
        }
        text += emphasis(out) + "\n";
    };
    line([&](std::size_t c) -> const std::string& { return columns_[c].title; },
         [&](const std::string& out) { return style.bold(out); });
    for (const auto& row : rows_) {
        line([&](std::size_t c) -> const std::string& { return row[c]; },
             [](const std::string& out) { return out; });
    }
    return text;
}

std::string short_number(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-"; }

std::string with_unit(double value, const std::string& unit) {
    return unit.empty() || !std::isfinite(value) ? short_number(value) : short_number(value) + " " + unit;
}

std::string interval_text(const std::optional<model::Prediction::Interval>& interval) {
    if (!interval || !std::isfinite(interval->low) || !std::isfinite(interval->high)) return "-";
    return fmt::format("{} to {}", short_number(interval->low), short_number(interval->high));
}

std::string percent(double share) {
    return std::isfinite(share) ? fmt::format("{:.1f} %", 100.0 * share) : "-";
}

std::string duration_text(double seconds) {
    struct Unit {
        double from;
        double size;
        std::string_view name;
    };
    constexpr double minute = 60.0;
    constexpr double hour = 3600.0;
    constexpr double day = 86400.0;
    constexpr std::array units{Unit{2 * day, day, "d"}, Unit{2 * hour, hour, "h"},
                               Unit{2 * minute, minute, "min"}};
    for (const Unit& unit : units) {
        if (seconds >= unit.from) return fmt::format("{} {}", short_number(seconds / unit.size), unit.name);
    }
    return short_number(seconds) + " s";
}

std::string duration_range_text(const model::Estimate& seconds) {
    if (seconds.low == seconds.high) return "-";
    return fmt::format("{} to {}", duration_text(seconds.low), duration_text(seconds.high));
}

std::string metric_title(const std::string& metric, const std::string& unit) {
    if (metric.empty()) return unit.empty() ? "value" : unit;
    return unit.empty() ? metric : fmt::format("{} [{}]", metric, unit);
}

std::string notes_text(const std::vector<std::string>& notes, const Style& style) {
    std::string text;
    for (const std::string& note : notes) text += fmt::format("{} {}\n", style.warning("note:"), note);
    return text;
}

}  // namespace plimsoll::app
