#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/terminal.hpp"
#include "plimsoll/model/document.hpp"

namespace plimsoll::app {

enum class Align { left, right };

/// A table for a terminal: columns as wide as their widest cell, two blanks between them.
class Table {
  public:
    struct Column {
        std::string title;
        Align align = Align::left;
    };
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// One cell for each column.
    void add(std::vector<std::string> cells);
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    [[nodiscard]] std::string text(const Style& style) const;

  private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// Four digits: "385.2", "1.2e-07", "-" where it is not finite.
[[nodiscard]] std::string short_number(double value);

/// As above with its unit: "385.2 s".
[[nodiscard]] std::string with_unit(double value, const std::string& unit);

/// "9.75 to 9.77", "-" where there is none.
[[nodiscard]] std::string interval_text(const std::optional<model::Prediction::Interval>& interval);

/// "61.0 %", "-" where it is not finite.
[[nodiscard]] std::string percent(double share);

/// "83.2 s", "45.1 min", "13.2 h", "3.4 d".
[[nodiscard]] std::string duration_text(double seconds);

/// "45.1 min to 1.2 h", "-" where both ends are the same.
[[nodiscard]] std::string duration_range_text(const model::Estimate& seconds);

/// "time [s]", or what is known of both.
[[nodiscard]] std::string metric_title(const std::string& metric, const std::string& unit);

/// Notes as lines that begin with "note: ".
[[nodiscard]] std::string notes_text(const std::vector<std::string>& notes, const Style& style);

}  // namespace plimsoll::app
