#include "plimsoll/campaign/messages.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {
namespace {

/// Written, read, and written again: the same text, so nothing was lost that is written.
void expect_round_trip(const Message& message) {
    const std::string text = encode(message);
    const Message again = decode(text);
    EXPECT_EQ(again.index(), message.index());
    EXPECT_EQ(encode(again), text);
}

TEST(Messages, SurviveTheJourney) {
    RegisterMessage come{.offer = {.session = "ab12",
                                   .name = "node \"7\"",
                                   .host = "h",
                                   .stream = "s",
                                   .time_left_s = 12.5,
                                   .has = {{4}, {9}}},
                         .process = 42};
    come.offer.resources.set("cpus", 2);
    come.offer.resources.set("gpus", 0.5);
    expect_round_trip(come);
    const Lease lease{{{3}, 17}, 2, {99}};
    expect_round_trip(ReportMessage{
        .number = 7,
        .started = {lease},
        .ended = {{lease,
                   TaskState::timed_out,
                   {.exit_code = -1, .signal = 9, .wall_s = 0.1, .reason = "time limit", .output_at = 12}}}});
    expect_round_trip(HeartbeatMessage{});
    expect_round_trip(LeaveMessage{});
    expect_round_trip(AskMessage{R"({"verb": "ls"})", "a line\n"});
    expect_round_trip(WelcomeMessage{.worker = {5}, .lease_s = 30, .stop = {{1}}});
    expect_round_trip(
        TasksMessage{.specs = {{{3}, R"({"command":["a"]})"}}, .tasks = {{lease, "line\twith\nall"}}});
    expect_round_trip(StoredMessage{8});
    expect_round_trip(StopMessage{{{1}, {2}}});
    expect_round_trip(DrainMessage{});
    expect_round_trip(AnswerMessage{"{}"});
}

TEST(Messages, KeepEachPartOfAResult) {
    const Lease lease{{{3}, 17}, 2, {99}};
    const Message read = decode(encode(ReportMessage{.number = 7,
                                                     .ended = {{lease,
                                                                TaskState::failed,
                                                                {.exit_code = 3,
                                                                 .wall_s = 1.5,
                                                                 .user_s = 1,
                                                                 .system_s = 0.5,
                                                                 .peak_memory_bytes = 1 << 20,
                                                                 .reason = "why",
                                                                 .output_at = 5}}}}));
    const Ended& ended = std::get<ReportMessage>(read).ended.at(0);
    EXPECT_EQ(ended.lease.task, lease.task);
    EXPECT_EQ(ended.lease.token, lease.token);
    EXPECT_EQ(ended.outcome, TaskState::failed);
    EXPECT_EQ(ended.result.exit_code, 3);
    EXPECT_EQ(ended.result.wall_s, 1.5);
    EXPECT_EQ(ended.result.peak_memory_bytes, 1 << 20);
    EXPECT_EQ(ended.result.reason, "why");
    EXPECT_EQ(ended.result.output_at, 5);
}

TEST(Messages, RefuseWhatIsNone) {
    for (const char* const text :
         {"", "{", "[]", "{\"is\":\"dance\"}", R"({"is":"report","number":1,"started":[[1,2,3]],"ended":[]})",
          R"({"is":"report","number":1,"started":[],"ended":[[1,2,3,4,3,0,0,0,0,0,0,"",-1]]})",
          R"({"is":"report","number":1,"started":[[1,-2,3,4]],"ended":[]})",
          R"({"is":"stop","tokens":["x"]})"}) {
        SCOPED_TRACE(text);
        try {
            (void)decode(text);
            ADD_FAILURE() << "taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
        }
    }
}

}  // namespace
}  // namespace plimsoll::campaign
