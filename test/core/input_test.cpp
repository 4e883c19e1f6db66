#include "plimsoll/core/input.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll {

namespace {

using test::TemporaryFolder;

constexpr std::size_t block = std::size_t{1} << 18;  // of Input, on whose borders lines may fall

std::vector<std::string> lines_of(Input& input) {
    std::vector<std::string> lines;
    LineReader reader(input);
    std::string_view line;
    while (reader.next(line)) {
        lines.emplace_back(line);
        EXPECT_EQ(reader.number(), lines.size());
        // Readable behind the line: the address sanitizer watches.
        const volatile char last = line.data()[line.size() + Input::padding - 1];
        (void)last;
    }
    return lines;
}

std::vector<std::string> lines_in_memory(std::string_view text) {
    Input input("text", text);
    return lines_of(input);
}

std::vector<std::string> lines_in_file(std::string_view text) {
    const TemporaryFolder folder;
    Input input(folder.write("file", text));
    return lines_of(input);
}

/// The plain way to split, as a reference.
std::vector<std::string> split_plainly(std::string text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t newline = text.find('\n');
        std::string line = text.substr(0, newline);
        if (line.ends_with('\r')) line.pop_back();
        lines.push_back(line);
        text.erase(0, newline == std::string::npos ? text.size() : newline + 1);
    }
    return lines;
}

void expect_lines_of(const std::string& text) {
    const std::vector<std::string> expected = split_plainly(text);
    // Compared by hand: a failure should not print megabytes.
    EXPECT_TRUE(lines_in_memory(text) == expected);
    EXPECT_TRUE(lines_in_file(text) == expected);
}

}  // namespace

TEST(LineReader, ReadsNoLinesFromAnEmptyText) { expect_lines_of(""); }

TEST(LineReader, ReadsTheLastLineWithoutANewline) {
    EXPECT_EQ(lines_in_memory("a\nb"), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(lines_in_memory("a\nb\n"), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(lines_in_memory("\n\n"), (std::vector<std::string>{"", ""}));
}

TEST(LineReader, SaysWhetherALineEndsWithANewlineOrWithTheFile) {
    for (const std::string& line : {std::string("b"), std::string(block, 'x'), std::string("\r")}) {
        for (const bool is_whole : {true, false}) {
            SCOPED_TRACE(line.size());
            const std::string text = "a\n\n" + line + (is_whole ? "\n" : "");
            Input input("text", text);
            LineReader reader(input);
            std::vector<bool> seen;
            for (std::string_view read; reader.next(read);) seen.push_back(reader.is_whole());
            EXPECT_EQ(seen, (std::vector<bool>{true, true, is_whole}));
        }
    }
}

TEST(LineReader, DropsTheCarriageReturnOfALineEnd) {
    EXPECT_EQ(lines_in_memory("a\r\nb\rc\r\n\r\n4\r"), (std::vector<std::string>{"a", "b\rc", "", "4"}));
}

TEST(Input, PassesOverAByteOrderMark) {
    const std::string mark = "\xEF\xBB\xBF";
    const std::string text = mark + "ab" + mark;
    Input input("marked", text);
    EXPECT_EQ(input.peek(2), "ab");
    EXPECT_EQ(input.take(1), "a");
    EXPECT_EQ(input.rest(), "b" + mark);
    for (const std::string& other : {mark.substr(0, 2), std::string(), "a" + mark, mark.substr(0, 2) + "a"}) {
        Input plain("plain", other);
        EXPECT_EQ(plain.rest(), other);
    }
    Input nothing("nothing", mark);
    EXPECT_EQ(nothing.peek(1), "");
}

TEST(LineReader, DropsAByteOrderMarkAtTheBeginningOnly) {
    EXPECT_EQ(lines_in_memory("\xEF\xBB\xBF"
                              "a\n\xEF\xBB\xBF"
                              "b"),
              (std::vector<std::string>{"a",
                                        "\xEF\xBB\xBF"
                                        "b"}));
    EXPECT_EQ(lines_in_file("\xEF\xBB\xBF"
                            "a"),
              std::vector<std::string>{"a"});
}

TEST(LineReader, KeepsNulBytes) {
    EXPECT_EQ(lines_in_memory(std::string_view("a\0b\nc", 5)),
              (std::vector<std::string>{std::string("a\0b", 3), "c"}));
}

TEST(LineReader, FindsLineEndsAtTheBordersOfBlocks) {
    for (const std::size_t border : {block, 2 * block}) {
        for (std::size_t end = border - 3; end <= border + 3; ++end) {
            SCOPED_TRACE(end);
            std::string text(end, 'x');
            for (std::size_t i = 100; i + 100 < text.size(); i += 100) text[i] = '\n';
            expect_lines_of(text);
            expect_lines_of(text + "\n");
            expect_lines_of(text + "\r\nnext line\r\n");
        }
    }
}

TEST(LineReader, ReadsLinesLongerThanABlock) {
    for (const std::size_t length : {block - 1, block, block + 1, 3 * block, 5 * block + 7}) {
        SCOPED_TRACE(length);
        expect_lines_of("before\n" + std::string(length, 'x') + "\nafter\n" + std::string(length, 'y'));
    }
}

TEST(LineReader, RefusesALineThatIsTooLongWhereverItsEndIsFound) {
    const std::size_t limit = block;
    const auto count_of = [&](const std::string& text) {
        Input input("text", text);
        LineReader reader(input, limit);
        for (std::string_view line; reader.next(line);) continue;
        return reader.number();
    };
    const std::string longest(limit, 'x');
    EXPECT_EQ(count_of("a\n" + longest + "\n" + longest), 3U);
    for (const std::string& line : {"x" + longest, longest + longest, longest + longest + longest}) {
        for (const char* const end : {"", "\n", "\nb"}) {
            try {
                (void)count_of("a\n" + line + end);
                ADD_FAILURE() << line.size() << " bytes were taken";
            } catch (const Error& error) {
                EXPECT_STREQ(error.what(), "text:2: the line exceeds 0 MiB");
                EXPECT_EQ(error.hint(), "check that this is a text file");
            }
        }
    }
}

// A pipe gives what it has, not what was asked for.
TEST(LineReader, PutsTogetherWhatAPipeGivesPieceByPiece) {
    const TemporaryFolder folder;
    const std::string path = folder / "pipe";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::string text;
    for (int i = 0; i < 2000; ++i) text += std::string(static_cast<std::size_t>(i % 50), 'x') + "\n";
    std::thread writer([&] {
        std::ofstream pipe(path);
        for (std::size_t i = 0; i < text.size(); i += 997) pipe << text.substr(i, 997) << std::flush;
    });
    Input input(path);
    const std::vector<std::string> lines = lines_of(input);
    writer.join();
    EXPECT_TRUE(lines == split_plainly(text));
}

TEST(LineReader, NamesItsFile) {
    Input input("runs.jsonl", "a");
    EXPECT_EQ(LineReader(input).file(), "runs.jsonl");
}

TEST(Input, LooksAheadWithoutTaking) {
    Input input("text", "abcdef");
    EXPECT_EQ(input.peek(3), "abc");
    EXPECT_EQ(input.peek(10), "abcdef");
    EXPECT_EQ(input.take(2), "ab");
    EXPECT_EQ(input.peek(1), "c");
    EXPECT_EQ(input.take(10), "cdef");
    EXPECT_EQ(input.take(10), "");
    EXPECT_EQ(input.peek(10), "");
}

TEST(Input, GivesLinesAfterALookAhead) {
    const std::string text = "first\n" + std::string(2 * block, 'x') + "\nlast";
    Input input("text", text);
    EXPECT_EQ(input.peek(1 << 16).size(), std::size_t{1} << 16);
    EXPECT_TRUE(lines_of(input) == split_plainly(text));
}

TEST(Input, TakesAFileInPiecesOfAnySize) {
    std::string text(3 * block + 11, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 26);
    const TemporaryFolder folder;
    const std::string path = folder.write("file", text);
    for (const std::size_t size : {std::size_t{1000}, block, 2 * block + 1, 10 * block}) {
        SCOPED_TRACE(size);
        Input input(path);
        std::string taken;
        for (std::string_view piece = input.take(size); !piece.empty(); piece = input.take(size))
            taken += piece;
        EXPECT_TRUE(taken == text);
    }
}

TEST(Input, GoesOnWhereItWasAfterAMove) {
    Input input("text", "abcdef");
    (void)input.take(2);
    Input moved(std::move(input));
    EXPECT_EQ(moved.take(2), "cd");
    Input assigned("other", "xyz");
    assigned = std::move(moved);
    EXPECT_EQ(assigned.name(), "text");
    Input& itself = assigned;
    assigned = std::move(itself);
    EXPECT_EQ(assigned.take(9), "ef");
}

/// As gzip writes it.
std::string compressed(const std::string& text) {
    z_stream state{};
    EXPECT_EQ(deflateInit2(&state, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string packed(deflateBound(&state, static_cast<uLong>(text.size())), '\0');
    std::string source = text;
    state.next_in = reinterpret_cast<Bytef*>(source.data());
    state.avail_in = static_cast<uInt>(source.size());
    state.next_out = reinterpret_cast<Bytef*>(packed.data());
    state.avail_out = static_cast<uInt>(packed.size());
    EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
    packed.resize(packed.size() - state.avail_out);
    deflateEnd(&state);
    return packed;
}

std::string numbered_lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "line " + std::to_string(i) + "\n";
    return text;
}

TEST(Input, GivesWhatGzipHasCompressedAsItWas) {
    for (const int count : {0, 1, 100, 100'000}) {
        SCOPED_TRACE(count);
        const std::string text = numbered_lines(count);
        const std::string packed = compressed(text);
        EXPECT_EQ(Input("packed", packed).rest(), text);
        EXPECT_EQ(Input("packed twice", packed + packed).rest(), text + text);
    }
}

TEST(Input, FindsTheMarkOfGzipInAPipeThatGivesSingleBytes) {
    const std::string text = numbered_lines(3);
    const std::string packed = compressed(text);
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    std::thread writer([&] {
        for (const char byte : packed) {
            EXPECT_EQ(::write(ends[1], &byte, 1), 1);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ::close(ends[1]);
    });
    EXPECT_EQ(Input("/proc/self/fd/" + std::to_string(ends[0])).rest(), text);
    writer.join();
    ::close(ends[0]);
}

TEST(Input, SaysWhereWhatGzipHasCompressedEndsOrIsDamaged) {
    const std::string packed = compressed(numbered_lines(20'000));
    const auto message_of = [](const std::string& content) {
        try {
            (void)Input("runs.jsonl.gz", content).rest();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(message_of(packed.substr(0, 10'000)),
              "runs.jsonl.gz: what gzip has compressed ends at byte 10000");
    std::string damaged = packed;
    for (std::size_t i = 20'000; i < 20'100; ++i) damaged[i] = static_cast<char>(~damaged[i]);
    EXPECT_TRUE(
        message_of(damaged).starts_with("runs.jsonl.gz: what gzip has compressed is damaged at byte "));
    EXPECT_EQ(message_of(packed.substr(0, 3)), "runs.jsonl.gz: what gzip has compressed ends at byte 3");
}

TEST(Input, IsEmptyWithoutAText) {
    Input input("nothing", std::string_view());
    EXPECT_EQ(input.size(), 0);
    EXPECT_EQ(input.peek(1), "");
    EXPECT_EQ(input.take(1), "");
}

TEST(Input, TellsItsSize) {
    const TemporaryFolder folder;
    Input file(folder.write("file", "abc"));
    EXPECT_EQ(file.size(), 3);
    Input text("text", "abcdef");
    (void)text.take(2);
    EXPECT_EQ(text.size(), 6);
}

TEST(Input, CountsTheBytesOfEachBlockAndStopsWhereTheUserAskedForIt) {
    class Watcher final : public Progress {
      public:
        void begin(std::string_view /*what*/, std::int64_t /*total*/) override {}
        void advance(std::int64_t done) override {
            last = done;
            if (done >= static_cast<std::int64_t>(3 * block)) request_stop();
        }
        void end() override {}
        std::int64_t last = 0;
    };
    const TemporaryFolder folder;
    const std::string text(10 * block, '\n');
    Input file(folder.write("file", text));
    Input memory("text", text);
    for (Input* const input : {&file, &memory}) {
        Watcher watcher;
        Activity activity(watcher, "reading", input->size());
        input->count_for(activity);
        LineReader lines(*input);
        std::string_view line;
        EXPECT_THROW(while (lines.next(line)) continue, Cancelled);
        EXPECT_GE(watcher.last, static_cast<std::int64_t>(3 * block));
        EXPECT_LE(watcher.last, static_cast<std::int64_t>(4 * block));
    }
}

TEST(Input, SaysWhereThereIsNoFile) {
    const TemporaryFolder folder;
    try {
        Input input(folder / "absent");
        FAIL() << "was opened";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_EQ(error.what(), (folder / "absent") + ": there is no such file or folder");
        EXPECT_EQ(error.hint(), "check the path");
    }
}

TEST(Input, RefusesAFolder) {
    const TemporaryFolder folder;
    try {
        Input input(folder.path().string());
        FAIL() << "was opened";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_EQ(error.hint(), "name a file inside it");
    }
}

TEST(Input, NamesThePlainFileThatItReads) {
    const TemporaryFolder folder;
    const std::string path = folder.write("plain", "abc");
    Input plain(path);
    EXPECT_EQ(plain.plain_file(), path);
    EXPECT_EQ(plain.rest(), "abc");
    EXPECT_EQ(Input("memory", "abc").plain_file(), std::nullopt);
    EXPECT_EQ(Input(folder.write("packed.gz", compressed("abc"))).plain_file(), std::nullopt);
}

}  // namespace plimsoll
