#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "plimsoll/core/progress.hpp"
#include "test/support/golden.hpp"
#include "test/support/read_text.hpp"
#include "test/support/shared_data.hpp"

namespace plimsoll::experiment {
namespace {

using test::error_of;
using test::read_experiment;

/// Writes records as Extra-P 3 does, in either byte order.
class Extrap3Text {
  public:
    explicit Extrap3Text(std::endian order = std::endian::little) : order_(order) {
        whole(1, 2);
        text("EXTRAP_EXPERIMENT").text("1.0");
    }
    Extrap3Text& text(std::string_view value) {
        whole(value.size(), 4);
        bytes_ += value;
        return *this;
    }
    Extrap3Text& integer(std::int64_t value) { return whole(static_cast<std::uint64_t>(value), 8); }
    Extrap3Text& number(double value) { return whole(std::bit_cast<std::uint64_t>(value), 8); }
    Extrap3Text& numbers(std::initializer_list<double> values) {
        for (const double value : values) number(value);
        return *this;
    }
    Extrap3Text& whole(std::uint64_t value, int width) {
        for (int i = 0; i < width; ++i) {
            const int byte = order_ == std::endian::big ? width - 1 - i : i;
            bytes_.push_back(static_cast<char>((value >> static_cast<unsigned>(8 * byte)) & 0xFFU));
        }
        return *this;
    }
    /// A parameter p, a metric time in s and two call paths main and main->work.
    Extrap3Text& definitions() {
        text("Parameter").integer(0).text("p");
        text("Metric").integer(0).text("time").text("s");
        text("Region").integer(0).text("main").text("main.c").integer(1);
        text("Region").integer(1).text("work").text("main.c").integer(9);
        text("Callpath").integer(0).integer(0).integer(-1);
        return text("Callpath").integer(1).integer(1).integer(0);
    }
    Extrap3Text& coordinate(std::int64_t id, double p) {
        return text("Coordinate").integer(id).integer(1).text("p").number(p);
    }
    Extrap3Text& point(std::int64_t coordinate, std::int64_t path, double mean) {
        text("ExperimentPoint").integer(coordinate).integer(5);
        numbers({mean, mean - 0.5, mean + 0.5, 0.25, mean + 0.1, mean, mean + 0.2, mean - 1.0, mean + 1.0});
        return integer(0).integer(path);
    }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    std::endian order_;
    std::string bytes_;
};

Extrap3Text two_points(std::endian order = std::endian::little) {
    Extrap3Text text(order);
    text.definitions().coordinate(0, 4.0).coordinate(1, 8.0);
    text.point(0, 0, 10.0).point(1, 0, 20.0).point(0, 1, 3.0).point(1, 1, 6.0);
    return text;
}

class Extrap3ByteOrder : public testing::TestWithParam<std::endian> {};

TEST_P(Extrap3ByteOrder, IsRecognisedAndGivesTheSameExperiment) {
    const Experiment experiment = read_experiment(two_points(GetParam()).bytes());
    ASSERT_EQ(experiment.series.size(), 2U);
    EXPECT_EQ(experiment.region(experiment.series[1]).path, "main->work");
    EXPECT_EQ(experiment.metrics[0].unit, "s");
    EXPECT_EQ(describe_point(experiment, PointId{1}), "p=8");
    const Measurement& measurement = experiment.series[0].measurements[1];
    EXPECT_EQ(measurement.summary.mean, 20.0);
    EXPECT_EQ(measurement.summary.median, 20.1);
    EXPECT_EQ(measurement.summary.minimum, 19.0);
    EXPECT_EQ(measurement.summary.maximum, 21.0);
    EXPECT_EQ(measurement.summary.deviation, 0.25);
    EXPECT_EQ(measurement.repetitions, 5U);
    EXPECT_TRUE(measurement.complete_summary);
    EXPECT_EQ(measurement.value_count, 0U);
}
INSTANTIATE_TEST_SUITE_P(Both, Extrap3ByteOrder, testing::Values(std::endian::little, std::endian::big));

void compound_term(Extrap3Text& text) {
    text.text("CompoundTerm").number(2.0).integer(2);
    text.text("SimpleTerm").text("polynomial").number(1.5).text("SimpleTerm").text("logarithm").number(1.0);
}

void model(Extrap3Text& text, bool with_relative_error) {
    text.text("Model").integer(0).integer(0).integer(0);
    text.text("SingleParameterFunction").number(1.0).integer(1);
    compound_term(text);
    text.text("MultiParameterFunction").number(1.0).integer(1).number(3.0).integer(1).text("p");
    compound_term(text);
    for (int i = 0; i < 5; ++i) text.text("Function");
    text.numbers({0.1, 0.2, 0.3});
    if (with_relative_error) text.number(0.4);
    text.integer(1).integer(7);
    text.integer(1).text("p").numbers({1.0, 100.0});
}

TEST(Extrap3, StepsOverModelsOfEveryKind) {
    Extrap3Text text;
    text.definitions().coordinate(0, 4.0);
    text.text("ModelComment").integer(7).text("a comment");
    text.text("SingleParameterSimpleModelGenerator").text("a").text("CROSSVALIDATION_NONE").number(0.05);
    text.text("GENERATE_MODEL_MEAN").integer(1);
    compound_term(text);
    text.integer(2);
    text.text("SingleParameterRefiningModelGenerator").text("b").text("CROSSVALIDATION_NONE").number(0.05);
    text.text("GENERATE_MODEL_MEDIAN");
    text.text("MultiParameterSimpleModelGenerator").text("c").text("GENERATE_MODEL_MEAN");
    model(text, false);
    text.text("MultiParameterSparseModelGenerator").text("d").text("GENERATE_MODEL_MEAN");
    text.integer(5).text("CHEAPEST_POINTS").integer(0).integer(0).text("DECREASING_COST");
    model(text, true);
    text.point(0, 0, 10.0);
    const Experiment experiment = read_experiment(text.bytes());
    EXPECT_EQ(experiment.series[0].measurements[0].summary.mean, 10.0);
}

TEST(Extrap3, NumbersRegionsOfEqualName) {
    Extrap3Text text;
    text.text("Parameter").integer(0).text("p").text("Metric").integer(0).text("m").text("unknown");
    for (int i = 0; i < 3; ++i) text.text("Region").integer(i).text("f").text("").integer(i);
    for (int i = 0; i < 3; ++i) text.text("Callpath").integer(i).integer(i).integer(-1);
    text.coordinate(0, 1.0);
    for (int i = 0; i < 3; ++i) text.point(0, i, 1.0);
    const Experiment experiment = read_experiment(text.bytes());
    ASSERT_EQ(experiment.regions.size(), 3U);
    EXPECT_EQ(experiment.regions[0].path, "f");
    EXPECT_EQ(experiment.regions[1].path, "f #1");
    EXPECT_EQ(experiment.regions[2].path, "f #2");
    EXPECT_EQ(experiment.metrics[0].unit, "");
}

TEST(Extrap3, IsRefusedWithTheByteWhereverItIsCutOff) {
    const std::string bytes = two_points().bytes();
    std::size_t refused = 0;
    for (std::size_t length = 48; length < bytes.size(); ++length) {
        const Error error = error_of(bytes.substr(0, length), {.format = "extra-p-3"});
        if (error.kind() == ErrorKind::internal) continue;  // the cut is between two records
        ++refused;
        EXPECT_EQ(error.kind(), ErrorKind::input);
        const std::string what = error.what();
        EXPECT_TRUE(what.find("byte") != std::string::npos ||
                    what.find("nothing was measured") != std::string::npos)
            << what;
        EXPECT_FALSE(error.hint().empty());
    }
    EXPECT_GE(refused, bytes.size() - 48 - 4);
}

TEST(Extrap3, RefusesWhatCannotBeRight) {
    const auto message = [](const Extrap3Text& text) { return std::string(error_of(text.bytes()).what()); };
    EXPECT_EQ(message(Extrap3Text().text("Nonsense")),
              "input: a record of the unknown type 'Nonsense' (byte 30)");
    EXPECT_EQ(message(Extrap3Text().whole(0xFFFFFFFF, 4)),
              "input: a name of 4294967295 bytes is announced (byte 30)");
    EXPECT_NE(message(Extrap3Text().definitions().point(3, 0, 1.0)).find("no coordinate with the id 3"),
              std::string::npos);
    EXPECT_NE(message(Extrap3Text().definitions().coordinate(0, 1.0).point(0, -1, 1.0))
                  .find("no call path with the id -1"),
              std::string::npos);
    EXPECT_NE(message(Extrap3Text().definitions().text("Coordinate").integer(0).integer(-5))
                  .find("count is negative (-5)"),
              std::string::npos);
    Extrap3Text circle;
    circle.definitions()
        .coordinate(0, 1.0)
        .text("Callpath")
        .integer(0)
        .integer(0)
        .integer(1)
        .point(0, 1, 1.0);
    EXPECT_NE(message(circle).find("its own parent"), std::string::npos);
    EXPECT_EQ(std::string(error_of("hello", {.format = "extra-p-3"}).what()),
              "input: this is not an experiment file of Extra-P 3");
}

TEST(Extrap3, AgreesWithExtraPOnItsOwnFiles) {
    for (const std::string name : {"experiment_3", "experiment_3_mp"}) {
        SCOPED_TRACE(name);
        PLIMSOLL_SHARED_OR_SKIP(file, "data/extrap/input/" + name);
        PLIMSOLL_SHARED_OR_SKIP(golden, "golden/extrap/input__" + name + ".json");
        const std::vector<std::string> files{file};
        EXPECT_EQ(test::differences_from_golden(read(files, {}, silent()), golden), "");
    }
}

TEST(Extrap3, ReadsAFileWithSparseModels) {
    PLIMSOLL_SHARED_OR_SKIP(file, "data/extrap/input/experiment_3_sparse");
    const std::vector<std::string> files{file};
    const Experiment experiment = read(files, {}, silent());
    EXPECT_EQ(experiment.parameters.size(), 3U);
    EXPECT_EQ(experiment.point_count(), 27U);
    ASSERT_EQ(experiment.series.size(), 36U);
    const auto count =
        std::accumulate(experiment.series.begin(), experiment.series.end(), std::size_t{0},
                        [](std::size_t sum, const Series& s) { return sum + s.measurements.size(); });
    EXPECT_EQ(count, 972U);  // one for each ExperimentPoint record
    const auto time = std::find_if(experiment.metrics.begin(), experiment.metrics.end(),
                                   [](const Metric& metric) { return metric.name == "time"; });
    ASSERT_NE(time, experiment.metrics.end());
    EXPECT_EQ(time->unit, "s");  // the file says sec
}

}  // namespace
}  // namespace plimsoll::experiment
