#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "app/report/axes.hpp"
#include "app/report/model_values.hpp"
#include "app/report/scale_line.hpp"

namespace plimsoll::app {
namespace {

bool holds(const std::vector<double>& values, double value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

TEST(AxisStops, HoldTheEndsTheTargetAndWhatWasMeasured) {
    const AxisRequest request{.measured = {4, 8, 16, 32, 64}, .target = 1000, .furthest = 4096, .most = 64};
    const std::vector<double> stops = axis_stops(request);
    for (const double value : {4.0, 8.0, 16.0, 32.0, 64.0, 1000.0, 128.0, 4096.0})
        EXPECT_TRUE(holds(stops, value)) << value;
}

TEST(AxisStops, RiseAndAreWholeWhereTheMeasuredOnesAreAndNotTooMany) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 500; ++round) {
        SCOPED_TRACE(round);
        AxisRequest request;
        const bool is_whole = random() % 2 == 0;
        double value = static_cast<double>(1 + random() % 100);
        for (std::size_t i = 1 + random() % 60; i > 0; --i) {
            request.measured.push_back(value);
            value = is_whole ? value + static_cast<double>(1 + random() % 30)
                             : value * (1.01 + 0.001 * static_cast<double>(random() % 1000));
        }
        request.target = request.measured.back() * static_cast<double>(1 + random() % 5);
        request.furthest = request.measured.back() * static_cast<double>(random() % 65);
        request.most = 3 + random() % 62;
        const std::vector<double> stops = axis_stops(request);
        EXPECT_LE(stops.size(), request.most + 2);
        EXPECT_TRUE(std::is_sorted(stops.begin(), stops.end()));
        EXPECT_EQ(std::adjacent_find(stops.begin(), stops.end()), stops.end());
        EXPECT_EQ(stops.front(), request.measured.front());
        EXPECT_TRUE(holds(stops, request.measured.back()));
        EXPECT_TRUE(holds(stops, request.target));
        if (!is_whole) continue;
        for (const double stop : stops) EXPECT_EQ(stop, std::floor(stop));
    }
}

TEST(AxisStops, HalveWideGapsWhereNarrowOnesHaveNoMiddle) {
    const std::vector<double> stops =
        axis_stops({.measured = {1, 2, 3, 4, 30}, .target = 120, .furthest = 1920, .most = 64});
    for (std::size_t i = 1; i < stops.size(); ++i) {
        if (stops[i] - stops[i - 1] <= 1.0) continue;
        EXPECT_LT(stops[i] / stops[i - 1], 1.34) << stops[i];
    }
}

TEST(AxisStops, OfOneValueOrOfNoPositiveOnes) {
    EXPECT_EQ(axis_stops({.measured = {5}, .target = 5, .furthest = 40, .most = 64}), std::vector<double>{5});
    const std::vector<double> stops =
        axis_stops({.measured = {-1, 0, 3}, .target = 3, .furthest = 24, .most = 9});
    EXPECT_EQ(stops.front(), -1.0);
    EXPECT_EQ(stops.back(), 3.0);
    EXPECT_EQ(stops.size(), 5U) << "whole numbers alone: -1, 0, 1, 2, 3";
}

/// T(p, n) = n / p + log2(p): work that is divided, and an overhead.
class DividedWork : public ::testing::Test {
  protected:
    DividedWork() {
        model_.region = "main";
        model_.function.terms = {
            {.coefficient = 1.0,
             .factors = {{.parameter = 0, .exponent = -1}, {.parameter = 1, .exponent = 1}}},
            {.coefficient = 1.0, .factors = {{.parameter = 0, .exponent = 0, .log_exponent = 1}}}};
        work_.workload.fewest = 1.0;
        work_.workload.work = plan::Work::in_all;
        work_.workload.time.push_back({.model = &model_, .unit = 1.0, .times = {}});
    }

    static double efficiency(double p, double n) { return n / (n + p * std::log2(p)); }

    model::RegionModel model_;
    PlannedWork work_;
};

TEST_F(DividedWork, ScalesToTheNumberThatTryingAllFinds) {
    const std::vector<double> sizes{10.0, 500.0, 1e9};
    const model::Grid grid{.values = {{1, 2, 5, 16, 64, 100, 700, 4096}, sizes}};
    for (const double least : {0.3, 0.5, 0.99}) {
        const ScaleLine line = scale_line(work_, grid, least, 1, silent());
        ASSERT_EQ(line.ends.size(), sizes.size());
        for (std::size_t j = 0; j < sizes.size(); ++j) {
            SCOPED_TRACE(::testing::Message() << least << " at n=" << sizes[j]);
            double expected = 0.0;
            for (double p = 1.0; p <= 4096.0; p += 1.0) {
                if (efficiency(p, sizes[j]) >= least) expected = p;
            }
            ASSERT_TRUE(line.ends[j]);
            EXPECT_EQ(line.ends[j]->processes, expected);
            EXPECT_EQ(line.ends[j]->is_end, expected == 4096.0);
        }
    }
}

TEST_F(DividedWork, NeverScalesWhereEfficiencyIsTooLowFromTheStart) {
    work_.workload.fewest = 1.0;
    const model::Grid grid{.values = {{8, 16}, {1.0}}};
    EXPECT_FALSE(scale_line(work_, grid, 0.5, 1, silent()).ends.front());
}

TEST(ModelValues, AddUpToTotalsWithoutWhatIsNegativeOrHasNoModel) {
    model::FitDocument document;
    document.parameters = {"p"};
    for (const double constant : {1.0, 2.0, -4.0, 8.0}) {
        model::RegionModel m;
        m.region = "main->" + std::to_string(document.models.size());
        m.metric = constant == 8.0 ? "visits" : "time";
        m.function.constant = constant;
        document.models.push_back(m);
    }
    document.models.push_back(
        {.region = "main->few", .metric = "time", .status = model::Status::too_few_points});
    const ModelValues values = model_values(document, {.values = {{1, 2}}}, 0.9, 2, silent());
    ASSERT_EQ(values.metrics.size(), 2U);
    EXPECT_EQ(values.metrics[0].totals, (std::vector<double>{3.0, 3.0}));
    EXPECT_EQ(values.metrics[1].totals, (std::vector<double>{8.0, 8.0}));
    EXPECT_EQ(values.value[values.place(1, 2)], -4.0F);
    EXPECT_TRUE(std::isnan(values.value[values.place(0, 4)]));
    EXPECT_TRUE(values.low.empty()) << "no model has an interval";
}

TEST(ModelValues, CountInclusiveValuesOnce) {
    model::FitDocument document;
    document.parameters = {"p"};
    document.inclusive = true;
    for (const char* const region : {"main", "main->solve", "main->solve->exchange", "other"}) {
        model::RegionModel m;
        m.region = region;
        m.metric = "time";
        m.function.constant = 2.0;
        document.models.push_back(m);
    }
    const ModelValues values = model_values(document, {.values = {{1}}}, 0.9, 1, silent());
    EXPECT_EQ(values.metrics[0].totals, std::vector<double>{4.0});
}

}  // namespace
}  // namespace plimsoll::app
