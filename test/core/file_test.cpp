#include "plimsoll/core/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/system_hint.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll {
namespace {

std::size_t entries_in(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

std::string hint_of_failure(const auto& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.hint();
    }
    return "did not fail";
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

TEST(OutputFile, MakesTheFileThatALinkNamesWhereItIsAbsent) {
    const test::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "deeper");
    std::filesystem::create_symlink("deeper/second.txt", folder / "first.txt");
    std::filesystem::create_symlink("third.txt", folder / "deeper/second.txt");
    OutputFile file(folder / "first.txt");
    file.write("new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "first.txt"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "deeper/second.txt"));
    EXPECT_EQ(read_file(folder / "deeper/third.txt"), "new");
}

TEST(OutputFile, IsRemovedWhereASignalEndsTheProgram) {
    const test::TemporaryFolder folder;
    OutputFile first(folder / "a.txt");
    OutputFile second(folder / "b.txt");
    OutputFile third(folder / "c.txt");
    second.commit();
    first.write("unfinished");
    EXPECT_EQ(entries_in(folder.path()), 3U);
    remove_unfinished_files();
    EXPECT_EQ(entries_in(folder.path()), 1U);
    EXPECT_TRUE(std::filesystem::exists(folder / "b.txt"));
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

TEST(OutputFile, SaysWhatToDoAboutIt) {
    const test::TemporaryFolder folder;
    std::filesystem::create_symlink("itself", folder / "itself");
    const std::string long_name = folder / std::string(300, 'x');
    EXPECT_EQ(hint_of_failure([&] { OutputFile file(long_name); }),
              "check the path, or choose a shorter one");
    EXPECT_EQ(hint_of_failure([&] { OutputFile file(folder / "itself"); }),
              "check where the link leads: it comes back to itself");
    EXPECT_EQ(hint_of_failure([&] { (void)read_file(long_name); }),
              "check the path, or choose a shorter one");
    EXPECT_EQ(hint_of_failure([&] { (void)read_file(folder / "itself"); }),
              "check where the link leads: it comes back to itself");
    EXPECT_EQ(system_hint(EROFS, "else"), "the disk cannot be written to: choose another one");
    EXPECT_EQ(system_hint(EDQUOT, "else"), system_hint(ENOSPC, "else"));
    EXPECT_NE(system_hint(EMFILE, "else"), "else");
    EXPECT_EQ(system_hint(EACCES, "else"), "else");
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
