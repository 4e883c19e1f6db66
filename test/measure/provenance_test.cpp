#include "plimsoll/measure/provenance.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include "plimsoll/core/text.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::measure {
namespace {

TEST(Provenance, TellsOfTheMachineAndTheFolder) {
    const auto launcher = launch::null_launcher();
    const auto facts = provenance(*launcher);
    for (const char* const name : {"host", "kernel", "cores", "date", "folder"})
        EXPECT_TRUE(facts.contains(name)) << name;
    EXPECT_EQ(facts.at("folder"), json_quote(std::filesystem::current_path().string()));
    EXPECT_FALSE(facts.contains("git")) << "without git there is no commit";
    EXPECT_TRUE(std::regex_match(date_now(), std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
}

TEST(Provenance, KeepsVariablesThatDecideHowProgramsRunInParallel) {
    ::setenv("OMP_NUM_THREADS", "3", 1);
    ::setenv("PLIMSOLL_TEST_SECRET", "hidden", 1);
    const auto launcher = launch::null_launcher();
    const std::string environment = provenance(*launcher).at("environment");
    EXPECT_NE(environment.find(R"("OMP_NUM_THREADS":"3")"), std::string::npos);
    EXPECT_EQ(environment.find("hidden"), std::string::npos);
    ::unsetenv("OMP_NUM_THREADS");
    ::unsetenv("PLIMSOLL_TEST_SECRET");
}

TEST(Provenance, DoesNotWaitForAGitThatHangs) {
    const test::TemporaryFolder folder;
    const std::string git = folder.write("git", "#!/bin/sh\nexec sleep 20\n");
    std::filesystem::permissions(git, std::filesystem::perms::owner_all);
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
    const auto launcher = launch::local_launcher();
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_FALSE(provenance(*launcher, std::chrono::milliseconds(100)).contains("git"));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
    ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace plimsoll::measure
