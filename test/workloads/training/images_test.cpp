// What workloads/training is trained on, and who sees what of it.

#include "training/images.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "training/sample_order.hpp"

namespace plimsoll::training_workload {
namespace {

constexpr std::size_t side = 16;
constexpr std::size_t classes = 4;

std::vector<std::uint64_t> numbers_to(std::size_t count) {
    std::vector<std::uint64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
    return numbers;
}

TEST(WaveImages, DependOnSeedSetAndNumberAlone) {
    const WaveImages images(side, classes, 7);
    const std::vector<std::uint64_t> forward{3, 5};
    const std::vector<std::uint64_t> backward{5, 3};
    const Batch one = images.batch(Set::training, forward);
    const Batch other = images.batch(Set::training, backward);
    const auto half = static_cast<std::ptrdiff_t>(side * side);
    EXPECT_TRUE(std::equal(one.pixels.begin(), one.pixels.begin() + half, other.pixels.begin() + half));
    EXPECT_TRUE(std::equal(one.pixels.begin() + half, one.pixels.end(), other.pixels.begin()));
    EXPECT_EQ(one.labels[0], other.labels[1]);
    EXPECT_NE(one.pixels, images.batch(Set::validation, forward).pixels);
    EXPECT_NE(one.pixels, WaveImages(side, classes, 8).batch(Set::training, forward).pixels);
}

TEST(WaveImages, HaveEachClassAlikeOften) {
    constexpr std::size_t count = 4000;
    const Batch batch = WaveImages(side, classes, 0).batch(Set::training, numbers_to(count));
    for (std::int64_t label = 0; label < static_cast<std::int64_t>(classes); ++label) {
        const auto found = static_cast<double>(std::count(batch.labels.begin(), batch.labels.end(), label));
        // Four standard deviations of the binomial distribution.
        constexpr double p = 1.0 / classes;
        EXPECT_NEAR(found, count * p, 4.0 * std::sqrt(count * p * (1.0 - p)));
    }
}

/// Waves of any phase are as often up as down, so that the mean image of a class is nothing but the rest of
/// noise.
TEST(WaveImages, TellNothingOfTheClassByTheirMean) {
    constexpr std::size_t count = 4000;
    const Batch batch = WaveImages(side, classes, 0).batch(Set::training, numbers_to(count));
    std::vector<double> mean(side * side);
    double square = 0.0;
    double of_class = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        if (batch.labels[i] != 1) continue;
        of_class += 1.0;
        for (std::size_t pixel = 0; pixel < mean.size(); ++pixel) {
            const double value = batch.pixels[i * mean.size() + pixel];
            mean[pixel] += value;
            square += value * value;
        }
    }
    const double deviation = std::sqrt(square / of_class / static_cast<double>(mean.size()));
    for (const double sum : mean) {
        // Pixels near the middle see more of the waves than the average one: a wide bound.
        EXPECT_NEAR(sum / of_class, 0.0, 8.0 * deviation / std::sqrt(of_class));
    }
}

/// The direction of a wave shows in which way neighbours differ: class 0 is across, class 2 of 4 is down.
TEST(WaveImages, ShowTheClassByDirection) {
    const WaveImages images(side, classes, 3);
    double across = 0.0;
    double down = 0.0;
    std::vector<float> pixels(side * side);
    for (std::uint64_t number = 0; number < 400; ++number) {
        const std::int64_t label = images.paint(Set::training, number, pixels);
        if (label % 2 == 1) continue;
        double difference = 0.0;  // of the squared steps across and down
        for (std::size_t y = 0; y + 1 < side; ++y) {
            for (std::size_t x = 0; x + 1 < side; ++x) {
                const double here = pixels[y * side + x];
                difference += std::pow(pixels[y * side + x + 1] - here, 2.0) -
                              std::pow(pixels[(y + 1) * side + x] - here, 2.0);
            }
        }
        (label == 0 ? across : down) += difference;
    }
    EXPECT_GT(across, 0.0);
    EXPECT_LT(down, 0.0);
}

TEST(SampleOrder, IsAPermutationOfItsOwnForEachEpoch) {
    const auto first = epoch_order(100, 1, 0);
    const auto second = epoch_order(100, 1, 1);
    EXPECT_EQ(first, epoch_order(100, 1, 0));
    EXPECT_NE(first, second);
    EXPECT_NE(first, epoch_order(100, 2, 0));
    for (auto order : {first, second}) {
        std::sort(order.begin(), order.end());
        EXPECT_EQ(order, numbers_to(100));
    }
}

TEST(SampleOrder, GivesRanksTogetherWhatOneWithTheBatchOfAllWouldSee) {
    const auto order = epoch_order(50, 0, 0);
    constexpr std::size_t ranks = 4;
    constexpr std::size_t batch = 3;
    for (std::size_t step = 0; step < 5; ++step) {
        std::vector<std::uint64_t> together;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            const auto share = share_of(order, step, batch, {.rank = rank, .ranks = ranks});
            together.insert(together.end(), share.begin(), share.end());
        }
        const auto alone = share_of(order, step, batch * ranks, {.rank = 0, .ranks = 1});
        EXPECT_EQ(together, std::vector<std::uint64_t>(alone.begin(), alone.end()));
    }
    EXPECT_EQ(share_of(order, 4, batch, {.rank = 0, .ranks = ranks}).size(), 2U);  // 48 and 49
    EXPECT_TRUE(share_of(order, 4, batch, {.rank = 1, .ranks = ranks}).empty());
}

}  // namespace
}  // namespace plimsoll::training_workload
