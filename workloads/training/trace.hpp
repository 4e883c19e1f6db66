#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "training/images.hpp"

namespace plimsoll::training_workload {

/// What ran when in this process, for the steps that are profiled, as Kineto writes it: operators, phases of
/// a step, collective operations with their sizes. Threads may add at the same time.
class Trace {
  public:
    using Clock = std::chrono::steady_clock;
    using Time = Clock::time_point;

    /// A collective operation.
    struct Collective {
        std::string_view name;     ///< allreduce
        std::size_t elements = 0;  ///< of 4 bytes, that this rank gives
    };

    /// Nothing is kept until then.
    void start() { is_on_ = true; }
    void stop() { is_on_ = false; }
    [[nodiscard]] bool is_on() const { return is_on_; }

    /// A step of training, `ProfilerStep#7`, or of validation, `validation_step 7`.
    void add_step(Set set, std::size_t number, Time begin, Time end);
    /// A part of a step.
    void add_phase(std::string_view name, Time begin, Time end) {
        add("user_annotation", name, begin, end, 0);
    }
    void add_operator(std::string_view name, Time begin, Time end) { add("cpu_op", name, begin, end, 0); }
    /// The call that starts a collective operation.
    void add_collective(const Collective& collective, Time begin, Time end);

    /// Writes a JSON document whole or not at all; throws an environment error where that fails.
    void write(const std::string& path, std::size_t rank, std::size_t ranks) const;

  private:
    struct Event {
        const char* category;
        std::uint32_t name;
        std::uint32_t thread;
        Time begin;
        Time end;
        std::size_t elements;  ///< of a collective; 0 of others
    };

    void add(const char* category, std::string_view name, Time begin, Time end, std::size_t elements);

    std::atomic<bool> is_on_ = false;
    Time start_ = Clock::now();
    std::mutex mutex_;
    std::vector<Event> events_;
    std::vector<std::string> names_;
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> name_ids_;
};

}  // namespace plimsoll::training_workload
