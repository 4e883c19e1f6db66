#include "plimsoll/campaign/stream_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::campaign {
namespace {

const TaskId first{{1}, 0};
const TaskId second{{1}, 1};

TEST(StreamFile, KeepsTheOutputOfManyTasksApart) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "s";
    StreamWriter writer(path);
    writer.write(first, 1, OutputChannel::out, "a");
    writer.write(second, 1, OutputChannel::out, "x");
    writer.write(first, 1, OutputChannel::err, "b");
    writer.write(first, 1, OutputChannel::out, "c");
    const std::int64_t place = writer.finish(first, 1);
    EXPECT_EQ(read_stream(path, place).both, "abc");
    EXPECT_EQ(read_stream(path, place).out, "ac");
    EXPECT_EQ(read_stream(path, place).err, "b");
    EXPECT_EQ(read_stream(path, writer.finish(second, 1)).both, "x");
    EXPECT_EQ(scan_stream(path, first, 1).both, "abc") << "without knowing the place";
}

TEST(StreamFile, KeepsAttemptsApart) {
    const test::TemporaryFolder folder;
    StreamWriter writer(folder / "s");
    writer.write(first, 1, OutputChannel::out, "one");
    (void)writer.finish(first, 1);
    writer.write(first, 2, OutputChannel::out, "two");
    EXPECT_EQ(read_stream(folder / "s", writer.finish(first, 2)).both, "two");
    EXPECT_EQ(scan_stream(folder / "s", first, 1).both, "one");
}

TEST(StreamFile, HasNoPlaceForATaskThatWroteNothing) {
    const test::TemporaryFolder folder;
    StreamWriter writer(folder / "s");
    writer.write(first, 1, OutputChannel::out, "");
    EXPECT_EQ(writer.finish(first, 1), -1);
    EXPECT_EQ(read_stream(folder / "s", -1).both, "");
}

TEST(StreamFile, FindsEveryChangedByte) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "s";
    StreamWriter writer(path);
    writer.write(first, 1, OutputChannel::out, "some text");
    const std::int64_t place = writer.finish(first, 1);
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
    for (std::int64_t at = size - 9; at < size; ++at) {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(at).put('X');
        file.close();
        EXPECT_THROW((void)read_stream(path, place), Error) << at;
        std::fstream again(path, std::ios::in | std::ios::out | std::ios::binary);
        again.seekp(at).put("some text"[at - (size - 9)]);
    }
    EXPECT_EQ(read_stream(path, place).both, "some text");
}

TEST(StreamFile, LeavesOutABlockThatIsNotYetWhole) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "s";
    StreamWriter writer(path);
    writer.write(first, 1, OutputChannel::out, "whole");
    writer.write(first, 1, OutputChannel::out, "cut");
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    EXPECT_EQ(scan_stream(path, first, 1).both, "whole");
}

TEST(StreamFile, EndsOnBlocksThatLeadRound) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "s";
    StreamWriter writer(path);
    writer.write(first, 1, OutputChannel::out, "x");
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8).write("\0\0\0\0\0\0\0\0", 8);  // the block before this one is this one
    file.close();
    EXPECT_THROW((void)read_stream(path, 0), Error);
}

}  // namespace
}  // namespace plimsoll::campaign
