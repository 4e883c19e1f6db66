#include "plimsoll/profile/detail/event_profile.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "test/support/most_memory.hpp"

namespace plimsoll::profile::detail {
namespace {

/// A profile with what it needs around it.
struct Trace {
    experiment::ExperimentBuilder builder;
    std::vector<Part> parts;
    Sink sink{.builder = builder, .parts = parts};
    Part part;
    EventProfile profile{sink, part, 10.0};

    double value(const std::string& region, const std::string& metric, std::uint32_t location = 0) {
        for (const Part::Value& value : part.values()) {
            if (value.region == builder.region(region) && value.metric == builder.metric(metric) &&
                value.location == location)
                return value.value;
        }
        return -1.0;
    }
    std::vector<std::string> notes() {
        std::vector<std::string> messages;
        for (const auto& note : builder.rest().notes) messages.push_back(note.message);
        return messages;
    }
};

TEST(EventProfile, GivesEachRecursiveCallItsOwnPath) {
    Trace trace;
    const auto f = trace.profile.name("f");
    trace.profile.begin_location(0);
    trace.profile.enter(100, f);
    trace.profile.enter(120, f);
    trace.profile.leave(150, f);
    trace.profile.leave(200, f);
    trace.profile.end_location();
    trace.profile.finish();
    EXPECT_EQ(trace.value("f", "time"), 7.0);
    EXPECT_EQ(trace.value("f", "time.inclusive"), 10.0);
    EXPECT_EQ(trace.value("f->f", "time"), 3.0);
    EXPECT_EQ(trace.value("f->f", "visits"), 1.0);
    EXPECT_TRUE(trace.notes().empty());
}

TEST(EventProfile, EndsWhatIsNotLeft) {
    Trace trace;
    const auto f = trace.profile.name("f");
    const auto g = trace.profile.name("g");
    const auto h = trace.profile.name("h");
    trace.profile.begin_location(0);
    trace.profile.leave(90, h);
    trace.profile.enter(100, f);
    trace.profile.enter(120, g);
    trace.profile.leave(150, f);
    trace.profile.end_location();
    trace.profile.begin_location(1);
    trace.profile.enter(10, f);
    trace.profile.enter(20, g);
    trace.profile.end_location();
    trace.profile.finish();
    EXPECT_EQ(trace.value("f", "time.inclusive"), 5.0);
    EXPECT_EQ(trace.value("f->g", "time"), 3.0);
    EXPECT_EQ(trace.value("f", "time", 1), 1.0);
    EXPECT_EQ(trace.notes(),
              (std::vector<std::string>{
                  "regions entered and not left: 3; they end with the region around them, or the trace",
                  "regions left and not entered: 1; they are left out"}));
}

TEST(EventProfile, CountsForTheRegionThatWasOpenBefore) {
    Trace trace;
    const auto f = trace.profile.name("f");
    const auto total = trace.profile.counter("total", "", EventProfile::Counting::since_start, 2.0);
    const auto part = trace.profile.counter("part", "J", EventProfile::Counting::since_last, 1.0);
    trace.profile.begin_location(0);
    trace.profile.count(total, 50);
    trace.profile.enter(0, f);
    trace.profile.count(total, 80);
    trace.profile.count(part, 4);
    trace.profile.count(part, 5);
    trace.profile.count(total, 70);  // less than before
    trace.profile.leave(10, f);
    trace.profile.count(total, 90);  // outside of all regions
    trace.profile.end_location();
    // Another location begins to count anew.
    trace.profile.begin_location(1);
    trace.profile.count(total, 5);
    trace.profile.enter(0, f);
    trace.profile.count(total, 6);
    trace.profile.leave(10, f);
    trace.profile.end_location();
    trace.profile.finish();
    EXPECT_EQ(trace.value("f", "total"), 60.0);
    EXPECT_EQ(trace.value("f", "part"), 9.0);
    EXPECT_EQ(trace.value("f", "total", 1), 2.0);
    EXPECT_EQ(trace.notes().size(), 1U);
}

// A trace may define the same counter anew for each of its locations.
TEST(EventProfile, IsBoundedByNamesOfCountersNotByTheirNumber) {
    Trace trace;
    constexpr std::uint32_t locations = 20'000;
    constexpr std::uint32_t regions = 500;
    for (std::uint32_t i = 0; i < locations; ++i)
        (void)trace.profile.counter("cycles", "", EventProfile::Counting::since_start, 1.0);
    const std::size_t before = test::most_memory();
    trace.profile.begin_location(0);
    for (std::uint32_t i = 0; i < regions; ++i) {
        trace.profile.enter(i, trace.profile.name(std::to_string(i)));
        // Each goes on from its own last value.
        trace.profile.count(locations - 1, 100.0 * i);
        trace.profile.count(locations - 2, 10.0 * i);
    }
    trace.profile.end_location();
    trace.profile.finish();
    EXPECT_EQ(trace.builder.rest().metrics.size(), 4U);
    EXPECT_EQ(trace.value("0->1", "cycles"), 110.0);
    EXPECT_LT(test::most_memory() - before, std::size_t{40} << 20U);
}

TEST(EventProfile, IsBoundedByPathsNotByEvents) {
    Trace trace;
    const auto f = trace.profile.name("f");
    trace.profile.begin_location(0);
    for (int i = 0; i < 5000; ++i) trace.profile.enter(10, f);
    for (int i = 0; i < 5000; ++i) trace.profile.leave(20, f);
    trace.profile.end_location();
    trace.profile.finish();
    std::size_t regions = 0;
    double visits = 0.0;
    for (const Part::Value& value : trace.part.values()) {
        if (value.metric != trace.builder.metric("visits")) continue;
        ++regions;
        visits += value.value;
    }
    EXPECT_EQ(regions, 1000U);
    EXPECT_EQ(visits, 1000.0);
    EXPECT_EQ(trace.notes(),
              std::vector<std::string>{"regions more than 1000 levels deep count for the one at this level"});
    Trace endless;
    const auto g = endless.profile.name("g");
    endless.profile.begin_location(4);
    try {
        for (int i = 0; i < 2'000'000; ++i) endless.profile.enter(10, g);
        ADD_FAILURE() << "the stack grows with the events";
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "location 4: more than 1048576 regions are entered and not left");
    }
}

TEST(EventProfile, RefusesTimeThatGoesBack) {
    Trace trace;
    trace.profile.begin_location(2);
    trace.profile.enter(10, trace.profile.name("f"));
    try {
        trace.profile.leave(9, trace.profile.name("f"));
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_EQ(std::string(error.what()), "location 2: an event at 9 ticks comes behind one at 10");
    }
}

}  // namespace
}  // namespace plimsoll::profile::detail
