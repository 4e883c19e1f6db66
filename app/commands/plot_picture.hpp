#pragma once

#include <string>

#include "app/commands/plot.hpp"
#include "plimsoll/plot/picture.hpp"

namespace plimsoll::app {

/// A file that charts are drawn into.
class PictureTarget {
  public:
    /// The format is what the file's name ends with; `size` is as "120x80". Throws a usage error where either
    /// is not understood.
    PictureTarget(std::string path, const std::string& size);

    [[nodiscard]] bool holds_many() const { return format_ == plot::PictureFormat::pdf; }

    /// Throws a usage error where the file takes one chart alone and there are several.
    void write(const PlotReport& report) const;

  private:
    std::string path_;
    plot::PictureFormat format_ = plot::PictureFormat::svg;
    plot::PictureSize size_;
};

}  // namespace plimsoll::app
