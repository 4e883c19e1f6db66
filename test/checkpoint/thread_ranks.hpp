#pragma once

#include <barrier>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plimsoll/checkpoint/communicator.hpp"

namespace plimsoll::checkpoint::test {

/// What threads that play ranks share.
struct Meeting {
    explicit Meeting(int size) : texts(static_cast<std::size_t>(size)), barrier(size) {}
    std::vector<std::string> texts;
    std::barrier<> barrier;
};

/// A rank that is a thread.
class ThreadRank : public Communicator {
  public:
    ThreadRank(std::shared_ptr<Meeting> meeting, int rank) : meeting_(std::move(meeting)), rank_(rank) {}
    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return static_cast<int>(meeting_->texts.size()); }
    [[nodiscard]] std::string broadcast(std::string text) override { return gather(std::move(text)).front(); }
    [[nodiscard]] std::vector<std::string> gather(std::string text) override {
        meeting_->texts[static_cast<std::size_t>(rank_)] = std::move(text);
        meeting_->barrier.arrive_and_wait();
        std::vector<std::string> all = meeting_->texts;
        meeting_->barrier.arrive_and_wait();
        return all;
    }

  private:
    std::shared_ptr<Meeting> meeting_;
    int rank_;
};

/// Runs the same function on ranks that are threads of this process.
inline void on_ranks(int size, const std::function<void(std::unique_ptr<Communicator>)>& body) {
    const auto meeting = std::make_shared<Meeting>(size);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
        threads.emplace_back([&, rank] { body(std::make_unique<ThreadRank>(meeting, rank)); });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace plimsoll::checkpoint::test
