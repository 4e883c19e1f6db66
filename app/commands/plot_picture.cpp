#include "app/commands/plot_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

plot::PictureSize size_of(const std::string& text) {
    constexpr double least = 30.0;  // less has no room for axes
    constexpr double most = 1000.0;
    const std::vector<std::string_view> sides = split(text, 'x');
    std::vector<double> numbers;
    for (const std::string_view side : sides) {
        const auto number = parse_number(trim(side));
        if (number && *number >= least && *number <= most) numbers.push_back(*number);
    }
    if (sides.size() != 2 || numbers.size() != 2)
        throw Error(
            ErrorKind::usage, fmt::format("--size: '{}' is not allowed", text),
            fmt::format("give width and height in mm, each from {} to {}, such as 120x80", least, most));
    return {.width = numbers[0], .height = numbers[1]};
}

/// The options that choose among several charts.
std::string options_that_differ(const PlotReport& report) {
    const RegionChart& first = report.charts.front();
    const auto any = [&](auto differs) {
        return std::any_of(report.charts.begin(), report.charts.end(), differs);
    };
    std::vector<std::string> options;
    if (any([&](const RegionChart& one) { return one.region != first.region; }))
        options.emplace_back("--region");
    if (any([&](const RegionChart& one) { return one.metric != first.metric; }))
        options.emplace_back("--metric");
    return join(options, " and ");
}

}  // namespace

PictureTarget::PictureTarget(std::string path, const std::string& size)
    : path_(std::move(path)), size_(size_of(size)) {
    const auto format = plot::picture_format(path_);
    if (!format)
        throw Error(ErrorKind::usage, fmt::format("-o: '{}' is no name of a picture", path_),
                    "end it with .svg, .png or .pdf");
    format_ = *format;
}

void PictureTarget::write(const PlotReport& report) const {
    if (report.charts.size() > 1 && !holds_many())
        throw Error(ErrorKind::usage,
                    fmt::format("{} holds one chart, and there are {}", path_,
                                report.charts.size() + report.left_out),
                    fmt::format("choose one with {}, or write a PDF, which has a page for each",
                                options_that_differ(report)));
    std::vector<plot::Chart> charts;
    for (const RegionChart& one : report.charts) charts.push_back(one.chart);
    OutputFile file(path_);
    file.write(plot::picture(charts, format_, size_));
    file.commit();
}

}  // namespace plimsoll::app
