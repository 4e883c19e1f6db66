// Damaged profiles end in an input error that names the file and what is wrong, never in anything else.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>

#include "test/support/cube_writer.hpp"
#include "test/support/read_text.hpp"

namespace plimsoll::experiment {
namespace {

constexpr const char* name = "app.p4/profile.cubex";

test::CubeTestProfile small_profile(bool compressed) {
    test::CubeTestProfile profile{
        .nodes = {{"main", -1}, {"f", 0}, {"g", 0}}, .ranks = 2, .compressed = compressed};
    profile.metrics = {{.name = "time", .type = "INCLUSIVE", .values = {{1, 2}, {3, 4}, {5, 6}}}};
    return profile;
}

/// The message of reading an archive; empty where it reads well. Fails where the error is not as it should
/// be.
std::string message_of(const std::string& archive) {
    try {
        (void)test::read_experiment(archive, {}, name);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
        EXPECT_EQ(error.place().file, name) << error.what();
        EXPECT_FALSE(error.hint().empty()) << error.what();
        return error.what();
    }
    return {};
}

/// The message of a profile whose member is changed.
std::string message_after(const std::string& member, const std::function<void(std::string&)>& change,
                          bool compressed = false) {
    auto members = test::cube_members(small_profile(compressed));
    for (test::TarMember& m : members) {
        if (m.name == member) change(m.content);
    }
    return message_of(test::tar_archive(members));
}

void replace(std::string& text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), by);
}

template <class Number>
void put(std::string& bytes, std::size_t at, Number number) {
    std::memcpy(bytes.data() + at, &number, sizeof(Number));
}

testing::AssertionResult says(const std::string& message, const std::string& part) {
    if (message.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << message << "' lacks '" << part << "'";
}

TEST(DamagedCube, IsRefusedWhereTheArchiveIsNone) {
    EXPECT_TRUE(says(message_of("this is no archive"), "no intact tar archive"));
    EXPECT_TRUE(says(message_of(""), "archive"));
    EXPECT_TRUE(says(message_of(test::tar_archive({{"other.txt", "text"}})), "no anchor.xml"));
}

TEST(DamagedCube, IsRefusedWhereverItIsCutOff) {
    for (const bool compressed : {false, true}) {
        const std::string archive = test::cube_archive(small_profile(compressed));
        const std::size_t whole = archive.size() - 1024;  // the blocks that end the archive may be missing
        for (std::size_t size = 0; size < whole; size += 37) {
            EXPECT_NE(message_of(archive.substr(0, size)), "") << "cut at " << size << " of " << whole;
        }
    }
}

TEST(DamagedCube, NeverFailsOtherwiseWhereAByteIsWrong) {
    for (const bool compressed : {false, true}) {
        const std::string archive = test::cube_archive(small_profile(compressed));
        for (std::size_t at = 0; at < archive.size(); ++at) {
            std::string damaged = archive;
            damaged[at] = static_cast<char>(damaged[at] ^ "\x01\x80\xFF"[at % 3]);
            (void)message_of(damaged);
        }
    }
}

TEST(DamagedCube, IsRefusedWhereAByteIsWrongThatHasOneMeaning) {
    for (const bool compressed : {false, true}) {
        const std::string archive = test::cube_archive(small_profile(compressed));
        for (const char* const text : {"<cube", "<metrics>", "</cube>", "CUBEX.INDEX", "CUBEX.DATA"}) {
            const std::size_t begin = archive.find(text);
            ASSERT_NE(begin, std::string::npos) << text;
            for (const char wrong : {'\x01', '\x80', '\xFF'}) {
                std::string damaged = archive;
                damaged[begin] = static_cast<char>(damaged[begin] ^ wrong);
                EXPECT_NE(message_of(damaged), "") << text << " with " << static_cast<int>(wrong);
            }
        }
    }
}

TEST(DamagedCube, TellsWhatIsWrongWithTheAnchor) {
    const auto after = [](const std::string& what, const std::string& by) {
        return message_after("anchor.xml", [&](std::string& xml) { replace(xml, what, by); });
    };
    EXPECT_TRUE(says(after("</metrics>", ""), "not well-formed at its line"));
    EXPECT_TRUE(says(message_after("anchor.xml", [](std::string& xml) { xml = "<a/>"; }),
                     "describes 'a' instead of a cube"));
    EXPECT_TRUE(
        says(message_after("anchor.xml", [](std::string& xml) { xml = "\x1F\x8B no gzip"; }), "is damaged"));
    EXPECT_TRUE(says(message_after("anchor.xml", [](std::string& xml) { xml.clear(); }), "no anchor.xml"));
    EXPECT_TRUE(says(after("calleeId=\"101\"", "calleeId=\"999\""), "calls the region '999'"));
    EXPECT_TRUE(says(after("id=\"0\"", ""), "without an id or a name"));
    EXPECT_TRUE(says(after("<program>", "<nothing>"), "not well-formed"));
    EXPECT_TRUE(says(message_after("anchor.xml", [](std::string& xml) { xml = "<cube/>"; }), "no call tree"));
    EXPECT_TRUE(says(message_after("anchor.xml",
                                   [](std::string& xml) {
                                       for (int i = 0; i < 4; ++i)
                                           replace(xml, i % 2 == 0 ? "<location " : "</location>",
                                                   i % 2 == 0 ? "<x " : "</x>");
                                   }),
                     "no process or thread"));
}

TEST(DamagedCube, TellsOfTwoMetricsWithOneName) {
    test::CubeTestProfile profile = small_profile(false);
    profile.metrics.push_back(profile.metrics.front());
    EXPECT_TRUE(says(message_of(test::cube_archive(profile)), "two metrics named 'time'"));
}

TEST(DamagedCube, TellsWhatIsWrongWithAnIndex) {
    const auto after = [](const std::function<void(std::string&)>& change) {
        return message_after("0.index", change);
    };
    EXPECT_TRUE(says(after([](std::string& index) { index[0] = 'X'; }), "does not begin with CUBEX.INDEX"));
    EXPECT_TRUE(says(after([](std::string& index) { index.resize(12); }), "does not begin with CUBEX.INDEX"));
    EXPECT_TRUE(says(after([](std::string& index) { put(index, 11, 2U); }), "order of bytes"));
    EXPECT_TRUE(says(after([](std::string& index) { index[17] = 2; }), "unknown way (2)"));
    EXPECT_TRUE(says(after([](std::string& index) { index.resize(20); }), "ends before"));
    EXPECT_TRUE(
        says(after([](std::string& index) { index.resize(index.size() - 1); }), "has 11 bytes for 3 nodes"));
    EXPECT_TRUE(says(after([](std::string& index) { put(index, 18, 0xFFFFFFFFU); }), "for 4294967295 nodes"));
    EXPECT_TRUE(says(after([](std::string& index) { put(index, 22, 3U); }),
                     "lists node 3 of a call tree of 3 nodes"));
    EXPECT_TRUE(says(after([](std::string& index) { put(index, 22, 1U); }), "lists node 1 twice"));
}

TEST(DamagedCube, TellsWhatIsWrongWithPlainData) {
    const auto after = [](const std::function<void(std::string&)>& change) {
        return message_after("0.data", change);
    };
    EXPECT_TRUE(says(after([](std::string& data) { data[0] = 'X'; }), "begins with neither"));
    EXPECT_TRUE(says(after([](std::string& data) { data.resize(data.size() - 1); }),
                     "has 47 bytes for 3 rows of 16 bytes"));
    EXPECT_TRUE(
        says(after([](std::string& data) { data += std::string(16, '\0'); }), "has 64 bytes for 3 rows"));
}

TEST(DamagedCube, TellsWhatIsWrongWithCompressedData) {
    // Behind the mark of 11 bytes: the number of rows, then for each three numbers of 8 bytes.
    const auto after = [](const std::function<void(std::string&)>& change) {
        return message_after("0.data", change, true);
    };
    EXPECT_TRUE(says(after([](std::string& data) { data.resize(30); }), "no table for 3 rows"));
    EXPECT_TRUE(says(after([](std::string& data) { put(data, 11, std::uint64_t{1} << 60U); }),
                     "no table for 3 rows"));
    EXPECT_TRUE(says(after([](std::string& data) { put(data, 19, std::uint64_t{8}); }),
                     "entry 0 that is out of range"));
    EXPECT_TRUE(says(after([](std::string& data) { put(data, 19, std::uint64_t{48}); }),
                     "entry 0 that is out of range"));
    EXPECT_TRUE(says(after([](std::string& data) { put(data, 27, ~std::uint64_t{0}); }),
                     "entry 0 that is out of range"));
    EXPECT_TRUE(says(after([](std::string& data) { put(data, 35, ~std::uint64_t{0}); }),
                     "entry 0 that is out of range"));
    EXPECT_TRUE(says(after([](std::string& data) { put(data, 35, std::uint64_t{5}); }),
                     "does not decompress to 16 bytes"));
    EXPECT_TRUE(says(after([](std::string& data) { data.resize(11 + 8 + 72); }), "too little"));
}

TEST(DamagedCube, TakesRowsThatWereNeverWrittenAsZero) {
    auto members = test::cube_members(small_profile(true));
    std::memset(members.at(0).content.data() + 11 + 8 + 24, 0, 24);  // the second entry
    const Experiment experiment = test::read_experiment(test::tar_archive(members), {}, name);
    for (const Series& series : experiment.series) {
        if (experiment.region(series).path != "main->f") continue;
        EXPECT_EQ(series.values, (std::vector{0.0, 0.0}));
    }
}

TEST(DamagedCube, TellsOfAnIndexWithoutData) {
    auto members = test::cube_members(small_profile(false));
    members.erase(members.begin());
    EXPECT_TRUE(says(message_of(test::tar_archive(members)), "index of metric 'time', but not its data"));
}

TEST(DamagedCube, TellsOfACallTreeOutOfProportion) {
    // A chain of calls as deep as this would need paths of some hundred GiB.
    constexpr int depth = 100'000;
    std::string xml = "<cube><program><region id=\"1\"><name>" + std::string(50, 'f') + "</name></region>";
    for (int i = 0; i < depth; ++i) xml += "<cnode calleeId=\"1\">";
    for (int i = 0; i < depth; ++i) xml += "</cnode>";
    xml += "</program></cube>";
    EXPECT_TRUE(says(message_of(test::tar_archive({{"anchor.xml", xml}})), "call tree is too deep"));
}

TEST(DamagedCube, TellsWhereNothingWasMeasured) {
    test::CubeTestProfile profile = small_profile(false);
    profile.metrics.front().values.clear();
    EXPECT_TRUE(says(message_of(test::cube_archive(profile)), "nothing was measured"));
}

}  // namespace
}  // namespace plimsoll::experiment
