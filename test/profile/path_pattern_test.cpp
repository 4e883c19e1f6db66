#include "plimsoll/profile/path_pattern.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::profile {
namespace {

using Parameters = std::vector<std::pair<std::string, double>>;

TEST(PathPattern, FindsNumbersAnywhereInAPath) {
    const PathPattern pattern("p{p}/n{n}/rep{repetition}");
    const auto facts = pattern.match("/home/me/runs/p4/n1000/rep2/profile.cali");
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->parameters, (Parameters{{"p", 4}, {"n", 1000}}));
    EXPECT_FALSE(facts->rank);
    EXPECT_FALSE(pattern.match("/home/me/runs/p4/x1000/rep2"));
    EXPECT_FALSE(pattern.match("p/n1/rep2"));
}

TEST(PathPattern, TakesWholeNumbersAndFractions) {
    EXPECT_EQ(PathPattern("_{n}_").match("run_12.5_x")->parameters, (Parameters{{"n", 12.5}}));
    EXPECT_EQ(PathPattern("{n}.cali").match("run12.cali")->parameters, (Parameters{{"n", 12}}));
    EXPECT_EQ(PathPattern("{a}.{b}.cali").match("run3.4.cali")->parameters, (Parameters{{"a", 3}, {"b", 4}}));
    EXPECT_EQ(PathPattern("n{n}").match("n1/n22")->parameters,
              (Parameters{{"n", 22}}));  // nearest to the file
    EXPECT_FALSE(PathPattern("n{n}x").match("n12y"));
}

TEST(PathPattern, DoesNotFitWithinAWord) {
    EXPECT_EQ(PathPattern("n{n}").match("run1/n100.pstats")->parameters, (Parameters{{"n", 100}}));
    EXPECT_FALSE(PathPattern("n{n}").match("run1/x.pstats"));
    EXPECT_FALSE(PathPattern("{rank}").match("99999999999999999999999")->rank);
}

TEST(PathPattern, KeepsTheRankApart) {
    const PathPattern pattern("n{n}/rank{rank}.json");
    const auto first = pattern.match("runs/n5/rank0.json");
    const auto second = pattern.match("runs/n5/rank17.json");
    EXPECT_EQ(first->rank, 0);
    EXPECT_EQ(second->rank, 17);
    EXPECT_EQ(first->run, second->run);
    EXPECT_NE(first->run, pattern.match("runs/n6/rank0.json")->run);
    EXPECT_NE(first->run, pattern.match("others/n5/rank0.json")->run);
}

TEST(PathPattern, RefusesWhatIsNone) {
    for (const char* const text : {"", "runs", "p{p", "p}", "p{p}{", "{p{n}}", "{p}/{p}"}) {
        SCOPED_TRACE(text);
        EXPECT_THROW(PathPattern{text}, Error);
    }
}

TEST(FactsOfName, AreLettersAndNumbersBehindTheProgram) {
    const PathFacts facts = facts_of_name("runs/app.p4.n1000.r2.mpi3.sqlite");
    EXPECT_EQ(facts.parameters, (Parameters{{"p", 4}, {"n", 1000}}));
    EXPECT_EQ(facts.rank, 3);
    EXPECT_EQ(facts.run, facts_of_name("runs/app.p4.n1000.r2.mpi7.sqlite").run);
    EXPECT_NE(facts.run, facts_of_name("runs/app.p4.n1000.r3.mpi3.sqlite").run);
}

TEST(FactsOfName, MayStandBetweenLowLines) {
    const PathFacts facts = facts_of_name("logs/cifar10_g12_b256_r1.darshan.txt");
    EXPECT_EQ(facts.parameters, (Parameters{{"g", 12}, {"b", 256}}));
    EXPECT_EQ(facts_of_name("net_p4_rank3.json").rank, 3);
    EXPECT_EQ(facts_of_name("net_p4_rank3.json").run, facts_of_name("net_p4_rank0.json").run);
}

TEST(FactsOfName, MayBeOfFoldersForOneNumberEach) {
    EXPECT_EQ(facts_of_name("study/n=100/p4/run2/profile.cali").parameters,
              (Parameters{{"n", 100}, {"p", 4}}));
    EXPECT_EQ(facts_of_name("app-n100-r1.cali").parameters, (Parameters{{"n", 100}}));
    EXPECT_EQ(facts_of_name("p4-n100/rank0.json").parameters, (Parameters{{"p", 4}, {"n", 100}}));
    EXPECT_EQ(facts_of_name("app_p4.r1.cali").parameters, (Parameters{{"p", 4}}));
    EXPECT_EQ(facts_of_name("app.n100.job45963/perf.csv").parameters, (Parameters{{"n", 100}}));
}

TEST(FactsOfName, RanksAreWordsOfTheirOwn) {
    EXPECT_EQ(rank_of_name("runs/rank-34.Jul_15.json"), 34);
    EXPECT_EQ(rank_of_name("net_rank7.json"), 7);
    EXPECT_FALSE(rank_of_name("pagerank2.json"));
    EXPECT_EQ(rank_of_name("traces/net.p4.r1.mpi3.sqlite"), 3);
    EXPECT_FALSE(rank_of_name("rank20241101123045.json")) << "a date";
    EXPECT_FALSE(facts_of_name("app.mpi99999999999999999999999.cali").rank);
}

TEST(FactsOfName, AreThoseNearestToTheFile) {
    EXPECT_EQ(facts_of_name("study.n5/app.p4.n7/profile.cali").parameters, (Parameters{{"n", 7}, {"p", 4}}));
}

TEST(FactsOfName, KnowTheEndingOfTraces) {
    EXPECT_EQ(facts_of_name("app.p4/traces.otf2").parameters, (Parameters{{"p", 4}}));
    EXPECT_EQ(facts_of_name("app.p4.otf2").parameters, (Parameters{{"p", 4}}));
}

TEST(FactsOfName, AreNotFoundInOtherNames) {
    for (const char* const path :
         {"clang10.0.1_nvcc10.2.89_1048576/1/Base_CUDA-block_1024.cali", "talp.4x56.json", "c9T2G0r_1.cali",
          "rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz", "callgrind.dot.64042.0.1", "profile.0.0.0",
          "run-2026.11.30.json", "app.txt", "app", "dlb_3_6_0.json", "Base_O3_8388608_09.cali",
          "trace.sqlite3", "traces.otf2"}) {
        SCOPED_TRACE(path);
        EXPECT_TRUE(facts_of_name(path).parameters.empty());
        EXPECT_FALSE(facts_of_name(path).rank);
        EXPECT_EQ(facts_of_name(path).run, path);
    }
}

}  // namespace
}  // namespace plimsoll::profile
