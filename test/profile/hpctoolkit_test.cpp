#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "test/support/cube_writer.hpp"
#include "test/support/most_memory.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/shared_data.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::profile {
namespace {

using test::read_profiles;
using test::values_at;
using Values = std::vector<double>;

double big_endian_double(const std::string& bytes, std::size_t at) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 8; ++i) bits = (bits << 8U) | static_cast<unsigned char>(bytes.at(at + i));
    return std::bit_cast<double>(bits);
}

std::string big_endian(std::uint64_t value, std::size_t size) {
    std::string bytes;
    for (std::size_t i = size; i > 0; --i) bytes += static_cast<char>(value >> (8 * (i - 1)));
    return bytes;
}

std::string values_file(const std::vector<double>& values, std::uint32_t nodes, std::uint32_t metrics) {
    std::string bytes = "HPCPROF-metricdb__00.10b" + big_endian(nodes, 4) + big_endian(metrics, 4);
    for (const double value : values) bytes += big_endian(std::bit_cast<std::uint64_t>(value), 8);
    return bytes;
}

double sum_over_regions(const experiment::Experiment& experiment, const char* metric,
                        std::span<const double> point, std::size_t location) {
    double sum = 0.0;
    for (const auto& region : experiment.regions) {
        const Values values = values_at(experiment, region.path, metric, point);
        if (!values.empty()) sum += values.at(location);
    }
    return sum;
}

// A frame's exclusive time is that of its statements, so that those of all frames add up to what the readers
// take from the statements, and to the time of the whole program, which is the first row.
TEST(Hpctoolkit, ReadsTheValuesOfFourProcesses) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/realworld/format-fixtures/hatchet/hpctoolkit-cpi-database");
    const auto experiment = read_profiles(std::array{folder});
    EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"p"});
    std::set<std::size_t> frames;
    const std::string xml = read_file(folder + "/experiment.xml");
    const std::regex frame("<PF i=\"([0-9]+)\"");
    for (std::sregex_iterator it(xml.begin(), xml.end(), frame); it != std::sregex_iterator(); ++it)
        frames.insert(std::stoul((*it)[1]));
    EXPECT_FALSE(frames.empty());
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".metric-db") files.insert(entry.path().string());
    }
    ASSERT_EQ(files.size(), 4U);
    std::size_t rank = 0;
    for (const std::string& file : files) {
        SCOPED_TRACE(file);
        const std::string bytes = read_file(file);
        double own = 0.0;
        for (const std::size_t id : frames) own += big_endian_double(bytes, 32 + 16 * (id - 1) + 8);
        const double whole = big_endian_double(bytes, 32);
        EXPECT_EQ(own, whole);
        EXPECT_NEAR(sum_over_regions(experiment, "time", Values{4}, rank), 1e-6 * own, 1e-12);
        const Values inclusive = values_at(experiment, "<program root>", "time.inclusive", Values{4});
        ASSERT_EQ(inclusive.size(), 4U);
        EXPECT_DOUBLE_EQ(inclusive[rank], 1e-6 * whole);
        // Node 58 is the frame of __GI_sched_yield, the only one of that name.
        for (const auto& region : experiment.regions) {
            if (!region.path.ends_with("->__GI_sched_yield")) continue;
            EXPECT_DOUBLE_EQ(values_at(experiment, region.path, "time", Values{4}).at(rank),
                             1e-6 * big_endian_double(bytes, 32 + 16 * 57 + 8));
        }
        ++rank;
    }
    const auto by_file = read_profiles(std::array{folder + "/experiment.xml"});
    EXPECT_EQ(by_file.regions.size(), experiment.regions.size());
    EXPECT_EQ(sum_over_regions(by_file, "time", Values{4}, 3),
              sum_over_regions(experiment, "time", Values{4}, 3));
}

const std::string header = R"xml(<?xml version="1.0"?>
<HPCToolkitExperiment version="2.0"><SecCallPathProfile i="0" n="app"><SecHeader>
<MetricTable>
<Metric i="2" n="CPUTIME (usec):Sum (I)" t="inclusive"/><Metric i="3" n="CPUTIME (usec):Sum (E)" t="exclusive"/>
<Metric i="4" n="CPUTIME (usec):StdDev (E)" t="exclusive"/>
</MetricTable>
<MetricDBTable>
<MetricDB i="0" n="CPUTIME (usec) (I)" t="inclusive" db-id="0"/><MetricDB i="1" n="CPUTIME (usec) (E)" t="exclusive" db-id="1"/>
<MetricDB i="2" n="PAPI_TOT_CYC (E)" t="exclusive" db-id="2"/>
</MetricDBTable>
<ProcedureTable><Procedure i="7" n="main"/><Procedure i="8" n="a&lt;int&gt;"/></ProcedureTable>
</SecHeader><SecCallPathProfileData>
)xml";
const std::string tree = R"(<PF i="2" n="7"><M n="2" v="60"/><M n="3" v="50"/>
<L i="3"><Pr i="4" n="inlined"><S i="5"><M n="3" v="20"/></S></Pr><S i="6"><M n="3" v="30"/></S></L>
<C i="7"><PF i="8" n="8"><M n="2" v="10"/><M n="3" v="10"/><S i="9"><M n="3" v="10"/></S></PF></C>
</PF>)";
const std::string tail = "</SecCallPathProfileData></SecCallPathProfile></HPCToolkitExperiment>\n";

/// Values of nodes 1 to 9: (I), (E) and cycles.
Values planted(double scale) {
    Values values{60,  0,  0,  60,  50, 0, 50, 30, 0,  20, 0,  0,  20, 20,
                  200, 30, 30, 300, 10, 0, 0,  10, 10, 0,  10, 10, 100};
    for (double& value : values) value *= scale;
    return values;
}

TEST(Hpctoolkit, FoldsLoopsAndLinesIntoTheirProcedure) {
    const test::TemporaryFolder folder;
    const std::string document = header + tree + tail;
    for (const int p : {1, 2}) {
        const std::string run = fmt::format("app.p{}", p);
        folder.write(run + "/experiment.xml", document);
        for (int rank = 0; rank < p; ++rank)
            folder.write(fmt::format("{}/1.my-app-{:06}-000-a8c0-1-0.metric-db", run, rank),
                         values_file(planted(1 + rank), 9, 3));
        folder.write(run + "/notes.csv", "p,time\nthis,is,no,input\n");
    }
    const auto experiment = read_profiles(std::array{folder.path().string()});
    EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"p"});
    EXPECT_EQ(experiment.point_count(), 2U);
    const auto near = [&experiment](const char* region, const char* metric, const Values& expected) {
        SCOPED_TRACE(region);
        const Values values = values_at(experiment, region, metric, Values{2});
        ASSERT_EQ(values.size(), expected.size());
        for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-12);
    };
    near("main", "time", {30e-6, 60e-6});
    near("main->inlined", "time", {20e-6, 40e-6});
    near("main->a<int>", "time", {10e-6, 20e-6});
    near("main", "time.inclusive", {60e-6, 120e-6});
    near("main", "PAPI_TOT_CYC", {300, 600});
    near("main->inlined", "PAPI_TOT_CYC", {200, 400});
    EXPECT_TRUE(experiment.notes.empty());
}

TEST(Hpctoolkit, TakesSumsWhereThereIsNothingElse) {
    const test::TemporaryFolder folder;
    const std::string file = folder.write("experiment.xml", header + tree + tail);
    const auto experiment = read_profiles(std::array{file});
    EXPECT_NEAR(values_at(experiment, "main", "time", Values{1}).at(0), 30e-6, 1e-12);
    EXPECT_NEAR(values_at(experiment, "main->inlined", "time", Values{1}).at(0), 20e-6, 1e-12);
    ASSERT_FALSE(experiment.notes.empty());
    EXPECT_EQ(experiment.notes[0].message,
              "no files *.metric-db stand beside it, so that values are those of all threads together");
}

TEST(Hpctoolkit, TakesMeansBeforeSums) {
    const test::TemporaryFolder folder;
    std::string means = header + tree + tail;
    means.replace(means.find("StdDev"), 6, "Mean");
    means.replace(means.find("<M n=\"3\" v=\"20\"/>"), 0, "<M n=\"4\" v=\"5\"/>");
    const auto experiment = read_profiles(std::array{folder.write("experiment.xml", means)});
    EXPECT_NEAR(values_at(experiment, "main->inlined", "time", Values{1}).at(0), 5e-6, 1e-12);
    EXPECT_NEAR(values_at(experiment, "main->inlined", "time.total", Values{1}).at(0), 20e-6, 1e-12);
}

std::vector<std::string> notes_of(const experiment::Experiment& experiment) {
    std::vector<std::string> notes;
    for (const auto& note : experiment.notes) notes.push_back(note.message);
    return notes;
}

/// A database of one procedure, with the given metrics.
std::string document_with(const std::string& metrics, const std::string& values = {}) {
    return "<?xml version=\"1.0\"?>\n<HPCToolkitExperiment version=\"2.0\"><SecCallPathProfile><SecHeader>" +
           metrics +
           "<ProcedureTable><Procedure i=\"7\" n=\"main\"/></ProcedureTable></SecHeader>"
           "<SecCallPathProfileData><PF i=\"1\" n=\"7\"><S i=\"2\">" +
           values + "</S></PF>" + tail;
}

// Events of perf have colons in their names.
TEST(Hpctoolkit, KeepsWhatStandsBehindColons) {
    const test::TemporaryFolder folder;
    folder.write("db/experiment.xml",
                 document_with("<MetricDBTable><MetricDB n=\"perf::CYCLES (E)\" db-id=\"0\"/>"
                               "<MetricDB n=\"perf::PAGE-FAULTS (E)\" db-id=\"1\"/>"
                               "<MetricDB n=\"odd:Sum (E)\" db-id=\"2\"/></MetricDBTable>"));
    folder.write("db/1.app-000000-000-a8c0-1-0.metric-db", values_file({0, 0, 0, 1000, 3, 5}, 2, 3));
    const auto database = read_profiles(std::array{folder / "db"});
    EXPECT_EQ(values_at(database, "main", "perf::CYCLES", Values{1}), Values{1000});
    EXPECT_EQ(values_at(database, "main", "perf::PAGE-FAULTS", Values{1}), Values{3});
    EXPECT_EQ(values_at(database, "main", "odd:Sum", Values{1}), Values{5});

    const std::string sums = folder.write(
        "experiment.xml", document_with("<MetricTable><Metric i=\"0\" n=\"perf::CYCLES:Sum (E)\"/>"
                                        "<Metric i=\"1\" n=\"perf::PAGE-FAULTS (E)\"/>"
                                        "<Metric i=\"2\" n=\"perf::CYCLES:CfVar (E)\"/></MetricTable>",
                                        "<M n=\"0\" v=\"1000\"/><M n=\"1\" v=\"3\"/><M n=\"2\" v=\"0.5\"/>"));
    const auto summed = read_profiles(std::array{sums});
    EXPECT_EQ(values_at(summed, "main", "perf::CYCLES", Values{1}), Values{1000});
    EXPECT_EQ(values_at(summed, "main", "perf::PAGE-FAULTS", Values{1}), Values{3});
    EXPECT_EQ(summed.metrics.size(), 2U);
}

// A recursion whose last level has one statement of 7 s.
TEST(Hpctoolkit, CountsValuesOnceBeyondTheDeepestLevel) {
    for (const int levels : {900, 1100}) {
        SCOPED_TRACE(levels);
        std::string frames;
        std::string ends;
        for (int level = 1; level <= levels; ++level) {
            frames += fmt::format("<PF i=\"{}\" n=\"7\"><M n=\"0\" v=\"7\"/>", level);
            ends += "</PF>";
        }
        std::string document = document_with(
            "<MetricTable><Metric i=\"0\" n=\"REALTIME (sec) (I)\" t=\"inclusive\"/>"
            "<Metric i=\"1\" n=\"REALTIME (sec) (E)\" t=\"exclusive\"/></MetricTable>");
        const std::string frame = "<PF i=\"1\" n=\"7\"><S i=\"2\"></S></PF>";
        document.replace(document.find(frame), frame.size(),
                         frames + fmt::format("<M n=\"1\" v=\"7\"/><S i=\"{}\"><M n=\"1\" v=\"7\"/></S>{}",
                                              levels + 1, ends));
        const test::TemporaryFolder folder;
        const auto experiment = read_profiles(std::array{folder.write("experiment.xml", document)});
        EXPECT_EQ(sum_over_regions(experiment, "time", Values{1}, 0), 7.0);
    }
}

TEST(Hpctoolkit, CountsProcessesWhoseFilesAreMissing) {
    const test::TemporaryFolder folder;
    folder.write("experiment.xml", header + tree + tail);
    for (const int rank : {0, 1, 3})
        folder.write(fmt::format("1.app-{:06}-000-a8c0-1-0.metric-db", rank), values_file(planted(1), 9, 3));
    const auto experiment = read_profiles(std::array{folder.path().string()});
    EXPECT_EQ(values_at(experiment, "main", "time", Values{4}).size(), 3U);
    EXPECT_EQ(notes_of(experiment), std::vector<std::string>{"3 of 4 processes are there"});
}

TEST(Hpctoolkit, IsReadWhateverLiesBeside) {
    const test::TemporaryFolder folder;
    folder.write("app.p1.r1/experiment.xml", header + tree + tail);
    folder.write("app.p1.r1/1.app-000000-000-a8c0-1-0.metric-db", values_file(planted(1), 9, 3));
    folder.write("app.p1.r1/other.cubex",
                 test::cube_archive(
                     {.nodes = {{.region = "other"}}, .metrics = {{.name = "time", .values = {{7.0}}}}}));
    for (const std::string& path : {folder / "app.p1.r1", folder.path().string()}) {
        SCOPED_TRACE(path);
        const auto experiment = read_profiles(std::array{path});
        EXPECT_EQ(values_at(experiment, "main", "PAPI_TOT_CYC", Values{1}), Values{300});
        EXPECT_TRUE(experiment.notes.empty());
    }
}

TEST(Hpctoolkit, TellsHowMuchOfTheFolderIsRead) {
    class Watcher final : public Progress {
      public:
        void begin(std::string_view /*what*/, std::int64_t total) override { total_ = total; }
        void advance(std::int64_t done) override {
            done_ = done;
            if (done >= stop_at_) request_stop();
        }
        void end() override {}
        std::int64_t total_ = 0;
        std::int64_t done_ = 0;
        std::int64_t stop_at_ = std::numeric_limits<std::int64_t>::max();
    };
    const test::TemporaryFolder folder;
    const std::string document = header + tree + tail;
    folder.write("experiment.xml", document);
    for (const int rank : {0, 1}) {
        folder.write(fmt::format("1.app-{:06}-000-a8c0-1-0.metric-db", rank),
                     values_file(Values(3 * 50000, 1.0), 50000, 3));
    }
    const auto read = [&folder](Progress& progress) {
        Collector profiles({});
        (void)experiment::read(std::array{folder.path().string()}, {}, progress, &profiles);
    };
    Watcher watcher;
    read(watcher);
    EXPECT_EQ(watcher.done_, watcher.total_);
    Watcher stopping;
    stopping.stop_at_ = static_cast<std::int64_t>(document.size()) + 500'000;  // within the first of two
    EXPECT_THROW(read(stopping), Cancelled);
    EXPECT_LT(stopping.done_, static_cast<std::int64_t>(document.size()) + 1'200'000);
}

// Named by the table of procedures, a name takes four bytes in each frame.
TEST(Hpctoolkit, TakesNoMemoryForPathsWithoutValues) {
    const test::TemporaryFolder folder;
    std::string frames;
    std::string end;
    int id = 1;
    for (int i = 0; i < 900; ++i) {
        frames += fmt::format("<PF i=\"{}\" n=\"7\">", id++);
        end += "</PF>";
    }
    for (int i = 0; i < 500; ++i) frames += fmt::format("<PF i=\"{}\" n=\"7\"/>", id++);
    const std::string document =
        "<?xml version=\"1.0\"?><HPCToolkitExperiment><SecCallPathProfile><SecHeader><MetricTable>"
        "<Metric i=\"0\" n=\"CPUTIME (sec) (E)\"/></MetricTable><ProcedureTable><Procedure i=\"7\" n=\"" +
        std::string(1000, 'a') +
        "\"/></ProcedureTable></SecHeader><SecCallPathProfileData>"
        "<PF i=\"9999\" n=\"main\"><S i=\"10000\"><M n=\"0\" v=\"2\"/></S></PF>";
    const std::string text = document + frames + end + tail;
    const std::size_t before = test::most_memory();
    const auto experiment = read_profiles(std::array{folder.write("experiment.xml", text)});
    EXPECT_EQ(values_at(experiment, "main", "time", Values{1}), Values{2});
    EXPECT_LT(test::most_memory() - before, std::size_t{300} << 20U);
}

TEST(Hpctoolkit, ReadsNoWholeFileBeyondALimit) {
    const test::TemporaryFolder folder;
    const std::string file = folder.write("experiment.xml", header + tree + tail);
    std::filesystem::resize_file(file, std::uintmax_t{257} << 20U);
    try {
        (void)read_profiles(std::array{file});
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.what(), file + ": is larger than 256 MiB, which would take ten times as much memory");
        EXPECT_FALSE(error.hint().empty());
    }
}

TEST(Hpctoolkit, SaysWhatIsWrongWhere) {
    const test::TemporaryFolder folder;
    const auto error_of = [&folder](const std::string& xml, const std::string& values,
                                    const std::string& name =
                                        "1.app-000000-000-a8c0-1-0.metric-db") -> std::string {
        std::filesystem::remove_all(folder.path() / "db");
        folder.write("db/experiment.xml", xml);
        if (!values.empty()) folder.write("db/" + name, values);
        try {
            (void)read_profiles(std::array{folder / "db"});
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_FALSE(error.hint().empty());
            const std::string text = error.what();
            return text.substr(std::min(text.size(), folder.path().string().size() + 4));
        }
        return {};
    };
    const std::string good = header + tree + tail;
    const std::string values = values_file(planted(1), 9, 3);
    const std::string file = "1.app-000000-000-a8c0-1-0.metric-db: ";
    EXPECT_EQ(error_of(good, values), "");
    EXPECT_TRUE(error_of(header + tree, values).starts_with("experiment.xml:16: is no XML: "))
        << error_of(header + tree, values);
    EXPECT_EQ(error_of(R"(<?xml version="1.0"?><HPCToolkitExperiment/>)", values),
              "experiment.xml: holds no 'SecCallPathProfile'");
    EXPECT_EQ(error_of(header + "\n<PF i=\"2\"/>" + tail, values),
              "experiment.xml:14: a procedure has no name");
    EXPECT_EQ(error_of(header + "<PF n=\"7\"/>" + tail, values), "experiment.xml:13: 'PF' has no number");
    EXPECT_EQ(error_of(header + "<PF i=\"2\" n=\"7\"><M n=\"2\" v=\"x\"/></PF>" + tail, values),
              "experiment.xml:13: a value is no number");
    EXPECT_EQ(error_of(good, "HPCPROF"), file + "does not begin with 'HPCPROF-metricdb__' and its counts");
    EXPECT_EQ(error_of(good, values.substr(0, values.size() - 1)),
              file + "is 247 bytes long, and 9 nodes with 3 metrics take 248");
    EXPECT_EQ(error_of(good, values_file(planted(1), 9, 2)),
              file + "has 2 metrics a node, and experiment.xml names number 2");
    EXPECT_EQ(error_of(good, values_file({}, 0xffffffff, 0xffffffff)),
              file + "has 4294967295 metrics a node");
    EXPECT_EQ(error_of(good, values, "app.metric-db"),
              "app.metric-db: its name does not say of which process and thread it is");
    EXPECT_EQ(error_of(header + tail, values), " holds no measurements");  // of the folder
    std::string unknown_order = values;
    unknown_order[23] = '\0';
    EXPECT_EQ(error_of(good, unknown_order), file + "byte order '?' is not b or l");
    std::string infinite = values;
    infinite.replace(32 + 24 * 4 + 8, 8, "\x7f\xf0\0\0\0\0\0\0", 8);
    EXPECT_EQ(error_of(good, infinite), file + "a value of node 5 is not finite");
    // A call tree of any depth costs no stack, and its paths no more memory than a bound.
    std::string deep;
    std::string end;
    for (int i = 2; i < 3000; ++i) {
        deep += "<PF i=\"" + std::to_string(i) + "\" n=\"7\">";
        end += "</PF>";
    }
    EXPECT_EQ(error_of(header + deep + "<S i=\"3000\"><M n=\"3\" v=\"5\"/></S>" + end + tail, ""), "");
}

}  // namespace
}  // namespace plimsoll::profile
