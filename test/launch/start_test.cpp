#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "plimsoll/core/error.hpp"
#include "test/support/processes.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::launch {
namespace {

using plimsoll::test::output_of;
using plimsoll::test::shell;
using plimsoll::test::TemporaryFolder;
using To = Redirection::To;

/// The error of a command that cannot be started: "message | hint".
std::string refusal(const Command& command) {
    try {
        const Process process = start(command);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::environment);
        return std::string(error.what()) + " | " + error.hint();
    }
    return "it was started";
}

TEST(Start, PassesArgumentsAsTheyAre) {
    const TemporaryFolder folder;
    const Command command{.arguments = {"printf", "%s|", "a b", "$HOME", "*", "", "'\""}};
    EXPECT_EQ(output_of(command, folder / "out"), "a b|$HOME|*||'\"|");
}

TEST(Start, AddsToTheEnvironmentAndReplaces) {
    const TemporaryFolder folder;
    ::setenv("PLIMSOLL_TEST_OLD", "old", 1);
    ::setenv("PLIMSOLL_TEST_KEPT", "kept", 1);
    Command command =
        shell("echo $PLIMSOLL_TEST_OLD $PLIMSOLL_TEST_NEW $PLIMSOLL_TEST_KEPT; env | grep -c TEST_OLD");
    command.environment = {{"PLIMSOLL_TEST_OLD", "replaced"}, {"PLIMSOLL_TEST_NEW", "new"}};
    EXPECT_EQ(output_of(command, folder / "out"), "replaced new kept\n1\n");
}

TEST(Start, SeesAProgramWithASlashFromItsWorkingFolder) {
    const TemporaryFolder folder;
    ::chmod(folder.write("inner/app", "#!/bin/sh\npwd\n").c_str(), 0755);
    const Command command{.arguments = {"./app"}, .working_folder = folder / "inner"};
    EXPECT_EQ(output_of(command, folder / "out"),
              std::filesystem::canonical(folder / "inner").string() + "\n");
}

TEST(Start, RedirectsStreams) {
    const TemporaryFolder folder;
    Command command = shell("cat; echo wrong >&2");
    command.streams = {.in = {To::file, folder.write("in", "told\n")},
                       .out = {To::append, folder.write("out", "before\n")},
                       .err = {To::file, folder.write("err", "before\n")}};
    EXPECT_TRUE(start(command).wait().succeeded());
    EXPECT_EQ(read_file(folder / "out"), "before\ntold\n");
    EXPECT_EQ(read_file(folder / "err"), "wrong\n");
}

TEST(Start, LeadsErrorsWhereOutputGoes) {
    const TemporaryFolder folder;
    Command command = shell("echo out; echo err >&2; echo out");
    command.streams.err.to = To::output;
    EXPECT_EQ(output_of(command, folder / "both"), "out\nerr\nout\n");
}

TEST(Start, GivesNothingToReadUnlessToldOtherwise) {
    const TemporaryFolder folder;
    EXPECT_EQ(output_of(shell("wc -c"), folder / "out"), "0\n");
}

TEST(Start, HoldsTheOtherEndOfPipes) {
    Command command{.arguments = {"tr", "a-z", "A-Z"}};
    command.streams.in.to = To::pipe;
    command.streams.out.to = To::pipe;
    Process process = start(command);
    ASSERT_EQ(::write(process.in().number(), "loud", 4), 4);
    process.in().close();
    std::array<char, 16> heard{};
    EXPECT_EQ(::read(process.out().number(), heard.data(), heard.size()), 4);
    EXPECT_STREQ(heard.data(), "LOUD");
    EXPECT_EQ(::read(process.out().number(), heard.data(), heard.size()), 0);
    EXPECT_TRUE(process.wait().succeeded());
}

TEST(Start, HandsOverNoOtherDescriptors) {
    const TemporaryFolder folder;
    const int open_here = ::open("/dev/null", O_RDONLY);  // without close-on-exec
    ASSERT_GT(open_here, 2);
    const std::string listed = output_of(shell("ls /proc/$$/fd"), folder / "out");
    ::close(open_here);
    EXPECT_EQ(listed, "0\n1\n2\n");
}

TEST(Start, HandsOverNoIgnoredOrBlockedSignals) {
    const TemporaryFolder folder;
    sigset_t blocked;
    sigset_t before;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const auto handler = ::signal(SIGPIPE, SIG_IGN);
    // Signals 32 and 33 are glibc's own, which posix_spawn has ignored.
    const std::string masks = output_of(
        shell("sed -n 's/SigBlk:.//p; s/SigIgn:.0*\\(180000000\\)*$//p' /proc/self/status"), folder / "out");
    ::signal(SIGPIPE, handler);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    EXPECT_EQ(masks, "0000000000000000\n\n");
}

TEST(Start, MakesTheProgramLeaderOfItsGroup) {
    const TemporaryFolder folder;
    Command command = shell("echo $$ $(ps -o pgid= -p $$)");
    command.streams.out = {To::file, folder / "out"};
    Process process = start(command);
    process.wait();
    const std::string id = std::to_string(static_cast<pid_t>(process.process_id()));
    EXPECT_EQ(read_file(folder / "out"), id + " " + id + "\n");
}

TEST(Start, RefusesAProgramThatIsNotThere) {
    EXPECT_EQ(refusal({.arguments = {"no-such-program-at-all"}}),
              "cannot start 'no-such-program-at-all': there is no such program in PATH | "
              "check PATH, or give the path of the program");
    EXPECT_EQ(refusal({.arguments = {"./missing"}}),
              "cannot start './missing': there is no such file | check the path, or build the program first");
}

TEST(Start, NamesTheNearestProgram) {
    const TemporaryFolder folder;
    ::chmod(folder.write("solver", "#!/bin/sh\n").c_str(), 0755);
    EXPECT_EQ(refusal({.arguments = {folder / "solvr"}}), "cannot start '" + folder / "solvr" +
                                                              "': there is no such file | did you mean '" +
                                                              folder / "solver" + "'?");
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", folder.path().c_str(), 1);
    const std::string said = refusal({.arguments = {"sovler"}});
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(said, "cannot start 'sovler': there is no such program in PATH | did you mean 'solver'?");
}

TEST(Start, TellsOfAProgramInTheFolderItself) {
    const TemporaryFolder folder;
    ::chmod(folder.write("app-of-this-test", "#!/bin/sh\n").c_str(), 0755);
    EXPECT_EQ(refusal({.arguments = {"app-of-this-test"}, .working_folder = folder.path().string()}),
              "cannot start 'app-of-this-test': it is not in PATH | it is in this folder: write "
              "'./app-of-this-test'");
}

TEST(Start, RefusesWhatCannotRun) {
    const TemporaryFolder folder;
    const std::string plain = folder.write("plain", "no program\n");
    EXPECT_EQ(refusal({.arguments = {plain}}),
              "cannot start '" + plain + "': it is not executable | make it so: chmod +x " + plain);
    ::chmod(plain.c_str(), 0755);
    EXPECT_EQ(refusal({.arguments = {plain}}),
              "cannot start '" + plain +
                  "': it is no program of this machine | begin a script with '#!' "
                  "and its interpreter, or build the program for this machine");
    const std::string script = folder.write("script", "#!/no/such/interpreter\n");
    ::chmod(script.c_str(), 0755);
    EXPECT_EQ(refusal({.arguments = {script}}),
              "cannot start '" + script +
                  "': the program that it names in its first line, or a library loader, is not there | "
                  "check its first line (#!), or build it for this machine");
    EXPECT_EQ(refusal({.arguments = {folder.path().string()}}),
              "cannot start '" + folder.path().string() + "': it is a folder | name the program in it");
}

TEST(Start, RefusesAFolderThatIsNotThere) {
    EXPECT_EQ(refusal({.arguments = {"true"}, .working_folder = "/no/such/folder"}),
              "cannot start 'true' in '/no/such/folder': there is no such folder | make the folder first");
}

TEST(Start, RefusesStreamsThatCannotBeOpened) {
    Command command{.arguments = {"true"}};
    command.streams.in = {To::file, "/no/such/input"};
    EXPECT_EQ(refusal(command),
              "/no/such/input: cannot open it as a stream of 'true': No such file or directory | "
              "check the path and permissions");
    command.streams.in = {};
    command.streams.out = {To::file, "/no/such/output"};
    EXPECT_EQ(refusal(command),
              "/no/such/output: cannot open it as a stream of 'true': No such file or directory | "
              "choose a folder that you may write to");
}

TEST(Start, DoesNotWaitForTheOtherEndOfANamedPipe) {
    const TemporaryFolder folder;
    const std::string fifo = folder / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    Command reads{.arguments = {"cat"}};
    reads.streams.in = {.to = To::file, .path = fifo};
    EXPECT_THROW(start(reads), Error);
    Command writes{.arguments = {"true"}};
    writes.streams.out = {.to = To::append, .path = fifo};
    EXPECT_THROW(start(writes), Error);
}

TEST(Start, StreamsOfFilesBlock) {
    const TemporaryFolder folder;
    Command command = shell("grep flags /proc/self/fdinfo/1; cat /proc/self/fdinfo/2 | grep flags");
    command.streams.err = {.to = To::append, .path = folder / "err"};
    const std::string flags = output_of(command, folder / "out");
    std::istringstream words(flags);
    std::string word;
    int found = 0;
    while (words >> word >> word) {
        EXPECT_EQ(std::stoul(word, nullptr, 8) & O_NONBLOCK, 0U) << flags;
        EXPECT_EQ((std::stoul(word, nullptr, 8) & O_APPEND) != 0, found == 1) << flags;
        ++found;
    }
    EXPECT_EQ(found, 2) << flags;
}

TEST(Start, LeavesNoDescriptorsBehind) {
    const auto count = [] {
        const auto entries = std::filesystem::directory_iterator("/proc/self/fd");
        return std::distance(begin(entries), end(entries));
    };
    const auto before = count();
    for (int i = 0; i < 20; ++i) {
        Command command{.arguments = {i % 2 == 0 ? "true" : "no-such-program-at-all"}};
        command.streams.out.to = To::pipe;
        command.streams.err.to = To::pipe;
        if (i % 3 == 0) command.limits.open_files = 64;
        try {
            Process process = start(command);
            EXPECT_GE(process.descriptor(), 0);
        } catch (const Error&) {
            EXPECT_EQ(i % 2, 1);
        }
    }
    EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace plimsoll::launch
