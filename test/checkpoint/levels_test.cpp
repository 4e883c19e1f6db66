#include "plimsoll/checkpoint/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "plimsoll/checkpoint/session.hpp"
#include "plimsoll/core/error.hpp"
#include "test/checkpoint/thread_ranks.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::checkpoint::test {
namespace {

using plimsoll::test::TemporaryFolder;

constexpr std::uint64_t elements = 3000;

/// Ranks on nodes of their own, which are folders, and what each of them saves: its rows of an array of all,
/// a table that all have, and a list of its own.
struct Cluster {
    TemporaryFolder folder;
    std::uint64_t shared_every = 3;

    [[nodiscard]] std::string node(std::uint64_t rank) const {
        return folder / ("node-" + std::to_string(rank));
    }
    [[nodiscard]] std::string shared() const { return folder / "shared"; }
};

struct State {
    Layout rows;
    std::vector<double> field;
    std::vector<float> table = std::vector<float>(500);
    std::vector<std::int32_t> own;
    std::uint64_t step = 0;

    State(std::uint64_t rank, std::uint64_t ranks) {
        const Block block = rows_of({elements}, rank, ranks);
        rows = Layout::distributed(block.global, block.offset, block.shape);
        field.resize(block.shape.front());
    }
    void set(std::uint64_t to, std::uint64_t rank) {
        step = to;
        std::iota(field.begin(), field.end(), static_cast<double>(to * elements + rows.box.offset.front()));
        std::iota(table.begin(), table.end(), static_cast<float>(to));
        own.assign(rank + 1, static_cast<std::int32_t>(to));
    }
    void protect(Session& session) {
        session.protect("field", std::span(field), rows);
        session.protect("table", std::span(table), Layout::replicated({50, 10}));
        session.protect_resizable("own", own);
        session.protect("step", step);
    }
};

SessionOptions options_of(const Cluster& cluster, std::uint64_t rank) {
    return {.folder = cluster.shared(),
            .local = {.folder = cluster.node(rank), .shared_every = cluster.shared_every}};
}

/// Saves steps on so many ranks. Without `ends` the program dies before it has ended in order: the last save
/// stays on the nodes alone.
enum class Ending { in_order, death };
void save_steps(const Cluster& cluster, int ranks, std::uint64_t steps, Ending ending) {
    on_ranks(ranks, [&](std::unique_ptr<Communicator> communicator) {
        const auto rank = static_cast<std::uint64_t>(communicator->rank());
        State state(rank, static_cast<std::uint64_t>(ranks));
        Session session(options_of(cluster, rank), std::move(communicator));
        state.protect(session);
        for (std::uint64_t step = 1; step <= steps; ++step) {
            state.set(step, rank);
            ASSERT_TRUE(session.save(step).wait());
        }
        if (ending == Ending::in_order) session.finish();
    });
}

/// What each rank restores; the state is checked to be that of the step.
std::vector<Restored> restore(const Cluster& cluster, int ranks) {
    std::vector<Restored> found(static_cast<std::size_t>(ranks));
    on_ranks(ranks, [&](std::unique_ptr<Communicator> communicator) {
        const auto rank = static_cast<std::uint64_t>(communicator->rank());
        State state(rank, static_cast<std::uint64_t>(ranks));
        Session session(options_of(cluster, rank), std::move(communicator));
        state.protect(session);
        const auto restored = session.restore();
        ASSERT_TRUE(restored);
        State expected(rank, static_cast<std::uint64_t>(ranks));
        expected.set(restored->step, rank);
        EXPECT_EQ(state.step, restored->step);
        EXPECT_EQ(state.field, expected.field);
        EXPECT_EQ(state.table, expected.table);
        EXPECT_EQ(state.own, expected.own);
        found[rank] = *restored;
    });
    return found;
}

std::vector<std::string> names_in(const std::string& folder) { return pwrite_storage()->list(folder); }

void flip(const std::string& path, std::streamoff at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(at);
    file.put(byte);
}

TEST(Levels, SavesGoToTheNodesAndEverySoManyToTheSharedFolder) {
    const Cluster cluster;
    save_steps(cluster, 2, 7, Ending::death);
    EXPECT_EQ(names_in(cluster.shared()), (std::vector<std::string>{"FORMAT", "v00000003", "v00000006"}));
    for (const std::uint64_t rank : {0U, 1U}) {
        const std::vector<std::string> names = names_in(cluster.node(rank));
        EXPECT_NE(std::find(names.begin(), names.end(), "v00000007"), names.end());
        EXPECT_LE(names.size(), 5U) << "older ones are removed";
    }
}

TEST(Levels, RestoresTheNewestFromTheNodes) {
    const Cluster cluster;
    save_steps(cluster, 3, 5, Ending::death);
    for (const Restored& restored : restore(cluster, 3)) {
        EXPECT_EQ(restored.step, 5U);
        EXPECT_TRUE(restored.passed_over.empty());
        EXPECT_TRUE(restored.replaced.empty());
    }
}

TEST(Levels, EndInOrderBringsTheLastSaveToTheSharedFolder) {
    const Cluster cluster;
    save_steps(cluster, 2, 5, Ending::in_order);
    EXPECT_EQ(names_in(cluster.shared()), (std::vector<std::string>{"FORMAT", "v00000003", "v00000005"}));
    for (const std::uint64_t rank : {0U, 1U}) std::filesystem::remove_all(cluster.node(rank));
    EXPECT_EQ(restore(cluster, 2).front().step, 5U) << "on fresh nodes";
}

TEST(Levels, WithALostNodeTheSharedFolderIsTakenAndTheReasonSaid) {
    const Cluster cluster;
    save_steps(cluster, 3, 5, Ending::death);
    std::filesystem::remove_all(cluster.node(1));
    for (const Restored& restored : restore(cluster, 3)) {
        EXPECT_EQ(restored.step, 3U);
        ASSERT_EQ(restored.passed_over.size(), 2U);
        EXPECT_EQ(restored.passed_over[0], "v00000005: rank 0: no node has the share of rank 1");
    }
}

TEST(Levels, WhatOneNodeHasLostComesFromTheSharedFolderAlone) {
    const Cluster cluster;
    save_steps(cluster, 3, 3, Ending::death);
    std::filesystem::remove_all(cluster.node(2));
    const std::vector<Restored> found = restore(cluster, 3);
    EXPECT_EQ(found[2].step, 3U);
    EXPECT_TRUE(found[2].passed_over.empty());
    ASSERT_FALSE(found[2].replaced.empty());
    EXPECT_EQ(found[2].replaced.front(),
              "pack-0002.0.safetensors: no node has it; read from the shared folder");
}

TEST(Levels, DamageOnANodeIsReplacedFromTheSharedFolder) {
    const Cluster cluster;
    save_steps(cluster, 2, 3, Ending::death);
    const std::string pack = cluster.node(1) + "/v00000003/pack-0001.0.safetensors";
    flip(pack, 5000);
    const std::vector<Restored> found = restore(cluster, 2);
    EXPECT_EQ(found[1].step, 3U);
    ASSERT_EQ(found[1].replaced.size(), 1U);
    EXPECT_TRUE(found[1].replaced.front().starts_with(pack + ": bytes 0 to ")) << found[1].replaced.front();
}

TEST(Levels, DamageThatIsNowhereElseMeansTheSaveBefore) {
    const Cluster cluster{.shared_every = 100};
    save_steps(cluster, 2, 4, Ending::death);
    flip(cluster.node(0) + "/v00000004/pack-0000.0.safetensors", 5000);
    for (const Restored& restored : restore(cluster, 2)) {
        EXPECT_EQ(restored.step, 3U);
        ASSERT_EQ(restored.passed_over.size(), 1U);
        EXPECT_TRUE(restored.passed_over.front().starts_with("v00000004: rank 0: "))
            << restored.passed_over.front();
    }
}

TEST(Levels, AnotherNumberOfRanksReadsFromEachOthersNodes) {
    const Cluster cluster{.shared_every = 100};
    on_ranks(3, [&](std::unique_ptr<Communicator> communicator) {
        const auto rank = static_cast<std::uint64_t>(communicator->rank());
        State state(rank, 3);
        Session session(options_of(cluster, rank), std::move(communicator));
        session.protect("field", std::span(state.field), state.rows);
        state.set(9, rank);
        session.save(9);
    });
    for (const int ranks : {3, 4, 7}) {
        on_ranks(ranks, [&](std::unique_ptr<Communicator> communicator) {
            const auto rank = static_cast<std::uint64_t>(communicator->rank());
            State state(rank, static_cast<std::uint64_t>(ranks));
            State expected(rank, static_cast<std::uint64_t>(ranks));
            expected.set(9, rank);
            Session session(options_of(cluster, rank), std::move(communicator));
            session.protect("field", std::span(state.field), state.rows);
            const auto restored = session.restore();
            ASSERT_TRUE(restored);
            EXPECT_EQ(restored->step, 9U);
            EXPECT_EQ(state.field, expected.field);
        });
    }
}

TEST(Levels, RanksOfOneNodeShareItsFolder) {
    const TemporaryFolder folder;
    on_ranks(3, [&](std::unique_ptr<Communicator> communicator) {
        double x = communicator->rank();
        Session session(
            {.folder = folder / "shared", .local = {.folder = folder / "node", .shared_every = 9}},
            std::move(communicator));
        session.protect("x", x, Layout::Kind::own);
        const Save save = session.save(1);
        EXPECT_EQ(save.goal(), Stage::local);
        EXPECT_TRUE(save.wait());
        EXPECT_FALSE(save.wait(Stage::durable)) << "it is not to come so far";
    });
    EXPECT_EQ(names_in(folder / "node/v00000001"),
              (std::vector<std::string>{"COMMIT", "MANIFEST.json", "pack-0000.0.safetensors",
                                        "pack-0001.0.safetensors", "pack-0002.0.safetensors",
                                        "part-0000.json", "part-0001.json", "part-0002.json"}));
}

TEST(Levels, WhatTheLocalFolderDoesNotTakeGoesToTheSharedOne) {
    const TemporaryFolder folder;
    std::vector<double> x(100, 1.5);
    Session session({.folder = folder / "shared", .local = {.folder = folder / "node"}});
    session.protect("x", std::span(x));
    std::filesystem::remove_all(folder / "node");  // the disk has gone
    const Save save = session.save(1);
    EXPECT_TRUE(save.wait(Stage::durable)) << save.failure();
    session.finish();
    ASSERT_EQ(session.failures().size(), 1U);
    EXPECT_TRUE(session.failures().front().starts_with("step 1: not in " + (folder / "node") + ": "))
        << session.failures().front();
    EXPECT_EQ(session.restore()->step, 1U);
}

}  // namespace
}  // namespace plimsoll::checkpoint::test
