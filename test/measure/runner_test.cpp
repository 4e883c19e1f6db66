#include "plimsoll/measure/runner.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"
#include "test/support/processes.hpp"
#include "test/support/stopped.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::measure {
namespace {

using test::shell;

Outcome outcome_of(const Task& task) {
    const auto launcher = launch::local_launcher();
    Activity activity(silent(), "measuring", 1);
    return local_runner(*launcher, Energy::measured)(task, activity);
}

TEST(LocalRunner, TellsHowARunEnded) {
    EXPECT_EQ(outcome_of({.command = shell("true")}).failure, "");
    EXPECT_EQ(outcome_of({.command = shell("exit 4")}).failure, "exit code 4");
    EXPECT_EQ(outcome_of({.command = shell("kill -SEGV $$")}).failure, "signal 11 (Segmentation fault)");
    EXPECT_THROW(static_cast<void>(outcome_of({.command = {.arguments = {"./no-such-program"}}})), Error);
}

TEST(LocalRunner, StopsARunThatTakesTooLong) {
    const Outcome outcome = outcome_of({.command = shell("sleep 1000; true"), .timeout = Seconds(0.15)});
    EXPECT_EQ(outcome.failure, "was stopped after 0.15 s");
    EXPECT_LT(outcome.exit.wall.count(), 5.0);
}

TEST(LocalRunner, StopsTheProgramWhereTheUserAsksTo) {
    const test::TemporaryFolder folder;
    const auto launcher = launch::local_launcher();
    test::Stopped progress;
    Activity activity(progress, "measuring", 1);
    const Task task{.command = shell("echo $$ > " + folder / "id" + "; sleep 1000; true")};
    EXPECT_THROW(static_cast<void>(local_runner(*launcher, Energy::left_out)(task, activity)), Cancelled);
    EXPECT_FALSE(test::runs(test::number_in(folder / "id")));
}

}  // namespace
}  // namespace plimsoll::measure
