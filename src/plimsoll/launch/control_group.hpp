#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plimsoll/launch/descriptor.hpp"

namespace plimsoll::launch {

/// A control group of Linux for one program and all that descends from it, whatever groups or sessions those
/// make for themselves. At the end of its life what is left in it is killed, and it is removed.
class ControlGroup {
  public:
    ControlGroup(const ControlGroup&) = delete;
    ControlGroup& operator=(const ControlGroup&) = delete;
    ~ControlGroup();

    /// A process that writes 0 to this descriptor, which closes on exec, belongs to the group.
    [[nodiscard]] int entrance() const { return entrance_.number(); }

    /// Ids of the processes in it; not of zombies.
    [[nodiscard]] std::vector<pid_t> members() const;

    void kill() noexcept;

    /// Whether the system has killed one of its processes because together they wanted more memory than the
    /// group may have.
    [[nodiscard]] bool ran_out_of_memory() const;

  private:
    friend class ControlGroups;
    ControlGroup(std::string folder, bool is_unified) : folder_(std::move(folder)), is_unified_(is_unified) {}

    std::string folder_;
    bool is_unified_;
    Descriptor entrance_;
};

/// Makes control groups that limit memory, where the system lets us.
///
/// The place is below the group that we are in ourselves: of the unified hierarchy (version 2) where it has
/// the controller `memory`, else of the hierarchy `memory` of version 1. Version 2 limits only groups beside
/// which no process is, so there we go into a group of our own first; that succeeds where nobody else is in
/// ours, as in a scope of `systemd-run --scope -p Delegate=yes` or a container. Make it before other
/// processes are started. May be used on any thread.
class ControlGroups {
  public:
    ControlGroups();
    ControlGroups(const ControlGroups&) = delete;
    ControlGroups& operator=(const ControlGroups&) = delete;
    ~ControlGroups();

    /// Why none can be made; empty where they can.
    [[nodiscard]] const std::string& obstacle() const { return obstacle_; }

    /// `memory_bytes`: of all processes together, swapped or not, files in the cache being given up first.
    /// Throws an environment error where none can be made.
    [[nodiscard]] std::unique_ptr<ControlGroup> make(std::uint64_t memory_bytes);

  private:
    bool open_unified(const std::string& parent);
    bool open_version_1(const std::string& parent);

    std::string folder_;  ///< of the groups that are made; empty where none can be
    std::string parent_;
    std::string obstacle_;
    bool is_unified_ = false;
    bool is_inside_ = false;  ///< we ourselves are in a group of `folder_`
    std::atomic<std::uint64_t> made_ = 0;
};

}  // namespace plimsoll::launch
