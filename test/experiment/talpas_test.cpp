#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/support/read_text.hpp"

namespace plimsoll::experiment {

namespace {

using test::error_of;
using test::read_experiment;

using Row = std::vector<double>;

const ReadOptions as_talpas{.format = "talpas"};

Row values_of(const Series& series, std::size_t measurement = 0) {
    const auto values = series.values_of(series.measurements[measurement]);
    return {values.begin(), values.end()};
}

}  // namespace

TEST(Talpas, ReadsSemicolonsAsCommasOutsideStrings) {
    const Experiment experiment = read_experiment(
        "{\"parameters\":{\"p\":4;\"n\":1};\"metric\":\"time\";\"callpath\":\"f(int; "
        "int)\";\"value\":[1;2]}\n"
        "{\"parameters\":{\"p\":8;\"n\":1};\"metric\":\"time\";\"callpath\":\"f(int; int)\";\"value\":NaN}\n"
        "{\"parameters\":{\"p\":8,\"n\":1},\"metric\":\"time\",\"callpath\":\"f(int; int)\",\"value\":-3}\n");
    EXPECT_EQ(experiment.regions[0].path, "f(int; int)");
    EXPECT_EQ(experiment.coordinates, (Row{4, 1, 8, 1}));
    EXPECT_EQ(values_of(experiment.series[0]), (Row{1, 2}));
    EXPECT_EQ(values_of(experiment.series[0], 1), Row{-3});
}

TEST(Talpas, WantsAllFourKeys) {
    for (const std::string absent : {"parameters", "metric", "callpath", "value"}) {
        std::string line;
        for (const std::string field :
             {R"("parameters":{"p":4})", R"("metric":"time")", R"("callpath":"r")", R"("value":1)"}) {
            if (field.find(absent) == std::string::npos) line += (line.empty() ? "{" : ";") + field;
        }
        const Error error = error_of(line + "}", as_talpas);
        EXPECT_EQ(error.what(), "input:1: the line has no '" + absent + "'");
        EXPECT_EQ(error.hint(), "a Talpas line has the keys parameters, metric, callpath and value");
    }
}

}  // namespace plimsoll::experiment
