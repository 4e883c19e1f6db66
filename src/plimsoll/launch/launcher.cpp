#include "plimsoll/launch/launcher.hpp"

#include "plimsoll/launch/guardian.hpp"

namespace plimsoll::launch {

namespace {

class Local final : public Launcher {
  public:
    Process start(const Command& command) override { return launch::start(command, &guardian_); }

  private:
    Guardian guardian_;
};

class Null final : public Launcher {
  public:
    Process start(const Command& /*command*/) override { return Process(Exit{}); }
};

}  // namespace

std::unique_ptr<Launcher> local_launcher() { return std::make_unique<Local>(); }

std::unique_ptr<Launcher> null_launcher() { return std::make_unique<Null>(); }

}  // namespace plimsoll::launch
