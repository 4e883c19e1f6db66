#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/shared_data.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::profile {
namespace {

using test::read_profile;
using test::values_at;
using Values = std::vector<double>;

const std::string header =
    "# darshan log version: 3.41\n# compression method: ZLIB\n# exe: ./app --size 5: all\n# jobid: 4711\n# "
    "nprocs: 4\n"
    "# run time: 12.5000\n# metadata: lib_ver = 3.4.1\n\n#   <rank>: MPI rank. nprocs: none\n";

std::string row(const std::string& module, int rank, const std::string& counter, const std::string& value) {
    return module + "\t" + std::to_string(rank) + "\t12345678901234567890\t" + counter + "\t" + value +
           "\t/scratch/a file\t/scratch\tlustre\n";
}

const std::string rows =
    row("POSIX", 0, "POSIX_OPENS", "3") + row("POSIX", 1, "POSIX_OPENS", "2") +
    row("POSIX", -1, "POSIX_OPENS", "4") + row("POSIX", -1, "POSIX_FDSYNCS", "1") +
    row("POSIX", 0, "POSIX_BYTES_READ", "1000") + row("POSIX", 1, "POSIX_BYTES_READ", "24") +
    row("POSIX", 1, "POSIX_BYTES_WRITTEN", "8") + row("POSIX", 0, "POSIX_F_READ_TIME", "0.25") +
    row("POSIX", 1, "POSIX_F_WRITE_TIME", "0.5") + row("POSIX", -1, "POSIX_F_META_TIME", "1.0") +
    row("POSIX", 0, "POSIX_F_MAX_READ_TIME", "0.1") + row("POSIX", 1, "POSIX_F_MAX_READ_TIME", "0.2") +
    row("POSIX", 0, "POSIX_F_READ_START_TIMESTAMP", "100.5") + row("POSIX", 0, "POSIX_MODE", "438") +
    row("POSIX", 0, "POSIX_SIZE_READ_0_100", "7") + row("POSIX", 0, "POSIX_RENAMED_FROM", "99") +
    row("POSIX", -1, "POSIX_SLOWEST_RANK", "3") + row("POSIX", 0, "POSIX_MMAPS", "-1") +
    row("MPI-IO", -1, "MPIIO_COLL_WRITES", "6") + row("HEATMAP", 0, "HEATMAP_READ_BIN_0", "5") +
    row("LUSTRE", -1, "LUSTRE_STRIPE_SIZE", "1048576");

TEST(Darshan, AddsUpFilesAndProcesses) {
    const auto experiment = read_profile(header + rows);
    EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"p"});
    const auto at = [&experiment](const char* region, const char* metric) {
        const Values values = values_at(experiment, region, metric, Values{4});
        return values.size() == 1 ? values[0] : -1.0;
    };
    EXPECT_EQ(at("io->POSIX", "opens"), 9.0);
    EXPECT_EQ(at("io->POSIX", "fdsyncs"), 1.0);
    EXPECT_EQ(at("io->POSIX", "bytes_read"), 1024.0);
    EXPECT_EQ(at("io->POSIX", "bytes_written"), 8.0);
    EXPECT_EQ(at("io->POSIX", "read_time"), 0.25);
    EXPECT_EQ(at("io->POSIX", "time"), 1.75);
    EXPECT_EQ(at("io->POSIX", "max_read_time"), 0.2);
    EXPECT_EQ(at("io->MPI-IO", "coll_writes"), 6.0);
    EXPECT_EQ(at("run", "time"), 12.5);
    // No positions, histograms, times of the day, settings; nothing that could not be counted.
    EXPECT_EQ(experiment.series.size(), 11U);
    EXPECT_EQ(experiment.metadata.at("exe"), "\"./app --size 5: all\"");
    EXPECT_EQ(experiment.metadata.at("lib_ver"), "\"3.4.1\"");
}

TEST(Darshan, TakesTotalsWhereThereAreNoRows) {
    const std::string totals =
        "total_POSIX_OPENS: 1000\ntotal_STDIO_F_READ_TIME: 0.5\ntotal_STDIO_F_META_TIME: 0.25\n"
        "total_STDIO_SEEKS: -1\n";
    const auto both = read_profile(header + rows + totals);
    EXPECT_EQ(values_at(both, "io->POSIX", "opens", Values{4}), Values{9});
    EXPECT_EQ(values_at(both, "io->STDIO", "time", Values{4}), Values{0.75});
    EXPECT_EQ(test::find_series(both, "io->STDIO", "seeks"), nullptr);
    const auto alone = read_profile(header + totals);
    EXPECT_EQ(values_at(alone, "io->POSIX", "opens", Values{4}), Values{1000});
}

TEST(Darshan, NotesModulesOfWhichTheLogHoldsAPart) {
    const auto experiment = read_profile(
        header +
        "# *WARNING*: The POSIX module contains incomplete data!\n"
        "#            This happens when a module runs out of\n#            memory to store new record data.\n"
        "# *ERROR*: The MPI-IO module contains incomplete data!\n# *WARNING*: the log is strange\n" +
        rows);
    const std::string end = " did: its values are too small; run with a larger DARSHAN_MODMEM\n";
    EXPECT_EQ(test::notes_of(experiment), "Darshan had no memory for all that POSIX" + end +
                                              "Darshan had no memory for all that MPI-IO" + end +
                                              "darshan-parser warns of the log: the log is strange\n");
}

TEST(Darshan, LeavesOutABinaryLogWhoseTextStandsBesideIt) {
    const std::string binary("3.41\0\0\0\00075d\0\0\0\0\0...", 19);
    const test::TemporaryFolder folder;
    folder.write("app.log", binary);
    folder.write("app.log.txt", header + rows);
    const auto experiment = test::read_profiles(std::array{folder.path().string()});
    EXPECT_EQ(values_at(experiment, "run", "time", Values{4}), Values{12.5});
    EXPECT_EQ(test::notes_of(experiment),
              "is a binary log of Darshan, and is left out: '" + folder / "app.log.txt" + "' is its text\n");
    // What else has such a name is no text of it.
    folder.write("other.darshan", binary);
    folder.write("other.txt", "notes");
    EXPECT_THROW((void)test::read_profiles(std::array{folder.path().string()}), Error);
    folder.write("other.txt", header + rows);
    EXPECT_EQ(values_at(test::read_profiles(std::array{folder.path().string()}), "run", "time", Values{4}),
              (Values{12.5, 12.5}));
}

TEST(Darshan, SaysWhatIsWrongWhere) {
    const auto error_of = [](const std::string& text) -> std::string {
        try {
            (void)read_profile(text);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_FALSE(error.hint().empty());
            return error.what();
        }
        return {};
    };
    EXPECT_EQ(error_of("# darshan log version: 3.41\n# nprocs: 0\n"),
              "profile:2: '0' is no number of processes");
    EXPECT_EQ(error_of("# darshan log version: 3.41\n# run time: soon\n"), "profile:2: 'soon' is no number");
    EXPECT_EQ(error_of(header + "POSIX\t0\t1\tPOSIX_OPE\n"), "profile:10: a row has 4 columns of 8");
    EXPECT_EQ(error_of(header + row("POSIX", 0, "POSIX_OPENS", "1e999")),
              "profile:10: 1e999 is no finite number");
    // 12 of 123456.
    EXPECT_EQ(error_of(header + "total_POSIX_BYTES_WRITTEN: 12"), "profile:10: the file ends within a line");
    EXPECT_EQ(error_of(header + row("POSIX", 0, "POSIX_OPENS", "1") + "POSIX\t0\t1\tPOSIX_OPE"),
              "profile:11: the file ends within a line");
    EXPECT_EQ(error_of(header + "total_POSIX_OPENS\n"), "profile:10: a total has no value");
    EXPECT_EQ(error_of("# darshan log version: 3.41\n"), "profile: holds no measurements");
}

TEST(Darshan, SaysHowToReadABinaryLog) {
    PLIMSOLL_SHARED_OR_SKIP(file, "data/realworld/extradeep-darshan/cifar10_g2_r1.log");
    try {
        (void)test::read_profiles(std::array{file});
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_EQ(std::string(error.what()), file + ": is a binary log of Darshan, which only Darshan reads");
        EXPECT_EQ(error.hint(),
                  "make a text of it, and read that: darshan-parser " + file + " > " + file + ".txt");
    }
}

}  // namespace
}  // namespace plimsoll::profile
