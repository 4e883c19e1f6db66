#pragma once

#include <cstddef>

#include "plimsoll/core/seconds.hpp"
#include "plimsoll/launch/process.hpp"

namespace plimsoll::launch {

/// A small process of our own that kills the groups it watches when we die, be it by SIGKILL.
///
/// It knows of our death by the end of a channel between us, and the groups from memory that we share, so
/// that it sleeps until then. Make it early, before threads and large memory, since it is a fork. Groups are
/// watched from the moment `start` has them; one that starts in the instant of our death may escape. May be
/// used on any thread.
class Guardian {
  public:
    /// `grace`: from SIGTERM to SIGKILL. Throws an environment error where no process can be made.
    explicit Guardian(Seconds grace = Seconds(2.0));
    Guardian(const Guardian&) = delete;
    Guardian& operator=(const Guardian&) = delete;
    ~Guardian();

    [[nodiscard]] ProcessId process_id() const { return id_; }

    void watch(ProcessId group) noexcept;
    void forget(ProcessId group) noexcept;

    /// Groups that can be watched at once; further ones are not.
    static constexpr std::size_t most_groups = 65536;

  private:
    struct Table;

    ProcessId id_{};
    Descriptor channel_;
    Table* table_;
};

}  // namespace plimsoll::launch
