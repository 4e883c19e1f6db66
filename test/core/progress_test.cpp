#include "plimsoll/core/progress.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll {
namespace {

class Recorder final : public Progress {
  public:
    void begin(std::string_view what, std::int64_t total) override {
        text_ += "begin " + std::string(what) + " " + std::to_string(total) + "\n";
    }
    void advance(std::int64_t done) override { text_ += "at " + std::to_string(done) + "\n"; }
    void end() override { text_ += "end\n"; }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
};

TEST(Activity, TellsItsBeginningStepsAndEnd) {
    Recorder recorder;
    {
        Activity activity(recorder, "fitting", 3);
        activity.step();
        activity.step(2);
        activity.reach(3);
    }
    EXPECT_EQ(recorder.text(), "begin fitting 3\nat 1\nat 3\nat 3\nend\n");
}

TEST(Activity, EndsWhereTheWorkFails) {
    Recorder recorder;
    try {
        Activity activity(recorder, "fitting", 3);
        throw std::string("no luck");
    } catch (const std::string&) {
        EXPECT_EQ(recorder.text(), "begin fitting 3\nend\n");
    }
}

TEST(Activity, StopsAtTheStepAfterTheUserAskedForIt) {
    Recorder recorder;
    Activity activity(recorder, "fitting", 3);
    activity.step();
    recorder.request_stop();
    EXPECT_THROW(activity.step(), Cancelled);
    EXPECT_THROW(activity.reach(3), Cancelled);
    EXPECT_EQ(recorder.text(), "begin fitting 3\nat 1\n");
    EXPECT_STREQ(Cancelled().what(), "cancelled");
}

TEST(Silent, IsOneForAllAndNeverAsksToStop) {
    EXPECT_EQ(&silent(), &silent());
    EXPECT_FALSE(silent().stop_requested());
    Activity activity(silent(), "fitting", 0);
    EXPECT_NO_THROW(activity.step(5));
}

}  // namespace
}  // namespace plimsoll
