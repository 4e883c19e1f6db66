#include "plimsoll/plot/picture.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"

namespace plimsoll::plot {
namespace {

/// n^2 from 0 to 10, with three measurements on it.
Chart square_chart() {
    Chart chart;
    chart.title = "main";
    chart.subtitle = "time = n^2";
    chart.band = "90 % interval";
    chart.x = {.title = "n", .low = 0.0, .high = 10.0, .ticks = {0.0, 5.0, 10.0}};
    chart.y = {.title = "time [s]", .low = 0.0, .high = 100.0, .ticks = {0.0, 50.0, 100.0}};
    Curve curve;
    for (double n = 0.0; n <= 10.0; n += 1.0) {
        curve.x.push_back(n);
        curve.value.push_back(n * n);
        curve.low.push_back(0.9 * n * n);
        curve.high.push_back(1.1 * n * n);
    }
    for (const double n : {1.0, 2.0, 4.0})
        curve.marks.push_back({.x = n, .value = n * n, .low = 0.8 * n * n, .high = 1.2 * n * n});
    chart.curves.push_back(curve);
    return chart;
}

class Picture : public ::testing::Test {
  protected:
    void SetUp() override {
        if (::dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL) == nullptr)
            GTEST_SKIP() << "Cairo is not installed (Debian: libcairo2)";
    }
    static std::string of(const Chart& chart, PictureFormat format) {
        return picture(std::vector{chart}, format, {.width = 120.0, .height = 80.0});
    }
};

/// Points of the first path in an SVG that is drawn as a curve is, in the picture's points.
std::vector<std::pair<double, double>> curve_in(const std::string& svg) {
    std::vector<std::pair<double, double>> points;
    std::smatch path;
    // The only stroke of this width that has more than two points.
    const std::regex wanted(
        R"re(stroke-width:1\.2;[^>]*? d="(M [0-9.]+ [0-9.]+(?: L [0-9.]+ [0-9.]+){4,}))re");
    if (!std::regex_search(svg, path, wanted)) return points;
    const std::string text = path[1];
    const std::regex number(R"([ML] ([0-9.]+) ([0-9.]+))");
    for (std::sregex_iterator it(text.begin(), text.end(), number), end; it != end; ++it)
        points.emplace_back(std::stod((*it)[1]), std::stod((*it)[2]));
    return points;
}

TEST(PictureFormat, IsWhatTheNameEndsWith) {
    EXPECT_EQ(picture_format("a.b/main.svg"), PictureFormat::svg);
    EXPECT_EQ(picture_format("MAIN.PDF"), PictureFormat::pdf);
    EXPECT_EQ(picture_format("x.png"), PictureFormat::png);
    EXPECT_FALSE(picture_format("x.gif"));
    EXPECT_FALSE(picture_format("svg"));
}

TEST_F(Picture, PutsValuesWhereTheAxesSay) {
    const std::vector<std::pair<double, double>> points = curve_in(of(square_chart(), PictureFormat::svg));
    ASSERT_EQ(points.size(), 11U);
    const double across = points[10].first - points[0].first;
    const double up = points[10].second - points[0].second;
    EXPECT_GT(across, 200.0);
    EXPECT_LT(up, -100.0);  // y grows downwards
    for (std::size_t n = 0; n < points.size(); ++n) {
        const double share = 0.1 * static_cast<double>(n);
        EXPECT_NEAR(points[n].first, points[0].first + share * across, 0.01) << n;
        EXPECT_NEAR(points[n].second, points[0].second + share * share * up, 0.01) << n;
    }
}

TEST_F(Picture, LeavesGapsWhereAModelHasNoValue) {
    Chart chart = square_chart();
    chart.curves[0].value[5] = std::nan("");
    const std::string svg = of(chart, PictureFormat::svg);
    // Five values, a gap, and the five behind it.
    EXPECT_EQ(curve_in(svg).size(), 5U);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST_F(Picture, HasTheSizeThatIsAskedFor) {
    EXPECT_NE(of(square_chart(), PictureFormat::svg).find("width=\"340.157"), std::string::npos);  // 120 mm
    const std::string png = of(square_chart(), PictureFormat::png);
    ASSERT_EQ(png.substr(1, 3), "PNG");
    const auto big_endian = [&](std::size_t at) {
        unsigned value = 0;
        for (std::size_t i = 0; i < 4; ++i) value = value * 256U + static_cast<unsigned char>(png[at + i]);
        return value;
    };
    EXPECT_EQ(big_endian(16), 1417U);  // 120 mm at 300 dots an inch
    EXPECT_EQ(big_endian(20), 945U);
}

TEST_F(Picture, HasAPageForEachChart) {
    const std::vector<Chart> charts{square_chart(), square_chart(), square_chart()};
    const std::string pdf = picture(charts, PictureFormat::pdf, {});
    EXPECT_TRUE(pdf.starts_with("%PDF-"));
    EXPECT_NE(pdf.find("/Count 3"), std::string::npos);
}

TEST_F(Picture, DrawsTwelveCurvesEachInItsOwnWay) {
    constexpr std::size_t curves = 12;
    Chart chart = square_chart();
    chart.curves[0].name = "m=1";
    chart.curves.resize(curves, chart.curves[0]);
    const std::string svg = of(chart, PictureFormat::svg);
    const std::regex stroke(R"re(stroke-width:1\.2;[^>]*?stroke:([^;]+);[^>]*)re");
    const std::regex dash(R"re(stroke-dasharray:([0-9., ]+))re");
    std::set<std::pair<std::string, std::string>> looks;
    for (std::sregex_iterator it(svg.begin(), svg.end(), stroke), end; it != end; ++it) {
        const std::string style = it->str();
        std::smatch dashes;
        looks.emplace((*it)[1], std::regex_search(style, dashes, dash) ? dashes[1].str() : "");
    }
    EXPECT_EQ(looks.size(), curves);
}

/// The least size that the hint of a refusal names; as asked for where nothing is refused.
std::string least_size(const Chart& chart, const PictureSize& size) {
    try {
        static_cast<void>(picture(std::vector{chart}, PictureFormat::svg, size));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.hint();
    }
    return "fits";
}

TEST_F(Picture, SaysHowLargeItHasToBeForItsNames) {
    const std::string hint = least_size(square_chart(), {.width = 30.0, .height = 30.0});
    std::smatch size;
    ASSERT_TRUE(std::regex_match(hint, size, std::regex("give at least ([0-9]+)x([0-9]+)"))) << hint;
    const PictureSize least{.width = std::stod(size[1]), .height = std::stod(size[2])};
    EXPECT_GT(least.height, 30.0);
    EXPECT_EQ(least_size(square_chart(), least), "fits");
    EXPECT_NE(least_size(square_chart(), {.width = least.width, .height = least.height - 1.0}), "fits");

    Chart many = square_chart();
    many.curves[0].name = "size=1000000";
    many.curves.resize(12, many.curves[0]);
    EXPECT_EQ(least_size(square_chart(), {.width = 60.0, .height = 40.0}), "fits");
    EXPECT_NE(least_size(many, {.width = 60.0, .height = 40.0}), "fits");
    EXPECT_EQ(least_size(many, {.width = 120.0, .height = 80.0}), "fits");
}

TEST_F(Picture, IsTheSameEachTime) {
    EXPECT_TRUE(of(square_chart(), PictureFormat::png) == of(square_chart(), PictureFormat::png));
}

TEST_F(Picture, TakesNamesOfAnyBytesAndLength) {
    Chart chart = square_chart();
    chart.title = "a\xFF\x01\n<b>\"&" + std::string(10000, 'x');
    chart.subtitle = "שלום \xE2\x80";
    chart.curves[0].name = std::string(500, 'y');
    chart.curves.push_back(chart.curves[0]);
    for (const PictureFormat format : {PictureFormat::svg, PictureFormat::png, PictureFormat::pdf})
        EXPECT_GT(of(chart, format).size(), 1000U);
}

}  // namespace
}  // namespace plimsoll::plot
