#include "plimsoll/experiment/reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "test/support/golden.hpp"
#include "test/support/read_text.hpp"
#include "test/support/shared_data.hpp"
#include "test/support/stopped.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::experiment {

namespace {

using test::TemporaryFolder;

constexpr const char* small_text = "PARAMETER p\nPOINTS 4 8\nREGION main\nMETRIC time\nDATA 1\nDATA 2\n";
constexpr const char* small_lines =
    "{\"params\":{\"p\":16},\"callpath\":\"main\",\"metric\":\"time\",\"value\":4}\n";

Experiment read_all(const std::vector<std::string>& paths, const ReadOptions& options = {}) {
    return read(paths, options, silent());
}

Error error_of_paths(const std::vector<std::string>& paths, const ReadOptions& options = {}) {
    try {
        (void)read_all(paths, options);
    } catch (const Error& error) {
        return error;
    }
    return Error(ErrorKind::internal, "the files were read without an error");
}

std::string detected(std::string_view head) {
    const Probe probe{.path = "file", .head = head};
    for (const Format& format : formats()) {
        if (format.matches(probe)) return std::string(format.name);
    }
    return "none";
}

std::vector<std::filesystem::path> golden_files(const std::string& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".json" && entry.path().stem() != "index")
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

TEST(Formats, AreRecognised) {
    struct Case {
        std::string head;
        const char* format;
    };
    for (const Case& c : {
             Case{small_text, "text"},
             Case{"# comment\n\n  parameter p\npoints 4", "text"},
             Case{"METRIC\ttime\nPARAMETER\tp\n", "text"},
             Case{"REGION f(int, int)\nMETRIC time\nPARAMETER p\n", "text"},
             Case{"PARAMMETER p\n", "text"},  // so that the error names the keyword
             Case{small_lines, "jsonl"},
             Case{"\n  {\"value\":1,\"params\":{}}", "jsonl"},
             Case{"{\"schema\":\"plimsoll.experiment/1\",\"parameters\":[]}\n", "jsonl"},
             Case{"{\"schema\":\"plimsoll.experiment/1\",\"points\":[[1],[2],[",
                  "jsonl"},  // cut by the probe
             Case{"{\"params\":{\"p\":4},\"value\":NaN}\n", "jsonl"},
             Case{"{\"region\":\"a;b\",\"params\":{}}\n", "jsonl"},
             Case{"{\"region\":\"\\\";\",\"params\":{}}\n", "jsonl"},
             Case{"{\"parameters\":{\"p\":4};\"value\":1}\n", "talpas"},
             Case{"{\"parameters\":[\"p\"],\"measurements\":{\"params\":{}}}", "json"},
             Case{"{\n\"params\": {}\n}", "json"},
             Case{"{\"params\": {\n}}", "json"},
             Case{"[1]", "none"},  // a settings file begins so as well; the name *.json says that it is JSON
             Case{"{", "json"},
             Case{"", "none"},
             Case{"\n \n", "none"},
             Case{std::string("\0\1\2\xFF", 4), "none"},
         }) {
        EXPECT_EQ(detected(c.head), c.format) << c.head;
    }
}

TEST(Formats, DoNotTakeATableForText) {
    EXPECT_NE(detected("Region\tMetric\tp\tvalue\nmain\ttime\t4\t1\n"), "text");
    EXPECT_NE(detected("NODES,TIME\n4,1\n"), "text");
    EXPECT_NE(detected("region,p,value\nmain,4,1\n"), "text");
    EXPECT_NE(detected("p n time\n1 2 3\n"), "text");
}

TEST(Formats, HaveNamesOfTheirOwnAndDescriptions) {
    std::set<std::string_view> names;
    for (const Format& format : formats()) {
        EXPECT_TRUE(names.insert(format.name).second) << format.name;
        EXPECT_FALSE(format.description.empty()) << format.name;
    }
}

TEST(Read, MergesFilesOfDifferentFormats) {
    const TemporaryFolder folder;
    const Experiment experiment =
        read_all({folder.write("a.txt", small_text), folder.write("b", small_lines)});
    EXPECT_EQ(experiment.coordinates, (std::vector<double>{4, 8, 16}));
    ASSERT_EQ(experiment.series.size(), 1U);
    EXPECT_EQ(experiment.series[0].measurements.size(), 3U);
}

TEST(Read, ReadsEachFileOfAFolderWhoseFormatIsKnown) {
    const TemporaryFolder folder;
    (void)folder.write("a.txt", small_text);
    (void)folder.write("deeper/b.jsonl", small_lines);
    (void)folder.write("image", std::string("\0\1\2\3", 4));
    (void)folder.write(".hidden", "broken");
    (void)folder.write(".git/config.txt", small_text);
    const Experiment experiment = read_all({folder.path().string()});
    EXPECT_EQ(experiment.coordinates, (std::vector<double>{4, 8, 16}));
    EXPECT_EQ(experiment.series[0].measurements[0].repetitions, 1U);
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_EQ(to_text(experiment.notes[0]), (folder / "image") + ": is in no known format and is left out");
}

TEST(Read, SaysWhatItLeavesOutOfAFolder) {
    const TemporaryFolder folder;
    (void)folder.write("runs/a.txt", small_text);
    (void)folder.write("runs/a.txt.gz", small_text);
    (void)folder.write("runs/LICENSE", "MIT License\n\nPermission is hereby granted\n");
    (void)folder.write("runs/config.json", R"({"name": "study", "list": [1, 2]})");
    (void)folder.write("runs/empty.csv", "");
    (void)folder.write("more/b.jsonl", small_lines);
    std::filesystem::create_directory_symlink("../more", folder / "runs/link");
    const Experiment experiment = read_all({folder / "runs"});
    EXPECT_EQ(experiment.series[0].measurements[0].repetitions, 1U);
    std::vector<std::string> notes;
    for (const Note& note : experiment.notes) notes.push_back(to_text(note));
    const std::string runs = folder / "runs/";
    EXPECT_EQ(notes, (std::vector<std::string>{
                         runs + "link: is a link to a folder, and is left out",
                         runs + "a.txt.gz: is left out, since the same stands beside it uncompressed",
                         runs + "LICENSE: is in no known format and is left out (2 times)",
                         runs + "empty.csv: is empty, and is left out"}));
}

// Tables of which nothing tells what they measure, as anybody has beside measurements.
TEST(Read, LeavesForeignTablesOutOfAFolder) {
    const TemporaryFolder folder;
    (void)folder.write("a.txt", small_text);
    const std::string notes = folder.write("notes.csv", "a,b\nx,y\n");
    const std::string ragged = folder.write("notes2.csv", "when,what\n2024-05-01,began, and ended\n");
    const std::string dates = folder.write("notes3.csv", "when,what\n2024-05-01,began\n");
    const std::string hosts = folder.write("times.csv", "host,time\na,1\n");
    const std::string numbers = folder.write("numbers.csv", "1,2\n3,4\n");
    const Experiment experiment = read_all({folder.path().string()});
    EXPECT_EQ(experiment.coordinates, (std::vector<double>{4, 8}));
    std::vector<std::string> texts;
    for (const Note& note : experiment.notes) texts.push_back(to_text(note));
    EXPECT_EQ(texts, (std::vector<std::string>{
                         notes + ":1: is left out: cannot tell which column holds the values: a, b",
                         ragged + ":2: is left out: the row has 3 cells, but the header 2",
                         dates + ":2: is left out: column 'when': '2024-05-01' is not a number",
                         numbers + ":1: is left out: there is no header line with names of columns",
                         hosts + ":1: is left out: cannot tell which column holds a parameter: host, time"}));
    // Named, or the only file, it is meant; and so is one that says of itself that it measures.
    EXPECT_EQ(error_of_paths({notes}).what(), notes + ":1: cannot tell which column holds the values: a, b");
    const std::string alone = folder.write("alone/notes.csv", "a,b\nx,y\n");
    EXPECT_EQ(error_of_paths({folder / "alone"}).what(),
              alone + ":1: cannot tell which column holds the values: a, b");
    EXPECT_EQ(error_of_paths({folder.path().string()}, {.format = "csv"}).kind(), ErrorKind::input);
    const std::string damaged = folder.write("runs.csv", "p,time\n4,soon\n");
    EXPECT_EQ(error_of_paths({folder.path().string()}).what(),
              damaged + ":2: column 'time': 'soon' is not a number");
}

TEST(Read, LeavesOutALinkToNothingInAFolder) {
    const TemporaryFolder folder;
    (void)folder.write("a.txt", small_text);
    (void)folder.write("z.jsonl", small_lines);
    std::filesystem::create_symlink("absent.txt", folder / "latest.txt");
    const Experiment experiment = read_all({folder.path().string()});
    EXPECT_EQ(experiment.coordinates, (std::vector<double>{4, 8, 16}));
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_EQ(to_text(experiment.notes[0]),
              (folder / "latest.txt") + ": is left out: No such file or directory");
}

TEST(Read, SaysWhichProgramHasToTurnAFileIntoAnother) {
    const TemporaryFolder folder;
    for (const char* const name : {"report1.nsys-rep", "report1.qdrep"}) {
        const std::string report = folder.write(name, "p,time\n4,1\n");  // whatever its first bytes are
        const Error error = error_of_paths({report});
        EXPECT_EQ(error.what(), report + ": is a report of Nsight Systems, not its export");
        EXPECT_EQ(error.hint(), "nsys export --type sqlite " + report);
    }
    EXPECT_EQ(error_of_paths({folder.path().string()}).hint(),
              "nsys export --type sqlite " + (folder / "report1.nsys-rep"));
    (void)folder.write("a.txt", small_text);
    const Experiment experiment = read_all({folder.path().string()});
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_EQ(experiment.notes[0].message, "is a report of Nsight Systems, not its export, and is left out");
    EXPECT_EQ(experiment.notes[0].count, 2U);
}

// Editors and spreadsheets on Windows write one.
TEST(Read, PassesOverAByteOrderMark) {
    const TemporaryFolder folder;
    const std::string mark = "\xEF\xBB\xBF";
    const std::string document =
        R"({"parameters": ["p"], "measurements": {"main": {"time": [{"point": [4], "values": [1]}]}}})";
    const std::string talpas =
        R"({"parameters": {"p": 4}; "callpath": "main"; "metric": "time"; "value": 1})";
    for (const std::string& text : {std::string(small_text), std::string(small_lines), document,
                                    talpas + "\n", std::string("p,time\n4,1\n8,2\n")}) {
        SCOPED_TRACE(text);
        const Experiment plain = read_all({folder.write("plain", text)});
        const Experiment marked = read_all({folder.write("marked", mark + text)});
        EXPECT_EQ(marked.coordinates, plain.coordinates);
        ASSERT_EQ(marked.series.size(), plain.series.size());
        EXPECT_EQ(marked.series[0].values, plain.series[0].values);
        EXPECT_EQ(marked.formats, plain.formats);
    }
}

TEST(Read, SaysWhichInputItCannotRead) {
    const TemporaryFolder folder;
    const std::string text = folder.write("a.txt", small_text);
    const std::string other = folder.write("other.txt", "PARAMETER q\nPOINTS 4\nDATA 1\n");
    const std::string nothing = folder.write("nothing", "\n\n");
    const std::string image = folder.write("image", std::string("\0\1\2\3", 4));
    const std::string bare = folder.write("bare", "{\"params\":{\"p\":1},\"value\":[]}\n");
    (void)folder.write("empty/.keep", "");

    EXPECT_EQ(error_of_paths({text, other}).what(),
              other + ":2: has the parameters q, but " + text + " has p");
    EXPECT_EQ(error_of_paths({text, folder / "absent"}).what(),
              (folder / "absent") + ": there is no such file or folder");
    EXPECT_EQ(error_of_paths({nothing}).what(), nothing + ": the file is empty");
    EXPECT_EQ(error_of_paths({nothing}, {.format = "jsonl"}).what(), nothing + ": nothing was measured");
    EXPECT_EQ(error_of_paths({image}).what(), image + ": the format is not recognised");
    EXPECT_EQ(error_of_paths({bare}).what(), bare + ":1: nothing was measured");
    EXPECT_EQ(error_of_paths({folder / "empty"}).what(),
              (folder / "empty") + ": the folder holds no file in a known format");
    for (const std::string& path : {other, nothing, image, bare}) {
        const Error error = error_of_paths({text, path}, {.format = "json"});
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_NE(error.hint(), "");
    }
}

TEST(Read, TakesTheFormatThatTheUserNames) {
    const TemporaryFolder folder;
    const std::string path = folder.write("a.txt", small_text);
    EXPECT_EQ(read_all({path}, {.format = "text"}).series.size(), 1U);
    EXPECT_EQ(error_of_paths({path}, {.format = "jsonl"}).what(),
              path + ":1: 'PARAMETER p' is not the beginning of JSON lines");
}

TEST(Read, OffersTheNearestFormat) {
    const Error error = error_of_paths({"anything"}, {.format = "jsonlines"});
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "unknown format 'jsonlines'");
    EXPECT_EQ(error_of_paths({"anything"}, {.format = "tetx"}).hint(), "did you mean 'text'?");
}

TEST(Read, StopsWhereTheUserAskedFor) {
    const TemporaryFolder folder;
    const std::string file = folder.write("a.txt", small_text);
    test::Stopped stopped;
    for (const std::string& path : {folder.path().string(), file}) {
        const std::vector<std::string> paths{path};
        EXPECT_THROW((void)read(paths, {}, stopped), Cancelled) << path;
    }
}

TEST(Read, TellsHowManyBytesAreRead) {
    class Watcher final : public Progress {
      public:
        void begin(std::string_view /*what*/, std::int64_t total) override { totals.push_back(total); }
        void advance(std::int64_t done) override { last = done; }
        void end() override {}
        std::vector<std::int64_t> totals;
        std::int64_t last = 0;
    };
    const TemporaryFolder folder;
    const std::string file = folder.write("a.txt", small_text);
    (void)folder.write("b.jsonl", small_lines);
    const auto text_size = static_cast<std::int64_t>(std::string_view(small_text).size());
    const auto both = text_size + static_cast<std::int64_t>(std::string_view(small_lines).size());
    Watcher watcher;
    (void)read(std::vector<std::string>{file}, {}, watcher);
    EXPECT_EQ(watcher.last, text_size);
    (void)read(std::vector<std::string>{folder.path().string()}, {}, watcher);
    EXPECT_EQ(watcher.last, both);
    EXPECT_EQ(watcher.totals, (std::vector<std::int64_t>{text_size, both}));
}

// What Extra-P reads, we read, with the same statistics, and recognise it unasked.
TEST(Read, AgreesWithExtraPOnTextTalpasAndJson) {
    PLIMSOLL_SHARED_OR_SKIP(goldens, "golden/extrap");
    PLIMSOLL_SHARED_OR_SKIP(inputs, "data/extrap");
    const std::set<std::string> readers{"text", "talpas", "json"};
    // Without one measurement there is no experiment, and a semicolon in a name is none of Talpas'
    // separators.
    const std::set<std::string> departures{"crafted/no_data.txt", "crafted/talpas_semicolon_in_name.txt"};
    int compared = 0;
    for (const auto& file : golden_files(goldens)) {
        std::ifstream stream(file);
        const auto golden = nlohmann::json::parse(stream);
        if (golden["status"] != "ok" || !readers.contains(golden["reader"])) continue;
        const std::string input = golden["input"];
        SCOPED_TRACE(input);
        if (departures.contains(input)) continue;
        try {
            EXPECT_EQ(test::differences_from_golden(read_all({inputs + "/" + input}), file.string()), "");
        } catch (const Error& error) {
            ADD_FAILURE() << error.what() << " / " << error.hint();
        }
        ++compared;
    }
    std::cout << compared << " inputs compared\n";
    EXPECT_GE(compared, 100);
}

}  // namespace plimsoll::experiment
