#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/support/read_text.hpp"

namespace plimsoll::experiment {

namespace {

using test::error_of;
using test::read_experiment;

using Row = std::vector<double>;

const ReadOptions as_lines{.format = "jsonl"};

Row values_of(const Series& series, std::size_t measurement = 0) {
    const auto values = series.values_of(series.measurements[measurement]);
    return {values.begin(), values.end()};
}

std::vector<std::uint32_t> locations_of(const Series& series, std::size_t measurement = 0) {
    const auto locations = series.locations_of(series.measurements[measurement]);
    return {locations.begin(), locations.end()};
}

std::vector<std::string> notes_of(const Experiment& experiment) {
    std::vector<std::string> notes;
    for (const Note& note : experiment.notes) notes.push_back(to_text(note));
    return notes;
}

/// The values of one line whose `value` is as given.
Row values_from(const std::string& value) {
    return values_of(read_experiment(R"({"params":{"p":4},"value":)" + value + "}").series.at(0));
}

}  // namespace

TEST(JsonLines, ReadsExtraPsLines) {
    const Experiment experiment = read_experiment(
        R"({"params":{"p":4,"n":10},"callpath":"main->a","metric":"time","value":[1,2.5]}
{"value":3e0,"metric":"time","callpath":"main->a","params":{"n":10,"p":8}}

{"params":{"p":4,"n":10},"callpath":"main->a","metric":"time","value":4})");
    ASSERT_EQ(experiment.parameters.size(), 2U);
    EXPECT_EQ(experiment.parameters[1].name, "n");
    EXPECT_EQ(experiment.coordinates, (Row{4, 10, 8, 10}));
    ASSERT_EQ(experiment.series.size(), 1U);
    EXPECT_EQ(experiment.regions[0].path, "main->a");
    EXPECT_EQ(values_of(experiment.series[0], 0), (Row{1, 2.5, 4}));
    EXPECT_EQ(values_of(experiment.series[0], 1), Row{3});
    EXPECT_TRUE(experiment.notes.empty());
}

TEST(JsonLines, ReadsOurOwnLines) {
    const Experiment experiment = read_experiment(
        R"({"params":{"n":1000},"region":"main->\u00e4 \"b\"","metric":"bytes sent","unit":"KiB","values":[7]})");
    EXPECT_EQ(experiment.regions[0].path, "main->\xC3\xA4 \"b\"");
    EXPECT_EQ(experiment.metrics[0].name, "bytes sent");
    EXPECT_EQ(experiment.metrics[0].unit, "KiB");
}

TEST(JsonLines, NamesRegionAndMetricAsExtraPDoes) {
    const Experiment experiment = read_experiment(R"({"params":{"p":4},"value":16})");
    EXPECT_EQ(experiment.regions[0].path, "<root>");
    EXPECT_EQ(experiment.metrics[0].name, "<default>");
}

TEST(JsonLines, ReadsValuesOfProcessesByRepetition) {
    const Experiment experiment = read_experiment(
        R"({"params":{"p":4},"value":[[1,2],[3,4,5],6]}
{"params":{"p":8},"value":[7,[8,9],[]]})");
    const Series& series = experiment.series[0];
    EXPECT_EQ(values_of(series, 0), (Row{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(locations_of(series, 0), (std::vector<std::uint32_t>{2, 3, 1}));
    EXPECT_EQ(series.measurements[0].repetitions, 3U);
    EXPECT_EQ(locations_of(series, 1), (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(notes_of(experiment),
              std::vector<std::string>{"input:2: a repetition without values is left out"});
}

TEST(JsonLines, ReadsSummaries) {
    const Experiment experiment = read_experiment(
        R"({"params":{"p":4},"summary":{"mean":2,"median":1.5,"minimum":1,"maximum":4,"deviation":0.5,"repetitions":3}}
{"params":{"p":8},"summary":{"median":1.5,"mean":2}}
{"params":{"p":16},"summary":{"mean":2,"median":1.5,"minimum":1,"maximum":Infinity,"deviation":NaN}})");
    const auto& measurements = experiment.series[0].measurements;
    EXPECT_EQ(measurements[0].repetitions, 3U);
    EXPECT_TRUE(measurements[0].complete_summary);
    EXPECT_EQ(measurements[0].summary.maximum, 4.0);
    EXPECT_EQ(measurements[0].summary.deviation, 0.5);
    EXPECT_EQ(measurements[1].repetitions, 0U);
    EXPECT_FALSE(measurements[1].complete_summary);
    EXPECT_EQ(measurements[1].summary.mean, 2.0);
    EXPECT_FALSE(measurements[2].complete_summary);
}

TEST(JsonLines, TakesPythonsLiteralsForValuesThatAreNotFinite) {
    EXPECT_EQ(values_from("[NaN, 1, Infinity, -Infinity, -2, 1e999]"), (Row{1, -2}));
    const Experiment experiment = read_experiment(
        "{\"params\":{\"p\":4},\"region\":\"NaN \\\" Infinity\",\"value\":[1,NaN]}\n"
        "{\"params\":{\"p\":8},\"region\":\"NaN \\\" Infinity\",\"value\":-Infinity}\n");
    EXPECT_EQ(experiment.regions[0].path, "NaN \" Infinity");
    EXPECT_EQ(experiment.series[0].measurements.size(), 1U);
    EXPECT_EQ(notes_of(experiment),
              (std::vector<std::string>{
                  "input:1: a value of 'NaN \" Infinity' is not finite (nan) and is left out",
                  "input:2: a value of 'NaN \" Infinity' is not finite (-inf) and is left out"}));
}

TEST(JsonLines, ReadsNumbersInQuotesAndSaysSoOnce) {
    const Experiment experiment = read_experiment(
        R"({"params":{"p":"4"},"value":["1"," 2.5 "]}
{"params":{"p":"8"},"value":"3"})");
    EXPECT_EQ(experiment.coordinates, (Row{4, 8}));
    EXPECT_EQ(values_of(experiment.series[0]), (Row{1, 2.5}));
    EXPECT_EQ(notes_of(experiment),
              std::vector<std::string>{"input:1: numbers are written as strings, and read as numbers"});
}

TEST(JsonLines, LeavesOutNullAndEmptyValues) {
    const Experiment experiment = read_experiment(
        R"({"params":{"p":4},"value":[null,1,[2,null]]}
{"params":{"p":8},"value":null}
{"params":{"p":16},"value":[]})");
    ASSERT_EQ(experiment.series[0].measurements.size(), 1U);
    EXPECT_EQ(values_of(experiment.series[0]), (Row{1, 2}));
    EXPECT_EQ(notes_of(experiment),
              (std::vector<std::string>{"input:1: a value is null and is left out (2 times)",
                                        "input:3: a line has no values; its point counts as missing"}));
}

TEST(JsonLines, NotesEachUnknownNameOnce) {
    const Experiment experiment = read_experiment(
        R"({"params":{"p":4},"value":1,"id":7,"more":{"a":[1]}}
{"params":{"p":8,"q":3},"value":1,"id":8}
{"params":{"p":8,"q":4},"value":1,"id":9})");
    EXPECT_EQ(notes_of(experiment),
              (std::vector<std::string>{"input:1: the key 'id' is not known and is ignored",
                                        "input:1: the key 'more' is not known and is ignored",
                                        "input:2: the parameter 'q' is not known and is ignored"}));
    EXPECT_EQ(values_of(experiment.series[0], 1), (Row{1, 1}));
}

TEST(JsonLines, StopsNotingWhereNamesDoNotEnd) {
    std::string text;
    for (int i = 0; i < 1000; ++i)
        text += "{\"params\":{\"p\":4},\"value\":1,\"k" + std::to_string(i) + "\":0}\n";
    const Experiment experiment = read_experiment(text);
    EXPECT_EQ(experiment.notes.size(), 17U);
    EXPECT_EQ(experiment.notes.back().message, "further unknown names are ignored without a note");
}

TEST(JsonLines, SaysWhatIsWrongAndWhere) {
    const std::string start = R"({"params":{"p":4,"q":1},"value":1})"
                              "\n";
    struct Case {
        const char* line;
        const char* message;
        const char* hint;
    };
    const char* const example = R"(write lines such as {"params": {"p": 4}, "region": "main", "value": 1.5})";
    const char* const number = "write numbers as 12, 1.5 or 1e6";
    const char* const cut = "drop the line if its program was stopped while writing it";
    for (const Case& c : {
             Case{R"({"params":{"p":8},"value":2})", "parameter 'q' is missing",
                  "give a value for each of p, q"},
             Case{R"({"params":{"p":8,"q":1}})", "the line has no 'value'", example},
             Case{R"({"params":{"p":8,"q":1},"valuee":2})", "the line has no 'value'",
                  "did you mean 'value' where it says 'valuee'?"},
             Case{R"({"param":{"p":8,"q":1},"value":2})", "the line has no 'params'",
                  "did you mean 'params' where it says 'param'?"},
             Case{R"({"params":{"p":8,"p":1},"value":2})", "parameter 'p' is given twice",
                  "keep one of the two"},
             Case{R"({"params":{"p":8,"q":1},"value":2,"values":3})", "'values' is given twice",
                  "keep one of the two"},
             Case{R"({"params":{"p":8,"q":1},"region":"a","callpath":"a","value":2})",
                  "'callpath' is given twice", "keep one of the two"},
             Case{R"({"params":[8,1],"value":2})", "the parameters are a list, not an object",
                  R"(write them by name, such as {"p": 4, "n": 1000})"},
             Case{R"({"params":{"p":8,"q":null},"value":2})", "parameter 'q' is null",
                  "give the number that the program ran with"},
             Case{R"({"params":{"p":8,"q":NaN},"value":2})", "a coordinate is not finite (nan)",
                  "give the number that the program ran with"},
             Case{R"({"params":{"p":8,"q":1},"value":"fast"})", "a value 'fast' is not a number", number},
             Case{R"({"params":{"p":8,"q":1},"value":true})", "a value is true or false, not a number",
                  number},
             Case{R"({"params":{"p":8,"q":1},"value":{"a":1}})", "a value is an object, not a number",
                  number},
             Case{R"({"params":{"p":8,"q":1},"value":[[[1]]]})", "a value is a list, not a number", number},
             Case{R"({"params":{"p":8,"q":1},"value":01})", "a value '01' is not a number in JSON",
                  "write it as 1"},
             Case{R"({"parameters":{"p":8,"q":1},"value":2})", "the line has no 'params'",
                  "did you mean 'params' where it says 'parameters'?"},
             Case{R"({"params":{"p":8,"q":1},"value":1},)", "a comma stands behind the object",
                  "drop the comma: in JSON lines nothing separates the objects"},
             Case{R"({"params":{"p":8,"q":1},"value":1}})", "'}' stands behind the object",
                  "drop it, or open the bracket that it closes"},
             Case{R"({"params":{"p":8,"q":1},"value":1,"region":7})", "'region' is a number, not a string",
                  "write it in double quotes"},
             Case{R"({"params":{"p":8,"q":1},"value":1,"summary":{"mean":1,"median":1}})",
                  "has both values and a summary", "drop 'summary': it follows from the values"},
             Case{R"({"params":{"p":8,"q":1},"summary":{"mean":1}})", "the summary has no 'median'",
                  "give mean and median at least"},
             Case{R"({"params":{"p":8,"q":1},"summary":{"mean":1,"median":1,"repetitions":1.5}})",
                  "1.5 is no number of repetitions", "give a whole number"},
             Case{R"({"params":{"p":8,"q":1},"value":)", "the line ends in the middle of its object", cut},
             Case{R"({"params":{"p":8,"q":1},"value":1)", "the line ends in the middle of its object", cut},
             Case{R"({"params":{"p":8,"q":1},"value":[1,2)", "the line ends in the middle of its object",
                  cut},
             Case{R"({"params":{"p":8,"q":1},"region":"ma)", "the line ends in the middle of its object",
                  cut},
             Case{R"({"params":{"p":8,"q":1};"value":1})", "semicolons stand where JSON has commas",
                  "read Talpas lines with --format talpas"},
             Case{R"([1,2,3])", "'[1,2,3]' is not a JSON object", "write one JSON object on each line"},
             Case{"p=8 q=1", "'p=8 q=1' is not a JSON object", "write one JSON object on each line"},
             Case{R"({"params":{"p":8,"q":1},"value":1}{})", "more than one JSON object on the line",
                  "give each object a line of its own"},
             Case{"{\"params\":{\"p\":8,\"q\":1},\"region\":\"\xFF\",\"value\":1}", "the line is not UTF-8",
                  "write names in UTF-8"},
         }) {
        const Error error = error_of(start + "\n" + c.line + "\n" + start, as_lines);
        EXPECT_EQ(error.kind(), ErrorKind::input) << c.line;
        EXPECT_EQ(error.what(), std::string("input:3: ") + c.message) << c.line;
        EXPECT_EQ(error.hint(), c.hint) << c.line;
    }
    for (const char* broken :
         {R"({"params":{"p":8,"q":1},"value":1,})", R"({"params":{"p":8,"q":1} "value":1})",
          R"({"params":{"p":8,"q":1},"value":nul})", R"({params:1})", R"({"params":{"p":8],"value":1})",
          R"({"params":{"p":8,"q":1},"value":[1,]})", R"({"params":{"p":8,"q":1},"value":1}})"}) {
        const Error error = error_of(start + broken, as_lines);
        EXPECT_EQ(error.kind(), ErrorKind::input) << broken;
        EXPECT_EQ(error.place().line, 2U) << broken;
        EXPECT_NE(error.hint(), "") << broken;
    }
}

TEST(JsonLines, RefusesASecondSummaryOfAPoint) {
    const std::string line = R"({"params":{"p":8},"summary":{"mean":1,"median":1}})";
    EXPECT_STREQ(error_of(line + "\n" + line, as_lines).what(), "input:2: '<root>' has two summaries at p=8");
}

TEST(JsonLines, ReadsLinesLongerThanABlock) {
    std::string values;
    for (int i = 0; i < 200000; ++i) values += (i == 0 ? "" : ",") + std::to_string(i);
    const Experiment experiment = read_experiment("{\"params\":{\"p\":4},\"value\":[" + values +
                                                  "]}\n{\"params\":{\"p\":8},\"value\":1}");
    EXPECT_EQ(experiment.series[0].measurements[0].repetitions, 200000U);
    EXPECT_EQ(experiment.series[0].measurements[0].summary.maximum, 199999.0);
}

TEST(JsonLines, DoesNotMindDeepNesting) {
    const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
    const Experiment experiment = read_experiment(
        "{\"schema\":\"plimsoll.experiment/1\",\"metadata\":{\"deep\":" + std::string(1000, '[') +
        std::string(1000, ']') + "}}\n{\"params\":{\"p\":4},\"value\":1}");
    EXPECT_EQ(experiment.metadata.at("deep").size(), 2000U);
    EXPECT_EQ(error_of("{\"params\":{\"p\":4},\"value\":" + deep + "}", as_lines).kind(), ErrorKind::input);
    EXPECT_EQ(error_of("{\"params\":{\"p\":4},\"deep\":" + deep + "}", as_lines).kind(), ErrorKind::input);
}

}  // namespace plimsoll::experiment
