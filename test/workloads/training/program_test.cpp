// Runs workloads/training on 1, 2 and 4 ranks: what ranks agree on, what they do that one alone would do,
// what is written.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "test/support/measured_program.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll {
namespace {

using nlohmann::json;

/// Small enough for a tenth of a second a step, with gradients in several buckets.
constexpr const char* small = "--image-size 16 --classes 4 --dataset-size 640 --bucket-size 8192";

/// What a run has written: its header and the values of each region and metric, [repetitions x ranks].
struct Written {
    json metadata;
    json parameters;
    test::Values values;

    [[nodiscard]] std::vector<std::string> networks() const {
        std::vector<std::string> words;
        std::string text = metadata.at("network").get<std::string>();
        for (std::size_t begin = 0; begin < text.size(); begin += 9) words.push_back(text.substr(begin, 8));
        return words;
    }
    [[nodiscard]] std::vector<double> losses() const {
        std::vector<double> of_first;
        for (const auto& ranks : values.at({"step", "loss"})) of_first.push_back(ranks.front());
        return of_first;
    }
};

Written read_lines(const std::string& path) {
    Written written;
    std::ifstream lines(path);
    std::string line;
    std::getline(lines, line);
    written.metadata = json::parse(line).at("metadata");
    while (std::getline(lines, line)) {
        const json entry = json::parse(line);
        written.parameters = entry.at("params");
        auto& values = written.values[{entry.at("region"), entry.at("metric")}];
        for (const json& repetition : entry.at("value"))
            values.push_back(repetition.get<std::vector<double>>());
    }
    return written;
}

class Training : public testing::TestWithParam<int> {
  protected:
    /// Open MPI asks for permission where it runs as root, and for more ranks than cores.
    [[nodiscard]] static std::string command(int ranks, const std::string& program,
                                             const std::string& arguments) {
        return fmt::format(
            "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 "
            "OMPI_MCA_rmaps_base_oversubscribe=1 timeout 300 {} -n {} {} {}",
            PLIMSOLL_MPIEXEC, ranks, program, arguments);
    }

    [[nodiscard]] Written train(int ranks, const std::string& arguments) const {
        const std::string file = folder_ / "runs.jsonl";
        const test::Ended ended =
            test::run(command(ranks, PLIMSOLL_TRAINING, fmt::format("{} {} -o {}", small, arguments, file)));
        EXPECT_EQ(ended.status, 0) << ended.output;
        return read_lines(file);
    }

    test::TemporaryFolder folder_;
};

TEST_P(Training, SumsGradientsWhateverOrderTheyComeIn) {
    const test::Ended ended = test::run_for_output(command(GetParam(), PLIMSOLL_GRADIENT_SUM_RANKS, ""));
    EXPECT_EQ(ended.status, 0) << ended.output;
    EXPECT_EQ(ended.output, fmt::format("0 wrong values on {} ranks\n", GetParam()));
}

TEST_P(Training, LearnsTheSameBitByBitOnAllRanksAndEachTime) {
    const Written written = train(GetParam(), "--batch 4 --steps 6 --seed 5");
    const auto networks = written.networks();
    ASSERT_EQ(networks.size(), static_cast<std::size_t>(GetParam()));
    EXPECT_EQ(std::count(networks.begin(), networks.end(), networks.front()), GetParam());
    EXPECT_EQ(train(GetParam(), "--batch 4 --steps 6 --seed 5").networks(), networks);
    EXPECT_NE(train(GetParam(), "--batch 4 --steps 6 --seed 6").networks(), networks);
}

/// Losses of later steps are those of the parameters that earlier steps have made, so they differ where a
/// gradient did.
TEST_P(Training, DoesWithSeveralRanksWhatOneDoesWithTheBatchOfAll) {
    constexpr int of_all = 16;
    const auto losses = train(GetParam(), fmt::format("--batch {} --steps 10", of_all / GetParam())).losses();
    const auto alone = train(1, fmt::format("--batch {} --steps 10", of_all)).losses();
    ASSERT_EQ(losses.size(), alone.size());
    // Sums in another order: rounding of single precision, which grows from step to step.
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_NEAR(losses[i], alone[i], 2e-3 * alone[i]) << i;
    // Not the same because nothing is learnt: with twice the batch they are others.
    const auto other = train(1, fmt::format("--batch {} --steps 10", 2 * of_all)).losses();
    EXPECT_GT(std::abs(other.back() - alone.back()), 1e-2 * alone.back());
}

TEST_P(Training, WritesStepsThatCountAndParametersOfTheRun) {
    const int p = GetParam();
    const Written written =
        train(p, "--batch 8 --depth 8 --width 4 --warmup 2 --steps 3 --epochs 2 --validation-size 48");
    EXPECT_EQ(written.parameters, json({{"p", p}, {"batch", 8}, {"depth", 8}, {"width", 4}, {"image", 16}}));
    EXPECT_EQ(written.metadata.at("program"), "training");
    const auto expect_values = [&](const char* region, const char* metric, std::size_t count) {
        SCOPED_TRACE(region);
        const auto& values = written.values.at({region, metric});
        EXPECT_EQ(values.size(), count);
        for (const auto& ranks : values) {
            EXPECT_EQ(ranks.size(), static_cast<std::size_t>(p));
            for (const double value : ranks) EXPECT_GE(value, 0.0);
        }
    };
    expect_values("step", "time", 6);
    expect_values("step", "loss", 6);
    // 48 images are 48, 24 or 12 for each rank, and 8 a step: 6, 3 or 2 steps, of which 3 at most are done.
    expect_values("validation->step", "time", p == 4 ? 4U : 6U);
    expect_values("validation", "accuracy", 2);
    expect_values("epoch", "time", 2);
    // An epoch is its steps, and little else.
    const double steps = test::sum_of(written.values, "step", "time") +
                         test::sum_of(written.values, "validation->step", "time");
    EXPECT_GE(test::sum_of(written.values, "epoch", "time"), steps);
}

/// Restarts go on with the same images, whatever number of ranks there are by then: gradients are summed in
/// another order, so losses agree but for rounding in single precision, which grows from step to step.
TEST_P(Training, GoesOnOnAnotherNumberOfRanks) {
    constexpr int of_all = 16;
    const std::string saves = folder_ / "saves";
    const auto run = [&](int ranks, int epochs, const std::string& more) {
        return train(
            ranks, fmt::format("--batch {} --epochs {} --steps 6 --seed 3 {}", of_all / ranks, epochs, more));
    };
    (void)run(GetParam(), 1, fmt::format("--checkpoints {} --checkpoint-every 4", saves));
    const int others = GetParam() == 4 ? 2 : 4;
    const auto later = run(others, 2, fmt::format("--checkpoints {}", saves)).losses();
    const auto alone = run(others, 2, "").losses();
    ASSERT_EQ(alone.size(), 12U);
    ASSERT_EQ(later.size(), 8U) << "from the save after step 4";
    for (std::size_t i = 0; i < later.size(); ++i)
        EXPECT_NEAR(later[i], alone[4 + i], 2e-3 * alone[4 + i]) << i;
}

/// By its trace: sums of gradients begin while the backward pass goes on, and all but the end of them is
/// behind it.
TEST_P(Training, SumsGradientsWhileOthersAreComputed) {
    const std::string traces = folder_ / fmt::format("net.p{}.r1", GetParam());
    (void)train(GetParam(), "--batch 8 --warmup 1 --steps 2 --profile " + traces);
    for (int rank = 0; rank < GetParam(); ++rank) {
        std::ifstream file(fmt::format("{}/rank{}.json", traces, rank));
        const json trace = json::parse(file);
        EXPECT_EQ(trace.at("distributedInfo").at("world_size"), GetParam());
        std::vector<std::pair<double, double>> backward;
        for (const json& event : trace.at("traceEvents")) {
            const double begin = event.at("ts").get<double>();
            if (event.at("name") == "backward")
                backward.emplace_back(begin, begin + event.at("dur").get<double>());
        }
        ASSERT_EQ(backward.size(), 2U);
        std::map<std::size_t, int> sums;  // begun in each backward pass
        double elements = 0.0;
        for (const json& event : trace.at("traceEvents")) {
            if (event.at("name") != "record_param_comms") continue;
            const double begin = event.at("ts").get<double>();
            elements += event.at("args").at("In msg nelems").get<double>();
            for (std::size_t step = 0; step < backward.size(); ++step) {
                if (begin > backward[step].first && begin < backward[step].second) ++sums[step];
            }
        }
        EXPECT_GE(sums[0], 3);
        EXPECT_EQ(sums[0], sums[1]);
        // Each number that is learnt is summed once a step.
        EXPECT_EQ(elements / 2.0,
                  read_lines(folder_ / "runs.jsonl").metadata.at("learnt_numbers").get<double>());
    }
}

TEST_P(Training, ProfilesWhatPlimsollReads) {
    const std::string traces = folder_ / fmt::format("net.p{}.b8.r1", GetParam());
    const Written written = train(GetParam(), "--batch 8 --warmup 1 --steps 3 --profile " + traces);
    const std::vector<std::string> paths{folder_.path() / fmt::format("net.p{}.b8.r1", GetParam())};
    const experiment::Experiment read = test::read_profiles(paths);
    const std::vector<double> point{static_cast<double>(GetParam())};
    // The same steps as by the program's own clock.
    const auto steps = test::values_at(read, "step", "time", point);
    const auto& own = written.values.at({"step", "time"});
    ASSERT_EQ(steps.size(), 3U * static_cast<std::size_t>(GetParam()));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto ranks = static_cast<std::size_t>(GetParam());
        EXPECT_NEAR(steps[i], own[i / ranks][i % ranks], 1e-6);
    }
    EXPECT_EQ(test::values_at(read, "validation->step", "time", point).size(),
              written.values.at({"validation->step", "time"}).size() * static_cast<std::size_t>(GetParam()));
    for (const char* region : {"cpu->input", "cpu->forward", "cpu->backward", "cpu->communication",
                               "cpu->update", "cpu->forward->aten::conv2d"})
        EXPECT_NE(test::find_series(read, region, "time"), nullptr) << region;
    EXPECT_NE(test::find_series(read, "collective->allreduce", "bytes"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Training, testing::Values(1, 2, 4));

class TrainingAlone : public Training {};

/// Several trainings in one process, which starts once: each is what it would be alone.
TEST_P(TrainingAlone, DoesAListOfRunsOneAfterTheOther) {
    const std::string list = folder_.write("runs",
                                           "--batch 4 --depth 8\n\n# the same again\n--batch 4 --depth 8\n"
                                           "--batch 8 --depth 14\n");
    const std::string file = folder_ / "all.jsonl";
    const test::Ended ended =
        test::run(command(GetParam(), PLIMSOLL_TRAINING,
                          fmt::format("{} --steps 2 --seed 4 --runs {} -o {}", small, list, file)));
    ASSERT_EQ(ended.status, 0) << ended.output;
    std::map<int, std::vector<double>> losses;  // by batch
    std::ifstream lines(file);
    std::string line;
    std::getline(lines, line);
    EXPECT_FALSE(json::parse(line).at("metadata").contains("network")) << "of which run?";
    while (std::getline(lines, line)) {
        const json entry = json::parse(line);
        if (entry.at("metric") != "loss") continue;
        for (const json& step : entry.at("value"))
            losses[entry.at("params").at("batch").get<int>()].push_back(step.at(0).get<double>());
    }
    const auto few = train(GetParam(), "--batch 4 --depth 8 --steps 2 --seed 4").losses();
    const auto many = train(GetParam(), "--batch 8 --depth 14 --steps 2 --seed 4").losses();
    EXPECT_EQ(losses[4], (std::vector<double>{few[0], few[1], few[0], few[1]}));
    EXPECT_EQ(losses[8], many);
    // And they are one experiment, with the repetitions of all runs.
    const std::vector<std::string> files{file};
    const experiment::Experiment read = test::read_profiles(files);
    const std::vector<double> point{static_cast<double>(GetParam()), 4, 8, 8, 16};
    EXPECT_EQ(test::values_at(read, "step", "loss", point).size(), 4U * static_cast<std::size_t>(GetParam()));
}

TEST_P(TrainingAlone, NamesTheLineOfAListThatIsWrong) {
    const auto refused = [&](const std::string& text) {
        const std::string list = folder_.write("runs", text);
        const test::Ended ended = test::run(
            command(GetParam(), PLIMSOLL_TRAINING, fmt::format("{} --runs {} -o /dev/null", small, list)));
        EXPECT_EQ(ended.status, exit_code(ErrorKind::input));
        return ended.output;
    };
    EXPECT_NE(
        refused("--batch 4\n--bacth=4\n").find("runs:2: the following argument was not expected: --bacth=4"),
        std::string::npos);
    EXPECT_NE(refused("--batch 4 -o other\n").find("runs:1: all trainings of a list write to the same file"),
              std::string::npos);
    EXPECT_NE(refused("# nothing\n").find("has no line with options"), std::string::npos);
}

TEST_P(TrainingAlone, RefusesSavesOfAnotherTraining) {
    const std::string saves = folder_ / "saves";
    const std::string words = fmt::format("--batch 4 --steps 2 --checkpoints {}", saves);
    (void)train(GetParam(), words);
    const auto refused = [&](const std::string& more) {
        return test::run(command(GetParam(), PLIMSOLL_TRAINING, fmt::format("{} {} {}", small, words, more)));
    };
    test::Ended ended = refused("--seed 9");
    EXPECT_EQ(ended.status, exit_code(ErrorKind::input));
    EXPECT_NE(ended.output.find("its saves are of a training with --seed 0, not 9"), std::string::npos)
        << ended.output;
    ended = refused("--width 4");
    EXPECT_EQ(ended.status, exit_code(ErrorKind::input)) << ended.output;
}

/// A stated accuracy on images that it was not trained on, from chance (25 %).
TEST_P(TrainingAlone, LearnsToClassify) {
    const std::string network = folder_ / "network.pt";
    const Written written =
        train(1, "--epochs 12 --batch 8 --validation-size 400 --stop-at-accuracy 95% --save " + network);
    const auto& accuracy = written.values.at({"validation", "accuracy"});
    EXPECT_LT(accuracy.front().front(), 0.95);
    EXPECT_GE(accuracy.back().front(), 0.95);
    EXPECT_GT(std::filesystem::file_size(network),
              4 * written.metadata.at("learnt_numbers").get<std::size_t>());
}

TEST_P(TrainingAlone, EndsWithOneWhereTheAccuracyIsNotReached) {
    const test::Ended ended = test::run(
        command(2, PLIMSOLL_TRAINING,
                fmt::format("{} --steps 2 --stop-at-accuracy 100 -o {}", small, folder_ / "runs.jsonl")));
    EXPECT_EQ(ended.status, 1) << ended.output;
    EXPECT_TRUE(std::filesystem::exists(folder_ / "runs.jsonl"));
}

TEST_P(TrainingAlone, RefusesABatchThatNoStepHasImagesFor) {
    const test::Ended ended = test::run(
        command(2, PLIMSOLL_TRAINING, "--dataset-size 31 --batch 16 -o " + (folder_ / "runs.jsonl")));
    EXPECT_EQ(ended.status, 2);
    const std::string expected =
        "error: 31 images do not fill one step of 2 ranks with 16 images each\n"
        "hint: give a larger --dataset-size or a smaller --batch\n";
    const std::size_t found = ended.output.find(expected);
    ASSERT_NE(found, std::string::npos) << ended.output;
    EXPECT_EQ(ended.output.find(expected, found + 1), std::string::npos) << "once, not by each rank";
    EXPECT_FALSE(std::filesystem::exists(folder_ / "runs.jsonl"));
}

TEST_P(TrainingAlone, SaysWhereItCannotWrite) {
    const test::Ended ended = test::run(
        command(1, PLIMSOLL_TRAINING,
                fmt::format("{} --steps 1 --save /nowhere/network.pt -o {}", small, folder_ / "runs.jsonl")));
    EXPECT_EQ(ended.status, 3);
    EXPECT_NE(ended.output.find("error: /nowhere/network.pt: cannot write the network\n"
                                "hint: give --save a file in a folder that exists and has room\n"),
              std::string::npos)
        << ended.output;
}

INSTANTIATE_TEST_SUITE_P(Ranks, TrainingAlone, testing::Values(1));

}  // namespace
}  // namespace plimsoll
