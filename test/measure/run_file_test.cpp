#include "plimsoll/measure/run_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/experiment/reader.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::measure {
namespace {

/// Two points, a time and a rate.
struct Setting {
    Points points{.names = {"n"}, .points = {{{1, "1"}}, {{2, "2"}}}};
    std::vector<MetricChoice> metrics{
        {.source = Source::wall, .name = "time", .unit = "s", .written = "time"},
        {.source = Source::output, .name = "rate", .label = "rate", .written = "stdout:rate"}};
    Identity identity{.command = {"./app", "{n}"}, .metrics = {"time", "stdout:rate"}};

    [[nodiscard]] RunFile open(const std::string& path, Existing existing = Existing::continued) const {
        return {path, existing, points, metrics, identity, {{"host", "\"here\""}}};
    }
};

RunRecord good(std::size_t number, std::size_t point, double time) {
    RunRecord record{.number = number, .point = point, .repetition = 1};
    record.exit.wall = Seconds(time);
    record.values = {time, 0.5};
    return record;
}

RunRecord bad(std::size_t number, std::size_t point) {
    RunRecord record{.number = number, .point = point, .repetition = 1, .failure = "exit code 3"};
    record.exit.code = 3;
    record.error_lines = {"out of \"memory\""};
    return record;
}

std::string content(const std::string& path) { return read_file(path); }

std::string refusal(const Setting& setting, const std::string& path) {
    try {
        (void)setting.open(path);
    } catch (const Error& error) {
        return std::string(error.what()).substr(path.size() + 2) + " | " + error.hint();
    }
    return "it was opened";
}

TEST(RunFile, IsAnExperimentThatReadsWithoutNotes) {
    const test::TemporaryFolder folder;
    const Setting setting;
    const std::string path = folder / "runs.jsonl";
    {
        RunFile file = setting.open(path);
        file.append(good(1, 0, 1.5),
                    {R"({"params":{"n":1},"region":"main","metric":"time","value":[[1,2]]})"});
        file.append(bad(2, 1), {});
        file.append(good(3, 1, 2.5), {});
        file.append(good(4, 0, 1.25), {});
    }
    const experiment::Experiment experiment = experiment::read(std::array{path}, {}, silent());
    EXPECT_TRUE(experiment.notes.empty());
    EXPECT_EQ(experiment.point_count(), 2U);
    ASSERT_EQ(experiment.series.size(), 3U);
    EXPECT_EQ(experiment.region(experiment.series[0]).path, "run");
    EXPECT_EQ(experiment.metric(experiment.series[0]).unit, "s");
    EXPECT_EQ(experiment.series[0].values, (std::vector<double>{1.5, 1.25, 2.5}));
    EXPECT_EQ(experiment.metadata.at("host"), "\"here\"");
}

TEST(RunFile, RemembersWhatItHolds) {
    const test::TemporaryFolder folder;
    const Setting setting;
    const std::string path = folder / "runs.jsonl";
    {
        RunFile file = setting.open(path);
        EXPECT_TRUE(file.past().empty());
        file.append(good(1, 0, 1.5), {});
        file.append(bad(3, 1), {});
    }
    const RunFile file = setting.open(path);
    ASSERT_EQ(file.past().size(), 2U);
    EXPECT_FALSE(file.was_repaired());
    EXPECT_EQ(file.past()[0].values, (std::vector<std::optional<double>>{1.5, 0.5}));
    EXPECT_EQ(file.past()[1].number, 3U);
    EXPECT_EQ(file.past()[1].point, 1U);
    EXPECT_EQ(file.past()[1].failure, "exit code 3");
}

TEST(RunFile, TakesAwayWhatAKilledWriterLeftWhereverItWasKilled) {
    const test::TemporaryFolder folder;
    const Setting setting;
    const std::string path = folder / "runs.jsonl";
    std::size_t first_size = 0;
    std::size_t header_size = 0;
    {
        RunFile file = setting.open(path);
        header_size = content(path).size();
        file.append(good(1, 0, 1.5), {});
        first_size = content(path).size();
        file.append(good(2, 1, 2.5), {R"({"params":{"n":2},"region":"main","metric":"time","value":1})"});
    }
    const std::string whole = content(path);
    for (std::size_t size = 1; size <= whole.size(); ++size) {
        SCOPED_TRACE(size);
        std::ofstream(path, std::ios::binary | std::ios::trunc) << whole.substr(0, size);
        const RunFile file = setting.open(path);
        const std::size_t runs = size == whole.size() ? 2 : size >= first_size ? 1 : 0;
        ASSERT_EQ(file.past().size(), runs);
        const std::size_t kept = runs == 2 ? whole.size() : runs == 1 ? first_size : header_size;
        ASSERT_EQ(content(path).size(), kept) << "as if it had not been begun";
        ASSERT_EQ(file.was_repaired(), size != kept && size + 1 != header_size);
    }
}

TEST(RunFile, KeepsWhatOthersAppended) {
    const test::TemporaryFolder folder;
    const Setting setting;
    const std::string path = folder / "runs.jsonl";
    setting.open(path).append(good(1, 0, 1.5), {});
    const std::string line = R"({"params":{"n":2},"region":"by hand","metric":"time","value":7})";
    std::ofstream(path, std::ios::app) << line << "\n";
    setting.open(path).append(good(2, 1, 2.5), {});
    EXPECT_NE(content(path).find(line), std::string::npos);
    EXPECT_EQ(setting.open(path).past().size(), 2U);
}

TEST(RunFile, RefusesMeasurementsOfSomethingElse) {
    const test::TemporaryFolder folder;
    const Setting setting;
    const std::string path = folder / "runs.jsonl";
    setting.open(path).append(good(1, 0, 1.5), {});
    const std::string before = content(path);
    const std::string hint = " | choose another file with -o, or replace this one with --fresh";
    Setting other = setting;
    other.identity.command = {"./other"};
    EXPECT_EQ(
        refusal(other, path),
        R"(was measured by another command: 'command' was ["./app","{n}"] and is now ["./other"])" + hint);
    other = setting;
    other.points.points.push_back({{3, "3"}});
    EXPECT_EQ(refusal(other, path),
              "was measured by another command: 'points' was [[1],[2]] and is now [[1],[2],[3]]" + hint);
    other = setting;
    other.points.names = {"m"};
    EXPECT_EQ(refusal(other, path),
              R"(was measured by another command: 'parameters' was ["n"] and is now ["m"])" + hint);
    EXPECT_EQ(content(path), before);
    const std::string text = folder.write("notes.txt", "precious\n");
    EXPECT_EQ(refusal(setting, text), "holds something that plimsoll measure did not write" + hint);
    EXPECT_EQ(content(text), "precious\n");
    const std::string data = folder.write("data.jsonl", "{\"params\":{\"n\":1},\"value\":1}\n");
    EXPECT_EQ(refusal(setting, data), "holds something that plimsoll measure did not write" + hint);
    const std::string one_line = folder.write("settings.json", "{\"precious\":1}");
    EXPECT_EQ(refusal(setting, one_line), "holds something that plimsoll measure did not write" + hint);
    EXPECT_EQ(content(one_line), "{\"precious\":1}");
}

TEST(RunFile, TakesNothingAwayThatIsNotAtTheEnd) {
    const test::TemporaryFolder folder;
    const Setting setting;
    const std::string path = folder / "runs.jsonl";
    setting.open(path).append(good(1, 0, 1.5), {});
    setting.open(path).append(good(2, 1, 2.5), {});
    const std::string whole = content(path);
    const auto first = whole.find("{\"run\"");
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"\"lines\":2}", "\"lines\":7}"},
                                   {"\"lines\":2}", "\"lines\":18446744073709551615}"},
                                   {"\"lines\":2}", "\"lines\":\"2\"}"},
                                   {"\"number\":1", "\"number\":\"one\""},
                                   {"}}\n{\"params\"", "\n{\"params\""},
                                   {"\"value\":1.5}", "\"value\":}"}}) {
        SCOPED_TRACE(to);
        std::string damaged = whole;
        damaged.replace(damaged.find(from, first), from.size(), to);
        std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
        const std::string said = refusal(setting, path);
        EXPECT_TRUE(said.starts_with(": the record of a run is damaged")) << said;
        EXPECT_EQ(content(path), damaged);
    }
}

TEST(RunFile, MayBecomeAnothersWhereNothingWasMeasured) {
    const test::TemporaryFolder folder;
    Setting setting;
    const std::string path = folder / "runs.jsonl";
    (void)setting.open(path);
    setting.identity.command = {"./other"};
    setting.open(path).append(good(1, 0, 1.5), {});
    EXPECT_EQ(setting.open(path).past().size(), 1U);
}

TEST(RunFile, IsReplacedWhereAskedToOnceThereIsARun) {
    const test::TemporaryFolder folder;
    const Setting setting;
    const std::string path = folder.write("runs.jsonl", "ancient\n");
    EXPECT_TRUE(setting.open(path, Existing::replaced).past().empty());
    EXPECT_EQ(content(path), "ancient\n") << "the program has not even started";
    {
        RunFile file = setting.open(path, Existing::replaced);
        file.append(good(1, 0, 1.5), {});
        file.append(good(2, 1, 2.5), {});
    }
    EXPECT_EQ(content(path).find("ancient"), std::string::npos);
    EXPECT_EQ(setting.open(path).past().size(), 2U);
}

TEST(RunFile, IsOpenOnceAtATime) {
    const test::TemporaryFolder folder;
    const Setting setting;
    const std::string path = folder / "runs.jsonl";
    const RunFile first = setting.open(path);
    EXPECT_EQ(refusal(setting, path),
              "another plimsoll measures into this file | wait for it, or choose another file with -o");
}

TEST(RunFile, SaysWhereItCannotBeWritten) {
    const Setting setting;
    EXPECT_EQ(refusal(setting, "/no/such/folder/runs.jsonl"),
              "cannot write: No such file or directory | choose a folder that you may write to");
    EXPECT_EQ(refusal(setting, "/dev"), "is a folder | name a file inside it");
}

}  // namespace
}  // namespace plimsoll::measure
