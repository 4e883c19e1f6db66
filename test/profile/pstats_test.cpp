#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "test/support/measured_program.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/shared_data.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::profile {
namespace {

using test::read_profile;
using test::values_at;
using namespace std::string_literals;
using Values = std::vector<double>;

// What Python's own pstats says of a file: a JSON object with own time, time with calls, and calls by name.
const std::string script = R"(
import json, pstats, sys
stats = pstats.Stats(sys.argv[1]).strip_dirs()
print(json.dumps([[pstats.func_std_string(f), v[2], v[3], v[1]] for f, v in stats.stats.items()]))
)";

bool is_there(const std::string& python) {
    return test::run_for_output(python + " --version 2>&1").status == 0;
}

nlohmann::json told_by_python(const std::string& python, const std::string& file) {
    const test::TemporaryFolder folder;
    const std::string program = folder.write("stats.py", script);
    const auto ended = test::run_for_output(python + " " + program + " '" + file + "'");
    EXPECT_EQ(ended.status, 0) << ended.output;
    return ended.status == 0 ? nlohmann::json::parse(ended.output) : nlohmann::json::array();
}

void expect_same(const experiment::Experiment& experiment, const nlohmann::json& rows) {
    EXPECT_EQ(experiment.regions.size(), rows.size());
    for (const auto& row : rows) {
        const std::string name = row[0];
        SCOPED_TRACE(name);
        EXPECT_EQ(values_at(experiment, name, "time", Values{1}), Values{row[1].get<double>()});
        EXPECT_EQ(values_at(experiment, name, "time.inclusive", Values{1}), Values{row[2].get<double>()});
        EXPECT_EQ(values_at(experiment, name, "visits", Values{1}), Values{row[3].get<double>()});
    }
}

TEST(Pstats, ReadsWhatPythonReads) {
    PLIMSOLL_SHARED_OR_SKIP(
        file, "data/realworld/format-fixtures/hatchet/cprofile-hatchet-pstats/cprofile-cycle.pstats");
    if (!is_there("python3")) GTEST_SKIP() << "needs python3, which is not here";
    const auto rows = told_by_python("python3", file);
    ASSERT_FALSE(rows.empty());
    const auto experiment = test::read_profiles(std::array{file});
    expect_same(experiment, rows);
    EXPECT_FALSE(values_at(experiment, "{built-in method builtins.next}", "time", Values{1}).empty());
}

/// Little-endian numbers out of bytes.
template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
    Number number{};
    std::memcpy(&number, bytes.data() + at, sizeof(number));
    return number;
}

// Python 2 writes each record as a tuple of five: two whole numbers of four bytes, two doubles, and a
// dictionary. Such a sequence of types at their distances is nowhere else in the file. What it counts comes
// to what the reader finds.
TEST(Pstats, ReadsAFileOfPython2) {
    PLIMSOLL_SHARED_OR_SKIP(
        file, "data/realworld/format-fixtures/hatchet/cprofile-hatchet-pstats/cprofile-cycle-py2.pstats");
    const std::string bytes = read_file(file);
    std::map<std::string, double> sums;
    std::size_t records = 0;
    for (std::size_t at = 0; at + 34 <= bytes.size(); ++at) {
        if (bytes.compare(at, 5, "(\5\0\0\0"s) != 0 || bytes[at + 5] != 'i' || bytes[at + 10] != 'i' ||
            bytes[at + 15] != 'g' || bytes[at + 24] != 'g' || bytes[at + 33] != '{')
            continue;
        ++records;
        sums["visits"] += number_at<std::int32_t>(bytes, at + 11);
        sums["time"] += number_at<double>(bytes, at + 16);
        sums["time.inclusive"] += number_at<double>(bytes, at + 25);
    }
    const auto experiment = test::read_profiles(std::array{file});
    EXPECT_GT(records, 5U);
    EXPECT_EQ(experiment.regions.size(), records);
    for (const auto& [metric, sum] : sums) {
        double read = 0.0;
        for (const auto& series : experiment.series) {
            if (experiment.metric(series).name == metric) read += series.values.at(0);
        }
        EXPECT_DOUBLE_EQ(read, sum) << metric;
    }
    EXPECT_FALSE(values_at(experiment, "{range}", "visits", Values{1}).empty());
    if (is_there("python2")) expect_same(experiment, told_by_python("python2", file));
}

// Each version of marshal that Python can still write says the same.
TEST(Pstats, ReadsEveryVersionOfMarshal) {
    if (!is_there("python3")) GTEST_SKIP() << "needs python3, which is not here";
    const test::TemporaryFolder folder;
    const std::string program = folder.write("write.py", R"(
import marshal, sys
g = ("/a/b.py", 12, "g")
stats = {
    g: (3, 1 << 40, 0.25, 1.5, {("/a/b.py", 20, "h\u00e9"): (1, 2, 0.1, 0.2)}),
    ("/a/b.py", 20, "h\u00e9"): (1, 2, 1e-300, 2.0, {g: (1, 1, 0.5, 0.5)}),
    ("/other/b.py", 12, "g"): (-(1 << 40), 7, 0.5, 0.25, {}),
    ("~", 0, "<built-in method len>"): (1, 9, 0.125, 0.125, {g: (1, 1, 0.5, 0.5)}),
    ("~", 0, "name"): (1, 1, 0.0, 0.0, {}),
    ("C:\\dir\\c.py", 3, "<lambda>"): (1, 4, 0.5, 0.75, {}),
    ("d" * 300 + ".py", 3, "k"): (1, 4, 0.5, 0.75, {}),
}
for version in range(5):
    with open("%s/v%d.pstats" % (sys.argv[1], version), "wb") as f:
        marshal.dump(stats, f, version)
)");
    const auto ended = test::run_for_output("python3 " + program + " " + folder.path().string());
    ASSERT_EQ(ended.status, 0) << ended.output;
    for (int version = 0; version <= 4; ++version) {
        SCOPED_TRACE(version);
        const auto experiment =
            test::read_profiles(std::array{folder / ("v" + std::to_string(version) + ".pstats")});
        const auto at = [&](const std::string& region, const char* metric) {
            return values_at(experiment, region, metric, Values{1});
        };
        EXPECT_EQ(experiment.regions.size(), 6U);
        // As pstats adds functions of the same name up once their folders are gone.
        EXPECT_EQ(at("b.py:12(g)", "visits"), Values{0x1p40 + 7});
        EXPECT_EQ(at("b.py:12(g)", "time"), Values{0.75});
        EXPECT_EQ(at("b.py:12(g)", "time.inclusive"), Values{1.75});
        EXPECT_EQ(at("b.py:20(h\xC3\xA9)", "time"), Values{1e-300});
        EXPECT_EQ(at("{built-in method len}", "visits"), Values{9});
        EXPECT_EQ(at("name", "visits"), Values{1});
        EXPECT_EQ(at("c.py:3(<lambda>)", "time"), Values{0.5});
        EXPECT_EQ(at(std::string(300, 'd') + ".py:3(k)", "visits"), Values{4});
    }
}

/// A key and the beginning of its record in Python 2's manner.
const std::string key = "(\3\0\0\0s\1\0\0\0ai\1\0\0\0s\1\0\0\0b"s;

TEST(Pstats, SaysWhatIsWrongWhere) {
    std::string chain = "{(\3\0\0\0(\144\0\0\0\251\1N"s;  // each tuple holds the one before
    for (char i = 0; i < 99; ++i) chain += "\251\1r"s + i + "\0\0\0"s;
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"{" + key + "(\5\0\0\0i\1\0\0\0"s, "profile: the file ends too early at byte 33"},
        {"{" + key + "N0", "profile: the entry at byte 1 is no function with its calls and times"},
        {"{" + key, "profile: the file ends too early at byte 23"},
        {"{(\3\0\0\0\377\377\377\377"s, "profile: no value has the type 255 at byte 6"},
        {"{(\3\0\0\0(\377\377\377\377"s, "profile: the file ends too early at byte 6"},
        {"{(\3\0\0\0R\7\0\0\0"s, "profile: reference 7 refers to nothing at byte 6"},
        {"{(\3\0\0\0l\377\377\377\177"s, "profile: the file ends too early at byte 6"},
        {"{(\3\0\0\0f\3abc"s, "profile: a number is damaged at byte 6"},
        {"{)\3" + std::string(500, '{'), "profile: values are nested too deeply at byte 34"},
        {"{(\3\0\0\0"s + std::string(40, ')'),
         "profile: a tuple has 41 items, more than any of a profile at byte 6"},
        {chain, "profile: a tuple has 100 items, more than any of a profile at byte 6"},
        {"{" + key + "(\6\0\0\0"s + "NNNNNN0",
         "profile: a tuple has 6 items, more than any of a profile at byte 23"},
        {"{)\3)\3zz"s, "profile: the file ends too early at byte"},
        {"{" + key + "(\5\0\0\0i\1\0\0\0i\1\0\0\0g\0\0\0\0\0\0\360\177g\0\0\0\0\0\0\0\0{00"s,
         "profile: the entry at byte 1 is no function with its calls and times"},
        {"{" + key + "(\5\0\0\0i\1\0\0\0i\1\0\0\0g\0\0\0\0\0\0\0\0g\0\0\0\0\0\0\0\0{0"s,
         "profile: the file ends too early at byte"},
    };
    for (const auto& [text, message] : wrong) {
        SCOPED_TRACE(message);
        try {
            (void)read_profile(text);
            ADD_FAILURE() << "nothing is wrong";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_FALSE(error.hint().empty());
            EXPECT_EQ(std::string(error.what()).substr(0, message.size()), message);
        }
    }
}

/// The largest memory that this process has had so far, in bytes.
double peak_memory() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    constexpr double kibi = 1024.0;
    return kibi * static_cast<double>(usage.ru_maxrss);
}

/// A number of four bytes with the lowest first.
std::string four_bytes(std::uint32_t number) {
    std::string bytes;
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((number >> shift) & 0xFFU);
    return bytes;
}

// A byte of a file must not become many of memory.
TEST(Pstats, NeedsLittleMemoryForManySmallValues) {
    constexpr std::uint32_t count = 20U << 20U;
    const std::string record = "(\5\0\0\0i\1\0\0\0i\1\0\0\0g\0\0\0\0\0\0\0\0g\0\0\0\0\0\0\0\0"s;
    for (const char* const type : {"(", "[", "<", ">"}) {
        SCOPED_TRACE(type);
        const std::string text =
            "{" + key + record + type + four_bytes(count) + std::string(count, 'N') + "0";
        const double before = peak_memory();
        if (type[0] == '(') {
            EXPECT_THROW((void)read_profile(text), Error);
        } else {
            EXPECT_EQ(read_profile(text).regions.size(), 1U);
        }
        EXPECT_LT(peak_memory() - before, 8.0 * count);
    }
}

TEST(Pstats, RefusesWhatIsTooLargeForAProfile) {
    const std::string text = "{(\3\0\0\0"s + std::string((32U << 20U) + 1U, 'N');
    try {
        (void)read_profile(text);
        ADD_FAILURE() << "nothing is wrong";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "profile: is larger than 32 MiB, which no profile of Python is");
        EXPECT_EQ(error.hint(), "check that Python's cProfile wrote this file");
    }
}

// No cut of a file may be taken for the whole.
TEST(Pstats, RefusesEveryCutOfAFile) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/realworld/format-fixtures/hatchet/cprofile-hatchet-pstats");
    for (const char* const name : {"/cprofile-cycle.pstats", "/cprofile-cycle-py2.pstats"}) {
        const std::string bytes = read_file(folder + name);
        for (std::size_t size = 6; size < bytes.size(); ++size)
            EXPECT_THROW((void)read_profile(std::string_view(bytes).substr(0, size)), Error) << size;
    }
}

}  // namespace
}  // namespace plimsoll::profile
