#include "training/trace.hpp"

#include <fmt/format.h>

#include <atomic>

#include "plimsoll/core/file.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::training_workload {

namespace {

double microseconds(Trace::Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

/// A small number for each thread, in the order in which they first add something.
std::uint32_t thread_number() {
    static std::atomic<std::uint32_t> next{0};
    thread_local const std::uint32_t number = next++;
    return number;
}

}  // namespace

void Trace::add_step(Set set, std::size_t number, Time begin, Time end) {
    const char* const mark = set == Set::training ? "ProfilerStep#" : "validation_step ";
    add("user_annotation", fmt::format("{}{}", mark, number), begin, end, 0);
}

void Trace::add_collective(const Collective& collective, Time begin, Time end) {
    add("cpu_op", collective.name, begin, end, collective.elements);
}

void Trace::add(const char* category, std::string_view name, Time begin, Time end, std::size_t elements) {
    if (!is_on_) return;
    const std::uint32_t thread = thread_number();
    const std::lock_guard lock(mutex_);
    auto found = name_ids_.find(name);
    if (found == name_ids_.end()) {
        found = name_ids_.emplace(name, static_cast<std::uint32_t>(names_.size())).first;
        names_.emplace_back(name);
    }
    events_.push_back({.category = category,
                       .name = found->second,
                       .thread = thread,
                       .begin = begin,
                       .end = end,
                       .elements = elements});
}

void Trace::write(const std::string& path, std::size_t rank, std::size_t ranks) const {
    OutputFile file(path);
    file.write(fmt::format(
        R"({{"schemaVersion":1,"distributedInfo":{{"backend":"mpi","rank":{},"world_size":{}}},"traceEvents":[)",
        rank, ranks));
    const char* separator = "\n";
    for (const Event& event : events_) {
        // Kineto has the arguments of a collective in an event within the call.
        const bool is_collective = event.elements > 0;
        const std::string& name = names_[event.name];
        const std::string place =
            fmt::format(R"("pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f})", rank, event.thread,
                        microseconds(event.begin - start_), microseconds(event.end - event.begin));
        file.write(fmt::format(R"({}{{"ph":"X","cat":"{}","name":{},{}}})", separator, event.category,
                               json_quote(is_collective ? "mpi:" + name : name), place));
        separator = ",\n";
        if (!is_collective) continue;
        file.write(fmt::format(
            R"({}{{"ph":"X","cat":"cpu_op","name":"record_param_comms",{},"args":{{"Collective name":{},)"
            R"("dtype":"Float","In msg nelems":{},"Out msg nelems":{},"Group size":{}}}}})",
            separator, place, json_quote(name), event.elements, event.elements, ranks));
    }
    file.write("\n]}\n");
    file.commit();
}

}  // namespace plimsoll::training_workload
