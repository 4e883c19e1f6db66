#include "plimsoll/profile/collector.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::profile {
namespace {

using test::read_profiles;
using test::values_at;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

/// A profile of Caliper's with one region, and numbers about its run.
std::string profile_of(double seconds, const std::vector<std::pair<std::string, std::string>>& facts = {}) {
    std::string text =
        "__rec=node,id=31,attr=10,data=268,parent=3\n"
        "__rec=node,id=32,attr=8,data=function,parent=31\n"
        "__rec=node,id=40,attr=10,data=65,parent=5\n"
        "__rec=node,id=41,attr=8,data=sum#time.duration,parent=40\n"
        "__rec=node,id=42,attr=32,data=main\n";
    text += fmt::format("__rec=ctx,ref=42,attr=41,data={}\n", seconds);
    int id = 50;
    for (const auto& [name, value] : facts) {
        text += fmt::format("__rec=node,id={},attr=8,data={},parent=1\n__rec=globals,attr={},data={}\n", id,
                            name, id, value);
        ++id;
    }
    return text;
}

class CollectorTest : public testing::Test {
  protected:
    experiment::Experiment read(const ProfileOptions& options = {}) {
        return read_profiles(std::vector<std::string>{folder_.path().string()}, options);
    }
    /// What reading says is wrong.
    std::string error_of(const ProfileOptions& options = {}) {
        try {
            (void)read(options);
        } catch (const Error& error) {
            EXPECT_FALSE(error.hint().empty());
            std::string message = error.what();
            const std::string prefix = folder_.path().string() + "/";
            if (message.starts_with(prefix)) message.erase(0, prefix.size());
            return message;
        }
        return {};
    }
    test::TemporaryFolder folder_;
};

TEST_F(CollectorTest, TakesTheSizeFromMetadata) {
    for (const int p : {2, 4, 8}) {
        (void)folder_.write(fmt::format("run{}.cali", p),
                            profile_of(p, {{"jobsize", fmt::format("{}", p)}, {"problem_size", "100"}}));
    }
    const auto experiment = read();
    EXPECT_EQ(experiment.parameter_names(), Names{"p"});
    EXPECT_EQ(values_at(experiment, "main", "time", Values{4}), Values{4});
    EXPECT_EQ(experiment.metadata.at("problem_size"), "\"100\"");
    EXPECT_FALSE(experiment.metadata.contains("jobsize"));
}

TEST_F(CollectorTest, LeavesOutWhatVariesWithAnother) {
    for (const int p : {2, 4, 8}) {
        (void)folder_.write(
            fmt::format("run{}.cali", p),
            profile_of(p, {{"jobsize", fmt::format("{}", p)}, {"problem_size", fmt::format("{}", 100 * p)}}));
    }
    const auto experiment = read();
    EXPECT_EQ(experiment.parameter_names(), Names{"p"});
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_EQ(experiment.notes[0].message, "'problem_size' varies together with 'p', and is left out");
}

TEST_F(CollectorTest, TakesTheConfigurationFromNames) {
    for (const int p : {2, 4}) {
        for (const int n : {10, 20}) {
            for (const int r : {1, 2})
                (void)folder_.write(fmt::format("app.p{}.n{}.r{}.cali", p, n, r), profile_of(p * n + r));
        }
    }
    const auto experiment = read();
    EXPECT_EQ(experiment.parameter_names(), (Names{"p", "n"}));
    EXPECT_EQ(values_at(experiment, "main", "time", Values{4, 20}), (Values{81, 82}));
}

TEST_F(CollectorTest, TakesTheConfigurationFromAPatternOfPaths) {
    for (const int n : {10, 20}) {
        for (const int r : {1, 2})
            (void)folder_.write(fmt::format("size-{}/try{}.cali", n, r), profile_of(n + r));
    }
    const auto experiment = read({.path_pattern = "size-{n}/try{repetition}"});
    EXPECT_EQ(experiment.parameter_names(), Names{"n"});
    EXPECT_EQ(values_at(experiment, "main", "time", Values{20}), (Values{21, 22}));
    EXPECT_EQ(error_of({.path_pattern = "big-{n}"}),
              "size-10/try1.cali: its path does not fit --path-pattern 'big-{n}'");
}

TEST_F(CollectorTest, TakesTheConfigurationFromWhatIsSet) {
    (void)folder_.write("a.cali", profile_of(5, {{"cells", "30"}}));
    (void)folder_.write("b.cali", profile_of(7, {{"cells", "60"}}));
    const auto experiment = read({.set = "p=4,n={cells}"});
    EXPECT_EQ(experiment.parameter_names(), (Names{"p", "n"}));
    EXPECT_EQ(values_at(experiment, "main", "time", Values{4, 60}), Values{7});
    EXPECT_EQ(error_of({.set = "n={cell}"}), "a.cali: --set n={cell}: the file names no number 'cell'");
    EXPECT_EQ(error_of({.set = "n"}), "--set: 'n' is not of the form name=value");
    EXPECT_EQ(error_of({.set = "n=many"}), "--set: 'many' is neither a number nor a name in braces");
}

TEST_F(CollectorTest, PutsTheProcessesOfARunTogether) {
    for (const int n : {10, 20}) {
        for (const int rank : {0, 1, 10, 2})
            (void)folder_.write(fmt::format("app.n{}.r1.mpi{}.cali", n, rank), profile_of(n + rank));
    }
    const auto experiment = read();
    EXPECT_EQ(experiment.parameter_names(), Names{"n"});
    EXPECT_EQ(values_at(experiment, "main", "time", Values{20}), (Values{20, 21, 22, 30}));
    const auto& series = *test::find_series(experiment, "main", "time");
    EXPECT_EQ(series.measurements[0].repetitions, 1U);
    EXPECT_EQ(series.locations_of(series.measurements[0])[0], 4U);
}

TEST_F(CollectorTest, HasAConfigurationForARunOfWhichNothingIsSaid) {
    (void)folder_.write("a.cali", profile_of(5));
    const auto experiment = read();
    EXPECT_EQ(experiment.parameter_names(), Names{"p"});
    EXPECT_EQ(values_at(experiment, "main", "time", Values{1}), Values{5});
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_TRUE(experiment.notes[0].message.starts_with("nothing says how large the run was"));
}

TEST_F(CollectorTest, SaysWhatIsNotKnownOfAllRuns) {
    (void)folder_.write("a.cali", profile_of(5, {{"jobsize", "2"}, {"threads", "3"}}));
    (void)folder_.write("b.cali", profile_of(7, {{"jobsize", "4"}}));
    const auto experiment = read();
    EXPECT_EQ(experiment.parameter_names(), Names{"p"});
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_EQ(experiment.notes[0].message, "'threads' is known of 1 of 2 runs alone, and is no parameter");
}

TEST_F(CollectorTest, SaysHowManyProcessesAreThere) {
    for (const int rank : {0, 1, 3})
        (void)folder_.write(fmt::format("app.n1.mpi{}.cali", rank), profile_of(5));
    const auto experiment = read();
    EXPECT_EQ(experiment.notes.at(0).message, "3 of 4 processes are there");
}

TEST_F(CollectorTest, LeavesStrangersOutRatherThanAParameter) {
    for (const int n : {10, 20, 30}) (void)folder_.write(fmt::format("app.n{}.cali", n), profile_of(n));
    (void)folder_.write("stranger.cali", profile_of(7));
    const auto experiment = read();
    EXPECT_EQ(experiment.parameter_names(), Names{"n"});
    EXPECT_EQ(experiment.point_count(), 3U);
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_EQ(experiment.notes[0].message, "is left out: nothing says its n");
}

TEST_F(CollectorTest, SaysInWhatRepetitionsDiffer) {
    for (int i = 0; i < 6; ++i) {
        (void)folder_.write(fmt::format("{}.cali", i), profile_of(i, {{"tuning", i < 3 ? "fast" : "slow"},
                                                                      {"date", fmt::format("day {}", i)},
                                                                      {"jobsize", "4"}}));
    }
    const auto experiment = read();
    EXPECT_EQ(experiment.notes.back().message,
              "runs that count as repetitions differ in tuning: read them apart, or make a parameter of a "
              "number with "
              "--set");
}

TEST_F(CollectorTest, GuessesNothingWhereAPatternNamesParameters) {
    for (const int n : {10, 20}) {
        for (const int x : {3, 4}) (void)folder_.write(fmt::format("app.n{}.x{}.cali", n, x), profile_of(n));
    }
    EXPECT_EQ(read({.path_pattern = "n{n}."}).parameter_names(), Names{"n"});
    EXPECT_EQ(read({.path_pattern = "x{repetition}."}).parameter_names(), (Names{"n", "x"}));
}

}  // namespace
}  // namespace plimsoll::profile
