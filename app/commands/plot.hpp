#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/models.hpp"
#include "plimsoll/core/options.hpp"
#include "plimsoll/plot/chart.hpp"

namespace plimsoll::app {

/// How an axis is divided.
enum class ScaleChoice { automatic, linear, logarithmic };
[[nodiscard]] constexpr std::array<EnumName<ScaleChoice>, 3> enum_names(ScaleChoice) {
    return {{{ScaleChoice::automatic, "auto"},
             {ScaleChoice::linear, "linear"},
             {ScaleChoice::logarithmic, "log"}}};
}

struct PlotOptions {
    std::string along;
    ScaleChoice x_scale = ScaleChoice::automatic;
    ScaleChoice y_scale = ScaleChoice::automatic;
    std::string size = "120x80";
};

template <class Visitor>
void describe(PlotOptions& o, Visitor&& option) {
    option("along", o.along,
           "Parameter that runs along the chart; found if absent: the number of processes, else the first");
    option("x-scale", o.x_scale,
           "How the axis of this parameter is divided: auto is log beyond a factor of 8");
    option("y-scale", o.y_scale,
           "How the axis of values is divided: auto is log where the other is, beyond a factor of 8");
    option("size", o.size, "Width and height of a picture that -o writes, in mm");
}

/// What `plimsoll plot` is told.
struct PlotRequest {
    ModelsRequest models;
    std::vector<std::string> against;     ///< measurements to draw beside models from a file
    std::vector<std::string> parameters;  ///< values, such as p=2..4096 and n=1000,2000
    PlotOptions options;
    std::string output;  ///< a picture, by the end of its name; empty: none
};

/// A region's chart.
struct RegionChart {
    std::string region;
    std::string metric;
    std::string unit;
    std::string formula;
    plot::Chart chart;
    std::vector<std::vector<double>>
        at;  ///< of each curve, [parameters]; the one along the chart is at its largest
};

/// The document `plimsoll.plot/1`.
struct PlotReport {
    std::vector<std::string> parameters;
    std::string along;
    double coverage = 0.9;
    std::vector<RegionChart> charts;
    std::size_t left_out = 0;  ///< regions that were chosen and are not drawn
    std::string output;        ///< the picture that was written; empty: none
    std::vector<std::string> notes;
};

/// Draws the regions chosen, or the one that is largest where the chart ends; into a picture too, if one is
/// asked for.
[[nodiscard]] PlotReport plot(PlotRequest request, Progress& progress);

}  // namespace plimsoll::app
