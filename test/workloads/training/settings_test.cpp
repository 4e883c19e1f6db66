// The command line of workloads/training.

#include "training/settings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"

namespace plimsoll::training_workload {
namespace {

Request parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "training");
    return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

void expect_refused(const std::vector<const char*>& arguments, const std::string& message,
                    const std::string& hint) {
    SCOPED_TRACE(message);
    try {
        (void)parse(arguments);
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        EXPECT_EQ(error.what(), message);
        EXPECT_EQ(error.hint(), hint);
    }
}

TEST(TrainingCommandLine, TakesSettings) {
    const Request request = parse({"--depth", "20", "--batch=32", "--stop-at-accuracy", "97.5%", "--seed",
                                   "18446744073709551615", "--profile", "traces/net.p1"});
    EXPECT_FALSE(request.help);
    EXPECT_EQ(request.settings.depth, 20U);
    EXPECT_EQ(request.settings.batch, 32U);
    EXPECT_EQ(request.settings.target_accuracy, 0.975);
    EXPECT_EQ(request.settings.seed, 18446744073709551615U);
    EXPECT_EQ(request.settings.profile, "traces/net.p1");
    EXPECT_EQ(parse({}).settings.width, Settings{}.width);
}

TEST(TrainingCommandLine, SaysWhatIsWrong) {
    expect_refused({"--batch", "-1"}, "--batch: '-1' is no whole number from 1 to 1000000000",
                   "see 'training --help'");
    expect_refused({"--depth", "15"}, "--depth: '15' is none of 8, 14, 20, ... 6002",
                   "see 'training --help'");
    expect_refused({"--image-size", "7"}, "--image-size: '7' is no whole number from 8 to 4096",
                   "see 'training --help'");
    expect_refused({"--stop-at-accuracy", "120"}, "--stop-at-accuracy is '120'", "give it from 0% to 100%");
    expect_refused({"--stop-at-accuracy", "90", "--validation-size", "0"},
                   "--stop-at-accuracy needs images for validation",
                   "give --validation-size a number above 0");
    expect_refused({"--depht=3"}, "the following argument was not expected: --depht=3",
                   "see 'training --help'");
}

TEST(TrainingCommandLine, ExplainsItself) {
    const Request request = parse({"--help"});
    ASSERT_TRUE(request.help);
    EXPECT_NE(request.help->find("--stop-at-accuracy"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::training_workload
