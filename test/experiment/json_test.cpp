#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/support/read_text.hpp"

namespace plimsoll::experiment {

namespace {

using test::error_of;
using test::read_experiment;

using Row = std::vector<double>;

const ReadOptions as_json{.format = "json"};

Row values_of(const Series& series, std::size_t measurement = 0) {
    const auto values = series.values_of(series.measurements.at(measurement));
    return {values.begin(), values.end()};
}

std::vector<std::string> notes_of(const Experiment& experiment) {
    std::vector<std::string> notes;
    for (const Note& note : experiment.notes) notes.push_back(to_text(note));
    return notes;
}

/// A document of the new form with these entries below one region and metric.
std::string new_form(const std::string& entries) {
    return "{\"parameters\": [\"p\"],\n\"measurements\": {\"main\": {\"time\": [\n" + entries + "\n]}}}";
}

/// A document of the old form with one parameter and other lists as given.
std::string old_form(const std::string& coordinates, const std::string& measurements) {
    return "{\"parameters\":[{\"id\":1,\"name\":\"p\"}],\n\"callpaths\":[{\"id\":1,\"name\":\"main\"}],\n"
           "\"metrics\":[{\"id\":1,\"name\":\"time\"}],\n\"coordinates\":[" +
           coordinates + "],\n\"measurements\":[" + measurements + "]}";
}

const std::string one_coordinate =
    R"({"id":1,"parameter_value_pairs":[{"parameter_id":1,"parameter_value":4}]})";
const std::string one_row = R"({"id":1,"coordinate_id":1,"callpath_id":1,"metric_id":1,"value":3.5})";

}  // namespace

TEST(JsonNewForm, ReadsRegionsMetricsAndPoints) {
    const Experiment experiment = read_experiment(R"({
        "parameters": ["p", "n"],
        "measurements": {
            "main": {"time": [{"point": [4, 10], "values": [1, 2.5]}, {"point": [8, 10], "values": 3}],
                     "visits": [{"point": [4, 10], "values": [1e3]}]},
            "main->a": {"time": [{"values": [5], "point": [4, 10]}]}
        }
    })");
    EXPECT_EQ(experiment.coordinates, (Row{4, 10, 8, 10}));
    ASSERT_EQ(experiment.series.size(), 3U);
    EXPECT_EQ(values_of(experiment.series[0], 0), (Row{1, 2.5}));
    EXPECT_EQ(values_of(experiment.series[0], 1), Row{3});
    EXPECT_EQ(experiment.metric(experiment.series[1]).name, "visits");
    EXPECT_EQ(experiment.region(experiment.series[2]).path, "main->a");
    EXPECT_TRUE(experiment.notes.empty());
}

TEST(JsonNewForm, TakesTheParametersLast) {
    const Experiment experiment = read_experiment(
        R"({"measurements":{"r":{"t":[{"point":[1,2],"values":[3]},{"point":[4,5],"values":[[6,7]]}]}},"parameters":["b","a"]})");
    EXPECT_EQ(experiment.parameters[0].name, "b");
    EXPECT_EQ(experiment.coordinates, (Row{1, 2, 4, 5}));
    EXPECT_EQ(values_of(experiment.series[0], 1), (Row{6, 7}));
    EXPECT_EQ(experiment.series[0].measurements[1].repetitions, 1U);
}

TEST(JsonNewForm, TakesAPointThatIsANumber) {
    EXPECT_EQ(read_experiment(new_form(R"({"point": 4, "values": [1]})")).coordinates, Row{4});
}

TEST(JsonNewForm, CountsARepeatedPointAsARepetition) {
    const Experiment experiment = read_experiment(
        new_form(R"({"point":[4],"values":[1]},{"point":[8],"values":[2]},{"point":[4],"values":[3]})"));
    EXPECT_EQ(values_of(experiment.series[0], 0), (Row{1, 3}));
}

TEST(JsonNewForm, LeavesOutNullAndEmptyValues) {
    const Experiment experiment = read_experiment(new_form(
        R"({"point":[4],"values":[]},{"point":[8],"values":[null,1]},{"point":[16],"values":null},{"point":[32],"values":[[2,null],[]]})"));
    EXPECT_EQ(experiment.series[0].measurements.size(), 2U);
    EXPECT_EQ(notes_of(experiment),
              (std::vector<std::string>{"input:3: a measurement has no values; its point counts as missing",
                                        "input:3: a value is null and is left out (3 times)",
                                        "input:3: a repetition without values is left out"}));
}

TEST(JsonNewForm, ReadsNumbersInQuotesAndSaysSoOnce) {
    const Experiment experiment =
        read_experiment(new_form(R"({"point":["4"],"values":["1","2.5"]},{"point":"8","values":"3"})"));
    EXPECT_EQ(experiment.coordinates, (Row{4, 8}));
    EXPECT_EQ(values_of(experiment.series[0]), (Row{1, 2.5}));
    EXPECT_EQ(notes_of(experiment),
              std::vector<std::string>{"input:3: numbers are written as strings, and read as numbers"});
}

TEST(JsonNewForm, IgnoresUnknownKeysWhateverTheyHold) {
    const Experiment experiment = read_experiment(
        "{\"tool\":\"x\",\"parameters\":[\"p\"],\"measurements\":{\"r\":{\"t\":[{\"point\":[4],\"values\":[1]"
        ",\n"
        "\"host\":{\"point\":[8],\"values\":[[],{}]}}]}},\"empty\":{}}");
    EXPECT_EQ(values_of(experiment.series[0]), Row{1});
    EXPECT_EQ(notes_of(experiment),
              (std::vector<std::string>{"input:1: the key 'tool' is not known and is ignored",
                                        "input:2: the key 'host' is not known and is ignored",
                                        "input:2: the key 'empty' is not known and is ignored"}));
}

// Blocks of the file are 64 KiB: no literal may be lost where one ends and the next begins.
TEST(JsonNewForm, TakesPythonsLiteralsWhereverTheyStand) {
    for (std::size_t blanks = 65490; blanks < 65540; ++blanks) {
        const std::string head = R"({"parameters":["p"],"measurements":{"NaN":{"t":[{"point":[4],"values":[)";
        const Experiment experiment = read_experiment(head + std::string(blanks - head.size(), ' ') +
                                                      "NaN,-Infinity,-1.5,Infinity,2]}]}}}");
        ASSERT_EQ(values_of(experiment.series[0]), (Row{-1.5, 2})) << blanks;
        ASSERT_EQ(experiment.regions[0].path, "NaN");
    }
}

TEST(JsonNewForm, SaysWhatIsWrongAndWhere) {
    struct Case {
        std::string text;
        const char* message;
        const char* hint;
    };
    const char* const shapes =
        "give an object with 'parameters' and 'measurements', the old form with 'callpaths' beside them, or "
        "JSON lines "
        "with 'params' and 'value'";
    for (const Case& c : {
             Case{new_form("{\"point\":[4],\"values\":[1]},\n{\"values\":[2]}"),
                  "input:4: a measurement has no 'point'", "add 'point' to it"},
             Case{new_form("{\"point\":[4],\n\"value\":[1]}"), "input:3: a measurement has no 'values'",
                  "did you mean 'values' where it says 'value'?"},
             Case{new_form("{\"point\":[4],\n\"values\":{}}"),
                  "input:4: 'values' of a measurement is an object",
                  "write a list or a number or null there"},
             Case{new_form("{\"point\":[4,5],\"values\":1}"),
                  "input:3: the point has 2 values for 1 parameter", "give a value for each of p"},
             Case{new_form("{\"point\":[true],\"values\":1}"), "input:3: 'point' holds true or false",
                  "write a number there"},
             Case{new_form("{\"point\":[4],\"values\":[\"fast\"]}"), "input:3: 'fast' is not a number",
                  "write numbers as 12, 1.5 or 1e6"},
             Case{new_form("{\"point\":[4],\"values\":[1],\"values\":[2]}"),
                  "input:3: a measurement has 'values' twice", "keep one of the two"},
             Case{new_form("{\"point\":[4],\"values\":[1,\n1e999]}"),
                  "input:4: the number 1e999 is too large", "give a finite number"},
             Case{new_form("{\"point\":[4],\n\"values\":[1\n2]}"), "input:5: is not valid JSON at '2'",
                  "write numbers without a 0 before them, and commas between them"},
             Case{new_form("{\"point\":[4],\n\"values\":[01]}"), "input:4: is not valid JSON at '1'",
                  "write numbers without a 0 before them, and commas between them"},
             Case{"{\"parameters\":[\"p\"],\n\"measurements\":{\"r\":{\"t\":[{\"point\":[4],\"values\":[1",
                  "input:2: the document ends in the middle", "check that the file was written to its end"},
             Case{"{\"parameters\":[\"p\"],\n\"measurements\":{\"r",
                  "input:2: the document ends in the middle", "check that the file was written to its end"},
             Case{"{\"parameters\":\n[tru", "input:2: the document ends in the middle",
                  "check that the file was written to its end"},
             Case{"{\"parameters\"\n1}", "input:2: is not valid JSON at '1'", "mend the file there"},
             Case{"{\"parameters\":\n[\"\xFF\"]}", "input:2: the document is not UTF-8",
                  "write names in UTF-8"},
             Case{"{\"parameters\":[\"p\"]}", "input:1: the document has no 'measurements'",
                  "add 'measurements' to it"},
             Case{"{\"measurements\":{\"r\":{\"t\":[]}}}", "input:1: the document names no parameters",
                  "add a list such as \"parameters\": [\"p\", \"n\"]"},
             Case{"{\"parameters\":[\"p\"],\"measurements\":{\"r\":[]}}",
                  "input:1: 'r' of 'measurements' is a list", "write an object there"},
             Case{"{\"parameters\":[1],\"measurements\":{}}",
                  "input:1: the list of parameters holds a number", "write a string or an object there"},
             Case{"{\"parameters\":[\"p\",\"p\"],\"measurements\":{}}",
                  "input:1: parameter 'p' is named twice", "give each parameter a name of its own"},
             Case{"\n[1,2]", "input:2: the document is a list, not an object", shapes},
             Case{"{\"a\":1,\n\"b\":[2]}", "input:2: the document is of no known shape", shapes},
             Case{new_form("{\"point\":[4],\"values\":1}") + "\n{}",
                  "input:5: the file goes on after the end of the document", "give one document a file"},
             Case{"{\"parameters\":[\"p\"];\"measurements\":{}}",
                  "input:1: semicolons stand where JSON has commas",
                  "read Talpas lines with --format talpas"},
             Case{"hello", "input:1: 'hello' is not the beginning of a JSON document",
                  "leave out --format, so that the format is detected"},
         }) {
        const Error error = error_of(c.text, as_json);
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_STREQ(error.what(), c.message);
        EXPECT_EQ(error.hint(), c.hint);
    }
}

TEST(JsonOldForm, ReadsDefinitionsAndRows) {
    const Experiment experiment = read_experiment(old_form(
        one_coordinate + R"(,{"id":2,"parameter_value_pairs":[{"parameter_id":1,"parameter_value":8}]})",
        one_row + R"(,{"coordinate_id":2,"callpath_id":1,"metric_id":1,"value":7},)" + one_row));
    EXPECT_EQ(experiment.coordinates, (Row{4, 8}));
    EXPECT_EQ(experiment.regions[0].path, "main");
    EXPECT_EQ(values_of(experiment.series[0], 0), (Row{3.5, 3.5}));
    EXPECT_EQ(values_of(experiment.series[0], 1), Row{7});
    EXPECT_TRUE(experiment.notes.empty());
}

TEST(JsonOldForm, ResolvesIdsWhateverTheirOrderAndGaps) {
    const Experiment experiment = read_experiment(R"({
        "measurements": [{"coordinate_id": 90, "callpath_id": 0, "metric_id": 7, "value": 1}],
        "coordinates": [{"parameter_value_pairs": [{"parameter_id": 30, "parameter_value": 2},
                                                   {"parameter_id": -4, "parameter_value": 3}], "id": 90}],
        "metrics": [{"id": 9, "name": "visits"}, {"id": 7, "name": "time"}],
        "callpaths": [{"id": 5, "name": "other"}, {"id": 0, "name": "main"}],
        "parameters": [{"id": 30, "name": "p"}, {"id": -4, "name": "n"}]
    })");
    EXPECT_EQ(experiment.parameters[0].name, "n");
    EXPECT_EQ(experiment.coordinates, (Row{3, 2}));
    ASSERT_EQ(experiment.series.size(), 1U);
    EXPECT_EQ(experiment.region(experiment.series[0]).path, "main");
    EXPECT_EQ(experiment.metric(experiment.series[0]).name, "time");
}

TEST(JsonOldForm, TakesIdsAndValuesInQuotesAndLeavesOutNull) {
    const Experiment experiment = read_experiment(
        old_form(one_coordinate, R"({"coordinate_id":"1","callpath_id":1,"metric_id":1,"value":"2"},)"
                                 R"({"coordinate_id":1,"callpath_id":1,"metric_id":1,"value":null})"));
    EXPECT_EQ(values_of(experiment.series[0]), Row{2});
    EXPECT_EQ(experiment.notes.size(), 2U);
}

TEST(JsonOldForm, SaysWhatIsWrongAndWhere) {
    struct Case {
        std::string text;
        const char* message;
    };
    const auto row_with = [](const std::string& ids) {
        return old_form(one_coordinate, one_row + ",\n{" + ids + R"(,"value":1})");
    };
    for (const Case& c : {
             Case{row_with(R"("coordinate_id":2,"callpath_id":1,"metric_id":1)"),
                  "input:6: there is no coordinate with the id 2"},
             Case{row_with(R"("coordinate_id":1,"callpath_id":0,"metric_id":1)"),
                  "input:6: there is no callpath with the id 0"},
             Case{row_with(R"("coordinate_id":1,"callpath_id":1,"metric_id":9)"),
                  "input:6: there is no metric with the id 9"},
             Case{row_with(R"("coordinate_id":1,"callpath_id":1)"),
                  "input:6: a measurement has no 'metric_id'"},
             Case{row_with(R"("coordinate_id":1.5,"callpath_id":1,"metric_id":1)"),
                  "input:6: 'coordinate_id' is 1.5, not a whole number"},
             Case{row_with(R"("coordinate_id":"nan","callpath_id":1,"metric_id":1)"),
                  "input:6: 'coordinate_id' is nan, not a whole number"},
             Case{old_form(one_coordinate + ",\n" + one_coordinate, one_row),
                  "input:5: the id 1 stands for two coordinates"},
             Case{old_form(R"({"id":1,"parameter_value_pairs":[]})", one_row),
                  "input:4: the coordinate has no value for 'p'"},
             Case{old_form(R"({"id":1,"parameter_value_pairs":[{"parameter_id":2,"parameter_value":1}]})",
                           one_row),
                  "input:4: there is no parameter with the id 2"},
             Case{old_form(R"({"id":1,"parameter_value_pairs":[{"parameter_id":1}]})", one_row),
                  "input:4: a pair of parameter and value has no 'parameter_value'"},
             Case{
                 old_form(one_coordinate, R"({"coordinate_id":1,"callpath_id":1,"metric_id":1,"value":[1]})"),
                 "input:5: 'value' of a measurement is a list"},
             Case{R"({"callpaths":[],"measurements":[]})", "input:1: the document has no list 'parameters'"},
             Case{R"({"parameters":[],"callpaths":[],"metrics":[],"coordinates":[],"measurements":[]})",
                  "input: the document defines no parameter"},
             Case{R"({"parameters":["p",{"id":1,"name":"q"}],"measurements":{}})",
                  "input:1: the list of parameters mixes names and definitions"},
             Case{R"({"parameters":["p"],"callpaths":[],"measurements":{}})",
                  "input:1: 'measurements' beside 'callpaths' is an object, not a list"},
         }) {
        const Error error = error_of(c.text, as_json);
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_STREQ(error.what(), c.message);
        EXPECT_NE(error.hint(), "");
    }
}

TEST(Json, DoesNotMindDeepNesting) {
    const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
    const Experiment experiment = read_experiment(
        "{\"deep\":" + deep +
        ",\"parameters\":[\"p\"],\"measurements\":{\"r\":{\"t\":[{\"point\":4,\"values\":1}]}}}");
    EXPECT_EQ(values_of(experiment.series[0]), Row{1});
    EXPECT_STREQ(error_of(new_form("{\"point\":[4],\"values\":" + deep + "}"), as_json).what(),
                 "input:3: 'values' holds a list");
    std::string objects;
    for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
    EXPECT_EQ(error_of(objects, as_json).kind(), ErrorKind::input);
}

}  // namespace plimsoll::experiment
