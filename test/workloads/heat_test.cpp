#include <gtest/gtest.h>

#include "heat/run.hpp"
#include "heat/slab.hpp"
#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::heat {
namespace {

TEST(Slab, KeepsToTheKnownResult) {
    Slab slab(12, 0, 12);
    EXPECT_EQ(slab.largest_error(0), 0.0);
    for (int step = 0; step < 100; ++step) slab.advance();
    EXPECT_LT(slab.largest_error(100), 1e-14);
    EXPECT_GT(slab.largest_error(99), 1e-3) << "a step more or less is seen";
}

TEST(Slab, CutsDoNotShowInASingleBit) {
    constexpr std::uint64_t n = 9;
    Slab all(n, 0, n);
    Slab low(n, 0, 4);
    Slab high(n, 4, 5);
    for (int step = 0; step < 20; ++step) {
        const auto copy = [](std::span<const double> from, std::span<double> to) {
            std::copy(from.begin(), from.end(), to.begin());
        };
        copy(low.values().last(n * n), high.below());
        copy(high.values().first(n * n), low.above());
        all.advance();
        low.advance();
        high.advance();
    }
    EXPECT_EQ(all.checksum(), low.checksum() + high.checksum());
    const std::uint64_t before = all.checksum();
    std::swap(all.values()[3], all.values()[4]);
    EXPECT_NE(all.checksum(), before) << "places count";
}

TEST(Heat, GoesOnFromItsCheckpointsToTheSameBits) {
    const test::TemporaryFolder folder;
    const auto ranks = alone();
    const Result whole = run({.size = 10, .steps = 50}, *ranks);
    EXPECT_FALSE(whole.restored);
    const Result first = run({.size = 10, .steps = 23, .folder = folder / "s", .every = 5}, *ranks);
    EXPECT_EQ(first.saves, 4U);
    const Result second = run({.size = 10, .steps = 50, .folder = folder / "s", .every = 5}, *ranks);
    EXPECT_EQ(second.restored, 20U);
    EXPECT_EQ(second.checksum, whole.checksum);
    EXPECT_LT(second.largest_error, 1e-14);
}

TEST(Heat, GoesOnFromLazyCheckpointsToTheSameBits) {
    const test::TemporaryFolder folder;
    const auto ranks = alone();
    constexpr std::uint64_t size = 64;  // a grid of 2 MiB, large enough to be protected
    const Result whole = run({.size = size, .steps = 50}, *ranks);
    const Settings settings{
        .size = size, .steps = 23, .folder = folder / "s", .every = 2, .capture = checkpoint::Capture::lazy};
    EXPECT_EQ(run(settings, *ranks).saves, 11U);
    Settings further = settings;
    further.steps = 50;
    const Result second = run(further, *ranks);
    EXPECT_EQ(second.restored, 22U);
    EXPECT_EQ(second.checksum, whole.checksum);
}

TEST(Heat, RefusesMoreRanksThanPlanes) {
    class Many : public Ranks {
      public:
        [[nodiscard]] std::uint64_t rank() const override { return 0; }
        [[nodiscard]] std::uint64_t size() const override { return 11; }
        void exchange(std::span<const double>, std::span<const double>, std::span<double>,
                      std::span<double>) override {}
        [[nodiscard]] std::uint64_t sum(std::uint64_t mine) override { return mine; }
        [[nodiscard]] double largest(double mine) override { return mine; }
        void end_all(int /*status*/) override {}
        [[nodiscard]] std::unique_ptr<checkpoint::Communicator> communicator() const override {
            return nullptr;
        }
    } many;
    try {
        (void)run({.size = 10}, many);
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "11 ranks cannot share 10 planes");
    }
}

}  // namespace
}  // namespace plimsoll::heat
