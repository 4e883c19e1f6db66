#include "plimsoll/measure/region_file.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::measure {
namespace {

const std::vector<std::string> names{"n", "t"};
const Point point{{1000, "1000"}, {2, "2"}};
using Lines = std::vector<std::string>;

TEST(RegionFile, GetsTheParametersOfTheRun) {
    const test::TemporaryFolder folder;
    const RegionLines regions = read_regions(
        folder.write(
            "regions.jsonl",
            R"({"params":{"t":2,"n":1000},"region":"main","metric":"time","value":1.5})"
            "\n"
            R"({"params":{"t":2,"n":1000},"region":"main->solve","metric":"time","value":[[1,2],[3,4]]})"
            "\n"
            R"({"params":{"t":2,"n":1000},"region":"main->solve","metric":"bytes","unit":"B","value":[5,6]})"
            "\n"),
        names, point);
    EXPECT_EQ(
        regions.lines,
        (Lines{
            R"({"params":{"n":1000,"t":2},"region":"main","metric":"time","unit":"s","value":[1.5]})",
            R"({"params":{"n":1000,"t":2},"region":"main->solve","metric":"time","unit":"s","value":[[1,2],[3,4]]})",
            R"({"params":{"n":1000,"t":2},"region":"main->solve","metric":"bytes","unit":"B","value":[5,6]})"}));
    EXPECT_TRUE(regions.notes.empty());
}

TEST(RegionFile, IsOfAnyFormatAndMayKnowNoParameterOfTheRun) {
    const test::TemporaryFolder folder;
    const RegionLines regions =
        read_regions(folder.write("table.csv", "p,region,time\n4,main,1.5\n"), names, point);
    EXPECT_EQ(
        regions.lines,
        (Lines{R"({"params":{"n":1000,"t":2},"region":"main","metric":"time","unit":"s","value":[1.5]})"}));
}

TEST(RegionFile, SaysOtherwiseThanTheRunWithANote) {
    const test::TemporaryFolder folder;
    const RegionLines regions = read_regions(
        folder.write("regions.jsonl", R"({"params":{"n":1024},"region":"main","value":1})"), names, point);
    EXPECT_EQ(regions.notes,
              (Lines{"a file of the program says n=1024 where the run has n=1000; the run's is kept"}));
}

TEST(RegionFile, OfOneExecutionHoldsTheValuesOfItsProcessesAndThreads) {
    const test::TemporaryFolder folder;
    const RegionLines regions = read_regions(
        folder.write("regions.jsonl", R"({"params":{"n":1000},"region":"scalar lines","value":1})"
                                      "\n"
                                      R"({"params":{"n":1000},"region":"scalar lines","value":2})"
                                      "\n"
                                      R"({"params":{"n":1000},"region":"nested lines","value":[[1,2]]})"
                                      "\n"
                                      R"({"params":{"n":1000},"region":"nested lines","value":[[3]]})"
                                      "\n"
                                      R"({"params":{"n":1000},"region":"one","value":5})"
                                      "\n"),
        names, point, SeveralValues::of_one_execution);
    const std::string before = R"({"params":{"n":1000,"t":2},"region":)";
    EXPECT_EQ(regions.lines, (Lines{before + R"("scalar lines","metric":"<default>","value":[[1,2]]})",
                                    before + R"("nested lines","metric":"<default>","value":[[1,2,3]]})",
                                    before + R"("one","metric":"<default>","value":[5]})"}));
}

TEST(RegionFile, HoldsOnePoint) {
    const test::TemporaryFolder folder;
    const std::string path = folder.write(
        "regions.jsonl", "{\"params\":{\"n\":1},\"value\":1}\n{\"params\":{\"n\":2},\"value\":1}\n");
    EXPECT_THROW(static_cast<void>(read_regions(path, names, point)), Error);
}

}  // namespace
}  // namespace plimsoll::measure
