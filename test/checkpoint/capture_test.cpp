#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/saved_state.hpp"
#include "plimsoll/checkpoint/session.hpp"
#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::checkpoint {
namespace {

using plimsoll::test::TemporaryFolder;

constexpr std::size_t words_in_array = 3 << 20;  ///< 24 MiB: lazy, with edges, in several chunks

std::vector<std::uint64_t> counted(std::size_t count, std::uint64_t first) {
    std::vector<std::uint64_t> words(count);
    std::iota(words.begin(), words.end(), first);
    return words;
}

void count(std::vector<std::uint64_t>& words, std::uint64_t first) {
    std::iota(words.begin(), words.end(), first);
}

/// What a save holds, byte for byte; every chunk's checksum is checked on the way.
std::vector<std::uint64_t> saved(const std::string& folder, const std::string& name) {
    const auto storage = pwrite_storage();
    const Catalog catalog = read_catalog(*storage, folder);
    SavedState state(*storage, folder, catalog.saves.front());
    const Shape shape = state.find(name, 0)->shape;
    std::vector<std::uint64_t> words(element_count(shape));
    state.read(name, 0, whole(shape), std::as_writable_bytes(std::span(words)));
    return words;
}

class CaptureTest : public testing::TestWithParam<Capture> {
  protected:
    TemporaryFolder parent_;
    std::string folder_ = parent_ / "saves";
};

TEST_P(CaptureTest, ASaveIsTheStateAtTheCallAlthoughThreadsGoOnWriting) {
    std::vector<std::uint64_t> words = counted(words_in_array, 0);
    Session session({.folder = folder_, .capture = GetParam()});
    session.protect("words", std::span(words));
    constexpr std::size_t threads = 3;
    for (std::uint64_t step = 1; step <= 6; ++step) {
        count(words, step);
        const Save save = session.save(step);
        std::vector<std::thread> writers;
        for (std::size_t t = 0; t < threads; ++t) {
            writers.emplace_back([&, t] {
                std::mt19937_64 draw(t);
                // Here and there first, then everywhere.
                for (int i = 0; i < 100; ++i) words[draw() % (words_in_array / threads) * threads + t] = 0;
                for (std::size_t i = t; i < words.size(); i += threads) words[i] = 0;
            });
        }
        for (std::thread& writer : writers) writer.join();
        ASSERT_TRUE(save.wait()) << save.failure();
        ASSERT_EQ(saved(folder_, "words"), counted(words_in_array, step));
        ASSERT_EQ(std::count(words.begin(), words.end(), 0U), std::ptrdiff_t{words_in_array});
    }
}

TEST_P(CaptureTest, SavesOneAfterAnotherAreEachThatOfTheirTime) {
    std::vector<std::uint64_t> words = counted(words_in_array, 0);
    Session session({.folder = folder_, .keep = 10, .capture = GetParam()});
    session.protect("words", std::span(words));
    for (std::uint64_t step = 1; step <= 5; ++step) {
        for (std::uint64_t& word : words) ++word;
        session.save(step);
    }
    session.finish();
    EXPECT_EQ(words, counted(words_in_array, 5)) << "finish leaves the array as it is";
    for (std::uint64_t step = 1; step <= 5; ++step) {
        session.restore(step);
        ASSERT_EQ(words, counted(words_in_array, step));
    }
}

TEST_P(CaptureTest, AStateLargerThanTheMemoryAllowedIsWrittenAsItIs) {
    std::vector<std::uint64_t> words = counted(words_in_array, 7);
    Session session({.folder = folder_, .memory = 1 << 20, .capture = GetParam()});
    session.protect("words", std::span(words));
    const Save save = session.save(1);
    EXPECT_GE(save.stage(), Stage::local);
    std::fill(words.begin(), words.end(), 0);
    session.finish();
    EXPECT_EQ(saved(folder_, "words"), counted(words_in_array, 7));
}

INSTANTIATE_TEST_SUITE_P(Both, CaptureTest, testing::Values(Capture::copied, Capture::lazy),
                         [](const auto& tested) {
                             return tested.param == Capture::lazy ? "lazy" : "copied";
                         });

using Lazy = CaptureTest;

TEST_F(Lazy, ArraysMayBeginAnywhereShareMemoryAndBeOfAllKinds) {
    std::vector<std::uint64_t> words = counted(words_in_array, 0);
    std::vector<std::uint64_t> list = counted(words_in_array / 4, 3);
    std::vector<std::uint64_t> small = counted(1000, 4);
    std::vector<std::uint64_t> at_once = counted(words_in_array, 5);
    const std::span<std::uint64_t> all(words);
    Session session({.folder = folder_, .capture = Capture::lazy});
    session.protect("all but one", all.subspan(1));
    session.protect("shares it", all.first(words_in_array / 2));
    session.protect_resizable("list", list);
    session.protect("small", std::span(small));
    session.protect("at once", std::span(at_once));
    session.set_capture("at once", Capture::copied);
    const Save save = session.save(1);
    std::fill(words.begin(), words.end(), 0);
    std::fill(small.begin(), small.end(), 0);
    std::fill(at_once.begin(), at_once.end(), 0);
    list.clear();
    list.shrink_to_fit();  // its memory is gone
    ASSERT_TRUE(save.wait()) << save.failure();
    EXPECT_EQ(saved(folder_, "all but one"), counted(words_in_array - 1, 1));
    EXPECT_EQ(saved(folder_, "shares it"), counted(words_in_array / 2, 0));
    EXPECT_EQ(saved(folder_, "list"), counted(words_in_array / 4, 3));
    EXPECT_EQ(saved(folder_, "small"), counted(1000, 4));
    EXPECT_EQ(saved(folder_, "at once"), counted(words_in_array, 5));
}

TEST_F(Lazy, TwoSessionsMayCaptureTheSameMemory) {
    std::vector<std::uint64_t> words = counted(words_in_array, 0);
    Session one({.folder = folder_, .capture = Capture::lazy});
    Session other({.folder = parent_ / "others", .capture = Capture::lazy});
    one.protect("words", std::span(words));
    other.protect("words", std::span(words));
    one.save(1);
    words[words_in_array / 2] = 0;
    other.save(1);
    std::fill(words.begin(), words.end(), 0);
    one.finish();
    other.finish();
    std::vector<std::uint64_t> expected = counted(words_in_array, 0);
    EXPECT_EQ(saved(folder_, "words"), expected);
    expected[words_in_array / 2] = 0;
    EXPECT_EQ(saved(parent_ / "others", "words"), expected);
}

TEST_F(Lazy, WhatIsReleasedMayGo) {
    auto words = std::make_unique<std::vector<std::uint64_t>>(counted(words_in_array, 0));
    Session session({.folder = folder_, .capture = Capture::lazy});
    session.protect("words", std::span(*words));
    const Save save = session.save(1);
    session.release("words");
    words = nullptr;
    ASSERT_TRUE(save.wait()) << save.failure();
    EXPECT_EQ(saved(folder_, "words"), counted(words_in_array, 0));
}

TEST_F(Lazy, AFenceMakesWayForTheSystem) {
    std::vector<std::uint64_t> words = counted(words_in_array, 0);
    Session session({.folder = folder_, .capture = Capture::lazy});
    session.protect("words", std::span(words));
    session.save(1);
    session.fence();
    std::FILE* const zeros = std::fopen("/dev/zero", "r");
    ASSERT_NE(zeros, nullptr);
    EXPECT_EQ(std::fread(words.data(), 8, words.size(), zeros), words.size());
    std::fclose(zeros);
    session.finish();
    EXPECT_EQ(saved(folder_, "words"), counted(words_in_array, 0));
}

TEST_F(Lazy, AFailedSaveLeavesArraysThatCanBeWrittenTo) {
    std::vector<std::uint64_t> words = counted(words_in_array, 0);
    Session session({.folder = folder_, .capture = Capture::lazy});
    session.protect("words", std::span(words));
    ASSERT_TRUE(session.save(1).wait());
    std::filesystem::rename(folder_, folder_ + ".away");
    for (std::uint64_t step = 2; step <= 4; ++step) {
        const Save save = session.save(step);
        EXPECT_FALSE(save.wait());
        std::fill(words.begin(), words.end(), step);
    }
    std::filesystem::rename(folder_ + ".away", folder_);
    EXPECT_EQ(session.failures().size(), 3U);
    EXPECT_EQ(session.restore()->step, 1U);
    EXPECT_EQ(words, counted(words_in_array, 0));
}

TEST_F(Lazy, OnlyWhatIsProtectedCanBeCapturedOtherwise) {
    std::vector<double> field(10);
    Session session({.folder = folder_});
    session.protect("field", std::span(field));
    try {
        session.set_capture("fields", Capture::lazy);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        EXPECT_STREQ(error.what(), "array 'fields' is not protected");
        EXPECT_EQ(error.hint(), "did you mean 'field'?");
    }
}

}  // namespace
}  // namespace plimsoll::checkpoint
