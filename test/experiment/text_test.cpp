#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/support/read_text.hpp"

namespace plimsoll::experiment {

namespace {

using test::error_of;
using test::read_experiment;

using Row = std::vector<double>;

const ReadOptions as_text{.format = "text"};

std::vector<Row> points_of(const Experiment& experiment) {
    std::vector<Row> points;
    for (std::size_t i = 0; i < experiment.point_count(); ++i) {
        const auto point = experiment.point(static_cast<PointId>(i));
        points.emplace_back(point.begin(), point.end());
    }
    return points;
}

/// Values of each measurement of a series.
std::vector<Row> values_of(const Series& series) {
    std::vector<Row> values;
    for (const Measurement& measurement : series.measurements) {
        const auto of_point = series.values_of(measurement);
        values.emplace_back(of_point.begin(), of_point.end());
    }
    return values;
}

std::vector<std::string> notes_of(const Experiment& experiment) {
    std::vector<std::string> notes;
    for (const Note& note : experiment.notes) notes.push_back(to_text(note));
    return notes;
}

/// Points that a POINTS line gives for the parameters; the first one is measured, to make it an experiment.
std::vector<Row> points_from(const std::string& parameters, const std::string& points) {
    return points_of(
        read_experiment("PARAMETER " + parameters + "\nPOINTS " + points + "\nDATA 1\n", as_text));
}

}  // namespace

TEST(Text, ReadsRegionsMetricsAndRepetitions) {
    const Experiment experiment = read_experiment(
        "PARAMETER p\nPOINTS 4 8\n\nREGION main->solve\nMETRIC time\nDATA 1 1.5\nDATA 2\nMETRIC visits\nDATA "
        "7\nDATA 8\n"
        "REGION main\nDATA 9\nDATA 10\n");
    EXPECT_EQ(points_of(experiment), (std::vector<Row>{{4}, {8}}));
    ASSERT_EQ(experiment.series.size(), 3U);
    EXPECT_EQ(experiment.region(experiment.series[0]).path, "main->solve");
    EXPECT_EQ(values_of(experiment.series[0]), (std::vector<Row>{{1, 1.5}, {2}}));
    EXPECT_EQ(experiment.metric(experiment.series[1]).name, "visits");
    EXPECT_EQ(values_of(experiment.series[1]), (std::vector<Row>{{7}, {8}}));
    // METRIC stays in force where REGION changes.
    EXPECT_EQ(experiment.region(experiment.series[2]).path, "main");
    EXPECT_EQ(experiment.metric(experiment.series[2]).name, "visits");
    EXPECT_TRUE(experiment.notes.empty());
}

TEST(Text, TakesKeywordsInAnyCaseAfterBlanksAndCommentsAnywhere) {
    const Experiment experiment = read_experiment(
        "  # a comment\n parameter p\r\n\tPoints\t4\t8\n\n#POINTS 16\nregion  my   region \nMetric time  in "
        "s\n data 1\nDATA 2");
    EXPECT_EQ(points_of(experiment), (std::vector<Row>{{4}, {8}}));
    EXPECT_EQ(experiment.regions[0].path, "my region");
    EXPECT_EQ(experiment.metrics[0].name, "time in s");
    EXPECT_EQ(values_of(experiment.series[0]), (std::vector<Row>{{1}, {2}}));
}

TEST(Text, TakesPointsWithAndWithoutParentheses) {
    EXPECT_EQ(points_from("p", "1 2 3"), (std::vector<Row>{{1}, {2}, {3}}));
    EXPECT_EQ(points_from("p", "(1) ( 2 )(3)"), (std::vector<Row>{{1}, {2}, {3}}));
    EXPECT_EQ(points_from("p", "((1) (2))"), (std::vector<Row>{{1}, {2}}));
    EXPECT_EQ(points_from("p q", "(1 2) (3 4)"), (std::vector<Row>{{1, 2}, {3, 4}}));
    EXPECT_EQ(points_from("p q", "1 2 3 4"), (std::vector<Row>{{1, 2}, {3, 4}}));
    EXPECT_EQ(points_from("p q", "((1) (2)) ((3) (4))"), (std::vector<Row>{{1, 2}, {3, 4}}));
    EXPECT_EQ(points_from("p q", "((1 2) (3 4))"), (std::vector<Row>{{1, 2}, {3, 4}}));
    EXPECT_EQ(points_from("p q", "(1 2)\nPOINTS (3 4)"), (std::vector<Row>{{1, 2}, {3, 4}}));
    EXPECT_EQ(points_from("p\nPARAMETER q", "1 2\nPOINTS 3 4"), (std::vector<Row>{{1, 2}, {3, 4}}));
}

TEST(Text, TakesAnyNumberOfParameters) {
    EXPECT_EQ(points_from("a b c d e f g", "(1 2 3 4 5 6 7)"), (std::vector<Row>{{1, 2, 3, 4, 5, 6, 7}}));
}

TEST(Text, ReadsNumbersAsPythonDoes) {
    EXPECT_EQ(points_from("p", "1e6 1_000 +4 .5 2."), (std::vector<Row>{{1e6}, {1000}, {4}, {0.5}, {2}}));
}

TEST(Text, NamesTheGroupThatIsNoPoint) {
    struct Case {
        const char* parameters;
        const char* points;
        const char* message;
    };
    for (const Case& c :
         {Case{"p q", "(1 2) (2 3 4) (4 5)", "input:2: the group '(2 3 4)' has 3 numbers for 2 parameters"},
          Case{"p q", "(1 2) (3)", "input:2: the group '(3)' has 1 number for 2 parameters"},
          Case{"p", "() (3)", "input:2: the group '()' has 0 numbers for 1 parameter"},
          Case{"p q", "((1) (2) (3))", "input:2: the group '((1) (2) (3))' has 3 numbers for 2 parameters"},
          Case{"p q", "1 2 3", "input:2: the last group '3' has 1 number for 2 parameters"},
          Case{"p q r", "1 2 3 4  5", "input:2: the last group '4  5' has 2 numbers for 3 parameters"},
          Case{"p q", "(1 2) (3 4", "input:2: the group '(3 4' is not closed"},
          Case{"p q", "(1 2) 3 4", "input:2: '3' stands outside the parentheses"},
          Case{"p q", "(1 2)) (3 4)", "input:2: a ')' closes nothing"},
          Case{"p", "1 two", "input:2: coordinate 'two' is not a number"},
          Case{"p", "1,2", "input:2: coordinate '1,2' is not a number"},
          Case{"p", "", "input:2: POINTS lists nothing"},
          Case{"p", "1 inf", "input:2: a coordinate is not finite (inf)"}}) {
        const Error error = error_of(
            std::string("PARAMETER ") + c.parameters + "\nPOINTS " + c.points + "\nDATA 1\n", as_text);
        EXPECT_STREQ(error.what(), c.message);
        EXPECT_NE(error.hint(), "");
    }
}

TEST(Text, CountsARepeatedPointAsARepetition) {
    const Experiment experiment =
        read_experiment("PARAMETER p\nPOINTS 4 8 8\nREGION r\nMETRIC t\nDATA 1\nDATA 2\nDATA 3 4\n");
    EXPECT_EQ(points_of(experiment), (std::vector<Row>{{4}, {8}}));
    EXPECT_EQ(values_of(experiment.series[0]), (std::vector<Row>{{1}, {2, 3, 4}}));
    EXPECT_EQ(experiment.series[0].measurements[1].repetitions, 3U);
}

TEST(Text, CountsARepeatedBlockAsRepetitionsAndSaysSo) {
    const Experiment experiment = read_experiment(
        "PARAMETER p\nPOINTS 4 8\nREGION r\nMETRIC time\nDATA 1\nDATA 2\nREGION r\nDATA 3\nDATA 4\n");
    EXPECT_EQ(values_of(experiment.series[0]), (std::vector<Row>{{1, 3}, {2, 4}}));
    EXPECT_EQ(notes_of(experiment),
              std::vector<std::string>{
                  "input:8: 'r' / 'time' comes again; its values count as further repetitions"});
}

TEST(Text, NamesRegionAndMetricThatTheFileDoesNotName) {
    const Experiment experiment = read_experiment("PARAMETER p\nPOINTS 4\nDATA 1\n");
    EXPECT_EQ(experiment.regions[0].path, "<root>");
    EXPECT_EQ(experiment.metrics[0].name, "");
}

TEST(Text, LeavesOutPointsWithoutData) {
    const Experiment experiment = read_experiment(
        "PARAMETER p\nPOINTS 4 8 16\nREGION r\nMETRIC t\nDATA 1\nDATA\nREGION s\nDATA 1\nDATA 2\nDATA "
        "3\nREGION empty\n");
    EXPECT_EQ(values_of(experiment.series[0]), std::vector<Row>{{1}});
    EXPECT_EQ(values_of(experiment.series[1]), (std::vector<Row>{{1}, {2}, {3}}));
    EXPECT_EQ(notes_of(experiment),
              (std::vector<std::string>{"input:6: a DATA line has no value; its point counts as missing",
                                        "input:6: 'r' / 't' has DATA for 2 of 3 points",
                                        "input:11: region 'empty' has no DATA lines"}));
}

TEST(Text, ReadsFilesThatWereJoined) {
    const Experiment experiment = read_experiment(
        "PARAMETER p n\nPOINTS (1 2)\nREGION r\nMETRIC t\nDATA 1\n"
        "PARAMETER n p\nPOINTS (5 6) (2 1)\nREGION r\nMETRIC t\nDATA 2\nDATA 3\n");
    EXPECT_EQ(points_of(experiment), (std::vector<Row>{{1, 2}, {6, 5}}));
    EXPECT_EQ(values_of(experiment.series[0]), (std::vector<Row>{{1, 3}, {2}}));
    EXPECT_TRUE(experiment.notes.empty());
}

TEST(Text, SaysWhatIsWrongAndWhere) {
    const std::string start = "PARAMETER p\nPOINTS 4 8\nREGION r\nMETRIC t\n";
    struct Case {
        std::string text;
        const char* message;
        const char* hint;
    };
    for (const Case& c : {
             Case{start + "DATA 1\nDATA 2\nDATA 3\n", "input:7: DATA line 3 of 'r', but there are 2 points",
                  "give as many DATA lines as POINTS lists points"},
             Case{start + "DATA 1 x 3\n", "input:5: DATA value 'x' is not a number",
                  "write numbers as 12, 1.5 or 1e6, separated by blanks"},
             Case{"PARAMETER p\nPOINST 4\n", "input:2: unknown keyword 'POINST'", "did you mean 'POINTS'?"},
             Case{"PARAMETER p\nregoin r\n", "input:2: unknown keyword 'regoin'", "did you mean 'REGION'?"},
             Case{start + "CALLPATH r\n", "input:5: unknown keyword 'CALLPATH'",
                  "begin each line with PARAMETER, POINTS, REGION, METRIC or DATA"},
             Case{"{\"parameters\": 1}", "input:1: unknown keyword '{\"parameters\":'",
                  "the file looks like JSON: leave out --format, so that the format is detected"},
             Case{"POINTS 4\n", "input:1: no PARAMETER line stands before this one",
                  "name the parameters first, such as 'PARAMETER p'"},
             Case{"REGION r\nDATA 4\n", "input:2: no PARAMETER line stands before this one",
                  "name the parameters first, such as 'PARAMETER p'"},
             Case{"PARAMETER p\nDATA 4\n", "input:2: no POINTS line stands before this one",
                  "list the points before the first DATA line, such as 'POINTS 4 8 16'"},
             Case{"# nothing\n", "input: the file has no PARAMETER line",
                  "name the parameters first, such as 'PARAMETER p'"},
             Case{"PARAMETER p\n", "input: the file has no POINTS line",
                  "list the points before the first DATA line, such as 'POINTS 4 8 16'"},
             Case{"PARAMETER\n", "input:1: PARAMETER names nothing",
                  "write a name after it, such as 'PARAMETER p'"},
             Case{"PARAMETER p\nREGION\n", "input:2: REGION names nothing",
                  "write a name after it, such as 'REGION main'"},
             Case{"PARAMETER p\nPOINTS 4\nPARAMETER q\n", "input:3: PARAMETER comes after POINTS",
                  "move the line up, before POINTS"},
             Case{start, "input:3: nothing was measured",
                  "the first note says: region 'r' has no DATA lines"},
         }) {
        const Error error = error_of(c.text, as_text);
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_STREQ(error.what(), c.message);
        EXPECT_EQ(error.hint(), c.hint);
    }
}

TEST(Text, ShowsLittleOfALongOrUnprintableWord) {
    const auto message_for = [](const std::string& word) {
        return std::string(error_of("PARAMETER p\n" + word + " 1\n", as_text).what());
    };
    const std::string many(30, 'x');
    EXPECT_EQ(message_for(many + "\x01\xC3\xB6" + std::string(100, 'y')),
              "input:2: unknown keyword '" + many + "?\xC3\xB6yyyy...'");
    EXPECT_EQ(message_for(many + "xxxxxx\xC3\xB6yyyyy"), "input:2: unknown keyword '" + many + "xxxxxx...'");
    EXPECT_EQ(message_for("W\xF6rter\xE2\x82"),
              "input:2: unknown keyword 'W?rter?"
              "?'");
}

TEST(Text, NotesAParameterThatIsNamedAgain) {
    const Experiment experiment = read_experiment("PARAMETER p p\nPOINTS 4\nDATA 1\n");
    EXPECT_EQ(experiment.parameters.size(), 1U);
    EXPECT_EQ(notes_of(experiment), std::vector<std::string>{"input:1: parameter 'p' is named again"});
}

TEST(Text, DoesNotMindDeepParentheses) {
    const std::string deep(100000, '(');
    EXPECT_EQ(points_from("p", deep + "7" + std::string(100000, ')')), std::vector<Row>{{7}});
    EXPECT_NE(
        std::string(error_of("PARAMETER p\nPOINTS " + deep + "\n", as_text).what()).find("is not closed"),
        std::string::npos);
}

}  // namespace plimsoll::experiment
