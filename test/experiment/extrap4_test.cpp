#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include "plimsoll/core/progress.hpp"
#include "test/support/extrap4_archive.hpp"
#include "test/support/golden.hpp"
#include "test/support/shared_data.hpp"

namespace plimsoll::experiment {
namespace {

using test::archive_error;
using test::archive_of;
using test::document;
using test::read_archive;

TEST(Extrap4, AgreesWithExtraPOnItsOwnFiles) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"data/extrap/input/exp_only_mean_median.extra-p",
         "golden/extrap/input__exp_only_mean_median.extra-p.json"},
        {"data/extrap/experiments/two_parameter3.txt.extra-p",
         "golden/extrap/experiments__two_parameter3.txt.extra-p.json"}};
    for (const auto& [data, expected] : cases) {
        SCOPED_TRACE(data);
        PLIMSOLL_SHARED_OR_SKIP(file, data);
        PLIMSOLL_SHARED_OR_SKIP(golden, expected);
        const std::vector<std::string> files{file};
        const Experiment experiment = read(files, {}, silent());
        EXPECT_EQ(test::differences_from_golden(experiment, golden), "");
        EXPECT_EQ(experiment.extrap_modelers.empty(), false);
    }
}

TEST(Extrap4, ReadsTagsScalingModelersAndPassesOverTheUnknown) {
    const Experiment experiment = read_archive(archive_of(
        {{"experiment.json",
          document(
              R"({"coordinate":[4],"mean":2,"std":0.5,"minimum":1,"maximum":3,"new":{"a":[1,[2]]},"values":null})",
              R"("scaling":"weak_threaded","future":[{"deep":[[1]]}],"callpaths":{"main":{"tags":{"b":1,"a":"x"},"more":[1]}},)"
              R"("metrics":{"time":{"tags":{"t":"ü"}}},"modelers":[{"name":"m","models":{"main":{"time":{"RSS":1.50,"c":"nan"}}}}],)")},
         {"readme.txt", "hello"}}));
    EXPECT_EQ(experiment.scaling, Scaling::weak_threaded);
    EXPECT_EQ(experiment.regions[0].tags, R"({"b":1,"a":"x"})");
    EXPECT_EQ(experiment.metrics[0].tags, R"({"t":"ü"})");
    EXPECT_EQ(experiment.extrap_modelers,
              R"([{"name":"m","models":{"main":{"time":{"RSS":1.50,"c":"nan"}}}}])");
    EXPECT_EQ(experiment.series[0].measurements[0].summary.median, 2.0);
    EXPECT_TRUE(experiment.series[0].measurements[0].complete_summary);
    EXPECT_EQ(experiment.metrics[0].unit, "s");
}

TEST(Extrap4, IsRecognisedByItsContentUnderAnyName) {
    const std::string archive = archive_of({{"experiment.json", document(R"({"coordinate":[1],"mean":1})")}});
    EXPECT_EQ(test::read_experiment(archive, {}, "runs.zip").point_count(), 1U);
}

TEST(Extrap4, ReadsADocumentWhoseParametersComeLast) {
    const Experiment experiment = read_archive(archive_of(
        {{"experiment.json",
          R"({"measurements":{"a":{"time":[{"mean":5,"coordinate":[2]}]}},"parameters":["p"]})"}}));
    EXPECT_EQ(describe_point(experiment, PointId{0}), "p=2");
    EXPECT_EQ(experiment.series[0].measurements[0].summary.mean, 5.0);
    EXPECT_FALSE(experiment.series[0].measurements[0].complete_summary);
    EXPECT_EQ(experiment.series[0].measurements[0].repetitions, 0U);
}

TEST(Extrap4, LeavesOutMeansThatAreNotFinite) {
    const Experiment experiment = read_archive(archive_of(
        {{"experiment.json",
          document(R"({"coordinate":[1],"mean":"--","median":"nan"},{"coordinate":[2],"mean":"7/2"})")}}));
    ASSERT_EQ(experiment.series[0].measurements.size(), 1U);
    EXPECT_EQ(experiment.series[0].measurements[0].summary.mean, 3.5);
    EXPECT_EQ(experiment.notes.size(), 1U);
}

TEST(Extrap4, NamesWhatIsWrongWithAnArchive) {
    EXPECT_EQ(archive_error("hello"), "a.extra-p: this is not a ZIP archive, or it is cut off");
    EXPECT_EQ(archive_error(archive_of({{"other.json", "{}"}})),
              "a.extra-p: the archive holds 0 members of the name experiment.json");
    const std::string archive = archive_of({{"experiment.json", document(R"({"coordinate":[1],"mean":1})")}});
    EXPECT_EQ(archive_error(archive), "");
    for (const std::size_t length : {std::size_t{1}, archive.size() / 2, archive.size() - 30}) {
        EXPECT_NE(archive_error(archive.substr(0, length)), "") << length;
    }
    std::string damaged = archive;
    for (std::size_t i = 60; i < 80; ++i) damaged[i] = static_cast<char>(~damaged[i]);
    EXPECT_NE(archive_error(damaged), "");
}

TEST(Extrap4, NamesWhatIsWrongWithTheDocument) {
    const auto error = [](const std::string& json) {
        return archive_error(archive_of({{"experiment.json", json}}));
    };
    EXPECT_EQ(error(R"({"parameters":["p"],)"), "a.extra-p: experiment.json is not valid JSON at byte 21");
    EXPECT_EQ(error("[1]"), "a.extra-p: experiment.json has an unexpected structure at ''");
    EXPECT_EQ(error("{}"), "a.extra-p: experiment.json names no parameters");
    EXPECT_EQ(error(R"({"parameters":"p"})"), "a.extra-p: 'parameters' is not a list of names");
    EXPECT_EQ(error(R"({"parameters":["p"]})"), "nothing was measured");
    EXPECT_EQ(error(R"({"parameters":["p"],"scaling":"medium"})"),
              "a.extra-p: the scaling \"medium\" is not known");
    EXPECT_EQ(error(R"({"parameters":["p"],"measurements":[]})"),
              "a.extra-p: experiment.json has an unexpected structure at 'measurements'");
    EXPECT_EQ(error(R"({"parameters":["p"],"measurements":{"a":{"m":5}}})"),
              "a.extra-p: experiment.json has an unexpected structure at 'measurements' > 'a' > 'm'");
    EXPECT_EQ(error(document(R"({"coordinate":[1,2],"mean":1})")),
              "a.extra-p: the point has 2 values for 1 parameter");
    EXPECT_EQ(error(document(R"({"coordinate":["x"],"mean":1})")),
              "a.extra-p: experiment.json has an unexpected structure at 'measurements' > 'main' > 'time' > "
              "'' > 'coordinate'");
    EXPECT_EQ(error(document(R"({"coordinate":[1],"mean":true})")),
              "a.extra-p: experiment.json has an unexpected structure at 'measurements' > 'main' > 'time' > "
              "'' > 'mean'");
    EXPECT_EQ(error(document(R"({"coordinate":[1]})")), "a.extra-p: a measurement of 'main' has no mean");
    EXPECT_EQ(error(document(R"({"coordinate":[1],"mean":1,"values":[0,0]})")),
              "a.extra-p: the file holds no values number 0 of chunk 0");
    for (const std::string line : {"-1", "1e300", "1.5", "\"7\""}) {
        const std::string note = R"({"file":"f","message":"m","count":1,"line":)" + line + "}";
        EXPECT_EQ(error(document("", R"("plimsoll":{"notes":[)" + note + "]},")),
                  "a.extra-p: 'notes' in experiment.json does not have the structure that plimsoll writes");
    }
    EXPECT_EQ(error(document("", R"("plimsoll":{"series":[[1]]},)")),
              "a.extra-p: 'series' in experiment.json does not have the structure that plimsoll writes");
    EXPECT_NE(error(R"({"x":)" + std::string(100'000, '[')), "");
}

TEST(Extrap4, RefusesFilesOfDifferentScalingAndKeepsTheModelsOfTheFirst) {
    const test::TemporaryFolder folder;
    const auto write = [&](const std::string& name, const std::string& more, int p) {
        const std::string measurement = R"({"coordinate":[)" + std::to_string(p) + R"(],"mean":2})";
        return folder.write(name, archive_of({{"experiment.json", document(measurement, more)}}));
    };
    const std::string weak = write("a.extra-p", R"("scaling":"weak","modelers":[1],)", 1);
    const std::string strong = write("b.extra-p", R"("scaling":"strong",)", 2);
    const std::string other = write("c.extra-p", R"("modelers":[2],)", 3);
    try {
        (void)read(std::vector<std::string>{weak, strong}, {}, silent());
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.what(), strong + ": has strong scaling, but " + weak + " has weak scaling");
        EXPECT_EQ(error.hint(), "read files of different scaling one by one");
    }
    const Experiment both = read(std::vector<std::string>{weak, other}, {}, silent());
    EXPECT_EQ(both.extrap_modelers, "[1]");
    EXPECT_EQ(both.point_count(), 2U);
    ASSERT_EQ(both.notes.size(), 1U);
    EXPECT_EQ(to_text(both.notes[0]),
              other + ": models in this file are left out beside those of the first file");
}

/// A member of zeros, packed as tightly as the format can.
std::string archive_of_zeros(std::size_t size) {
    std::string bytes(1 << 20, '\0');
    std::size_t used = 0;
    archive* const writer = archive_write_new();
    archive_write_set_format_zip(writer);
    archive_write_set_options(writer, "zip:compression-level=9");
    archive_write_open_memory(writer, bytes.data(), bytes.size(), &used);
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, "values/0.vals");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_write_header(writer, entry);
    const std::string block(1 << 20, ' ');
    for (std::size_t i = 0; i < size; i += block.size())
        archive_write_data(writer, block.data(), block.size());
    archive_entry_free(entry);
    archive_write_close(writer);
    archive_write_free(writer);
    bytes.resize(used);
    return bytes;
}

TEST(Extrap4, RefusesAMemberThatUnpacksToFarMoreThanTheArchive) {
    EXPECT_EQ(archive_error(archive_of_zeros(std::size_t{96} << 20U)),
              "a.extra-p: a member of the archive unpacks to more than a thousand times its size");
}

}  // namespace
}  // namespace plimsoll::experiment
