#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/saved_state.hpp"
#include "plimsoll/checkpoint/session.hpp"
#include "plimsoll/core/error.hpp"
#include "test/checkpoint/simulated_disk.hpp"
#include "test/checkpoint/thread_ranks.hpp"

namespace plimsoll::checkpoint {
namespace {

using test::SimulatedDisk;
using test::SimulatedStorage;

/// A state of two pages and a bit, which tells its step in every number.
struct State {
    std::vector<std::uint64_t> field = std::vector<std::uint64_t>(1100);
    std::uint64_t counter = 0;

    void protect(Session& session) {
        session.protect("field", std::span(field));
        session.protect("counter", counter);
    }
    void set(std::uint64_t step) {
        std::iota(field.begin(), field.end(), 1000 * step);
        counter = step;
    }
    friend bool operator==(const State&, const State&) = default;
};

State at(std::uint64_t step) {
    State state;
    state.set(step);
    return state;
}

std::unique_ptr<Session> session_on(const std::shared_ptr<SimulatedDisk>& disk) {
    return std::make_unique<Session>(SessionOptions{.folder = "saves"}, one_process(),
                                     std::make_unique<SimulatedStorage>(disk));
}

/// The step that a restart goes on from; the state is checked to be that of the step.
std::optional<std::uint64_t> restored_step(Session& session) {
    State state;
    state.protect(session);
    const auto restored = session.restore();
    if (!restored) return std::nullopt;
    EXPECT_EQ(state, at(restored->step)) << "what came back is not what was saved";
    return restored->step;
}

/// What was promised when: from so many operations on, a restart must find this step or a later one.
struct Promise {
    std::size_t operations;
    std::uint64_t step;
};

struct History {
    std::shared_ptr<SimulatedDisk> disk = std::make_shared<SimulatedDisk>();
    std::vector<Promise> begun;
    std::vector<Promise> durable;
};

void save(History& history, Session& session, State& state, std::uint64_t step) {
    state.set(step);
    history.begun.push_back({history.disk->operations(), step});
    ASSERT_TRUE(session.save(step).wait());
    // The removal of older saves comes later, and may be cut off as well.
    history.durable.push_back({history.disk->operations(), step});
}

/// Saves, a pin, a restart and saves again, of which the older are removed.
History history_of_a_program() {
    History history;
    for (const std::uint64_t begin : {1U, 4U}) {
        const auto session = session_on(history.disk);
        State state;
        state.protect(*session);
        session->restore();
        for (std::uint64_t step = begin; step < begin + 3; ++step) save(history, *session, state, step);
    }
    return history;
}

/// The subsets of unsure operations that are tried: none, all, each one missing, each one alone, every number
/// of first ones, and some by chance.
std::vector<std::set<std::size_t>> subsets(const std::vector<std::size_t>& unsure, std::mt19937_64& random) {
    std::vector<std::set<std::size_t>> result{{}, {unsure.begin(), unsure.end()}};
    for (std::size_t i = 0; i < unsure.size(); ++i) {
        std::set<std::size_t> all(unsure.begin(), unsure.end());
        all.erase(unsure[i]);
        result.push_back(all);
        result.push_back({unsure[i]});
        result.emplace_back(unsure.begin(), unsure.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (int i = 0; i < 6 && unsure.size() > 2; ++i) {
        std::set<std::size_t> some;
        for (const std::size_t position : unsure) {
            if (random() % 2 == 0) some.insert(position);
        }
        result.push_back(std::move(some));
    }
    return result;
}

TEST(Crash, AtAnyPointLeavesTheLastSaveOrTheOneBegun) {
    const History history = history_of_a_program();
    const std::size_t operations = history.disk->operations();
    std::mt19937_64 random(7);
    std::size_t states = 0;
    for (std::size_t end = 0; end <= operations; ++end) {
        std::optional<std::uint64_t> promised;
        for (const Promise& promise : history.durable) {
            if (promise.operations <= end) promised = promise.step;
        }
        for (const std::set<std::size_t>& kept : subsets(history.disk->unsure(end), random)) {
            ++states;
            const auto disk = history.disk->after_failure(end, kept);
            SCOPED_TRACE("before operation " + std::to_string(end) + ", with " + std::to_string(kept.size()) +
                         " unsure ones");
            if (disk->files().size() > 1) {
                SimulatedStorage storage(disk);
                EXPECT_TRUE(read_catalog(storage, "saves").broken.empty())
                    << "half a save goes under its name";
            }
            std::optional<std::uint64_t> found;
            ASSERT_NO_THROW({
                const auto session = session_on(disk);
                found = restored_step(*session);
                if (states % 5 == 0) {
                    // And it goes on from there.
                    State state = at(100);
                    session->release("field");
                    session->release("counter");
                    state.protect(*session);
                    session->save(100);
                    session->finish();
                }
            });
            if (states % 5 == 0) {
                const auto session = session_on(disk);
                EXPECT_EQ(restored_step(*session), 100U);
            }
            const bool is_begun =
                std::any_of(history.begun.begin(), history.begun.end(), [&](const Promise& begun) {
                    return begun.operations < end && found == begun.step &&
                           (!promised || *promised < begun.step);
                });
            ASSERT_TRUE(found == promised || is_begun)
                << "found step " << (found ? std::to_string(*found) : "none") << ", promised "
                << (promised ? std::to_string(*promised) : "none");
        }
    }
    EXPECT_GT(operations, 150U);
    EXPECT_GT(states, 3000U);
}

/// Two ranks that save together.
History history_of_two_ranks() {
    History history;
    test::on_ranks(2, [&](std::unique_ptr<Communicator> ranks) {
        const auto rank = static_cast<std::uint64_t>(ranks->rank());
        std::vector<std::uint64_t> half(600);
        std::uint64_t counter = 0;
        Communicator* const others = ranks.get();
        Session session({.folder = "saves"}, std::move(ranks),
                        std::make_unique<SimulatedStorage>(history.disk));
        session.protect("field", std::span(half), Layout::distributed({1200}, {600 * rank}, {600}));
        session.protect("counter", counter);
        for (std::uint64_t step = 1; step <= 3; ++step) {
            std::iota(half.begin(), half.end(), 1000 * step + 600 * rank);
            counter = step;
            if (rank == 0) history.begun.push_back({history.disk->operations(), step});
            static_cast<void>(others->gather(""));
            ASSERT_TRUE(session.save(step).wait());
            static_cast<void>(others->gather(""));
            if (rank == 0) history.durable.push_back({history.disk->operations(), step});
        }
    });
    return history;
}

TEST(Crash, OfTwoRanksNeverMixesTheirSaves) {
    const History history = history_of_two_ranks();
    std::mt19937_64 random(11);
    for (std::size_t end = 0; end <= history.disk->operations(); ++end) {
        std::optional<std::uint64_t> promised;
        for (const Promise& promise : history.durable) {
            if (promise.operations <= end) promised = promise.step;
        }
        for (const std::set<std::size_t>& kept : subsets(history.disk->unsure(end), random)) {
            SCOPED_TRACE("before operation " + std::to_string(end));
            const auto session = session_on(history.disk->after_failure(end, kept));
            std::vector<std::uint64_t> field(1200);
            std::uint64_t counter = 0;
            session->protect("field", std::span(field), Layout::distributed({1200}, {0}, {1200}));
            session->protect("counter", counter);
            const auto restored = session->restore();
            ASSERT_TRUE(restored || !promised);
            if (!restored) continue;
            ASSERT_GE(restored->step, promised.value_or(0));
            EXPECT_EQ(counter, restored->step);
            std::vector<std::uint64_t> expected(1200);
            std::iota(expected.begin(), expected.end(), 1000 * restored->step);
            ASSERT_EQ(field, expected);
        }
    }
}

/// A disk with the saves of steps 1 and 2.
std::shared_ptr<SimulatedDisk> two_saves() {
    History history;
    const auto session = session_on(history.disk);
    State state;
    state.protect(*session);
    for (const std::uint64_t step : {1U, 2U}) save(history, *session, state, step);
    return history.disk;
}

/// A restart on a damaged disk: the step found. It must not throw unless the file FORMAT is concerned.
void expect_old_or_new(const std::shared_ptr<SimulatedDisk>& disk, const std::string& path,
                       const std::string& what) {
    SCOPED_TRACE(path + " " + what);
    std::optional<std::uint64_t> found;
    try {
        const auto session = session_on(disk);
        found = restored_step(*session);
    } catch (const Error& error) {
        EXPECT_EQ(path, "saves/FORMAT") << error.what();
        EXPECT_NE(error.kind(), ErrorKind::internal) << error.what();
        return;
    }
    ASSERT_TRUE(found);
    EXPECT_EQ(found, path.starts_with("saves/v00000002/") ? 1U : 2U) << "damage was not seen";
}

TEST(Damage, OfAnyBitIsHealedByTheSaveBefore) {
    const auto disk = two_saves();
    std::mt19937_64 random(3);
    std::size_t flips = 0;
    for (const std::string& path : disk->files()) {
        const std::vector<std::byte> good = disk->content(path);
        constexpr std::size_t stride = 61;  // less than any field of a record
        for (std::size_t i = random() % stride; i < good.size(); i += stride) {
            std::vector<std::byte> bad = good;
            bad[i] ^= static_cast<std::byte>(1U << (random() % 8));
            const auto damaged = disk->copy();
            damaged->set_content(path, bad);
            expect_old_or_new(damaged, path, "with a flipped bit in byte " + std::to_string(i));
            ++flips;
        }
    }
    EXPECT_GT(flips, 500U);
}

TEST(Damage, OfAnyLengthIsHealedByTheSaveBefore) {
    const auto disk = two_saves();
    for (const std::string& path : disk->files()) {
        const std::vector<std::byte> good = disk->content(path);
        for (std::size_t length = 0; length < good.size(); length += 512) {
            const auto damaged = disk->copy();
            damaged->set_content(path, {good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)});
            expect_old_or_new(damaged, path, "cut to " + std::to_string(length) + " bytes");
        }
        const auto longer = disk->copy();
        longer->set_content(path, [&] {
            std::vector<std::byte> bytes = good;
            bytes.resize(good.size() + 512);
            return bytes;
        }());
        expect_old_or_new(longer, path, "with 512 bytes more");
        const auto without = disk->copy();
        without->remove(path);
        if (path != "saves/FORMAT") expect_old_or_new(without, path, "removed");
    }
}

TEST(Damage, ByFilesOfAnotherSaveIsSeen) {
    const auto disk = two_saves();
    for (const std::string& path : disk->files()) {
        if (!path.starts_with("saves/v00000002/")) continue;
        std::string other = path;
        other.replace(0, std::string("saves/v00000002").size(), "saves/v00000001");
        const auto damaged = disk->copy();
        damaged->set_content(path, disk->content(other));
        const auto session = session_on(damaged);
        SCOPED_TRACE(path);
        EXPECT_EQ(restored_step(*session), 1U);
    }
}

TEST(Damage, IsNamedByVerify) {
    const auto disk = two_saves();
    std::mt19937_64 random(5);
    SimulatedStorage sound(disk);
    for (const SaveEntry& entry : read_catalog(sound, "saves").saves)
        EXPECT_TRUE(verify_save(sound, "saves", entry, Depth::bytes).empty());
    for (const std::string& path : disk->files()) {
        if (!path.starts_with("saves/v00000002/")) continue;
        for (int round = 0; round < 20; ++round) {
            const auto damaged = disk->copy();
            std::vector<std::byte> bytes = disk->content(path);
            bytes[random() % bytes.size()] ^= std::byte{4};
            damaged->set_content(path, bytes);
            SimulatedStorage storage(damaged);
            const Catalog catalog = read_catalog(storage, "saves");
            if (path.ends_with("/COMMIT")) {
                ASSERT_EQ(catalog.broken.size(), 1U);
                EXPECT_EQ(catalog.broken[0].reason, "its COMMIT is damaged");
                continue;
            }
            const auto damage = verify_save(storage, "saves", catalog.saves.front(), Depth::bytes);
            ASSERT_FALSE(damage.empty()) << path;
            EXPECT_EQ("saves/" + damage.front().file, path);
        }
    }
}

TEST(Fault, OfAnyOperationFailsTheSaveAndNothingElse) {
    const std::size_t operations = two_saves()->operations();
    std::size_t failed = 0;
    for (std::size_t faulty = 0; faulty < operations + 30; ++faulty) {
        SCOPED_TRACE("operation " + std::to_string(faulty) + " fails");
        const auto disk = std::make_shared<SimulatedDisk>();
        disk->before_operation = [faulty](std::size_t number) {
            if (number == faulty)
                throw Error(ErrorKind::environment, "No space left on device", "free some space");
        };
        std::unique_ptr<Session> session;
        try {
            session = session_on(disk);
        } catch (const Error& error) {
            EXPECT_STREQ(error.what(), "No space left on device");
            continue;
        }
        State state;
        state.protect(*session);
        std::optional<std::uint64_t> durable;
        for (std::uint64_t step = 1; step <= 3; ++step) {
            state.set(step);
            const Save save = session->save(step);
            if (save.wait()) {
                durable = step;
            } else {
                ++failed;
                EXPECT_EQ(save.failure(), "No space left on device");
                EXPECT_EQ(session->failures(), std::vector<std::string>{"step " + std::to_string(step) +
                                                                        ": No space left on device"});
            }
        }
        EXPECT_TRUE(durable);
        session.reset();
        disk->before_operation = nullptr;
        const auto again = session_on(disk);
        EXPECT_GE(restored_step(*again).value_or(0), durable.value_or(0));
    }
    EXPECT_GT(failed, 20U);
}

TEST(Fault, OfTheLastSaveIsThrownByFinish) {
    const auto disk = std::make_shared<SimulatedDisk>();
    const auto session = session_on(disk);
    State state;
    state.protect(*session);
    session->save(1);
    session->finish();
    disk->before_operation = [](std::size_t) {
        throw Error(ErrorKind::environment, "No space left on device");
    };
    session->save(2);
    try {
        session->finish();
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "the last save failed: No space left on device");
    }
    disk->before_operation = nullptr;
    session->save(3);
    EXPECT_NO_THROW(session->finish());
}

}  // namespace
}  // namespace plimsoll::checkpoint
