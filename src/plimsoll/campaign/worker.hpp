#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "plimsoll/campaign/folder.hpp"
#include "plimsoll/campaign/resources.hpp"
#include "plimsoll/launch/launcher.hpp"

namespace plimsoll::campaign {

/// How a worker runs.
struct WorkerOptions {
    std::string name;              ///< for people; empty: the machine's
    Resources resources;           ///< what its tasks share
    double time_limit_s = 0.0;     ///< after which it leaves, its tasks preempted; 0: none
    double idle_limit_s = 0.0;     ///< it leaves when it had nothing to do for so long; 0: never
    double patience_s = 600.0;     ///< it waits so long for a server that is away
    bool leave_when_done = false;  ///< it leaves when the campaign has nothing left that could run
};

/// Runs a campaign's tasks: takes them from the server, starts them by a launcher, keeps their output, and
/// tells how they ended until it has heard that it is stored.
///
/// Where the server goes away, its tasks run on, and it comes back to the next one. A worker on another
/// machine than the server's stops its tasks when it has not been heard for a lease, since they will be given
/// to others.
class Worker {
  public:
    Worker(const Folder& folder, WorkerOptions options, launch::Launcher& launcher,
           std::function<void(const std::string&)> log);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

    /// Works until it has reason to leave, or `stop` (a signalfd) is readable: once, and it takes no more
    /// tasks and leaves when those that run have ended; twice, and it stops them.
    void run(int stop);

  private:
    class Loop;
    std::unique_ptr<Loop> loop_;
};

}  // namespace plimsoll::campaign
