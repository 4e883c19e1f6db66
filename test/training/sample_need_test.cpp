#include "plimsoll/training/sample_need.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/model/fit.hpp"
#include "test/support/experiment_maker.hpp"

namespace plimsoll::training {
namespace {

model::FitDocument models(const std::function<double(double)>& law,
                          const std::vector<double>& batches = {256, 512, 1024, 2048, 4096, 8192}) {
    test::ExperimentMaker maker({"batch"});
    for (const double batch : batches) {
        for (int i = 0; i < 3; ++i) maker.run("training", "samples", {batch}, law(batch));
    }
    const experiment::Experiment experiment = maker.build();
    return model::make_document(experiment, model::fit_all(experiment, {}, 1, silent()));
}

// S = 1e6 (1 + B / 5000): twice as many as at B = 1 where 1 + B / 5000 = 2 (1 + 1 / 5000).
TEST(SampleNeed, FindsTheCriticalBatch) {
    const SampleNeed need(models([](double b) { return 1e6 * (1.0 + b / 5000.0); }), 0.9);
    EXPECT_NEAR(need.at(16384).value, 1e6 * (1.0 + 16384.0 / 5000.0), 1.0);
    EXPECT_LE(need.at(16384).low, need.at(16384).value);
    EXPECT_GE(need.at(16384).high, need.at(16384).value);
    ASSERT_TRUE(need.critical_batch());
    EXPECT_NEAR(*need.critical_batch(), 5000.0 + 2.0, 1.0);
}

TEST(SampleNeed, HasNoCriticalBatchWhereTheBatchDoesNotMatter) {
    EXPECT_FALSE(SampleNeed(models([](double) { return 3e6; }), 0.9).critical_batch());
}

TEST(SampleNeed, RefusesWhatIsNoModelOfTheBatchAlone) {
    const auto error_of = [](const model::FitDocument& document) {
        try {
            (void)SampleNeed(document, 0.9);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_FALSE(error.hint().empty());
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(error_of(models([](double) { return 1.0; }, {1, 2})),
              "the samples that are needed have no model");
    model::FitDocument other = models([](double b) { return 1e6 + b; });
    other.models.push_back(other.models.front());
    other.models.front().metric = "accuracy";
    EXPECT_NEAR(SampleNeed(other, 0.9).at(100).value, 1e6 + 100.0, 1.0) << "the metric 'samples' counts";
    other.models.back().metric = "loss";
    EXPECT_EQ(error_of(other),
              "which of these are the samples is not clear: 'accuracy' of 'training', 'loss' of 'training'");
    model::FitDocument two = models([](double) { return 1.0; });
    two.parameters.emplace_back("n");
    EXPECT_EQ(error_of(two), "samples depend on one parameter, the global batch, here on batch, n");
}

}  // namespace
}  // namespace plimsoll::training
