#include "plimsoll/core/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll {
namespace {

std::size_t entries_in(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

ErrorKind kind_of_failure(const auto& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_FALSE(error.hint().empty()) << error.what();
        return error.kind();
    }
    return ErrorKind::internal;
}

TEST(OutputFile, AppearsWithItsContentOnceCommitted) {
    const test::TemporaryFolder folder;
    std::string content;
    {
        OutputFile file(folder / "a.txt");
        for (int i = 0; i < 50'000; ++i) {  // many times its buffer
            const std::string line = std::to_string(i) + "\n";
            file.write(line);
            content += line;
        }
        EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
        file.commit();
    }
    EXPECT_EQ(read_file(folder / "a.txt"), content);
    EXPECT_EQ(entries_in(folder.path()), 1U);
}

TEST(OutputFile, LeavesTheTargetAsItWasWithoutCommit) {
    const test::TemporaryFolder folder;
    const std::string path = folder.write("a.txt", "old");
    {
        OutputFile file(path);
        file.write("new");
    }
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(entries_in(folder.path()), 1U);
    {
        OutputFile file(path);
        file.write("new");
        file.commit();
    }
    EXPECT_EQ(read_file(path), "new");
}

TEST(OutputFile, KeepsThePermissionsOfTheFileItReplaces) {
    const test::TemporaryFolder folder;
    const std::string path = folder.write("a.txt", "old");
    std::filesystem::permissions(path, std::filesystem::perms{0640});
    OutputFile replaced(path);
    replaced.commit();
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms{0640});

    const mode_t mask = ::umask(022);
    OutputFile fresh(folder / "b.txt");
    fresh.commit();
    ::umask(mask);
    EXPECT_EQ(std::filesystem::status(folder / "b.txt").permissions(), std::filesystem::perms{0644});
}

TEST(OutputFile, ReplacesWhatALinkPointsToAndNotTheLink) {
    const test::TemporaryFolder folder;
    const std::string target = folder.write("target.txt", "old");
    std::filesystem::create_symlink(target, folder / "link.txt");
    OutputFile file(folder / "link.txt");
    file.write("new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.txt"));
    EXPECT_EQ(read_file(target), "new");
}

TEST(OutputFile, WritesToStandardOutput) {
    testing::internal::CaptureStdout();
    OutputFile file("-");
    file.write("hello\n");
    file.commit();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "hello\n");
}

TEST(OutputFile, SaysWhyItCannotWrite) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(kind_of_failure([&] { OutputFile file(folder.path().string()); }), ErrorKind::usage);
    EXPECT_EQ(kind_of_failure([&] { OutputFile file(folder / "none/a.txt"); }), ErrorKind::environment);
    EXPECT_EQ(kind_of_failure([] {
                  OutputFile full("/dev/full");  // a disk without room
                  full.write("hello");
                  full.commit();
              }),
              ErrorKind::environment);
}

TEST(ReadFile, GivesTheWholeContent) {
    const test::TemporaryFolder folder;
    std::string content(300'000, 'x');
    content += std::string("\0\r\n", 3);
    EXPECT_EQ(read_file(folder.write("a.bin", content)), content);
    EXPECT_EQ(read_file(folder.write("empty", "")), "");
    EXPECT_EQ(kind_of_failure([&] { (void)read_file(folder / "none"); }), ErrorKind::input);
}

}  // namespace
}  // namespace plimsoll
