#include <gtest/gtest.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "app/report/documents.hpp"
#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::app {
namespace {

constexpr const char* training = R"({
  "schema": "plimsoll.training/1", "coverage": 0.9, "schedule": {}, "profiled": [], "notes": [],
  "points": [{"at": {"p": 4}, "processes": 4, "throughput_per_s": 1, "collectives": [],
              "step_s": {"value": 1, "low": 0.9, "high": 1.1}, "epoch_s": null, "training_s": null,
              "parts_s": null, "factors": null}]
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

/// Expects that a document is taken as it is, and that each of some members is missed where it is taken away.
void expect_each_is_missed(const char* text, std::initializer_list<const char*> members) {
    using nlohmann::ordered_json;  // the schema stays in front
    const ordered_json whole = ordered_json::parse(text);
    EXPECT_EQ(complaint_of(whole.dump()), "");
    for (const char* const path : members) {
        const ordered_json::json_pointer pointer{std::string(path)};
        ordered_json damaged = whole;
        ASSERT_EQ(damaged.at(pointer.parent_pointer()).erase(pointer.back()), 1U) << path;
        const std::string complaint = complaint_of(damaged.dump());
        EXPECT_NE(complaint.find("'" + pointer.back() + "' is missing"), std::string::npos)
            << path << complaint;
    }
}

TEST(TakeDocuments, MissesWhatThePageOfTrainingsReads) {
    expect_each_is_missed(
        R"({"schema": "plimsoll.training/1", "coverage": 0.9, "schedule": {}, "notes": ["a note"],
            "profiled": [{"at": {"p": 4}, "steps": 3, "half_width": 0.1, "needed_steps": 9}],
            "points": [{"at": {"p": 4}, "processes": 4, "throughput_per_s": 1, "step_s": null, "epoch_s": null,
                        "training_s": null, "parts_s": null, "factors": null,
                        "collectives": [{"name": "all-reduce", "calls": 2, "time_s": 1, "bytes": 8,
                                         "bus_bandwidth_bytes_per_s": 8}]}]})",
        {"/coverage",
         "/schedule",
         "/notes",
         "/profiled",
         "/profiled/0/at",
         "/profiled/0/steps",
         "/profiled/0/half_width",
         "/profiled/0/needed_steps",
         "/points",
         "/points/0/at",
         "/points/0/processes",
         "/points/0/throughput_per_s",
         "/points/0/step_s",
         "/points/0/epoch_s",
         "/points/0/training_s",
         "/points/0/parts_s",
         "/points/0/factors",
         "/points/0/collectives",
         "/points/0/collectives/0/name",
         "/points/0/collectives/0/calls",
         "/points/0/collectives/0/time_s",
         "/points/0/collectives/0/bytes",
         "/points/0/collectives/0/bus_bandwidth_bytes_per_s"});
}

TEST(TakeDocuments, MissesWhatThePageOfPlansReads) {
    expect_each_is_missed(
        R"({"schema": "plimsoll.plan-config/1", "time_of": "main", "confidence": 0.9, "cost_unit": "EUR",
            "limits": {"budgets": [{"value": 9, "unit": "EUR"}]}, "machines": ["cpu"], "configurations": 2,
            "answers": [{"answer": "cheapest", "machine": "cpu", "at": {"p": 4}, "nodes": 1, "time_s": {},
                         "limits": [{"limit": "budget"}],
                         "stays": [{"limit": "budget", "below": null,
                                    "above": {"machine": "cpu", "at": {"p": 8}}}]}],
            "front": [{"machine": "cpu", "at": {"p": 4}, "nodes": 1, "time_s": {}, "limits": []}],
            "nearest_miss": {"machine": "cpu", "at": {"p": 4}, "nodes": 1, "time_s": {}, "limits": []},
            "reliefs": [{"limit": "budget", "configuration":
                         {"machine": "cpu", "at": {"p": 4}, "nodes": 1, "time_s": {}, "limits": []}}],
            "scaling": {"largest_processes": null, "size_parameter": "n",
                        "sizes": [{"processes": 4, "size": null}]},
            "notes": []})",
        {"/time_of",
         "/confidence",
         "/cost_unit",
         "/limits",
         "/limits/budgets",
         "/limits/budgets/0/value",
         "/limits/budgets/0/unit",
         "/machines",
         "/configurations",
         "/answers",
         "/answers/0/answer",
         "/answers/0/machine",
         "/answers/0/at",
         "/answers/0/nodes",
         "/answers/0/time_s",
         "/answers/0/limits",
         "/answers/0/limits/0/limit",
         "/answers/0/stays/0/limit",
         "/answers/0/stays/0/below",
         "/answers/0/stays/0/above",
         "/answers/0/stays/0/above/machine",
         "/answers/0/stays/0/above/at",
         "/front",
         "/front/0/machine",
         "/nearest_miss/limits",
         "/reliefs",
         "/reliefs/0/limit",
         "/reliefs/0/configuration",
         "/reliefs/0/configuration/at",
         "/scaling/largest_processes",
         "/scaling/size_parameter",
         "/scaling/sizes",
         "/scaling/sizes/0/processes",
         "/scaling/sizes/0/size",
         "/notes"});
}

TEST(TakeDocuments, MissesWhatThePageOfCampaignsReads) {
    constexpr const char* campaign =
        R"({"schema": "plimsoll.campaign-top/1",
            "jobs": [{"name": "a", "state": "running", "tasks": 4, "counts": {}, "command": ["a"], "tags": []}],
            "workers": [{"name": "w", "running": 1, "queued": 2}]})";
    expect_each_is_missed(campaign, {"/jobs", "/jobs/0/name", "/jobs/0/state", "/jobs/0/tasks",
                                     "/jobs/0/counts", "/jobs/0/command", "/jobs/0/tags", "/workers",
                                     "/workers/0/name", "/workers/0/running", "/workers/0/queued"});
    std::string damaged = campaign;
    damaged.replace(damaged.find("[\"a\"]"), 5, "[7]");
    EXPECT_EQ(complaint_of(damaged), ": job 1: command 1 is a number and not a string");
}

}  // namespace
}  // namespace plimsoll::app
