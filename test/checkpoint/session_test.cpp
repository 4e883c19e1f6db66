#include "plimsoll/checkpoint/session.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/saved_state.hpp"
#include "plimsoll/core/error.hpp"
#include "test/checkpoint/thread_ranks.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::checkpoint::test {
namespace {

using plimsoll::test::TemporaryFolder;

/// The engine that PLIMSOLL_TEST_ENGINE names; null where it is not to be had.
std::unique_ptr<Storage> engine() {
    const char* const name = std::getenv("PLIMSOLL_TEST_ENGINE");
    return name != nullptr && std::string_view(name) == "io_uring" ? uring_storage() : pwrite_storage();
}

/// All tests here run by each engine.
class Session : public checkpoint::Session {
  public:
    explicit Session(SessionOptions options, std::unique_ptr<Communicator> ranks = one_process())
        : checkpoint::Session(std::move(options), std::move(ranks), engine()) {}
};

class SessionTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!engine()) GTEST_SKIP() << "the system or this build has no io_uring";
    }
};

/// A small program's state: a field, a list and a counter.
struct State {
    std::vector<double> field = std::vector<double>(1000);
    std::vector<std::int32_t> particles;
    std::uint64_t counter = 0;

    void protect(Session& session) {
        session.protect("field", std::span(field), Layout::own({10, 100}));
        session.protect_resizable("particles", particles);
        session.protect("counter", counter);
    }
    /// What it is at a step.
    void set(std::uint64_t step) {
        std::iota(field.begin(), field.end(), static_cast<double>(step));
        particles.assign(step % 17, static_cast<std::int32_t>(step));
        counter = step;
    }
    friend bool operator==(const State&, const State&) = default;
};

State at(std::uint64_t step) {
    State state;
    state.set(step);
    return state;
}

void save_steps(const std::string& folder, const std::vector<std::uint64_t>& steps,
                SessionOptions options = {}) {
    options.folder = folder;
    Session session(options);
    State state;
    state.protect(session);
    for (const std::uint64_t step : steps) {
        state.set(step);
        session.save(step);
    }
    session.finish();
}

struct Found {
    std::optional<Restored> restored;
    State state;
};

Found restore_from(const std::string& folder) {
    Session session({.folder = folder});
    Found found;
    found.state.protect(session);
    found.restored = session.restore();
    return found;
}

std::vector<std::string> names_in(const std::string& folder) { return pwrite_storage()->list(folder); }

template <class Function>
std::string message_of(const Function& function) {
    try {
        function();
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

TEST_F(SessionTest, RestoresWhatWasSaved) {
    const TemporaryFolder folder;
    save_steps(folder / "new/saves", {5, 40, 41});
    const Found found = restore_from(folder / "new/saves");
    ASSERT_TRUE(found.restored);
    EXPECT_EQ(found.restored->step, 41U);
    EXPECT_TRUE(found.restored->passed_over.empty());
    EXPECT_EQ(found.state, at(41));
    EXPECT_EQ(names_in(folder / "new/saves"), (std::vector<std::string>{"FORMAT", "v00000040", "v00000041"}))
        << "the newest two are kept";
}

TEST_F(SessionTest, FindsNothingWhereNothingWasSaved) {
    const TemporaryFolder folder;
    EXPECT_FALSE(restore_from(folder / "saves").restored);
}

TEST_F(SessionTest, SavesTheStateAtTheCallAlthoughItChangesAtOnce) {
    const TemporaryFolder folder;
    std::vector<std::uint64_t> words(1 << 20, 1);
    {
        Session session({.folder = folder / "s"});
        session.protect("words", std::span(words));
        const Save save = session.save(1);
        EXPECT_GE(save.stage(), Stage::captured);
        std::fill(words.begin(), words.end(), 2);
        EXPECT_TRUE(save.wait());
        EXPECT_EQ(save.stage(), Stage::durable);
    }
    Session session({.folder = folder / "s"});
    session.protect("words", std::span(words));
    session.restore();
    EXPECT_EQ(words, std::vector<std::uint64_t>(words.size(), 1));
}

TEST_F(SessionTest, WritesThroughWhatIsLargerThanItsMemory) {
    const TemporaryFolder folder;
    save_steps(folder / "s", {1, 2}, {.memory = 4096});
    EXPECT_EQ(restore_from(folder / "s").state, at(2));
}

TEST_F(SessionTest, FallsBackFromADamagedSaveAndSaysWhy) {
    const TemporaryFolder folder;
    save_steps(folder / "s", {1, 2});
    const std::string pack = folder / "s/v00000002/pack-0000.0.safetensors";
    std::fstream file(pack, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 + 17);
    file.put('\x55');
    file.close();
    const Found found = restore_from(folder / "s");
    EXPECT_EQ(found.restored->step, 1U);
    EXPECT_EQ(found.restored->passed_over,
              std::vector<std::string>{"v00000002: " + pack +
                                       ": bytes 0 to 12287 are damaged: their checksum is another one"});
    EXPECT_EQ(found.state, at(1));
}

TEST_F(SessionTest, RefusesToGoOnWhereAllSavesAreDamaged) {
    const TemporaryFolder folder;
    save_steps(folder / "s", {1, 2});
    for (const char* const name : {"v00000001", "v00000002"})
        std::filesystem::resize_file(folder / ("s/" + std::string(name) + "/MANIFEST.json"), 10);
    const std::string manifest = "/MANIFEST.json: has 10 bytes instead of ";
    const std::string message = message_of([&] { restore_from(folder / "s"); });
    EXPECT_TRUE(message.starts_with(folder / "s" + ": none of its saves can be restored: v00000002: "))
        << message;
    EXPECT_NE(message.find("v00000001" + manifest), std::string::npos) << message;
    EXPECT_NE(message.find("v00000002" + manifest), std::string::npos) << message;
}

TEST_F(SessionTest, TakesTheSaveCommittedLastNotTheHighestStep) {
    const TemporaryFolder folder;
    save_steps(folder / "s", {10, 20});
    save_steps(folder / "s", {15});  // went back to 10, and on
    EXPECT_EQ(restore_from(folder / "s").restored->step, 15U);
    save_steps(folder / "s", {15});
    EXPECT_EQ(restore_from(folder / "s").restored->save, "v00000015.2") << "nothing is overwritten";
}

TEST_F(SessionTest, RestoresAChosenStep) {
    const TemporaryFolder folder;
    save_steps(folder / "s", {1, 2, 3}, {.keep = 3});
    Session session({.folder = folder / "s"});
    State state;
    state.protect(session);
    EXPECT_EQ(session.restore(2).step, 2U);
    EXPECT_EQ(state, at(2));
    EXPECT_EQ(message_of([&] { session.restore(7); }), "there is no save of step 7 in " + (folder / "s"));
}

TEST_F(SessionTest, PinsSurviveRetention) {
    const TemporaryFolder folder;
    {
        Session session({.folder = folder / "s"});
        State state;
        state.protect(session);
        for (std::uint64_t step = 1; step <= 5; ++step) {
            state.set(step);
            ASSERT_TRUE(session.save(step).wait());
            if (step == 2) session.pin(2, "before the merger");
        }
        EXPECT_EQ(message_of([&] { session.pin(1, ""); }), "there is no save of step 1 in " + (folder / "s"));
    }
    const auto storage = pwrite_storage();
    const Catalog catalog = read_catalog(*storage, folder / "s");
    ASSERT_EQ(catalog.saves.size(), 3U);
    EXPECT_EQ(catalog.saves[2].commit.step, 2U);
    EXPECT_EQ(catalog.saves[2].pin, "before the merger");
}

TEST_F(SessionTest, SetsAsideWhatAKilledProgramLeft) {
    const TemporaryFolder folder;
    save_steps(folder / "s", {1, 2});
    std::filesystem::rename(folder / "s/v00000002", folder / "s/.tmp-2-x");  // lacks its name alone
    std::filesystem::create_directory(folder / "s/.tmp-3-y");                // lacks everything
    std::filesystem::create_directory(folder / "s/.old-v00000000");          // was being removed
    const Found found = restore_from(folder / "s");
    EXPECT_EQ(found.restored->step, 2U);
    EXPECT_EQ(names_in(folder / "s"),
              (std::vector<std::string>{".lost-3-y", "FORMAT", "v00000001", "v00000002"}));
    restore_from(folder / "s");
    EXPECT_EQ(names_in(folder / "s"), (std::vector<std::string>{"FORMAT", "v00000001", "v00000002"}));
}

TEST_F(SessionTest, KeepsOtherProgramsOut) {
    const TemporaryFolder folder;
    const Session session({.folder = folder / "s"});
    EXPECT_EQ(message_of([&] { const Session other({.folder = folder / "s"}); }),
              folder / "s" + ": another program saves to it");
}

TEST_F(SessionTest, RefusesAFolderOfALaterVersion) {
    const TemporaryFolder folder;
    folder.write("s/FORMAT", R"({"schema": "plimsoll.checkpoint/2"})");
    EXPECT_EQ(message_of([&] { const Session session({.folder = folder / "s"}); }),
              folder / "s/FORMAT" +
                  ": is of schema 'plimsoll.checkpoint/2', where 'plimsoll.checkpoint/1' is understood");
}

TEST_F(SessionTest, SaysWhichArrayDoesNotFitTheSave) {
    const TemporaryFolder folder;
    save_steps(folder / "s", {3});
    Session session({.folder = folder / "s"});
    std::vector<float> field(1000);
    session.protect("field", std::span(field), Layout::own({10, 100}));
    EXPECT_EQ(message_of([&] { session.restore(); }), "array 'field' was saved as F64, and is F32 here");
    session.release("field");
    std::vector<double> other(1000);
    session.protect("field", std::span(other), Layout::own({100, 10}));
    EXPECT_EQ(message_of([&] { session.restore(); }),
              "array 'field' was saved with a shape of [10, 100], and has [100, 10] here");
    session.release("field");
    session.protect("fields", std::span(other));
    EXPECT_EQ(message_of([&] { session.restore(); }), "the save of step 3 holds no array 'fields'");
    EXPECT_EQ(message_of([&] { session.protect("fields", std::span(other)); }),
              "array 'fields' is protected already");
    EXPECT_EQ(message_of([&] { session.release("feilds"); }), "array 'feilds' is not protected");
    EXPECT_EQ(message_of([&] { session.protect("x", std::span(other), Layout::own({999})); }),
              "array 'x' has 8000 bytes for a box of [999] at [0] of [999]");
    EXPECT_EQ(message_of([] { const Session none({}); }), "no folder to save to is given");
    EXPECT_EQ(message_of([] { const Session none({.folder = "x", .keep = 1}); }),
              "keeping 1 save is not enough");
}

TEST_F(SessionTest, SavesByStepsByTimeAndBySignal) {
    const TemporaryFolder folder;
    {
        Session session({.folder = folder / "steps", .every_steps = 3});
        std::vector<std::uint64_t> due;
        for (std::uint64_t step = 1; step <= 9; ++step) {
            if (session.should_save(step)) due.push_back(step);
        }
        EXPECT_EQ(due, (std::vector<std::uint64_t>{3, 6, 9}));
    }
    {
        Session session({.folder = folder / "time", .every = Seconds(0.05)});
        EXPECT_FALSE(session.should_save(1));
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        EXPECT_TRUE(session.should_save(2));
        session.save(2);
        EXPECT_FALSE(session.should_save(3));
        EXPECT_FALSE(session.should_stop());
    }
    {
        Session session({.folder = folder / "limit", .time_limit = Seconds(0.5)});
        std::uint64_t step = 0;
        const auto begin = std::chrono::steady_clock::now();
        while (!session.should_save(++step)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        EXPECT_TRUE(session.should_stop());
        EXPECT_LT(Seconds(std::chrono::steady_clock::now() - begin), Seconds(0.5))
            << "another step must still fit";
        EXPECT_FALSE(session.should_save(++step)) << "once is enough";
    }
    {
        Session session({.folder = folder / "signal", .signal = SIGUSR1});
        EXPECT_FALSE(session.should_save(1));
        ::raise(SIGUSR1);
        EXPECT_TRUE(session.should_save(2));
        EXPECT_TRUE(session.should_stop());
    }
}

/// A cube of 6 x 5 x 4 numbers, of which each rank holds rows; those of the last ranks may be none.
Layout rows_of_cube(std::uint64_t rank, std::uint64_t ranks) {
    const Block rows = rows_of({6, 5, 4}, rank, ranks);
    return Layout::distributed(rows.global, rows.offset, rows.shape);
}

TEST_F(SessionTest, RestoresOnAnotherNumberOfRanks) {
    for (const int before : {1, 2, 3, 8}) {
        const TemporaryFolder folder;
        on_ranks(before, [&](std::unique_ptr<Communicator> ranks) {
            const auto rank = static_cast<std::uint64_t>(ranks->rank());
            const Layout layout = rows_of_cube(rank, static_cast<std::uint64_t>(before));
            std::vector<double> cube(element_count(layout.box.shape));
            std::iota(cube.begin(), cube.end(), 20.0 * static_cast<double>(layout.box.offset[0]));
            std::vector<float> table(35);
            std::iota(table.begin(), table.end(), 0.5F);
            std::uint64_t step = 12;
            Session session({.folder = folder / "s"}, std::move(ranks));
            session.protect("cube", std::span(cube), layout);
            session.protect("table", std::span(table), Layout::replicated({7, 5}));
            session.protect("step", step);
            session.save(12);
            session.finish();
        });
        for (const int after : {1, 2, 5, 8}) {
            on_ranks(after, [&](std::unique_ptr<Communicator> ranks) {
                SCOPED_TRACE(std::to_string(before) + " to " + std::to_string(after));
                const auto rank = static_cast<std::uint64_t>(ranks->rank());
                // Another cut as well: along the second dimension.
                const Block rows = rows_of({5}, rank, static_cast<std::uint64_t>(after));
                const Layout layout =
                    Layout::distributed({6, 5, 4}, {0, rows.offset[0], 0}, {6, rows.shape[0], 4});
                std::vector<double> cube(element_count(layout.box.shape), -1.0);
                std::vector<float> table(35);
                std::uint64_t step = 0;
                Session session({.folder = folder / "s"}, std::move(ranks));
                session.protect("cube", std::span(cube), layout);
                session.protect("table", std::span(table), Layout::replicated({7, 5}));
                session.protect("step", step);
                const auto restored = session.restore();
                ASSERT_TRUE(restored);
                EXPECT_EQ(step, 12U);
                std::size_t i = 0;
                for (std::uint64_t x = 0; x < 6; ++x) {
                    for (std::uint64_t y = 0; y < rows.shape[0]; ++y) {
                        for (std::uint64_t z = 0; z < 4; ++z)
                            EXPECT_EQ(cube[i++], static_cast<double>(20 * x + 4 * (rows.offset[0] + y) + z));
                    }
                }
                for (std::size_t k = 0; k < table.size(); ++k)
                    EXPECT_EQ(table[k], 0.5F + static_cast<float>(k));
            });
        }
    }
}

TEST_F(SessionTest, WritesReplicasOnce) {
    const TemporaryFolder folder;
    constexpr int ranks = 4;
    on_ranks(ranks, [&](std::unique_ptr<Communicator> rank) {
        std::vector<double> table(64 * 1024);
        Session session({.folder = folder / "s"}, std::move(rank));
        session.protect("table", std::span(table), Layout::replicated({64, 1024}));
        session.save(1);
        session.finish();
    });
    for (int rank = 0; rank < ranks; ++rank) {
        const auto bytes = std::filesystem::file_size(
            folder / ("s/v00000001/pack-000" + std::to_string(rank) + ".0.safetensors"));
        EXPECT_EQ(bytes, 64U * 1024 * 8 / ranks + 4096) << "a quarter, and a header";
    }
}

TEST_F(SessionTest, KeepsOwnArraysOfRanksApart) {
    const TemporaryFolder folder;
    const auto body = [&](bool saves, int expected_ranks) {
        on_ranks(expected_ranks, [&, saves](std::unique_ptr<Communicator> ranks) {
            const int rank = ranks->rank();
            std::vector<int> own;
            if (saves) own.assign(static_cast<std::size_t>(rank), rank);
            Session session({.folder = folder / "s"}, std::move(ranks));
            session.protect_resizable("own", own);
            if (saves) {
                session.save(1);
                session.finish();
            } else if (expected_ranks == 3) {
                session.restore();
                EXPECT_EQ(own, std::vector<int>(static_cast<std::size_t>(rank), rank));
            } else {
                EXPECT_EQ(message_of([&] { session.restore(); }),
                          "rank 0: array 'own' belongs to each of 3 ranks for itself, and here are 2");
            }
        });
    };
    body(true, 3);
    body(false, 3);
    body(false, 2);
}

TEST_F(SessionTest, CommitsNothingThatHasAGap) {
    const TemporaryFolder folder;
    on_ranks(2, [&](std::unique_ptr<Communicator> ranks) {
        std::vector<double> half(3);
        const auto offset = static_cast<std::uint64_t>(4 * ranks->rank());
        Session session({.folder = folder / "s"}, std::move(ranks));
        session.protect("x", std::span(half), Layout::distributed({8}, {offset}, {3}));
        EXPECT_FALSE(session.save(1).wait());
        EXPECT_EQ(message_of([&] { session.finish(); }),
                  "the last save failed on rank 0: array 'x': ranks hold 6 of its 8 elements");
    });
    EXPECT_EQ(names_in(folder / "s"), std::vector<std::string>{"FORMAT"});
}

TEST_F(SessionTest, NamesTheRankThatIsSilent) {
    const TemporaryFolder folder;
    on_ranks(2, [&](std::unique_ptr<Communicator> ranks) {
        const bool is_silent = ranks->rank() == 1;
        double x = 0.0;
        Session session({.folder = folder / "s", .patience = Seconds(0.2)}, std::move(ranks));
        session.protect("x", x);
        if (is_silent) return;
        const Save save = session.save(1);
        EXPECT_FALSE(save.wait());
        EXPECT_EQ(save.failure(), "rank 1 has not saved after 0.2 s");
    });
}

}  // namespace
}  // namespace plimsoll::checkpoint::test
