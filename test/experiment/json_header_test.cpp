// The header objects of our own JSON lines.
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

std::vector<std::string> notes_of(const Experiment& experiment) {
    std::vector<std::string> notes;
    for (const Note& note : experiment.notes) notes.push_back(to_text(note));
    return notes;
}

}  // namespace

TEST(JsonHeader, IsRead) {
    const Experiment experiment = read_experiment(
        R"({"schema":"plimsoll.experiment/1","parameters":["n",{"name":"threads","unit":"cores"}],)"
        R"("metrics":{"load":{"unit":"1","tags":{"a": [1, 2]}},"time":{}},"regions":{"main":{"tags":{"b":true}}},)"
        R"("points":[[2,3],[1,1]],"scaling":"weak","metadata":{"program":"kernels","nodes":[1,2]},)"
        R"("extrap_modelers":[{"x":NaN}]})"
        "\n"
        R"({"params":{"threads":1,"n":1},"region":"main->a","metric":"time","value":5})");
    EXPECT_EQ(experiment.parameters[0].name, "n");
    EXPECT_EQ(experiment.parameters[1].unit, "cores");
    EXPECT_EQ(experiment.coordinates, (Row{2, 3, 1, 1}));
    ASSERT_EQ(experiment.metrics.size(), 2U);
    EXPECT_EQ(experiment.metrics[0].unit, "1");
    EXPECT_EQ(experiment.metrics[0].tags, R"({"a": [1, 2]})");
    EXPECT_EQ(experiment.metrics[1].unit, "s");
    EXPECT_EQ(experiment.regions[0].tags, R"({"b":true})");
    EXPECT_EQ(experiment.scaling, Scaling::weak);
    EXPECT_EQ(experiment.metadata.at("program"), "\"kernels\"");
    EXPECT_EQ(experiment.metadata.at("nodes"), "[1,2]");
    EXPECT_EQ(experiment.extrap_modelers, R"([{"x":"NaN"}])");
    EXPECT_TRUE(experiment.notes.empty());
}

TEST(JsonHeader, PassesOverRecordsOfRuns) {
    const Experiment experiment =
        read_experiment(R"({"run":{"number":1,"params":{"n":1},"status":"failed","lines":0}})"
                        "\n"
                        R"({"run":{"number":2,"params":{"n":1},"status":"ok","lines":1}})"
                        "\n"
                        R"({"params":{"n":1},"region":"run","metric":"time","value":5})",
                        as_lines);
    EXPECT_EQ(experiment.coordinates, (Row{1}));
    EXPECT_EQ(experiment.series[0].values, (Row{5}));
    EXPECT_TRUE(experiment.notes.empty());
    EXPECT_NE(std::string(error_of(R"({"run":1,"region":"main"})", as_lines).what()).find("no 'params'"),
              std::string::npos);
}

TEST(JsonHeader, ReadsFilesThatWereJoined) {
    const std::string lines = R"({"params":{"n":1,"p":2},"value":1})"
                              "\n";
    const Experiment experiment = read_experiment(
        lines + R"({"schema":"plimsoll.experiment/1","parameters":["p","n"],"metadata":{"host":"a"}})" +
        "\n" + lines +
        R"({"schema":"plimsoll.experiment/1","parameters":["n","p"],"metadata":{"host":"b"}})" + "\n" +
        lines);
    EXPECT_EQ(experiment.coordinates, (Row{1, 2}));
    EXPECT_EQ(experiment.series[0].measurements[0].repetitions, 3U);
    EXPECT_EQ(experiment.metadata.at("host"), "\"a\"");
    EXPECT_EQ(notes_of(experiment),
              std::vector<std::string>{"input:4: metadata 'host' differs between runs; the first is kept"});
}

TEST(JsonHeader, SaysWhatIsWrongAndWhere) {
    struct Case {
        const char* fields;
        const char* message;
    };
    for (const Case& c : {
             Case{R"("parameters":[])", "names no parameter"},
             Case{R"("parameters":["p","p"])", "parameter 'p' is named twice"},
             Case{R"("parameters":[{"unit":"s"}])", "a parameter has no 'name'"},
             Case{R"("parameters":"p")", "'parameters' of the header holds a value of the wrong kind"},
             Case{R"("metrics":{"time":"s"})", "'metrics' of the header holds a value of the wrong kind"},
             Case{R"("metadata":{"a":nonsense})", "'a' is not valid JSON"},
             Case{R"("scaling":"storng")", "unknown scaling 'storng'"},
             Case{R"("parameters":["p"],"points":[[1,2]])", "the point has 2 values for 1 parameter"},
         }) {
        const Error error =
            error_of(std::string("\n{\"schema\":\"plimsoll.experiment/1\",") + c.fields + "}", as_lines);
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_EQ(error.what(), std::string("input:2: ") + c.message);
        EXPECT_NE(error.hint(), "");
    }
    EXPECT_STREQ(error_of(R"({"schema":"plimsoll.experiment/9"})", as_lines).what(),
                 "input:1: the schema is 'plimsoll.experiment/9', not 'plimsoll.experiment/1'");
    EXPECT_EQ(error_of(R"({"schema":"plimsoll.fit/1"})", as_lines).hint(),
              "give a file that holds an experiment");
}

TEST(JsonHeader, RefusesToMixUnitsOrScalings) {
    EXPECT_STREQ(error_of("{\"params\":{\"p\":1},\"unit\":\"s\",\"value\":1}\n{\"params\":{\"p\":1},\"unit\":"
                          "\"ms\",\"value\":1}",
                          as_lines)
                     .what(),
                 "input:2: metric '<default>' is in 'ms' here, and in 's' before");
    EXPECT_STREQ(error_of("{\"schema\":\"plimsoll.experiment/1\",\"scaling\":\"weak\"}\n"
                          "{\"schema\":\"plimsoll.experiment/1\",\"scaling\":\"strong\"}",
                          as_lines)
                     .what(),
                 "input:2: the scaling is 'strong' here, and 'weak' before");
}

}  // namespace plimsoll::experiment
