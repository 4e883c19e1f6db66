#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

#include "plimsoll/checkpoint.h"
#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/saved_state.hpp"
#include "plimsoll/checkpoint_c/families.hpp"
#include "test/checkpoint/thread_ranks.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::checkpoint {
namespace {

class CApi : public testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(plimsoll_checkpoint_init(folder_.c_str()), PLIMSOLL_SUCCESS); }
    void TearDown() override { plimsoll_checkpoint_finalize(0); }

    void protect_both() {
        ASSERT_EQ(plimsoll_mem_protect(0, field_.data(), field_.size(), sizeof field_.front()),
                  PLIMSOLL_SUCCESS);
        ASSERT_EQ(plimsoll_mem_protect_as(7, "counter", &counter_, 1, PLIMSOLL_INT64), PLIMSOLL_SUCCESS);
    }
    void set(int version) {
        std::iota(field_.begin(), field_.end(), version);
        counter_ = version;
    }
    void save(int version) {
        set(version);
        ASSERT_EQ(plimsoll_checkpoint("run", version), PLIMSOLL_SUCCESS) << plimsoll_checkpoint_message();
    }
    [[nodiscard]] bool is_that_of(int version) const {
        return counter_ == version && field_.front() == version && field_.back() == version + 999;
    }

    plimsoll::test::TemporaryFolder parent_;
    std::string folder_ = parent_ / "saves";
    std::vector<double> field_ = std::vector<double>(1000);
    std::int64_t counter_ = 0;
};

TEST_F(CApi, RestoresWhatWasSaved) {
    protect_both();
    EXPECT_EQ(plimsoll_restart_test("run", 0), PLIMSOLL_NOT_FOUND);
    EXPECT_EQ(plimsoll_restart_newest("run"), PLIMSOLL_NOT_FOUND);
    save(0);
    save(5);
    EXPECT_EQ(plimsoll_checkpoint_wait(), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_checkpoint_ready(), 1);
    set(99);
    EXPECT_EQ(plimsoll_restart_test("run", 0), 5);
    EXPECT_EQ(plimsoll_restart_test("run", 5), 0);
    EXPECT_EQ(plimsoll_restart("run", 0), PLIMSOLL_SUCCESS) << "version 0 is one as any other";
    EXPECT_TRUE(is_that_of(0));
    EXPECT_EQ(plimsoll_restart_newest("run"), 5);
    EXPECT_TRUE(is_that_of(5));
    EXPECT_EQ(plimsoll_restart("run", 3), PLIMSOLL_NOT_FOUND);
    EXPECT_STREQ(plimsoll_checkpoint_message(), "");
}

TEST_F(CApi, FilesHaveNamesAndTypes) {
    protect_both();
    save(5);
    ASSERT_EQ(plimsoll_checkpoint_wait(), PLIMSOLL_SUCCESS);
    const auto storage = pwrite_storage();
    const Catalog catalog = read_catalog(*storage, folder_ + "/run");
    const SavedState state(*storage, folder_ + "/run", catalog.saves.front());
    EXPECT_EQ(state.array_names(), (std::vector<std::string>{"0", "counter"}));
    EXPECT_EQ(state.find("0", 0)->shape, (Shape{1000, 8}));
    EXPECT_EQ(state.find("0", 0)->type, ElementType::uint8);
    EXPECT_EQ(state.find("counter", 0)->type, ElementType::int64);
}

TEST_F(CApi, NamesAreCheckpointsOfTheirOwn) {
    protect_both();
    save(1);
    set(2);
    ASSERT_EQ(plimsoll_checkpoint("other", 2), PLIMSOLL_SUCCESS);
    ASSERT_EQ(plimsoll_checkpoint_wait(), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_restart_newest("run"), 1);
    EXPECT_TRUE(is_that_of(1));
    EXPECT_EQ(plimsoll_restart_newest("other"), 2);
    EXPECT_TRUE(is_that_of(2));
}

TEST_F(CApi, PartsAreSavedAndRestored) {
    protect_both();
    const std::array<int, 1> seven{7};
    set(1);
    EXPECT_EQ(plimsoll_checkpoint_begin("run", 1), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_checkpoint_selective(PLIMSOLL_REST, seven.data(), 1), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_checkpoint_end(1), PLIMSOLL_SUCCESS);
    set(2);
    EXPECT_EQ(plimsoll_checkpoint_begin("run", 2), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_checkpoint_mem(), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_checkpoint_end(1), PLIMSOLL_SUCCESS);
    ASSERT_EQ(plimsoll_checkpoint_wait(), PLIMSOLL_SUCCESS);

    set(9);
    EXPECT_EQ(plimsoll_restart_begin("run", 2), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_recover_size(0), 8000);
    EXPECT_EQ(plimsoll_recover_size(7), 8);
    EXPECT_EQ(plimsoll_recover_size(1), PLIMSOLL_NOT_FOUND);
    EXPECT_EQ(plimsoll_recover_selective(PLIMSOLL_SOME, seven.data(), 1), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_restart_end(1), PLIMSOLL_SUCCESS);
    EXPECT_EQ(counter_, 2);
    EXPECT_EQ(field_.front(), 9);

    EXPECT_EQ(plimsoll_restart_begin("run", 1), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_recover_size(7), PLIMSOLL_NOT_FOUND);
    EXPECT_EQ(plimsoll_recover_mem(), PLIMSOLL_USAGE) << "it has no counter";
    EXPECT_EQ(plimsoll_recover_selective(PLIMSOLL_REST, seven.data(), 1), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_restart_end(1), PLIMSOLL_SUCCESS);
    EXPECT_EQ(counter_, 2);
    EXPECT_EQ(field_.front(), 1);
}

TEST_F(CApi, WhatARankCallsAFailureIsNotSaved) {
    protect_both();
    ASSERT_EQ(plimsoll_checkpoint_begin("run", 1), PLIMSOLL_SUCCESS);
    ASSERT_EQ(plimsoll_checkpoint_mem(), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_checkpoint_end(0), PLIMSOLL_FAILURE);
    EXPECT_STREQ(plimsoll_checkpoint_message(), "a rank says that it has failed; nothing was saved");
    EXPECT_EQ(plimsoll_restart_test("run", 0), PLIMSOLL_NOT_FOUND);
}

TEST_F(CApi, DamageIsToldAndAnOlderVersionTaken) {
    protect_both();
    save(1);
    save(2);
    ASSERT_EQ(plimsoll_checkpoint_wait(), PLIMSOLL_SUCCESS);
    {
        std::fstream file(folder_ + "/run/v00000002/pack-0000.0.safetensors", std::ios::in | std::ios::out);
        file.seekp(5000);
        file << 'X';
    }
    EXPECT_EQ(plimsoll_restart("run", 2), PLIMSOLL_DAMAGED);
    EXPECT_NE(std::string(plimsoll_checkpoint_message()).find("are damaged"), std::string::npos)
        << plimsoll_checkpoint_message();
    EXPECT_EQ(plimsoll_restart_newest("run"), 1);
    EXPECT_TRUE(is_that_of(1));
}

TEST_F(CApi, MemoryMayMoveAndGo) {
    protect_both();
    save(1);
    std::vector<double> moved(1000, 4.0);
    ASSERT_EQ(plimsoll_mem_protect(0, moved.data(), moved.size(), sizeof moved.front()), PLIMSOLL_SUCCESS);
    ASSERT_EQ(plimsoll_mem_unprotect(7), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_restart_newest("run"), 1);
    EXPECT_EQ(moved.back(), 1000.0);
    EXPECT_EQ(plimsoll_mem_unprotect(7), PLIMSOLL_USAGE);
    EXPECT_STREQ(plimsoll_checkpoint_message(), "number 7 is not protected; protect it first");
}

TEST_F(CApi, MistakesAreTold) {
    EXPECT_EQ(plimsoll_checkpoint_init(folder_.c_str()), PLIMSOLL_USAGE);
    EXPECT_STREQ(plimsoll_checkpoint_message(), "checkpoints have begun already; end them first");
    EXPECT_EQ(plimsoll_checkpoint("a/b", 1), PLIMSOLL_USAGE);
    EXPECT_EQ(plimsoll_checkpoint(nullptr, 1), PLIMSOLL_USAGE);
    EXPECT_EQ(plimsoll_checkpoint("run", -1), PLIMSOLL_USAGE);
    EXPECT_STREQ(plimsoll_checkpoint_message(), "version -1 is below zero; count from 0");
    EXPECT_EQ(plimsoll_mem_protect(0, nullptr, 10, 8), PLIMSOLL_USAGE);
    EXPECT_EQ(plimsoll_mem_protect(0, field_.data(), SIZE_MAX / 2, 8), PLIMSOLL_USAGE);
    EXPECT_EQ(plimsoll_mem_protect_as(0, "x", field_.data(), 1, 99), PLIMSOLL_USAGE);
    EXPECT_EQ(plimsoll_mem_protect_as(0, "x", field_.data(), 1, PLIMSOLL_FLOAT64), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_mem_protect_as(1, "x", field_.data(), 1, PLIMSOLL_FLOAT64), PLIMSOLL_USAGE);
    EXPECT_STREQ(plimsoll_checkpoint_message(), "'x' is the name of number 0 already; choose another name");
    EXPECT_EQ(plimsoll_checkpoint_mem(), PLIMSOLL_USAGE);
    EXPECT_STREQ(plimsoll_checkpoint_message(),
                 "nothing has begun that this belongs to; call plimsoll_checkpoint_begin first");
    EXPECT_EQ(plimsoll_recover_mem(), PLIMSOLL_USAGE);
    ASSERT_EQ(plimsoll_checkpoint_begin("run", 1), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_checkpoint_selective(5, nullptr, 0), PLIMSOLL_USAGE);
    const std::array<int, 1> unknown{42};
    EXPECT_EQ(plimsoll_checkpoint_selective(PLIMSOLL_SOME, unknown.data(), 1), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_checkpoint_end(1), PLIMSOLL_USAGE);
    EXPECT_STREQ(plimsoll_checkpoint_message(), "number 42 is not protected; protect it first");
    EXPECT_EQ(plimsoll_checkpoint_finalize(1), PLIMSOLL_SUCCESS);
    EXPECT_EQ(plimsoll_checkpoint("run", 1), PLIMSOLL_USAGE);
    EXPECT_STREQ(plimsoll_checkpoint_message(),
                 "checkpoints have not begun; call plimsoll_checkpoint_init first");
    EXPECT_EQ(plimsoll_checkpoint_init(""), PLIMSOLL_USAGE);
    EXPECT_EQ(plimsoll_checkpoint_init("/proc/none"), PLIMSOLL_SUCCESS) << "nothing is opened yet";
    EXPECT_EQ(plimsoll_checkpoint("run", 1), PLIMSOLL_FAILURE);
}

TEST_F(CApi, LazyCaptureIsThatOfTheCall) {
    ASSERT_EQ(plimsoll_checkpoint_finalize(1), PLIMSOLL_SUCCESS);
    plimsoll_checkpoint_options options = plimsoll_checkpoint_defaults(folder_.c_str());
    options.captures_lazily = 1;
    ASSERT_EQ(plimsoll_checkpoint_init_with(&options), PLIMSOLL_SUCCESS);
    field_.resize(3 << 20);
    protect_both();
    save(1);
    std::fill(field_.begin(), field_.end(), 0.0);
    EXPECT_EQ(plimsoll_checkpoint_fence(), PLIMSOLL_SUCCESS);
    ASSERT_EQ(plimsoll_checkpoint_wait(), PLIMSOLL_SUCCESS) << plimsoll_checkpoint_message();
    ASSERT_EQ(plimsoll_restart_newest("run"), 1);
    for (std::size_t i = 0; i < field_.size(); ++i) ASSERT_EQ(field_[i], static_cast<double>(1 + i));
}

TEST(Families, RanksAgreeOnWhatIsThere) {
    const plimsoll::test::TemporaryFolder parent;
    const auto meeting = std::make_shared<test::Meeting>(2);
    const auto rank_body = [&](int rank) {
        Families families({.folder = parent / "saves"},
                          [&, rank] { return std::make_unique<test::ThreadRank>(meeting, rank); });
        std::vector<double> field(10, rank + 1.0);
        families.protect(0, {.name = "0",
                             .type = ElementType::float64,
                             .shape = {10},
                             .bytes = std::as_writable_bytes(std::span(field))});
        EXPECT_FALSE(families.newest("run", std::nullopt));
        families.save("run", 3, families.all());
        EXPECT_TRUE(families.wait()) << families.failure();
        std::fill(field.begin(), field.end(), 0.0);
        EXPECT_EQ(families.newest("run", std::nullopt), std::uint64_t{3});
        EXPECT_EQ(families.restore_newest("run"), std::uint64_t{3});
        EXPECT_EQ(field.front(), rank + 1.0) << "each rank has its own";
        EXPECT_FALSE(families.agree(rank == 0));
        EXPECT_TRUE(families.agree(true));
    };
    std::thread other([&] { rank_body(1); });
    rank_body(0);
    other.join();
}

}  // namespace
}  // namespace plimsoll::checkpoint
