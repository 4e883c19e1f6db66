#include <gtest/gtest.h>

#include <string>

#include "app/report/documents.hpp"
#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::app {
namespace {

constexpr const char* training = R"({
  "schema": "plimsoll.training/1", "coverage": 0.9, "schedule": {}, "profiled": [], "notes": [],
  "points": [{"at": {"p": 4}, "processes": 4, "throughput_per_s": 1, "collectives": [],
              "step_s": {"value": 1, "low": 0.9, "high": 1.1}, "epoch_s": null, "training_s": null}]
})";

/// `training` with a piece of it replaced.
std::string with(const std::string& piece, const std::string& other) {
    std::string text = training;
    const std::size_t at = text.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    return text.replace(at, piece.size(), other);
}

std::string complaint_of(const std::string& text) {
    const test::TemporaryFolder folder;
    folder.write("training.json", text);
    Inputs inputs{.paths = {folder / "training.json"}};
    try {
        static_cast<void>(take_documents(inputs));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_FALSE(error.hint().empty());
        return std::string(error.what()).substr(error.place().file.size());
    }
    return {};
}

TEST(TakeDocuments, TakesThoseThatHaveAPageAndLeavesTheOthersInTheirOrder) {
    const test::TemporaryFolder folder;
    folder.write("training.json", training);
    folder.write("models.json", R"({"schema": "plimsoll.fit/1"})");
    folder.write("runs.jsonl", R"({"params": {"p": 4}, "region": "plimsoll.training/1", "value": 1})");
    Inputs inputs{.paths = {folder / "runs.jsonl", folder / "training.json", folder / "models.json",
                            folder.path().string(), folder / "missing"}};
    const std::vector<ShownDocument> documents = take_documents(inputs);
    ASSERT_EQ(documents.size(), 1U);
    EXPECT_EQ(documents[0].kind, DocumentKind::training);
    EXPECT_EQ(documents[0].json, training);
    EXPECT_EQ(inputs.paths, (std::vector<std::string>{folder / "runs.jsonl", folder / "models.json",
                                                      folder.path().string(), folder / "missing"}));
    EXPECT_TRUE(inputs.read.opened.empty());
}

TEST(TakeDocuments, SaysWhatIsWrongWithOne) {
    EXPECT_EQ(complaint_of(training), "");
    EXPECT_EQ(complaint_of(with("\"points\"", "\"dots\"")), ": 'points' is missing");
    EXPECT_EQ(complaint_of(with("\"processes\": 4", "\"processes\": \"4\"")),
              ": point 1: 'processes' is a string and not a number");
    EXPECT_EQ(complaint_of(with("\"low\": 0.9", "\"low\": null")),
              ": point 1: step_s: 'low' is null and not a number");
    EXPECT_EQ(complaint_of(with("\"at\": {\"p\": 4}", "\"at\": [4]")),
              ": point 1: 'at' is an array and not an object");
    EXPECT_EQ(complaint_of(with("\"notes\": [],", "\"notes\": [")), ":3: is no valid JSON");
    EXPECT_EQ(complaint_of(with("\"processes\": 4", "\"processes\": 1e999")),
              ": a number is too large for any computer");
    EXPECT_EQ(complaint_of(with("training/1", "training/2")),
              ": was written by a later version of plimsoll (its schema is 'plimsoll.training/2', ours "
              "'plimsoll.training/1')");
}

}  // namespace
}  // namespace plimsoll::app
