// Needs the library of OTF2, with which it writes archives.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "test/support/cube_writer.hpp"
#include "test/support/otf2_writer.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/shared_data.hpp"
#include "test/support/stopped.hpp"
#include "test/support/temporary_folder.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace plimsoll::profile {
namespace {

using test::read_profiles;
using test::TraceContent;
using test::TraceEvent;
using test::values_at;
using Kind = TraceEvent::Kind;
using Values = std::vector<double>;

/// Two processes, of which location 1 is rank 0. In ticks of a millisecond: main takes 100, of which 70
/// within.
TraceContent planted() {
    const auto events = [](std::uint64_t scale) {
        const auto at = [scale](std::uint64_t time) { return 5000 + scale * time; };
        return std::vector<TraceEvent>{{.kind = Kind::counter, .time = at(0), .sent = 7},
                                       {.kind = Kind::enter, .time = at(0), .region = 0},
                                       {.kind = Kind::counter, .time = at(10), .sent = 17},
                                       {.kind = Kind::enter, .time = at(10), .region = 1},
                                       {.kind = Kind::send, .time = at(20), .sent = 1000 * scale},
                                       {.kind = Kind::receive, .time = at(25), .received = 24},
                                       {.kind = Kind::counter, .time = at(40), .sent = 47},
                                       {.kind = Kind::leave, .time = at(40), .region = 1},
                                       {.kind = Kind::enter, .time = at(50), .region = 2},
                                       {.kind = Kind::collective, .time = at(85), .sent = 8, .received = 16},
                                       {.kind = Kind::leave, .time = at(90), .region = 2},
                                       {.kind = Kind::counter, .time = at(100), .sent = 107},
                                       {.kind = Kind::leave, .time = at(100), .region = 0}};
    };
    return {.regions = {"main", "MPI_Sendrecv", "MPI_Allreduce"},
            .locations = {events(1), events(3)},
            .ranks = {1, 0}};
}

void expect_near(const Values& values, const Values& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-12);
}

TEST(Otf2, FindsWhatWasPlanted) {
    const test::TemporaryFolder folder;
    test::write_otf2(folder / "app.p2.r1", planted());
    for (const std::string& path :
         {folder.path().string(), folder / "app.p2.r1", folder / "app.p2.r1/traces.otf2"}) {
        SCOPED_TRACE(path);
        const auto experiment = read_profiles(std::array{path});
        EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"p"});
        const Values p{2};
        // Rank 0 is location 1, which is slower.
        expect_near(values_at(experiment, "main", "time", p), {0.09, 0.03});
        expect_near(values_at(experiment, "main", "time.inclusive", p), {0.3, 0.1});
        expect_near(values_at(experiment, "main->MPI_Sendrecv", "time", p), {0.09, 0.03});
        expect_near(values_at(experiment, "main->MPI_Allreduce", "time", p), {0.12, 0.04});
        expect_near(values_at(experiment, "main->MPI_Allreduce", "visits", p), {1, 1});
        expect_near(values_at(experiment, "main->MPI_Sendrecv", "bytes", p), {3024, 1024});
        expect_near(values_at(experiment, "main->MPI_Allreduce", "bytes", p), {24, 24});
        // The unit of the counter is a thousand.
        expect_near(values_at(experiment, "main", "CYCLES", p), {70e3, 70e3});
        expect_near(values_at(experiment, "main->MPI_Sendrecv", "CYCLES", p), {30e3, 30e3});
        EXPECT_TRUE(experiment.notes.empty());
        EXPECT_EQ(experiment.metadata.at("threads"), "\"1\"");
    }
}

TEST(Otf2, ReadsEachArchiveOfAFolderAsARun) {
    const test::TemporaryFolder folder;
    TraceContent one = planted();
    one.locations.resize(1);
    one.ranks = {0};
    test::write_otf2(folder / "one", one);
    test::write_otf2(folder / "two", planted());
    folder.write("two/scorep.cfg", "not looked at");
    const auto experiment = read_profiles(std::array{folder.path().string()});
    EXPECT_EQ(experiment.point_count(), 2U);
    expect_near(values_at(experiment, "main", "time", Values{1}), {0.03});
    expect_near(values_at(experiment, "main", "time", Values{2}), {0.09, 0.03});
    EXPECT_TRUE(experiment.notes.empty());
}

TEST(Otf2, IsNotReadWhereAProfileOfTheRunLiesBeside) {
    const test::TemporaryFolder folder;
    test::write_otf2(folder / "study/deep/app.p2.r1", planted());
    folder.write("study/deep/app.p2.r1/profile.cubex",
                 test::cube_archive({.nodes = {{.region = "main"}},
                                     .ranks = 2,
                                     .metrics = {{.name = "time", .values = {{7.0, 8.0}}}}}));
    for (const std::string& path : {folder / "study", folder / "study/deep/app.p2.r1"}) {
        SCOPED_TRACE(path);
        const auto experiment = read_profiles(std::array{path});
        const auto* const series = test::find_series(experiment, "main", "time");
        ASSERT_NE(series, nullptr);
        EXPECT_EQ(series->values, (Values{7.0, 8.0}));
        EXPECT_EQ(experiment.regions.size(), 1U);
        ASSERT_FALSE(experiment.notes.empty());
        EXPECT_EQ(experiment.notes[0].message,
                  "is read as 'profile.cubex' alone, the profile of the run in it");
    }
    // Who wants the trace says so.
    profile::Collector profiles({});
    const auto traced = experiment::read(std::array{folder / "study/deep/app.p2.r1"}, {.format = "otf2"},
                                         silent(), &profiles);
    expect_near(values_at(traced, "main", "time", Values{2}), {0.09, 0.03});
}

// Nothing may be said of a profile's configuration but by the name of its folder.
TEST(Otf2, IsReadWhereTheProfileDoesNotSayHowLargeTheRunWas) {
    const test::TemporaryFolder folder;
    const std::string profile = test::cube_archive(
        {.nodes = {{.region = "main"}}, .ranks = 2, .metrics = {{.name = "time", .values = {{7.0, 8.0}}}}});
    for (const char* const name : {"study/deep/scorep_trace", "study/deep/app.p2.r1"})
        folder.write(std::string(name) + "/profile.cubex", profile);
    test::write_otf2(folder / "trace", planted());
    for (const char* const name : {"study/deep/scorep_trace", "study/deep/app.p2.r1"}) {
        std::filesystem::copy(folder.path() / "trace", folder.path() / name,
                              std::filesystem::copy_options::recursive);
    }
    const auto unnamed = read_profiles(std::array{folder / "study/deep/scorep_trace"});
    expect_near(values_at(unnamed, "main", "time", Values{2}), {0.09, 0.03});
    EXPECT_TRUE(unnamed.notes.empty());
    const auto set = read_profiles(std::array{folder / "study"}, {.set = "n=5"});
    EXPECT_EQ(set.parameter_names(), std::vector<std::string>{"n"});
    expect_near(values_at(set, "main", "time", Values{5}), {0.09, 0.03, 0.09, 0.03});
    const auto found = read_profiles(std::array{folder / "study/deep/app.p2.r1"},
                                     {.path_pattern = "app.p{q}.r{repetition}"});
    EXPECT_EQ(found.parameter_names(), std::vector<std::string>{"q"});
}

// Runs that lie side by side are a set of Cube profiles where their folders name parameters.
TEST(Otf2, IsReadOfEachRunWhoseProfileDoesNotSayHowLargeItWas) {
    const test::TemporaryFolder folder;
    const std::string profile = test::cube_archive(
        {.nodes = {{.region = "main"}}, .ranks = 2, .metrics = {{.name = "time", .values = {{7.0, 8.0}}}}});
    TraceContent one = planted();
    one.locations.resize(1);
    one.ranks = {0};
    test::write_otf2(folder / "unnamed/first", one);
    test::write_otf2(folder / "unnamed/second", planted());
    test::write_otf2(folder / "named/app.p2.r1", planted());
    test::write_otf2(folder / "named/other", planted());
    for (const char* const run : {"unnamed/first", "unnamed/second", "named/app.p2.r1", "named/app.p4.r1"})
        folder.write(std::string(run) + "/profile.cubex", profile);
    const auto unnamed = read_profiles(std::array{folder / "unnamed"});
    expect_near(values_at(unnamed, "main", "time", Values{1}), {0.03});
    expect_near(values_at(unnamed, "main", "time", Values{2}), {0.09, 0.03});
    EXPECT_TRUE(unnamed.notes.empty());
    const auto set = read_profiles(std::array{folder / "unnamed"}, {.set = "n={threads}"});
    EXPECT_EQ(set.parameter_names().front(), "n");
    const auto named = read_profiles(std::array{folder / "named"});
    EXPECT_EQ(values_at(named, "main", "time", Values{2}), (Values{7.0, 8.0}));
    EXPECT_EQ(values_at(named, "main", "time", Values{4}), (Values{7.0, 8.0}));
    EXPECT_TRUE(named.notes.empty());
}

TEST(Otf2, TellsHowMuchOfTheFolderIsRead) {
    class Watcher final : public Progress {
      public:
        void begin(std::string_view /*what*/, std::int64_t total) override { total_ = total; }
        void advance(std::int64_t done) override {
            if (done > done_) ++advances_;
            done_ = done;
        }
        void end() override {}
        std::int64_t total_ = 0;
        std::int64_t done_ = 0;
        int advances_ = 0;
    };
    const test::TemporaryFolder folder;
    test::write_otf2(folder / "run", planted());
    Watcher watcher;
    Collector profiles({});
    (void)experiment::read(std::array{folder / "run"}, {}, watcher, &profiles);
    EXPECT_EQ(watcher.done_, watcher.total_);
    EXPECT_GE(watcher.advances_, 3);  // definitions, and each location
    test::Stopped stopped;
    EXPECT_THROW((void)experiment::read(std::array{folder / "run"}, {}, stopped, &profiles), Cancelled);
}

TEST(Otf2, BlamesAnErrorOnNothingThatWasFine) {
#if defined(__SANITIZE_ADDRESS__)
    const __lsan::ScopedDisabler disabler;  // the library does not let go of an archive that is damaged
#endif
    const test::TemporaryFolder folder;
    test::write_otf2(folder / "run", planted());
    const auto error = [&folder] {
        try {
            (void)read_profiles(std::array{folder / "run"});
        } catch (const Error& caught) {
            return std::string(caught.what());
        }
        return std::string();
    };
    const std::string events = read_file(folder / "run/traces/1.evt");
    folder.write("run/traces/1.evt", events.substr(0, events.size() / 2));
    const std::string before = error();
    EXPECT_FALSE(before.empty());
    // Traces without definitions of their locations are whole.
    for (const char* const file : {"0.def", "1.def"})
        std::filesystem::remove(folder.path() / "run/traces" / file);
    EXPECT_EQ(error(), before);
    folder.write("run/traces/1.evt", events);
    EXPECT_EQ(error(), "");
}

// What otf2-print says of the archive: events 1 and 6, enter and leave of each region in turn.
TEST(Otf2, ReadsTracesOfScoreP) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/realworld/format-fixtures/otf2-pipit");
    const auto experiment = read_profiles(std::array{folder + "/ping-pong-otf2"});
    EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"p"});
    const double hertz = 2095197216.0;
    const std::string main = "int main(int, char**)";
    const Values init = values_at(experiment, main + "->MPI_Init", "time", Values{2});
    expect_near(
        init, {(7397467382698364 - 7397466977702853) / hertz, (7397467382699825 - 7397466977062212) / hertz});
    const Values size = values_at(experiment, main + "->MPI_Comm_size", "time", Values{2});
    expect_near(
        size, {(7397467382719368 - 7397467382716190) / hertz, (7397467382721463 - 7397467382718429) / hertz});
    // A law: what one rank sends, the other one receives.
    EXPECT_EQ(values_at(experiment, main + "->MPI_Send", "bytes", Values{2}).at(0),
              values_at(experiment, main + "->MPI_Recv", "bytes", Values{2}).at(1));
    EXPECT_EQ(values_at(experiment, main + "->MPI_Send", "bytes", Values{2}).at(1),
              values_at(experiment, main + "->MPI_Recv", "bytes", Values{2}).at(0));
    // Another: the times of all regions add up to that of the outermost.
    for (const std::size_t rank : {0U, 1U}) {
        double sum = 0.0;
        for (const auto& region : experiment.regions)
            sum += values_at(experiment, region.path, "time", Values{2}).at(rank);
        EXPECT_NEAR(sum, values_at(experiment, main, "time.inclusive", Values{2}).at(rank), 1e-12);
    }
    const auto counters = read_profiles(std::array{folder + "/ping-pong-otf2-papi/traces.otf2"});
    expect_near(values_at(counters, main + "->MPI_Init", "PAPI_TOT_CYC", Values{2}),
                {87997941.0 - 122765.0, 52519367.0 - 173459.0});
    expect_near(values_at(counters, main + "->MPI_Comm_size", "PAPI_L2_TCM", Values{2}),
                {467785.0 - 467713.0, 169392.0 - 169324.0});
}

TEST(Otf2, NotesWhatIsOdd) {
    const test::TemporaryFolder folder;
    TraceContent odd = planted();
    odd.counter_mode = OTF2_METRIC_ABSOLUTE_POINT;
    for (auto& events : odd.locations) events.erase(events.begin() + 7);  // MPI_Sendrecv is not left
    test::write_otf2(folder / "odd", odd);
    const auto experiment = read_profiles(std::array{folder / "odd"});
    std::vector<std::string> notes;
    for (const auto& note : experiment.notes) notes.push_back(note.message);
    EXPECT_NE(
        std::find(notes.begin(), notes.end(), "'CYCLES' is a level and counts nothing, and is left out"),
        notes.end());
    EXPECT_NE(
        std::find(notes.begin(), notes.end(),
                  "regions entered and not left: 2; they end with the region around them, or the trace"),
        notes.end());
    expect_near(values_at(experiment, "main", "time.inclusive", Values{2}), {0.3, 0.1});
}

TEST(Otf2, RefusesWhatIsDamaged) {
#if defined(__SANITIZE_ADDRESS__)
    const __lsan::ScopedDisabler disabler;  // the library does not let go of an archive that it cannot open
#endif
    const test::TemporaryFolder folder;
    test::write_otf2(folder / "whole", planted());
    const auto error_of = [&folder](const std::string& file, const std::string& content) -> std::string {
        std::filesystem::remove_all(folder.path() / "damaged");
        std::filesystem::copy(folder.path() / "whole", folder.path() / "damaged",
                              std::filesystem::copy_options::recursive);
        folder.write("damaged/" + file, content);
        try {
            (void)read_profiles(std::array{folder / "damaged/traces.otf2"});
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_FALSE(error.hint().empty());
            return error.what();
        }
        return {};
    };
    for (const char* const file : {"traces.otf2", "traces.def", "traces/0.evt", "traces/1.evt"}) {
        SCOPED_TRACE(file);
        const std::string whole = read_file(folder / "whole/" + file);
        EXPECT_EQ(error_of(file, whole), "");
        for (std::size_t cut = 0; cut < whole.size(); cut += std::max<std::size_t>(1, whole.size() / 40)) {
            SCOPED_TRACE(cut);
            // A file that ends within its last bytes may still tell all.
            const std::string error = error_of(file, whole.substr(0, cut));
            EXPECT_TRUE(cut + 8 >= whole.size() || !error.empty());
            if (std::string_view(file).ends_with(".otf2")) continue;  // the library believes its counts
            // A bit turned over may change a value, or be found.
            std::string changed = whole;
            changed[cut] = static_cast<char>(changed[cut] ^ (1 << (cut % 8)));
            (void)error_of(file, changed);
        }
    }
    std::filesystem::remove_all(folder.path() / "damaged");
    std::filesystem::copy(folder.path() / "whole", folder.path() / "damaged",
                          std::filesystem::copy_options::recursive);
    std::filesystem::remove_all(folder.path() / "damaged" / "traces");
    EXPECT_THROW((void)read_profiles(std::array{folder / "damaged"}), Error);
    // The anchor alone, as on standard input.
    EXPECT_THROW((void)test::read_profile(read_file(folder / "whole/traces.otf2")), Error);
}

}  // namespace
}  // namespace plimsoll::profile
