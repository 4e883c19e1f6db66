#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/perf_line.hpp"
#include "test/support/profile_errors.hpp"
#include "test/support/read_profiles.hpp"

namespace plimsoll::profile {
namespace {

using test::notes_of;
using test::read_profile;
using test::values_at;
using Values = std::vector<double>;

Values run_values(const experiment::Experiment& experiment, const std::string& metric) {
    return values_at(experiment, "run", metric, Values{1});
}

std::string unit_of(const experiment::Experiment& experiment, const std::string& metric) {
    const auto* const series = test::find_series(experiment, "run", metric);
    return series == nullptr ? "absent" : experiment.metric(*series).unit;
}

// The lines of task-clock, duration_time, page-faults, user_time:u and cycles are perf 6.1's own. Those of
// cpu/event=0x3c,umask=0x1/, energy, data_reads, branches:u and the derived metric alone are made up in its
// form, as no machine at hand counts them.
const std::string table =
    "# started on Mon Nov 30 15:21:58 2026\n\n"
    "1.92,msec,task-clock,1916763,100.00,0.007,CPUs utilized\n"
    "255989054,ns,duration_time,255989054,100.00,133.553,G/sec\n"
    "135,,page-faults,1916763,100.00,70.431,K/sec\n"
    "2941000,ns,user_time:u,2941000,100.00,1.534,G/sec\n"
    "7654321,,cpu/event=0x3c,umask=0x1/,958381,50.00,,\n"
    "12.50,Joules,power/energy-pkg/,255989054,100.00,,\n"
    "3.25,MiB,uncore_imc/data_reads/,255989054,100.00,,\n"
    "<not supported>,,cycles,0,100.00,,\n"
    "<not counted>,,branches:u,0,0.00,,\n"
    ",,,,,0.42,stalled cycles per insn\n";

TEST(Perf, ReadsCountsInOurUnits) {
    const auto experiment = read_profile(table);
    EXPECT_EQ(run_values(experiment, "time"), Values{1e-9 * 255989054});
    EXPECT_EQ(run_values(experiment, "task-clock"), Values{1e-3 * 1.92});
    EXPECT_EQ(run_values(experiment, "user_time:u"), Values{1e-9 * 2941000});
    EXPECT_EQ(run_values(experiment, "page-faults"), Values{135});
    EXPECT_EQ(run_values(experiment, "cpu/event=0x3c,umask=0x1/"), Values{7654321});
    EXPECT_EQ(run_values(experiment, "power/energy-pkg/"), Values{12.5});
    EXPECT_EQ(run_values(experiment, "uncore_imc/data_reads/"), Values{3.25 * 1024 * 1024});
    EXPECT_EQ(experiment.series.size(), 7U);
    EXPECT_EQ(experiment.metrics.size(), 7U) << "what was not counted is no metric";
    for (const auto& [metric, unit] : std::map<std::string, std::string>{{"time", "s"},
                                                                         {"task-clock", "s"},
                                                                         {"user_time:u", "s"},
                                                                         {"page-faults", ""},
                                                                         {"power/energy-pkg/", "J"},
                                                                         {"uncore_imc/data_reads/", "B"}}) {
        EXPECT_EQ(unit_of(experiment, metric), unit) << metric;
    }
    const std::string notes = notes_of(experiment);
    EXPECT_NE(notes.find("perf did not count cycles, branches:u\n"), std::string::npos) << notes;
    EXPECT_NE(notes.find("scaled up cpu/event=0x3c,umask=0x1/ (50 %)\n"), std::string::npos) << notes;
}

TEST(Perf, ReadsEverySeparator) {
    for (const char separator : {';', '\t', '|', '!', '~', '^', '@', '&', '*'}) {
        SCOPED_TRACE(separator);
        std::string text =
            "12.25,msec,task-clock,571571,100.00,0.417,CPUs utilized\n40,,cs,571571,100.00,,\n";
        for (char& c : text) c = c == ',' ? separator : c;
        const auto experiment = read_profile(text);
        EXPECT_EQ(run_values(experiment, "task-clock"), Values{1e-3 * 12.25});
        EXPECT_EQ(run_values(experiment, "cs"), Values{40});
    }
}

// The sum over intervals is what a plain sum over the fields says; events may be idle in some.
TEST(Perf, AddsIntervalsUp) {
    const std::string text =
        "     0.100161179,1.39,msec,task-clock,1390219,100.00,0.014,CPUs utilized\n"
        "     0.100161179,137,,page-faults,1390219,100.00,98.546,K/sec\n"
        "     0.200476138,<not counted>,msec,task-clock,0,100.00,,\n"
        "     0.200476138,<not counted>,,page-faults,0,100.00,,\n"
        "     0.253463234,0.10,msec,task-clock,99578,100.00,0.001,CPUs utilized\n"
        "     0.253463234,5,,page-faults,99578,100.00,0.000,/sec\n";
    const std::string summary =
        "         summary,142,,page-faults,1489797,100.00,,\n         "
        "summary,CPU0,142,,page-faults,1489797,100.00,,\n";
    double faults = 0.0;
    for (const std::string_view line : split(text, '\n')) {
        const auto fields = split(line, ',');
        if (fields.size() > 3 && fields[3] == "page-faults") faults += parse_number(fields[1]).value_or(0.0);
    }
    const auto experiment = read_profile(text + summary);
    EXPECT_EQ(run_values(experiment, "page-faults"), Values{faults});
    EXPECT_DOUBLE_EQ(run_values(experiment, "task-clock").at(0), 1e-3 * (1.39 + 0.10));
    EXPECT_EQ(run_values(experiment, "time"), Values{0.253463234}) << "the end of the last interval";
    const std::string notes = notes_of(experiment);
    EXPECT_EQ(notes.find("perf did not count"), std::string::npos) << notes;
    EXPECT_NE(notes.find("0 stands where perf has no count: task-clock (not counted in 1 of 3 counts), "
                         "page-faults (not counted in 1 of 3 counts)\n"),
              std::string::npos)
        << notes;
}

TEST(Perf, SaysWhereAnEventWasNotCounted) {
    const auto experiment = read_profile(
        "CPU0,7,,cs,1,100.00,,\nCPU1,<not counted>,,cs,0,100.00,,\nCPU2,<not supported>,,cs,0,100.00,,\n"
        "CPU0,1,,page-faults,1,100.00,,\nCPU1,2,,page-faults,1,100.00,,\nCPU2,3,,page-faults,1,100.00,,\n"
        "CPU1,<not supported>,,cycles,0,100.00,,\nCPU2,<not counted>,,cycles,0,100.00,,\n"
        "CPU0,5.00,Joules,power/energy-pkg/,1,100.00,,\n");
    EXPECT_EQ(run_values(experiment, "cs"), (Values{7, 0, 0}));
    EXPECT_EQ(run_values(experiment, "page-faults"), (Values{1, 2, 3}));
    EXPECT_EQ(run_values(experiment, "power/energy-pkg/"), (Values{5, 0, 0})) << "one for all processors";
    EXPECT_EQ(unit_of(experiment, "cycles"), "absent");
    const std::string notes = notes_of(experiment);
    EXPECT_NE(notes.find("0 stands where perf has no count: cs (not counted at 2 of 3 places)\n"),
              std::string::npos)
        << notes;
    EXPECT_NE(notes.find("perf did not count cycles\n"), std::string::npos) << notes;
}

// A place where nothing was counted is a place all the same.
TEST(Perf, HasAZeroAtAPlaceWhereNothingWasCounted) {
    const auto experiment = read_profile("CPU0,7,,cs,1,100.00,,\nCPU1,<not counted>,,cs,0,100.00,,\n");
    EXPECT_EQ(run_values(experiment, "cs"), (Values{7, 0}));
    EXPECT_NE(notes_of(experiment).find("cs (not counted at 1 of 2 places)"), std::string::npos);
}

TEST(Perf, KnowsTheTimeByItsNameWithAnyModifier) {
    for (const char* const event : {"duration_time", "duration_time:u", "duration_time:ku"}) {
        const auto experiment =
            read_profile("101654913,ns," + std::string(event) + ",101654913,100.00,,\n5,,cs,1000,100.00,,\n");
        EXPECT_EQ(run_values(experiment, "time"), Values{1e-9 * 101654913}) << event;
        EXPECT_EQ(experiment.metrics.size(), 2U) << event;
    }
    const auto twice = read_profile("90,ns,duration_time,90,100.00,,\n91,ns,duration_time:u,91,100.00,,\n");
    EXPECT_EQ(run_values(twice, "time"), Values{1e-9 * 91}) << "not the sum";
}

TEST(Perf, RefusesFieldsThatAreCutWithinALine) {
    const std::string whole = "5,,cs,1000,100.00,,\n7654,,page-faults,1000,100.00,5.1,K/sec\n";
    for (std::size_t size = whole.find("7654") + 1; size < whole.size(); ++size) {
        SCOPED_TRACE(size);
        try {
            (void)read_profile(whole.substr(0, size));
            ADD_FAILURE() << "nothing is wrong";
        } catch (const Error& error) {
            EXPECT_STREQ(error.what(), "profile:2: the file ends within a line");
            EXPECT_EQ(error.hint(), "let perf write the file again");
        }
    }
}

// As perf 6.1 writes them for `sleep 0.1`, without -x and -j.
TEST(Perf, NamesTheOptionThatItsDefaultTextLacks) {
    const std::vector<std::string> texts{
        "\n Performance counter stats for 'sleep 0.1':\n\n"
        "              0.76 msec task-clock                       #    0.007 CPUs utilized          \n"
        "                 1      cs                               #    1.315 K/sec                  \n\n"
        "       0.101467463 seconds time elapsed\n\n",
        "#           time             counts unit events\n"
        "     0.100156062               0.76 msec task-clock                       #    0.008 CPUs utilized  "
        " "
        "       \n",
        "# started on Mon Nov 30 15:21:58 2026\n\n\n Performance counter stats for process id '17':\n",
        "what the program says\n\n Performance counter stats for 'app':\n"};
    for (const std::string& text : texts) {
        SCOPED_TRACE(text);
        EXPECT_EQ(Collector({}).match({.path = "a.txt", .head = text}), "perf");
        try {
            (void)read_profile(text);
            ADD_FAILURE() << "nothing is wrong";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(": this is no count of perf stat with -x or -j"),
                      std::string::npos)
                << error.what();
            EXPECT_EQ(error.hint(), "write it with 'perf stat -x, -o FILE'");
        }
    }
}

TEST(Perf, AddsTheTimeOfIntervalsUp) {
    const auto experiment = read_profile(
        "     0.100161179,100161179,ns,duration_time,100161179,100.00,72.047,G/sec\n"
        "     0.100161179,7,,cs,1390219,100.00,,\n"
        "     0.153463234,53302055,ns,duration_time,53302055,100.00,532.116,G/sec\n");
    ASSERT_EQ(run_values(experiment, "time").size(), 1U);
    EXPECT_DOUBLE_EQ(run_values(experiment, "time")[0], 0.153463234) << "the end of the last interval";
}

TEST(Perf, KeepsProcessorsCoresAndThreadsApart) {
    const std::vector<std::pair<std::string, Values>> forms{
        {"CPU0,77,,cs,254790558,100.00,302.207,/sec\nCPU1,93,,cs,254801003,100.00,364.991,/sec\n", {77, 93}},
        {"S0-D0-C0,1,79,,cs,252555141,100.00,312.802,/sec\nS0-D0-C1,1,75,,cs,252564976,100.00,,\n", {79, 75}},
        {"S0,2,214,,cs,511422286,100.00,418.444,/sec\nS1,2,<not "
         "counted>,,cs,0,100.00,,\nS1,2,3,,page-faults,1,100.00,,\n",
         {214, 0}},
        {"N0,2,175,,cs,508172636,100.00,,\nN1,2,180,,cs,508172636,100.00,,\n", {175, 180}},
        {"my app-4711,5,,cs,1000,100.00,,\nmy app-4712,6,,cs,1000,100.00,,\n", {5, 6}},
        {"     1.000123456,CPU0,7,,cs,1,100.00,,\n     1.000123456,CPU1,8,,cs,1,100.00,,\n"
         "     2.000123456,CPU0,1,,cs,1,100.00,,\n     2.000123456,CPU1,2,,cs,1,100.00,,\n",
         {8, 10}},
        {"5,,cs,/slice/a,1000,100.00,,\n6,,cs,/slice/b,1000,100.00,,\n", {5, 6}},
        {"     1.000123456,S0,4,7,,cs,1,100.00,,\n     1.000123456,S1,4,8,,cs,1,100.00,,\n", {7, 8}},
    };
    for (const auto& [text, expected] : forms) {
        SCOPED_TRACE(text);
        EXPECT_EQ(run_values(read_profile(text), "cs"), expected);
    }
}

TEST(Perf, HasTheTimeOfTheRunAtEveryPlace) {
    const auto experiment = read_profile(
        "CPU0,254789288,ns,duration_time,254789288,100.00,999.987,M/sec\n"
        "CPU0,6465,,page-faults,254791769,100.00,25.374,K/sec\n"
        "CPU1,821,,page-faults,254801374,100.00,3.222,K/sec\n");
    EXPECT_EQ(run_values(experiment, "time"), (Values{1e-9 * 254789288, 1e-9 * 254789288}));
    EXPECT_EQ(run_values(experiment, "page-faults"), (Values{6465, 821}));
}

TEST(Perf, ReadsJson) {
    const auto experiment = read_profile(
        R"({"counter-value" : "1.470137", "unit" : "msec", "event" : "task-clock", "event-runtime" : 1470137, "pcnt-running" : 100.00, "metric-value" : nan, "metric-unit" : "CPUs utilized"}
{"counter-value" : "252297209.000000", "unit" : "ns", "event" : "duration_time", "event-runtime" : 252297209, "pcnt-running" : 75.50, "metric-value" : 171,614760, "metric-unit" : "G/sec"}
{"counter-value" : "<not supported>", "unit" : "", "event" : "cycles", "event-runtime" : 0, "pcnt-running" : 100.00}
{"metric-value" : 0.5, "metric-unit" : "of, \"all\" }"}
)");
    EXPECT_EQ(run_values(experiment, "task-clock"), Values{1e-3 * 1.470137});
    EXPECT_EQ(run_values(experiment, "time"), Values{1e-9 * 252297209});
    EXPECT_NE(notes_of(experiment).find("perf did not count cycles\n"), std::string::npos);
    EXPECT_NE(notes_of(experiment).find("scaled up duration_time (75.5 %)\n"), std::string::npos);
    const auto cores = read_profile(
        R"({"interval" : 1.000123456, "core" : "S0-D0-C0", "aggregate-number" : 1, "counter-value" : "5.000000", "unit" : "", "event" : "cs", "event-runtime" : 1, "pcnt-running" : 100.00}
{"interval" : 1.000123456, "core" : "S0-D0-C1", "aggregate-number" : 1, "counter-value" : "6.000000", "unit" : "", "event" : "cs", "event-runtime" : 1, "pcnt-running" : 100.00}
{"interval" : 2.000123456, "core" : "S0-D0-C0", "aggregate-number" : 1, "counter-value" : "1.000000", "unit" : "", "event" : "cs", "event-runtime" : 1, "pcnt-running" : 100.00}
{"counter-value" : "12.000000", "unit" : "", "event" : "cs", "event-runtime" : 1, "pcnt-running" : 100.00}
)");
    EXPECT_EQ(run_values(cores, "cs"), (Values{6, 6}));
    EXPECT_EQ(run_values(cores, "time"), (Values{2.000123456, 2.000123456}));
}

TEST(Perf, TakesRunsOneAfterAnotherForRepetitions) {
    const auto experiment = read_profile(
        "# started on Mon Nov 30 15:21:58 2026\n\n5,,cs,1000,100.00,,\n"
        "# started on Mon Nov 30 15:22:58 2026\n\n7,,cs,1000,100.00,,\n");
    EXPECT_EQ(run_values(experiment, "cs"), (Values{5, 7}));
}

TEST(Perf, SaysThatMeansAreOneRepetition) {
    const auto experiment = read_profile(
        "139,,page-faults,0.42%,1666099,100.00,83.185,K/sec\n3,,cs,11.11%,1666099,99.10,1.6,K/sec\n");
    EXPECT_EQ(run_values(experiment, "page-faults"), Values{139});
    const std::string notes = notes_of(experiment);
    EXPECT_NE(notes.find("the time of the run is not there; count duration_time"), std::string::npos)
        << notes;
    EXPECT_NE(notes.find("values are means over the runs of perf stat -r"), std::string::npos) << notes;
    EXPECT_NE(notes.find("scaled up cs (99.1 %)"), std::string::npos) << notes;
}

TEST(Perf, ReadsNumbersOfOtherLanguages) {
    using detail::perf_number;
    for (const char* const text : {"1234567.89", "1.234.567,89", "1,234,567.89", "1234567,89"})
        EXPECT_EQ(perf_number(text), 1234567.89) << text;
    for (const char* const text : {"1234567", "1.234.567", "1,234,567"})
        EXPECT_EQ(perf_number(text), 1234567) << text;
    EXPECT_EQ(perf_number("1,234"), 1234);
    EXPECT_EQ(perf_number("1.234"), 1.234) << "perf itself writes no marks between thousands";
    EXPECT_EQ(perf_number("-0,25"), -0.25);
    for (const char* const text :
         {"", "-", ",", "1,,2", "12,34.5", "1.23.456", "1,2,3", "1.2,345.6", "abc", "nan", "inf"})
        EXPECT_EQ(perf_number(text), std::nullopt) << text;
    // A decimal comma among commas.
    const auto experiment = read_profile(
        "12,57,msec,task-clock,571571,100,00,0,417,CPUs utilized\n4,,cs,571571,100,00,0,417,K/sec\n",
        "profile", {});
    EXPECT_EQ(run_values(experiment, "task-clock"), Values{1e-3 * 12.57});
    EXPECT_EQ(run_values(experiment, "cs"), Values{4});
}

TEST(Perf, KnowsClocksWithoutAUnit) {
    const auto experiment = read_profile("12.57,,task-clock:u,571571,100.00\n99,,duration_time,99,100.00\n");
    EXPECT_EQ(run_values(experiment, "task-clock:u"), Values{1e-3 * 12.57});
    EXPECT_EQ(run_values(experiment, "time"), Values{1e-9 * 99});
}

TEST(Perf, AddsUpWhatIsCountedTwice) {
    const auto experiment = read_profile("5,,imc/reads/,1000,100.00,,\n6,,imc/reads/,1000,100.00,,\n");
    EXPECT_EQ(run_values(experiment, "imc/reads/"), Values{11});
    EXPECT_NE(notes_of(experiment).find("'imc/reads/' is counted more than once, and added up"),
              std::string::npos);
}

TEST(Perf, LeavesOtherTablesAlone) {
    for (const char* const text :
         {"p,n,time\n4,8,2.5\n", "4,8,2.5\n", "{\"p\": 4}\n", "# started\np,time\n1,2\n"}) {
        SCOPED_TRACE(text);
        EXPECT_TRUE(Collector({}).match({.path = "a.csv", .head = text}).empty());
    }
    EXPECT_EQ(Collector({}).match({.path = "a.csv", .head = table}), "perf");
}

TEST(Perf, SaysWhatIsWrongWhere) {
    const std::string first = "5,,cs,1000,100.00,,\n";
    const std::vector<std::pair<std::string, std::string>> wrong{
        {first + "12x4,,page-faults,1000,100.00,,\n", "profile:2: '12x4' is no number"},
        {first + "CPU0,12x4,,page-faults,1000,100.00,,\n", "profile:2: '12x4' is no number"},
        {first + "1e999,,page-faults,1000,100.00,,\n", "profile:2: 1e999 is no finite number"},
        {first + "solving ...\n", "profile:2: the line is damaged, or ends too early"},
        {first + "7,,page-fa\n", "profile:2: the line is damaged, or ends too early"},
        {first + "7,,cpu/event=0x3c,1000,100.00\n", "profile:2: the line is damaged, or ends too early"},
        {first + "7,,,1000,100.00,,\n", "profile:2: '7' has no event"},
        {"{\"counter-value\" : \"5.0\", \"event\" : \"cs\", \"event-runtime\" : 1}\n{\"counter-value\" : "
         "\"5.",
         "profile:2: the line is damaged, or ends too early"},
        {"<not supported>,,cycles,0,100.00,,\n", "profile: holds no measurements"},
    };
    test::expect_errors(wrong);
}

}  // namespace
}  // namespace plimsoll::profile
