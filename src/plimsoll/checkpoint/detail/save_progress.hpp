#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "plimsoll/checkpoint/save.hpp"
#include "plimsoll/core/seconds.hpp"

namespace plimsoll::checkpoint::detail {

/// What the writing thread tells of a save, and others wait for.
class SaveProgress {
  public:
    explicit SaveProgress(std::uint64_t step) : step_(step) {}

    [[nodiscard]] std::uint64_t step() const { return step_; }
    [[nodiscard]] Stage stage() const;
    [[nodiscard]] std::string failure() const;
    [[nodiscard]] Stage goal() const;
    /// Before anyone waits for it, or once it has been reached.
    void set_goal(Stage goal);
    /// What one level has missed although the save has come on; empty where nothing.
    [[nodiscard]] std::string remark() const;
    void note(std::string remark);
    void reach(Stage stage);
    void fail(std::string why);
    /// As Save::wait; without patience as long as it takes.
    bool wait(Stage stage, std::optional<Seconds> patience);
    /// Whether it has come to its goal or failed.
    [[nodiscard]] bool is_over() const;
    /// From the beginning until it came to its goal; zero before that.
    [[nodiscard]] Seconds time_taken() const;

  private:
    std::uint64_t step_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Stage stage_ = Stage::begun;
    Stage goal_ = Stage::durable;
    std::string failure_;
    std::string remark_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    Seconds time_taken_{0.0};
};

}  // namespace plimsoll::checkpoint::detail
