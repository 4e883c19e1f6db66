#include "plimsoll/measure/detail/run_watch.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::measure::detail {
namespace {

/// A machine of one processor on which others run until some moment.
class Machine {
  public:
    explicit Machine(int busy_readings) : busy_readings_(busy_readings) {}
    std::optional<ProcessorTimes> read() {
        times_.total += 1.0;
        if (readings++ < busy_readings_) times_.busy += 0.5;
        return times_;
    }
    int readings = 0;

  private:
    int busy_readings_;
    ProcessorTimes times_;
};

TEST(RequireQuiet, WaitsUntilNothingElseRuns) {
    Machine machine(5);
    Activity activity(silent(), "measuring", 1);
    require_quiet(
        activity, [&] { return machine.read(); }, Seconds(1.0), Seconds(0.001));
    EXPECT_EQ(machine.readings, 6) << "the third span is the first without others";
}

TEST(RequireQuiet, FailsOnceItsPatienceEnds) {
    Machine machine(1000);
    Activity activity(silent(), "measuring", 1);
    try {
        require_quiet(
            activity, [&] { return machine.read(); }, Seconds(0.01), Seconds(0.001));
        FAIL() << "it did not fail";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::environment);
        EXPECT_STREQ(
            error.what(),
            "this machine does not become quiet: for 0 s, other processes took 50 % of the processors");
    }
}

TEST(RunWatch, HasNothingToNoteOfNothing) { EXPECT_EQ(RunWatch().note(), ""); }

}  // namespace
}  // namespace plimsoll::measure::detail
