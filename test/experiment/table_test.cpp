#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/formats.hpp"
#include "test/support/read_text.hpp"
#include "test/support/shared_data.hpp"

namespace plimsoll::experiment {
namespace {

using test::error_of;

Experiment read_table(std::string_view content, ReadOptions options = {}) {
    options.format = "csv";
    return test::read_experiment(content, options, "runs.csv");
}

std::string table_error(std::string_view content, ReadOptions options = {}) {
    options.format = "csv";
    const Error error = error_of(content, options);
    return std::string(error.what()) + " | " + error.hint();
}

const Series& series_of(const Experiment& experiment, std::string_view region, std::string_view metric) {
    const auto found = std::find_if(experiment.series.begin(), experiment.series.end(), [&](const Series& s) {
        return experiment.region(s).path == region && experiment.metric(s).name == metric;
    });
    if (found == experiment.series.end()) throw std::runtime_error("no series " + std::string(region));
    return *found;
}

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    return names;
}

bool has_note(const Experiment& experiment, std::string_view part) {
    return std::any_of(experiment.notes.begin(), experiment.notes.end(),
                       [&](const Note& note) { return to_text(note).find(part) != std::string::npos; });
}

double sum_of_values(const Experiment& experiment) {
    double sum = 0.0;
    for (const Series& s : experiment.series) sum = std::accumulate(s.values.begin(), s.values.end(), sum);
    return sum;
}

std::size_t count_of_values(const Experiment& experiment) {
    std::size_t count = 0;
    for (const Series& s : experiment.series) count += s.values.size();
    return count;
}

TEST(Table, LongFormTakesARowForARepetition) {
    const Experiment experiment = read_table(
        "p,n,region,metric,value,unit\n"
        "4,100,main,time,1.5,s\n"
        "4,100,main,time,1.7,s\n"
        "8,100,main,time,2.5,s\n"
        "4,100,main,visits,3,\n");
    EXPECT_EQ(names_of(experiment.parameters), std::vector<std::string>{"p"});
    EXPECT_TRUE(has_note(experiment,
                         "parameter 'n' is 100 everywhere and is left out; --parameter-columns keeps it"));
    const Series& time = series_of(experiment, "main", "time");
    ASSERT_EQ(time.measurements.size(), 2U);
    EXPECT_EQ(time.measurements[0].repetitions, 2U);
    EXPECT_DOUBLE_EQ(time.measurements[0].summary.mean, 1.6);
    EXPECT_EQ(experiment.metric(time).unit, "s");
    EXPECT_EQ(series_of(experiment, "main", "visits").measurements.size(), 1U);
}

TEST(Table, WideFormTakesAColumnForAMetric) {
    const Experiment experiment =
        read_table("ranks,name,wall (s),energy [J],bytes\n2,solve,1,10,7\n4,solve,2,30,8\n",
                   {.value_column = "wall,energy [J]"});
    ASSERT_EQ(experiment.metrics.size(), 2U);
    EXPECT_EQ(experiment.metrics[0].name, "wall");
    EXPECT_EQ(experiment.metrics[0].unit, "s");
    EXPECT_EQ(experiment.metrics[1].unit, "J");
    EXPECT_EQ(series_of(experiment, "solve", "energy").measurements[1].summary.mean, 30.0);
}

TEST(Table, FindsTheColumnsByTheirUsualNamesAndSaysSo) {
    const Experiment experiment =
        read_table("run,p,theta,callpath,host,min_s,max_s\n0,4,0.5,main,a,1,2\n1,4,0.5,main,a,3,4\n");
    EXPECT_EQ(names_of(experiment.parameters), (std::vector<std::string>{"p", "theta"}));
    EXPECT_EQ(series_of(experiment, "main", "min_s").measurements[0].repetitions, 2U);
    EXPECT_EQ(experiment.metrics[1].unit, "s");
    EXPECT_TRUE(has_note(experiment,
                         "runs.csv:1: parameters: p, theta; region: callpath; values: min_s, max_s; "
                         "left out: run, host"));
}

TEST(Table, SaysNothingWhereAllColumnsAreTold) {
    const Experiment experiment = read_table(
        "a,b,c,d\n1,r,m,5\n",
        {.parameter_columns = "a", .region_column = "b", .metric_column = "c", .value_column = "d"});
    EXPECT_TRUE(experiment.notes.empty());
    EXPECT_EQ(series_of(experiment, "r", "m").values, std::vector<double>{5.0});
}

TEST(Table, TakesParametersRightOfTheValuesByTheirUsualNames) {
    const Experiment experiment = read_table("time,ranks,other\n1,2,3\n2,4,3\n");
    EXPECT_EQ(names_of(experiment.parameters), std::vector<std::string>{"ranks"});
}

TEST(Table, TakesTheOnlyColumnLeftForTheValues) {
    const Experiment experiment = read_table("p,n,temperature\n1,2,3\n2,4,3\n");
    EXPECT_EQ(experiment.metrics[0].name, "temperature");
    EXPECT_EQ(experiment.parameters.size(), 2U);
    EXPECT_EQ(experiment.regions[0].path, "<root>");
}

TEST(Table, TakesStatisticsBesideTheValuesForNoParameters) {
    const Experiment experiment =
        read_table("p,n_max,min,time_max,avg\n4,1,1,3,2\n8,2,2,4,3\n", {.value_column = "avg"});
    EXPECT_EQ(names_of(experiment.parameters), (std::vector<std::string>{"p", "n_max"}));
    EXPECT_TRUE(has_note(experiment, "min, time_max are measured, it seems: name parameters with"));
}

TEST(Table, SaysWhatIsMissing) {
    EXPECT_EQ(
        table_error("p,n,region,time\n"),
        "input:1: the table has a header line and no rows | check that the program wrote its measurements");
    EXPECT_EQ(table_error("4,10,main,1.5\n8,10,main,2.5\n"),
              "input:1: there is no header line with names of columns | begin the table with a line such as "
              "p,n,region,time");
}

TEST(Table, PassesOverColumnsThatNumberTheRows) {
    const Experiment experiment = read_table(",id,p,repetition,time\n0,9,4,0,1.5\n1,8,4,1,1.6\n");
    EXPECT_EQ(names_of(experiment.parameters), std::vector<std::string>{"p"});
    EXPECT_EQ(experiment.series[0].measurements[0].repetitions, 2U);
}

TEST(Table, JoinsSeveralRegionColumnsToAPath) {
    const Experiment experiment = read_table("p,lib,op,time\n1,a,x,5\n1,b,,6\n", {.region_column = "lib,op"});
    EXPECT_EQ(experiment.regions[0].path, "a->x");
    EXPECT_EQ(experiment.regions[1].path, "b");
}

TEST(Table, TakesAnOptionForATitleThatHoldsAComma) {
    const Experiment experiment = read_table("p,\"wall, all\",b\n1,5,6\n", {.value_column = "wall, all"});
    EXPECT_EQ(experiment.metrics[0].name, "wall, all");
}

struct Dialect {
    const char* text;
    const char* what;
};

class TableDialect : public testing::TestWithParam<Dialect> {};

TEST_P(TableDialect, GivesTheSameExperiment) {
    const Experiment experiment = read_table(GetParam().text, {.parameter_columns = "p,n"});
    EXPECT_EQ(names_of(experiment.parameters), (std::vector<std::string>{"p", "n"})) << GetParam().what;
    ASSERT_EQ(experiment.series.size(), 1U);
    EXPECT_EQ(experiment.regions[0].path, "main");
    EXPECT_EQ(experiment.series[0].values, (std::vector<double>{1.5, 2.25}));
    EXPECT_EQ(describe_point(experiment, PointId{1}), "p=4, n=0.5");
}
INSTANTIATE_TEST_SUITE_P(
    Each, TableDialect,
    testing::Values(
        Dialect{"p,n,region,time\n2,0.5,main,1.5\n4,0.5,main,2.25\n", "comma"},
        Dialect{"p;n;region;time\n2;0.5;main;1.5\n4;0.5;main;2.25\n", "semicolon"},
        Dialect{"p;n;region;time\n2;0,5;main;1,5\n4;0,5;main;2,25\n", "semicolon and decimal comma"},
        Dialect{"p\tn\tregion\ttime\n2\t0,5\tmain\t1,5\n4\t0,5\tmain\t2,25\n", "tab and decimal comma"},
        Dialect{"\xEF\xBB\xBFp,n,region,time\r\n2,0.5,main,1.5\r\n4,0.5,main,2.25",
                "BOM, CRLF, no last newline"},
        Dialect{"# a\n#b,c\n\np , n , region , time\n 2, 0.5, main , 1.5\n\n4 ,0.5,main,+2.25\n",
                "comments, blanks"},
        Dialect{"\"p\",\"n\",\"region\",\"time\"\n\"2\",\"0.5\",\"main\",\"1.5\"\n4,0.5, \"main\",2.25\n",
                "quotes"},
        Dialect{"p,n,region,time,\n2,0.5,main,1.5,\n4,0.5,main,2.25,\n", "separator at the end"}));

TEST(Table, KeepsSeparatorsQuotesAndNewlinesInQuotes) {
    const Experiment experiment =
        read_table("p,region,time\n1,\"f(a, b)\",1\n1,\"say \"\"hi\"\"\",2\n1,\"two\nlines\",3\n2,\"\",4\n");
    ASSERT_EQ(experiment.regions.size(), 4U);
    EXPECT_EQ(experiment.regions[0].path, "f(a, b)");
    EXPECT_EQ(experiment.regions[1].path, "say \"hi\"");
    EXPECT_EQ(experiment.regions[2].path, "two\nlines");
    EXPECT_EQ(experiment.regions[3].path, "<root>");
}

TEST(Table, LeavesOutMissingValuesWithANote) {
    const Experiment experiment = read_table("p,a [s],b [s]\n1,,5\n2,NA,6\n4,nan,7\n8,1,8\n");
    EXPECT_EQ(series_of(experiment, "<root>", "a").measurements.size(), 1U);
    EXPECT_EQ(series_of(experiment, "<root>", "b").measurements.size(), 4U);
    EXPECT_TRUE(has_note(experiment, "runs.csv:2: column 'a [s]' has no value in this row (2 times)"));
    EXPECT_TRUE(has_note(experiment, "runs.csv:4: a value of '<root>' is not finite"));
}

TEST(Table, NotesCommentsBetweenTheRows) {
    const Experiment experiment = read_table("p,time\n1,5\n#2,6\n4,7\n#8,8\n");
    EXPECT_EQ(experiment.point_count(), 2U);
    EXPECT_TRUE(has_note(experiment, "runs.csv:3: 2 lines with # at the beginning are taken for comments"));
}

TEST(Table, WarnsWhereAColumnLeftOutTellsRowsApart) {
    const Experiment experiment = read_table("p,machine,time\n1,x,5\n1,y,6\n");
    EXPECT_TRUE(has_note(experiment, "runs.csv:3: column 'machine' is left out although it differs"));
}

TEST(Table, NamesTheLineAndTheValueOfABadCell) {
    EXPECT_EQ(table_error("p,time\n1,5\nfour,6\n"),
              "input:3: column 'p': 'four' is not a number | give the number that the program ran with, or "
              "choose with "
              "--parameter-columns");
    EXPECT_EQ(table_error("p,time\n1,5\n2,6s\n"),
              "input:3: column 'time': '6s' is not a number | correct the value, or leave the cell empty "
              "where there is none");
    EXPECT_EQ(table_error("p,time\n\n1,5\n,6\n").substr(0, 41), "input:4: column 'p': '' is not a number |");
    EXPECT_EQ(table_error("p,time\n1,5\n2,6,7\n"),
              "input:3: the row has 3 cells, but the header 2 | quote cells in which the separator stands");
    EXPECT_EQ(table_error("p,region,time\n1,\"main,5\n2,main,6\n"),
              "input:2: a quote that opens in this row is not closed | close the quote, or double a quote "
              "that is meant");
    EXPECT_EQ(table_error("p,time\n1,\"two\nlines\"\nx,5\n").substr(0, 27), "input:2: column 'time': 'tw");
}

TEST(Table, SaysWhichOptionTellsWhatItCannotKnow) {
    EXPECT_EQ(table_error("a,b,c\n1,2,3\n"),
              "input:1: cannot tell which column holds the values: a, b, c | name it with --value-column");
    EXPECT_EQ(
        table_error("host,time\nx,3\n"),
        "input:1: cannot tell which column holds a parameter: host, time | name it with --parameter-columns");
    EXPECT_EQ(table_error("p,metric,time,energy\n1,m,3,4\n"),
              "input:1: cannot tell which column holds the values: p, metric, time, energy | name it with "
              "--value-column");
    EXPECT_EQ(table_error("1,2,3\n4,5,6\n"),
              "input:1: there is no header line with names of columns | begin the table with a line such as "
              "p,n,region,time");
    EXPECT_EQ(table_error("justonecolumn\n4\n").substr(0, 32), "input:1: there is no header line");
}

TEST(Table, OffersTheNearestColumnForAMistypedOne) {
    EXPECT_EQ(table_error("ranks,time\n1,2\n", {.parameter_columns = "rank"}),
              "input:1: there is no column 'rank' for --parameter-columns | did you mean 'ranks'?");
    EXPECT_EQ(table_error("ranks,time\n1,2\n", {.value_column = "temperature"}),
              "input:1: there is no column 'temperature' for --value-column | choose one of ranks, time");
    EXPECT_EQ(table_error("p,time\n1,2\n", {.parameter_columns = "p", .value_column = "P"}),
              "input:1: --value-column takes column 'p', which has a role already | name each column once");
    EXPECT_EQ(table_error("p,metric,a,b\n1,m,2,3\n", {.value_column = "a,b"}).substr(0, 40),
              "input:1: column 'metric' names the metri");
    EXPECT_EQ(table_error("p,time,time\n1,2,3\n", {.value_column = "time"}).substr(0, 40),
              "input:1: there are several columns 'time");
}

TEST(Table, RefusesTwoColumnsOfOneMetric) {
    EXPECT_EQ(table_error("p,time [s],time [ms]\n1,2,3\n"),
              "input:1: the columns 'time [s]' and 'time [ms]' are both the metric 'time' | give each column "
              "a name of its "
              "own, or choose with --value-column");
    EXPECT_EQ(table_error("p,a,b,c\n1,x,y,3\n", {.metric_column = "a,b"}),
              "input:1: --metric-column names several columns | name one");
}

TEST(Table, IsRecognisedByItsHeaderAndRows) {
    const auto is_table = [](std::string_view head, std::string_view path = "file") {
        return detail::is_table({.path = path, .head = head});
    };
    EXPECT_TRUE(is_table("p,time\n1,2\n"));
    EXPECT_TRUE(is_table("# note\np;time\n1;2\n"));
    EXPECT_TRUE(is_table("p,time\n", "a.csv"));
    EXPECT_FALSE(is_table("p,time\n"));
    EXPECT_FALSE(is_table("{\"a\": 1, \"b\": 2}\n"));
    EXPECT_FALSE(is_table("Dear reader, this is\nno table, is it, for\nnothing, adds up\n"));
    EXPECT_FALSE(is_table("PARAMETER p\nPOINTS 1 2\n"));
    EXPECT_FALSE(is_table(std::string_view("p,time\n1,\0\n", 10)));
    EXPECT_FALSE(is_table(""));
}

TEST(Table, ReadsMoreThanItsSample) {
    std::string text = "p,region,time\n";
    constexpr int rows = 20'000;
    for (int i = 0; i < rows; ++i)
        text += std::to_string(1 + i % 7) + ",\"a \"\"quoted\"\" name\"," + std::to_string(i) + "\n";
    const Experiment experiment = read_table(text);
    EXPECT_EQ(count_of_values(experiment), 20'000U);
    EXPECT_DOUBLE_EQ(sum_of_values(experiment), rows * (rows - 1) / 2.0);
}

// What the files hold is found a second time by splitting lines at commas: none of these columns has quotes.
std::vector<std::vector<std::string>> cells_of(const std::string& file) {
    std::vector<std::vector<std::string>> rows;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        std::vector<std::string> row;
        for (const std::string_view cell : split(trim(line), ',')) row.emplace_back(cell);
        rows.push_back(std::move(row));
    }
    return rows;
}

TEST(Table, ReadsMpiBenchmarks) {
    PLIMSOLL_SHARED_OR_SKIP(file, "data/extrap/mpi_data.csv");
    const std::vector<std::string> files{file};
    const Experiment experiment = read(
        files, {.parameter_columns = "ranks", .region_column = "mpi,variable", .value_column = "mean,median"},
        silent());
    EXPECT_EQ(experiment.regions.size(), 14U);  // 2 libraries, 7 operations
    EXPECT_EQ(experiment.point_count(), 5U);
    EXPECT_EQ(series_of(experiment, "OpenMPI->MPI_Barrier", "mean").measurements[1].summary.mean,
              85.8041959677);
    double sum = 0.0;
    for (const auto& row : cells_of(file)) {
        if (row[0] != "mpi") sum += std::stod(row[4]) + std::stod(row[6]);
    }
    EXPECT_NEAR(sum_of_values(experiment), sum, 1e-9 * sum);
    EXPECT_EQ(count_of_values(experiment), 140U);
}

TEST(Table, ReadsTheTimersOfASimulation) {
    PLIMSOLL_SHARED_OR_SKIP(file, "data/realworld/relearn/relearn_timers_min_avg_max.csv");
    const std::vector<std::string> files{file};
    const Experiment experiment = read(files, {}, silent());
    EXPECT_EQ(names_of(experiment.parameters), (std::vector<std::string>{"p", "n", "theta"}));
    ASSERT_EQ(experiment.metrics.size(), 3U);
    EXPECT_EQ(experiment.metrics[1].name, "avg_s");
    EXPECT_EQ(experiment.metrics[1].unit, "s");
    double sum = 0.0;
    for (const auto& row : cells_of(file)) {
        if (row[0] != "p") sum += std::stod(row[4]) + std::stod(row[5]) + std::stod(row[6]);
    }
    EXPECT_NEAR(sum_of_values(experiment), sum, 1e-9 * sum);
    EXPECT_EQ(count_of_values(experiment), 3U * 3416U);
}

TEST(Table, ReadsRegionsWithQuotedJson) {
    PLIMSOLL_SHARED_OR_SKIP(file, "data/realworld/thicket-tutorial/mpi_scaling_regions.csv");
    const std::vector<std::string> files{file};
    const Experiment experiment =
        read(files,
             {.parameter_columns = "ranks",
              .region_column = "path,other",
              .value_column = "max#inclusive#sum#time.duration,min#inclusive#sum#time.duration"},
             silent());
    EXPECT_EQ(experiment.point_count(), 5U);
    double sum = 0.0;  // the last columns hold no quotes: count from the end
    std::size_t rows = 0;
    for (const auto& row : cells_of(file)) {
        if (row[0] == "ranks") continue;
        sum += std::stod(row[row.size() - 3]) + std::stod(row[row.size() - 2]);
        ++rows;
    }
    EXPECT_NEAR(sum_of_values(experiment), sum, 1e-9 * sum);
    EXPECT_EQ(count_of_values(experiment), 2 * rows);
    for (const Series& s : experiment.series) {
        for (const Measurement& m : s.measurements) EXPECT_EQ(m.repetitions, 1U) << experiment.region(s).path;
    }
}

std::vector<double> values_at(const Experiment& experiment, std::string_view metric, double p) {
    const Series& series = series_of(experiment, "halo", metric);
    for (const Measurement& m : series.measurements) {
        const auto values = series.values_of(m);
        if (experiment.point(m.point)[0] == p) return {values.begin(), values.end()};
    }
    return {};
}

TEST(Table, MayHoldRepetitionsInColumns) {
    const std::vector<double> expected{0.81, 0.82, 0.8};
    for (const char* const names : {"rep1,rep2,rep3", "run_1,run_2,run_3", "Run 1,Run 2,Run 3"}) {
        SCOPED_TRACE(names);
        const std::string text = std::string("region,p,") + names + "\nhalo,8,0.81,0.82,0.8\nhalo,16,1,2,\n";
        for (const char* const chosen : {"", names}) {
            for (const bool as_repetitions : {false, true}) {
                const Experiment e =
                    read_table(text, as_repetitions ? ReadOptions{.repetition_columns = chosen}
                                                    : ReadOptions{.value_column = chosen});
                ASSERT_EQ(e.metrics.size(), 1U);
                EXPECT_EQ(values_at(e, "value", 8), expected);
                EXPECT_EQ(values_at(e, "value", 16).size(), 2U);
                EXPECT_TRUE(has_note(e, "parameters: p; region: region; repetitions: "));
            }
        }
    }
}

TEST(Table, OfRepetitionsNamesTheMetricBeforeThem) {
    const Experiment e = read_table(
        "region,p,time_rep1 [s],time_rep2 [s],energy_rep1,energy_rep2\n"
        "halo,8,1,2,30,40\nhalo,16,3,4,50,60\n");
    EXPECT_EQ(values_at(e, "time", 8), (std::vector<double>{1, 2}));
    EXPECT_EQ(values_at(e, "energy", 16), (std::vector<double>{50, 60}));
    EXPECT_EQ(e.metrics[0].unit, "s");
    const Experiment told =
        read_table("region,p,time1,time2\nhalo,8,1,2\n", {.repetition_columns = "time1,time2"});
    EXPECT_EQ(values_at(told, "time", 8), (std::vector<double>{1, 2}));
    const Experiment named =
        read_table("region,p,metric,unit,a,b\nhalo,8,time,s,1,2\n", {.repetition_columns = "a,b"});
    EXPECT_EQ(values_at(named, "time", 8), (std::vector<double>{1, 2}));
    EXPECT_EQ(named.metrics[0].unit, "s");
}

TEST(Table, TakesOneNumberedColumnForWhatItIs) {
    const Experiment e = read_table("region,p,run1,time\nhalo,8,1,2\n");
    EXPECT_EQ(values_at(e, "time", 8), std::vector<double>{2});
}

TEST(Table, NamesTheCellThatIsWrongNotTheColumnThatIsMissing) {
    EXPECT_EQ(
        table_error("p,region,time\n8,main,12.31s\n16,main,13.1s\n"),
        "input:2: column 'time': '12.31s' is not a number | write the unit in the header, 'time [s]', and "
        "numbers alone below it");
    EXPECT_EQ(
        table_error("p,region,time\n8,main,oops\n"),
        "input:2: column 'time': 'oops' is not a number | correct the value, or leave the cell empty where "
        "there is none");
    EXPECT_EQ(table_error("p,region,total\n8,main,1.2.3\n"),
              "input:2: column 'total': '1.2.3' is not a number | correct the value, or leave the cell empty "
              "where there is none");
    EXPECT_EQ(table_error("p,region,time\n8,f(a,b),12.3\n16,f(a,b),13.3\n"),
              "input:2: the row has 4 cells, but the header 3 | quote cells in which the separator stands");
}

}  // namespace
}  // namespace plimsoll::experiment
