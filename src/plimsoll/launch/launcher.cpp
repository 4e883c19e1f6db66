#include "plimsoll/launch/launcher.hpp"

#include <optional>

#include "plimsoll/launch/control_group.hpp"
#include "plimsoll/launch/guardian.hpp"

namespace plimsoll::launch {

namespace {

class Local final : public Launcher {
  public:
    explicit Local(bool limits_memory) {
        if (limits_memory) groups_.emplace();
        guardian_.emplace();
    }
    Process start(const Command& command) override {
        return launch::start(command, &*guardian_, groups_ ? &*groups_ : nullptr);
    }
    std::string obstacle_to_memory_limits() const override {
        return groups_ ? groups_->obstacle() : "no control groups were asked for";
    }

  private:
    std::optional<ControlGroups> groups_;
    std::optional<Guardian> guardian_;
};

class Null final : public Launcher {
  public:
    Process start(const Command& /*command*/) override { return Process(Exit{}); }
    std::string obstacle_to_memory_limits() const override { return {}; }
};

}  // namespace

std::unique_ptr<Launcher> local_launcher(bool limits_memory) {
    return std::make_unique<Local>(limits_memory);
}

std::unique_ptr<Launcher> null_launcher() { return std::make_unique<Null>(); }

}  // namespace plimsoll::launch
