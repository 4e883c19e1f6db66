// Runs programs that use plimsoll/region.hpp, and reads what they wrote.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "test/support/measured_program.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll {
namespace {

using test::Ended;
using test::run;
using test::Values;

constexpr const char* program = PLIMSOLL_REGION_PROGRAM;

class Regions : public testing::Test {
  protected:
    /// What a part of the program wrote, which must end with that status and print nothing.
    Values written_by(const std::string& part, int status = 0) {
        const Ended ended =
            run(fmt::format("PLIMSOLL_PARAMETERS=p=4 PLIMSOLL_REGIONS='{}' {} {}", file_, program, part));
        EXPECT_EQ(ended.status, status);
        EXPECT_EQ(ended.output, "");
        return test::values_of(file_);
    }

    static double visits(const Values& values, const std::string& path) {
        return test::sum_of(values, path, "visits");
    }

    test::TemporaryFolder folder_;
    std::string file_ = folder_ / "runs.jsonl";
};

TEST_F(Regions, BecomeATreeOfCallPaths) {
    const Values values = written_by("tree");
    std::map<std::string, double> counted;
    for (const auto& [key, repetitions] : values) counted[key.first] = visits(values, key.first);
    EXPECT_EQ(counted,
              (std::map<std::string, double>{
                  {"main", 1}, {"main->solve", 3}, {"main->solve->exchange", 3}, {"main->output", 1}}));
    EXPECT_EQ(values.size(), 2 * counted.size());  // each with its time
}

TEST_F(Regions, AreOneTreeInC99AndCpp11) {
    const Values values = written_by("two_units");
    EXPECT_EQ(visits(values, "main->in_c"), 2);
    EXPECT_EQ(visits(values, "main->in_c->shared"), 2);
    EXPECT_EQ(values.size(), 6);
}

TEST_F(Regions, HaveTheirOwnTimeWithoutThatOfRegionsInside) {
    const Values values = written_by("naps");
    const double outside = values.at({"main", "time"})[0][0];
    const double inside = values.at({"main->inside", "time"})[0][0];
    EXPECT_GE(outside, 0.019);  // the processor's counter may differ from the sleeper's clock by a little
    EXPECT_GE(inside, 0.039);
    EXPECT_LT(outside, 0.2);
    EXPECT_LT(inside, 0.4);
}

TEST_F(Regions, OfThreadsStandBelowThatOfTheirTeam) {
    const Values values = written_by("threads");
    EXPECT_EQ(values.at({"main", "visits"}), (std::vector<std::vector<double>>{{1}}));
    EXPECT_EQ(values.at({"main->work", "visits"}), (std::vector<std::vector<double>>{{1, 1}}));
    for (const double seconds : values.at({"main->work", "time"})[0]) EXPECT_GE(seconds, 0.019);
}

TEST_F(Regions, OfThreadsThatEndedAreKept) {
    const Values values = written_by("ended_threads");
    // One after the other they are one thread's worth.
    EXPECT_EQ(values.at({"work", "visits"}), (std::vector<std::vector<double>>{{5}}));
}

TEST_F(Regions, OfThreadsThatGoOnDoNotDisturbTheEnd) {
    const Values values = written_by("running_thread");
    EXPECT_GT(visits(values, "work->part"), 100);
    EXPECT_LT(values.at({"work", "time"})[0][0] + values.at({"work->part", "time"})[0][0], 5);
}

#ifdef PLIMSOLL_REGION_PROGRAM_OPENMP
TEST_F(Regions, OfOpenMpThreadsStandBelowThatOfTheirTeam) {
    const Ended ended = run(fmt::format("PLIMSOLL_REGIONS='{}' {}", file_, PLIMSOLL_REGION_PROGRAM_OPENMP));
    EXPECT_EQ(ended.output, "");
    const Values values = test::values_of(file_);
    EXPECT_EQ(values.at({"main->solve->work", "visits"}), (std::vector<std::vector<double>>{{3, 3}}));
    EXPECT_EQ(values.size(), 6);
}
#endif

TEST_F(Regions, AreWrittenWhereTheProgramExitsInsideOfThem) {
    const Values values = written_by("exit_inside", 3);
    EXPECT_EQ(visits(values, "main->failing"), 1);
    EXPECT_GE(values.at({"main->failing", "time"})[0][0], 0.019);
}

TEST_F(Regions, AreNotWrittenAgainByAChild) {
    const Values values = written_by("forked");
    EXPECT_EQ(values.at({"main", "visits"}), (std::vector<std::vector<double>>{{1}}));
    EXPECT_FALSE(values.contains({"main->child", "visits"}));
}

TEST_F(Regions, OfAChildThatBeginsAfterTheForkAreItsOwn) {
    EXPECT_EQ(written_by("forked_first").at({"main", "visits"}),
              (std::vector<std::vector<double>>{{1}, {1}}));
}

TEST_F(Regions, TakeNoHarmFromEndsThatDoNotMatch) {
    const Values values = written_by("mismatched");
    EXPECT_EQ(visits(values, "main->block->forgotten->forgotten too"), 1);
    EXPECT_EQ(visits(values, "main->after"), 1);
}

TEST_F(Regions, AreCountedToTheDeepestWhereRecursionIsDeeper) {
    const Values values = written_by("recursion");
    EXPECT_EQ(values.size(), 2 * (250 + 1));
    EXPECT_EQ(visits(values, "main->f->f"), 1);
    EXPECT_EQ(visits(values, "main->after"), 1);  // all levels were left again
}

TEST_F(Regions, AreCountedToTheirParentWhereItHasTooMany) {
    const Values values = written_by("endless_names");
    EXPECT_EQ(visits(values, "main->step 4095->inside"), 1);
    EXPECT_EQ(visits(values, "main->step 4096"), 0);
    EXPECT_EQ(visits(values, "main->inside"), 2);
    EXPECT_EQ(visits(values, "main"), 1);
    EXPECT_EQ(visits(values, "main->after"), 0);  // there is no room for it either
}

TEST_F(Regions, MayHaveAnyName) {
    const Values values = written_by("names");
    const std::string path = "say \"hi\" \\ \n->made of 1->";
    EXPECT_EQ(visits(values, path + "step 0"), 2);
    EXPECT_EQ(visits(values, path + "step 1"), 2);
    EXPECT_EQ(visits(values, path + "?\xc3\xa9->unnamed"), 1);
}

TEST_F(Regions, MakeRepetitionsWhereTheProgramWritesSeveralTimes) {
    const Values values = written_by("repetitions");
    EXPECT_EQ(values.at({"main->solve", "visits"}),
              (std::vector<std::vector<double>>{{1}, {1}, {1}, {1}, {1}, {1}}));
    EXPECT_EQ(run("grep -c '\"params\":{\"n\":2},\"region\":\"main->solve\"' " + file_).output, "6\n");
}

TEST_F(Regions, LeaveNothingWhereNoFileIsNamed) {
    const std::string folder = folder_.path().string();
    const Ended ended = run(fmt::format("cd {} && env -u PLIMSOLL_REGIONS {} tree", folder, program));
    EXPECT_EQ(ended.output, "");
    EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(Regions, GoToTheFileThatTheProgramNames) {
    const Ended ended =
        run(fmt::format("OMPI_COMM_WORLD_RANK=7 {} tree {}", program, folder_ / "rank-%r-100%%.jsonl"));
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(visits(test::values_of(folder_ / "rank-7-100%.jsonl"), "main"), 1);
}

TEST_F(Regions, AreSilentWhereTheFileCannotBeWritten) {
    const Ended ended = run(fmt::format("PLIMSOLL_REGIONS=/nowhere/x.jsonl {} tree", program));
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.output, "");
}

TEST_F(Regions, OfProcessesThatEndTogetherDoNotMix) {
    constexpr std::size_t processes = 8;
    std::vector<std::thread> runners;
    for (std::size_t i = 0; i < processes; ++i)
        runners.emplace_back([this] { run(fmt::format("PLIMSOLL_REGIONS={} {} wide", file_, program)); });
    for (std::thread& runner : runners) runner.join();
    const Values values = test::values_of(file_);
    EXPECT_EQ(values.size(), 2 * 2001);
    for (const auto& [key, repetitions] : values) EXPECT_EQ(repetitions.size(), processes);
}

/// The parameters of a line, as JSON.
std::string parameters_of(const std::string& told) {
    const test::TemporaryFolder folder;
    run(fmt::format("env -u PLIMSOLL_PARAMETERS {} PLIMSOLL_REGIONS={} {} tree", told, folder / "x",
                    program));
    std::ifstream file(folder / "x");
    std::string line;
    std::getline(file, line);
    return nlohmann::json::parse(line).at("params").dump();
}

TEST(RegionParameters, AreThoseToldElseTheNumberOfProcesses) {
    EXPECT_EQ(parameters_of("PLIMSOLL_PARAMETERS=p=4,n=1e3"), R"({"n":1000.0,"p":4})");
    EXPECT_EQ(parameters_of("'PLIMSOLL_PARAMETERS=p=4, n=-0.5 ,'"), R"({"n":-0.5,"p":4})");
    EXPECT_EQ(parameters_of("PLIMSOLL_PARAMETERS=p=4,file=a.txt,x=0x10,y=,=3,z"), R"({"p":4})");
    EXPECT_EQ(parameters_of("PLIMSOLL_PARAMETERS="), R"({"p":1})");
    EXPECT_EQ(parameters_of("OMPI_COMM_WORLD_SIZE=16"), R"({"p":16})");
}

TEST_F(Regions, AreReadByPlimsoll) {
    for (const int p : {1, 2, 4, 8, 16}) {
        run(fmt::format("PLIMSOLL_PARAMETERS=p={} PLIMSOLL_REGIONS={} {} tree", p, file_, program));
    }
    const Ended shown = run(fmt::format("{} show {}", PLIMSOLL_PROGRAM, file_));
    EXPECT_EQ(shown.status, 0) << shown.output;
    EXPECT_NE(shown.output.find("    exchange  time"), std::string::npos) << shown.output;
    const Ended fitted = run(fmt::format("{} fit {} --metric visits --quiet", PLIMSOLL_PROGRAM, file_));
    EXPECT_EQ(fitted.status, 0) << fitted.output;
    EXPECT_NE(fitted.output.find("main->solve->exchange"), std::string::npos) << fitted.output;
}

}  // namespace
}  // namespace plimsoll
