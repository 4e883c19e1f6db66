#pragma once

#include <barrier>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plimsoll/checkpoint/communicator.hpp"

namespace plimsoll::checkpoint::test {

/// What threads that play ranks share.
struct Meeting {
    explicit Meeting(int size) : texts(static_cast<std::size_t>(size)), barrier(size) {}
    std::vector<std::string> texts;
    std::barrier<> barrier;
    std::mutex mutex;
    std::condition_variable arrived;
    std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> messages;  ///< by sender and receiver
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
    [[nodiscard]] std::vector<std::vector<std::byte>> exchange(const std::vector<Outgoing>& outgoing,
                                                               const std::vector<int>& from) override {
        std::unique_lock lock(meeting_->mutex);
        for (const Outgoing& message : outgoing)
            meeting_->messages[{rank_, message.to}].emplace_back(message.bytes.begin(), message.bytes.end());
        meeting_->arrived.notify_all();
        std::vector<std::vector<std::byte>> received;
        for (const int sender : from) {
            auto& queue = meeting_->messages[{sender, rank_}];
            meeting_->arrived.wait(lock, [&] { return !queue.empty(); });
            received.push_back(std::move(queue.front()));
            queue.pop_front();
        }
        return received;
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
