#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/profile/detail/event_profile.hpp"

// Two bytes an event: what it is, and how much later than the one before. Own times add up to those of the
// outermost regions, whatever happens.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace plimsoll;
    experiment::ExperimentBuilder builder;
    std::vector<profile::Part> parts;
    profile::detail::Sink sink{.builder = builder, .parts = parts};
    profile::Part part;
    try {
        profile::detail::EventProfile events(sink, part, 1.0);
        const std::uint32_t counter =
            events.counter("cycles", "", profile::detail::EventProfile::Counting::since_start, 1.0);
        std::uint32_t location = 0;
        std::uint64_t time = 0;
        events.begin_location(location);
        for (std::size_t i = 0; i + 1 < size; i += 2) {
            const unsigned what = data[i] & 7U;
            const std::uint32_t name = events.name(std::string(1, static_cast<char>('a' + (data[i] >> 3U))));
            time += data[i + 1];
            if (what < 3) {
                events.enter(time, name);
            } else if (what < 6) {
                events.leave(time, name);
            } else if (what == 6) {
                events.count(counter, static_cast<double>(data[i + 1]));
            } else if (name % 4 == 0) {
                events.end_location();
                events.begin_location(++location);
                time = data[i + 1];
            } else {
                events.transfer(data[i + 1]);
            }
        }
        events.end_location();
        events.finish();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
        return 0;
    }
    double own = 0.0;
    double outermost = 0.0;
    for (const profile::Part::Value& value : part.values()) {
        if (value.metric == builder.metric("time")) own += value.value;
        const std::string& path = builder.rest().regions[experiment::index(value.region)].path;
        if (value.metric == builder.metric("time.inclusive") && path.size() == 1) outermost += value.value;
    }
    if (own != outermost) std::abort();
    return 0;
}
