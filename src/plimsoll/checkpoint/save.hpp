#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "plimsoll/core/seconds.hpp"

namespace plimsoll::checkpoint {

/// How far a save has come.
enum class Stage {
    begun,     ///< asked for; the arrays are not copied yet
    captured,  ///< the arrays may change again
    local,     ///< this rank's share is on the disk, its node's own where there is such a level
    durable    ///< all ranks' shares are, and the save is committed: what a restart finds
};

namespace detail {
class SaveProgress;
}

/// A save that is under way or done. Copies are the same save; it may outlive its session.
class Save {
  public:
    explicit Save(std::shared_ptr<detail::SaveProgress> progress);

    [[nodiscard]] std::uint64_t step() const;
    [[nodiscard]] Stage stage() const;
    /// Why it will come no further; empty where nothing has failed.
    [[nodiscard]] std::string failure() const;
    /// How far it is to come: not every save goes to the shared folder.
    [[nodiscard]] Stage goal() const;
    /// Waits for a stage: true once it is reached, false where the save has failed, is not to come so far, or
    /// the time is over.
    [[nodiscard]] bool wait(Stage stage, Seconds patience) const;
    /// Waits as long as it takes.
    [[nodiscard]] bool wait(Stage stage) const;
    /// Waits for its goal.
    [[nodiscard]] bool wait() const;

  private:
    std::shared_ptr<detail::SaveProgress> progress_;
};

}  // namespace plimsoll::checkpoint
