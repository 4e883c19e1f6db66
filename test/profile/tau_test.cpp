#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "test/support/profile_errors.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/shared_data.hpp"

namespace plimsoll::profile {
namespace {

using test::read_profile;
using test::values_at;
using Values = std::vector<double>;

// The exclusive times of a function over the four processes, read off the files.
TEST(Tau, PutsTheFilesOfFourProcessesTogether) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/realworld/format-fixtures/hatchet/tau-cpi-mpi");
    const auto experiment = test::read_profiles(std::array{folder});
    EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"p"});
    const std::string name = "\".TAU application => MPI_Init()  \" ";
    Values expected;
    double sum = 0.0;
    for (const char* const file : {"/profile.0.0.0", "/profile.1.0.0", "/profile.2.0.0", "/profile.3.0.0"}) {
        std::ifstream lines(folder + file);
        for (std::string line; std::getline(lines, line);) {
            double calls = 0;
            double subroutines = 0;
            double exclusive = 0;
            if (line.starts_with(name) &&
                std::sscanf(line.c_str() + name.size(), "%lf %lf %lf", &calls, &subroutines, &exclusive) == 3)
                expected.push_back(1e-6 * exclusive);
            // All exclusive times add up to the inclusive time of the outermost.
            double inclusive = 0;
            if (std::sscanf(line.c_str(), "\".TAU application\" %lf %lf %lf %lf", &calls, &subroutines,
                            &exclusive, &inclusive) == 4)
                sum += 1e-6 * inclusive;
        }
    }
    ASSERT_EQ(expected.size(), 4U);
    EXPECT_EQ(values_at(experiment, ".TAU application->MPI_Init()", "time", Values{4}), expected);
    EXPECT_EQ(values_at(experiment, ".TAU application->MPI_Init()", "visits", Values{4}),
              (Values{1, 1, 1, 1}));
    double total = 0.0;
    for (const auto& series : experiment.series) {
        if (experiment.metric(series).name == "time")
            for (const double value : series.values) total += value;
    }
    EXPECT_NEAR(total, sum, 1e-4 * sum);
}

TEST(Tau, KeepsCountersUnderTheirNames) {
    const auto experiment = read_profile(
        "2 templated_functions_MULTI_PAPI_TOT_INS\n# Name Calls Subrs Excl Incl ProfileCalls\n"
        "\"main() C \\\"q\\\"\" 1 1 500 800 0 GROUP=\"USER\"\n\"solve\" 3 0 3e2 300 0 GROUP=\"USER\"\n0 "
        "aggregates\n");
    EXPECT_EQ(values_at(experiment, "solve", "PAPI_TOT_INS", Values{1}), Values{300});
    EXPECT_EQ(values_at(experiment, "solve", "visits", Values{1}), Values{3});
    EXPECT_EQ(experiment.metrics[0].unit, "");
}

TEST(Tau, SaysWhatIsWrongWhere) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"2 templated_functions\n\"a\" 1 0 1 1 0 GROUP=\"U\"\n", "profile:2: there are 1 functions of 2"},
        {"1 templated_functions\na 1 0 1 1\n", "profile:2: a function's name is not in quotation marks"},
        {"1 templated_functions\n\"a\" 1 0 x\n",
         "profile:2: a function has no calls, subroutines, exclusive and inclusive value"},
        // 30 of 300, and a name that may be longer.
        {"1 templated_functions\n\"a\" 1 0 300 30", "profile:2: the file ends within a line"},
        {"1 templated_functions\n\"a\" 1 0 300 300 0 GROUP=\"U\"\n0 aggregates\n1 user",
         "profile:4: the file ends within a line"},
        {"1 templated", "profile: the format is not recognised"},
        {"0 templated_functions\n", "profile: holds no measurements"},
    };
    test::expect_errors(wrong);
}

}  // namespace
}  // namespace plimsoll::profile
