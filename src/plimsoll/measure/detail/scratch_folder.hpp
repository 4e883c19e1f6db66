#pragma once

#include <string>

#include "plimsoll/measure/detail/task_maker.hpp"

namespace plimsoll::measure::detail {

/// A folder for what single runs write, gone at the end.
class ScratchFolder {
  public:
    /// Below a folder, or below that of temporary files where the path is empty. Throws an environment error
    /// where there is no place for it.
    explicit ScratchFolder(const std::string& parent);
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder();

    /// Files of the next run, none of which is there.
    [[nodiscard]] RunFiles fresh() const;

  private:
    std::string path_;  ///< absolute: programs may work in other folders
};

}  // namespace plimsoll::measure::detail
