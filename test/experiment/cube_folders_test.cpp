// Names of folders, and what is made of the profiles that lie in them.
#include <gtest/gtest.h>

#include <algorithm>

#include "plimsoll/experiment/detail/cube_folder_name.hpp"
#include "test/support/cube_writer.hpp"
#include "test/support/read_text.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::experiment {
namespace {

using detail::parse_cube_folder_name;

std::string parsed(std::string_view text) {
    const auto folder = parse_cube_folder_name(text);
    if (!folder) return "nothing";
    std::string told;
    for (std::size_t i = 0; i < folder->names.size(); ++i) {
        told += (i == 0 ? "" : " ") + folder->names[i] + "=" + std::to_string(folder->values[i]);
        while (told.ends_with('0')) told.pop_back();
        if (told.ends_with('.')) told.pop_back();
    }
    return told;
}

TEST(CubeFolderName, TellsParametersAndTheirValues) {
    EXPECT_EQ(parsed("mm.x10y1z1.r1"), "x=10 y=1 z=1");
    EXPECT_EQ(parsed("x10y1z1"), "x=10 y=1 z=1");
    EXPECT_EQ(parsed("example.f2"), "f=2");
    EXPECT_EQ(parsed("app.p64,n1000.r12"), "p=64 n=1000");
    EXPECT_EQ(parsed("app.p64_n1000"), "p=64 n=1000");
    EXPECT_EQ(parsed("p64-n1000"), "p=64 n=1000");
    EXPECT_EQ(parsed("mesh_size64.grid points8"), "mesh_size=64 grid points=8");
    EXPECT_EQ(parsed("nodes=4.size_10"), "nodes=4 size=10");
    EXPECT_EQ(parsed("größe5"), "größe=5");
}

TEST(CubeFolderName, TakesPointsAndCommasAsDecimalMarks) {
    EXPECT_EQ(parsed("mm.x22.5.y22.5.z1.25.r1"), "x=22.5 y=22.5 z=1.25");
    EXPECT_EQ(parsed("mm.x21.5,y21,5,z1.15.r1"), "x=21.5 y=21.5 z=1.15");
    EXPECT_EQ(parsed("mm.x1.1y1.1z1.1"), "x=1.1 y=1.1 z=1.1");
    EXPECT_EQ(parsed("x1.1y1,2.r3"), "x=1.1 y=1.2");
}

TEST(CubeFolderName, TakesOnlyALastPieceAsRepetition) {
    EXPECT_EQ(parsed("app.x1.ranks4"), "x=1 ranks=4");
    EXPECT_EQ(parsed("app.r4.x1"), "r=4 x=1");
    EXPECT_EQ(parsed("app.x1.r4.r2"), "x=1 r=4");
    EXPECT_EQ(parsed("x10.r1"), "x=10");
    EXPECT_EQ(parsed("x1r4"), "x=1 r=4");
}

TEST(CubeFolderName, UnderstandsSignsAndExponentsWithASign) {
    EXPECT_EQ(parsed("app.x-5"), "x=-5");
    EXPECT_EQ(parsed("app.x+5y=-2.5"), "x=5 y=-2.5");
    EXPECT_EQ(parsed("tol1e-3p8"), "tol=0.001 p=8");
    EXPECT_EQ(parsed("n1.5E+6"), "n=1500000");
    EXPECT_EQ(parsed("n1e6"), "n=1 e=6");  // as Extra-P
    EXPECT_TRUE(parse_cube_folder_name("n1e6")->doubtful_exponent);
    EXPECT_FALSE(parse_cube_folder_name("n1.e6")->doubtful_exponent);
    EXPECT_FALSE(parse_cube_folder_name("tol1e-3")->doubtful_exponent);
}

TEST(CubeFolderName, IsNotMadeUpWhereThereIsNone) {
    for (const char* const text :
         {"",     ".",      "mm",      "mm.",          "_test_folder", "scorep-20160107_1646_123456",
          "x",    "10",     "10x",     "mm.x",         "x1y",          "x1.2.3",
          "x1x2", "mm.r",   "x1.r",    "mm.x1.r1.old", "x1e-",         "x1..y2",
          ".x1",  "a.b.x1", "x1e+999", "x--1"}) {
        EXPECT_EQ(parsed(text), "nothing") << text;
    }
}

/// Bytes of a profile with one region and one value.
std::string profile_of(double value, const std::string& region = "main") {
    test::CubeTestProfile profile{.nodes = {{region, -1}}};
    profile.metrics = {{.name = "time", .values = {{value}}}};
    return test::cube_archive(profile);
}

Experiment read_folder(const test::TemporaryFolder& folder) {
    const std::vector<std::string> paths{folder.path().string()};
    return read(paths, {}, silent());
}

Error error_of(const test::TemporaryFolder& folder) {
    try {
        (void)read_folder(folder);
    } catch (const Error& error) {
        return error;
    }
    return Error(ErrorKind::internal, "the folder was read without an error");
}

std::vector<std::string> messages(const Experiment& experiment) {
    std::vector<std::string> texts;
    for (const Note& note : experiment.notes) texts.push_back(note.message);
    return texts;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(CubeFolder, GivesPointsInOrderAndFilesOfOnePointAsRepetitions) {
    const test::TemporaryFolder folder;
    (void)folder.write("app.p16.r1/profile.cubex", profile_of(16));
    (void)folder.write("app.p2.r1/profile.cubex", profile_of(2));
    (void)folder.write("app.p2.r2/profile.cubex", profile_of(3));
    (void)folder.write("app.p4/first.cubex", profile_of(4));
    (void)folder.write("app.p4/second.cubex", profile_of(5));
    (void)folder.write("app.p4/scorep.cfg", "not read");
    (void)folder.write("app.p4/.hidden.cubex", "not read");
    (void)folder.write(".app.p8/profile.cubex", "not read");
    const Experiment experiment = read_folder(folder);
    EXPECT_EQ(experiment.coordinates, (std::vector{2.0, 4.0, 16.0}));
    EXPECT_EQ(experiment.series.at(0).values, (std::vector{2.0, 3.0, 4.0, 5.0, 16.0}));
    std::vector<std::uint32_t> repetitions;
    for (const Measurement& m : experiment.series.at(0).measurements) repetitions.push_back(m.repetitions);
    EXPECT_EQ(repetitions, (std::vector<std::uint32_t>{2, 2, 1}));
    EXPECT_TRUE(experiment.notes.empty());
}

TEST(CubeFolder, DropsParametersThatNeverVary) {
    const test::TemporaryFolder folder;
    (void)folder.write("app.p2n10q1/profile.cubex", profile_of(1));
    (void)folder.write("app.p4n20q1/profile.cubex", profile_of(2));
    const Experiment experiment = read_folder(folder);
    ASSERT_EQ(experiment.parameters.size(), 2U);
    EXPECT_EQ(experiment.coordinates, (std::vector{2.0, 10.0, 4.0, 20.0}));
    EXPECT_EQ(messages(experiment),
              (std::vector<std::string>{"parameter 'q' is 1 in all folders and is left out"}));
}

TEST(CubeFolder, AcceptsTheSameParametersInAnotherOrder) {
    const test::TemporaryFolder folder;
    (void)folder.write("app.n10p2/profile.cubex", profile_of(1));
    (void)folder.write("app.p4n20/profile.cubex", profile_of(2));
    const Experiment experiment = read_folder(folder);
    EXPECT_EQ(experiment.parameters.at(0).name, "n");
    EXPECT_EQ(experiment.coordinates, (std::vector{10.0, 2.0, 20.0, 4.0}));
}

TEST(CubeFolder, KeepsRegionsThatAreNotAtAllPoints) {
    const test::TemporaryFolder folder;
    (void)folder.write("p2/profile.cubex", profile_of(1));
    (void)folder.write("p4/profile.cubex", profile_of(2, "other"));
    const Experiment experiment = read_folder(folder);
    EXPECT_EQ(experiment.series.size(), 2U);
    for (const Series& series : experiment.series) EXPECT_EQ(series.measurements.size(), 1U);
}

TEST(CubeFolder, RefusesFoldersWithDifferentParameters) {
    const test::TemporaryFolder folder;
    (void)folder.write("app.p2n10/profile.cubex", profile_of(1));
    (void)folder.write("app.p4m20/profile.cubex", profile_of(2));
    const Error error = error_of(folder);
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.place().file, folder / "app.p4m20");
    EXPECT_TRUE(contains(error.what(), "p, m")) << error.what();
    EXPECT_TRUE(contains(error.what(), folder / "app.p2n10")) << error.what();
    EXPECT_FALSE(error.hint().empty());
}

TEST(CubeFolder, LeavesOutFoldersWhoseNamesTellNothing) {
    const test::TemporaryFolder folder;
    (void)folder.write("app.p2/profile.cubex", profile_of(1));
    (void)folder.write("app.p4/profile.cubex", profile_of(2));
    (void)folder.write("scorep-20240101_1200_77/profile.cubex", profile_of(3));
    const Experiment experiment = read_folder(folder);
    EXPECT_EQ(experiment.point_count(), 2U);
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_EQ(experiment.notes[0].place.file, folder / "scorep-20240101_1200_77");
}

TEST(CubeFolder, RefusesNamesThatTellNothingAtAll) {
    const test::TemporaryFolder folder;
    (void)folder.write("scorep-20240101_1200_77/profile.cubex", profile_of(3));
    const Error error = error_of(folder);
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_TRUE(contains(error.what(), "scorep-20240101_1200_77")) << error.what();
    EXPECT_TRUE(contains(error.hint(), "app.p64n1000.r1")) << error.hint();
}

TEST(CubeFolder, RefusesASingleConfiguration) {
    const test::TemporaryFolder folder;
    (void)folder.write("app.p2n3.r1/profile.cubex", profile_of(1));
    (void)folder.write("app.p2n3.r2/profile.cubex", profile_of(2));
    const Error error = error_of(folder);
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_TRUE(contains(error.what(), "no parameter varies")) << error.what();
}

TEST(CubeFolder, RemarksOnNamesThatMayMeanSomethingElse) {
    const test::TemporaryFolder folder;
    (void)folder.write("nodes-2n1e6/profile.cubex", profile_of(1));
    (void)folder.write("nodes-4n1e7/profile.cubex", profile_of(2));
    const auto notes = messages(read_folder(folder));
    EXPECT_TRUE(
        std::ranges::any_of(notes, [](const auto& text) { return contains(text, "'nodes' is negative"); }));
    EXPECT_TRUE(std::ranges::any_of(notes, [](const auto& text) { return contains(text, "n1e+6"); }));
}

TEST(CubeFolder, CountsTheBytesOfItsFiles) {
    class Counter : public Progress {
      public:
        void begin(std::string_view /*what*/, std::int64_t steps) override { total = steps; }
        void advance(std::int64_t steps) override { done = steps; }
        void end() override { ended = true; }
        std::int64_t total = 0;
        std::int64_t done = 0;
        bool ended = false;
    };
    const test::TemporaryFolder folder;
    for (const char* const name : {"p2", "p4", "p8"})
        (void)folder.write(std::string(name) + "/a.cubex", profile_of(1));
    const std::vector<std::string> paths{folder.path().string()};
    const auto bytes = static_cast<std::int64_t>(3 * profile_of(1).size());
    Counter counter;
    (void)read(paths, {}, counter);
    EXPECT_EQ(counter.total, bytes);
    EXPECT_EQ(counter.done, bytes);
    EXPECT_TRUE(counter.ended);

    Counter stopped;
    stopped.request_stop();
    EXPECT_THROW((void)read(paths, {}, stopped), Cancelled);
}

TEST(CubeFolder, NamesTheFileThatIsDamaged) {
    const test::TemporaryFolder folder;
    (void)folder.write("p2/profile.cubex", profile_of(1));
    const std::string damaged = folder.write("p4/profile.cubex", profile_of(1).substr(0, 700));
    const Error error = error_of(folder);
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.place().file, damaged);
}

TEST(CubeFolder, IsRefusedWithoutProfilesWhereTheFormatIsForced) {
    const test::TemporaryFolder folder;
    (void)folder.write("p2/notes.txt", "nothing");
    const std::vector<std::string> paths{folder.path().string()};
    EXPECT_THROW((void)read(paths, {.format = "cube"}, silent()), Error);
}

TEST(CubeFile, TakesItsConfigurationFromItsFolder) {
    const test::TemporaryFolder folder;
    const std::vector<std::string> paths{folder.write("app.p2n10/profile.cubex", profile_of(1)),
                                         folder.write("app.n10p4/profile.cubex", profile_of(2))};
    const Experiment experiment = read(paths, {}, silent());
    EXPECT_EQ(experiment.coordinates, (std::vector{2.0, 4.0}))
        << "n is 10 everywhere, as in a folder of both";
    const Experiment compared = read(paths, {.constants = ConstantParameters::keep}, silent());
    EXPECT_EQ(compared.coordinates, (std::vector{2.0, 10.0, 4.0, 10.0}));
}

TEST(CubeFile, IsRefusedWhereItsFolderTellsNothing) {
    const test::TemporaryFolder folder;
    const std::vector<std::string> paths{folder.write("plain/profile.cubex", profile_of(1))};
    try {
        (void)read(paths, {}, silent());
        FAIL() << "it was read";
    } catch (const Error& error) {
        EXPECT_EQ(error.place().file, paths[0]);
        EXPECT_TRUE(contains(error.what(), "'plain'")) << error.what();
        EXPECT_FALSE(error.hint().empty());
    }
    EXPECT_TRUE(contains(test::error_of(profile_of(1), {.format = "cube"}).what(), "tells no parameters"));
}

TEST(CubeFile, IsRefusedFromStandardInput) {
    ExperimentBuilder builder;
    const std::string content = profile_of(1);
    Input input("<stdin>", content);
    EXPECT_THROW(read(input, builder, {}), Error);
}

}  // namespace
}  // namespace plimsoll::experiment
