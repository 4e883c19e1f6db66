// The kernels of workloads/kernels: right results, the same on any number of threads, and as many
// operations as their laws say.

#include "kernels/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "kernels/all_pairs.hpp"
#include "kernels/binary_search.hpp"
#include "kernels/gather_rounds.hpp"
#include "kernels/matrix.hpp"
#include "kernels/meeting_point.hpp"
#include "kernels/merge_sort.hpp"
#include "kernels/prefix_sum.hpp"
#include "kernels/serial_part.hpp"
#include "kernels/stencil.hpp"
#include "kernels/thread_pool.hpp"
#include "support/random_stream.hpp"

namespace plimsoll::kernels {
namespace {

using Integers = std::vector<std::uint64_t>;

constexpr std::size_t most_threads = 3;

Integers random_integers(std::size_t count, std::uint64_t seed = 1) {
    workloads::RandomStream random(seed, "test", 0);
    Integers values(count);
    std::generate(values.begin(), values.end(), [&random] { return random.next(); });
    return values;
}

/// Runs `body` with teams of 1, 2 and 3 threads.
void on_each_team(const std::function<void(const Team&)>& body) {
    ThreadPool pool(most_threads);
    for (std::size_t threads = 1; threads <= most_threads; ++threads) {
        SCOPED_TRACE(threads);
        body(pool.team(threads));
    }
}

TEST(RandomStream, GivesTheSameNumbersForTheSameNameOnly) {
    workloads::RandomStream one(7, "sort", 1000);
    workloads::RandomStream same(7, "sort", 1000);
    workloads::RandomStream other_name(7, "search", 1000);
    workloads::RandomStream other_index(7, "sort", 2000);
    const std::uint64_t first = one.next();
    EXPECT_EQ(first, same.next());
    EXPECT_NE(first, other_name.next());
    EXPECT_NE(first, other_index.next());
}

TEST(RandomStream, IsUniform) {
    constexpr std::size_t count = 10'000;
    workloads::RandomStream random(0, "uniform", 0);
    std::vector<double> values(count);
    std::generate(values.begin(), values.end(), [&random] { return random.uniform(); });
    std::sort(values.begin(), values.end());
    double distance = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        distance = std::max(distance, std::abs(values[i] - static_cast<double>(i) / count));
    }
    // Kolmogorov-Smirnov: beyond 1.95 / sqrt(count) in one of a thousand samples.
    EXPECT_LT(distance, 1.95 / std::sqrt(count));
}

TEST(ThreadPool, SharesEveryItemOnce) {
    for (const std::size_t count : {0U, 1U, 2U, 7U, 100U}) {
        for (const std::size_t team_size : {1U, 2U, 3U, 8U}) {
            std::size_t next = 0;
            for (std::size_t rank = 0; rank < team_size; ++rank) {
                const Range part = Member{.rank = rank, .team_size = team_size}.share(count);
                EXPECT_EQ(part.begin, next);
                EXPECT_LE(part.end - part.begin, count / team_size + 1);
                next = part.end;
            }
            EXPECT_EQ(next, count);
        }
    }
}

TEST(ThreadPool, RunsEachMemberOnceEachTime) {
    on_each_team([](const Team& team) {
        std::vector<int> runs(team.size(), 0);
        for (int i = 0; i < 100; ++i) {
            team.run([&](Member me) { ++runs[me.rank]; });
        }
        EXPECT_EQ(runs, std::vector<int>(team.size(), 100));
    });
}

TEST(ThreadPool, ThrowsWhatAMemberThrewAndGoesOn) {
    on_each_team([](const Team& team) {
        const auto fail_on_last = [](Member me) {
            if (me.rank + 1 == me.team_size) {
                throw std::runtime_error("planted");
            }
        };
        EXPECT_THROW(team.run(fail_on_last), std::runtime_error);
        std::atomic<std::size_t> runs = 0;
        team.run([&](Member) { ++runs; });
        EXPECT_EQ(runs, team.size());
    });
}

TEST(MeetingPoint, LetsNobodyAhead) {
    constexpr int rounds = 500;
    on_each_team([&](const Team& team) {
        std::vector<int> steps(team.size(), 0);
        int uneven_rounds = 0;
        int finished = 0;
        MeetingPoint point(team, [&] {
            ++finished;
            uneven_rounds +=
                std::all_of(steps.begin(), steps.end(), [&](int s) { return s == finished; }) ? 0 : 1;
        });
        team.run([&](Member me) {
            for (int round = 0; round < rounds; ++round) {
                ++steps[me.rank];
                point.meet();
            }
        });
        EXPECT_EQ(finished, rounds);
        EXPECT_EQ(uneven_rounds, 0);
    });
}

TEST(MergeSort, SortsEachRowAsTheStandardLibraryDoes) {
    for (const std::size_t length : {1U, 2U, 5U, 64U, 777U}) {
        SCOPED_TRACE(length);
        constexpr std::size_t rows = 3;
        const Integers original = random_integers(rows * length);
        Integers expected = original;
        for (std::size_t row = 0; row < rows; ++row) {
            const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(row * length);
            std::sort(begin, begin + static_cast<std::ptrdiff_t>(length));
        }
        on_each_team([&](const Team& team) {
            Integers values = original;
            Integers scratch(values.size());
            sort_rows(team, values, scratch, length);
            EXPECT_EQ(values, expected);
            EXPECT_TRUE(rows_are_sorted(values, original, length));
        });
    }
}

TEST(MergeSort, ComparesBetweenWhatMustBeAndTheWorstCase) {
    constexpr std::size_t rows = 50;
    for (const std::size_t length : {100U, 1000U}) {
        SCOPED_TRACE(length);
        const auto n = static_cast<double>(length);
        // No sort compares less than log2(n!) on average, and top-down merge sort never more than
        // n ceil(log2 n) - 2^ceil(log2 n) + 1 (Knuth, TAOCP 3, 5.2.4).
        const double least = std::lgamma(n + 1.0) / std::log(2.0);
        const double levels = std::ceil(std::log2(n));
        const double most = n * levels - std::exp2(levels) + 1.0;
        on_each_team([&](const Team& team) {
            Integers values = random_integers(rows * length);
            Integers scratch(values.size());
            const double compared =
                static_cast<double>(sort_rows(team, values, scratch, length)) / static_cast<double>(rows);
            EXPECT_GE(compared, least);
            EXPECT_LE(compared, most * 1.02);  // three parts merge in an order that is not quite balanced
        });
    }
}

TEST(MergeSort, CheckRefusesDisorderAndForeignValues) {
    const Integers original{3, 1, 2, 9, 8, 7};
    EXPECT_TRUE(rows_are_sorted(Integers{1, 2, 3, 7, 8, 9}, original, 3));
    EXPECT_FALSE(rows_are_sorted(Integers{1, 2, 3, 7, 9, 8}, original, 3));
    EXPECT_FALSE(rows_are_sorted(Integers{1, 2, 4, 7, 8, 9}, original, 3));
    EXPECT_FALSE(rows_are_sorted(Integers{2, 2, 2, 7, 8, 9}, original, 3));
}

TEST(Matrix, ProductIsThatOfThePlainTripleLoop) {
    const Matrix a = random_matrix(70, 131, workloads::RandomStream(1, "a", 0));
    const Matrix b = random_matrix(131, 65, workloads::RandomStream(1, "b", 0));
    Matrix expected = zeros(70, 65);
    for (std::size_t i = 0; i < a.rows; ++i) {
        for (std::size_t j = 0; j < b.columns; ++j) {
            for (std::size_t k = 0; k < a.columns; ++k) {
                expected.at(i, j) += a.at(i, k) * b.at(k, j);
            }
        }
    }
    on_each_team([&](const Team& team) {
        Matrix product = zeros(70, 65);
        EXPECT_EQ(multiply(team, a, b, product), 70U * 131U * 65U);
        EXPECT_EQ(product.elements, expected.elements);
        EXPECT_TRUE(is_product(a, b, product));
        product.at(69, 64) += 1.0;
        EXPECT_FALSE(is_product(a, b, product));
    });
}

TEST(Matrix, MapsVectorsAsThePlainDoubleLoopDoes) {
    const Matrix a = random_matrix(33, 50, workloads::RandomStream(1, "a", 0));
    const Matrix vectors = random_matrix(4, 50, workloads::RandomStream(1, "vectors", 0));
    Matrix expected = zeros(4, 33);
    for (std::size_t v = 0; v < vectors.rows; ++v) {
        for (std::size_t row = 0; row < a.rows; ++row) {
            for (std::size_t column = 0; column < a.columns; ++column) {
                expected.at(v, row) += a.at(row, column) * vectors.at(v, column);
            }
        }
    }
    on_each_team([&](const Team& team) {
        Matrix images = zeros(4, 33);
        EXPECT_EQ(multiply_vectors(team, a, vectors, images), 4U * 33U * 50U);
        EXPECT_EQ(images.elements, expected.elements);
        EXPECT_TRUE(are_images(a, vectors, images));
        images.at(3, 32) += 1.0;
        EXPECT_FALSE(are_images(a, vectors, images));
    });
}

/// Visits each pair once and pulls both ways.
std::vector<Vector3> plain_gravity(const std::vector<Body>& bodies) {
    std::vector<Vector3> forces(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (std::size_t j = i + 1; j < bodies.size(); ++j) {
            const Vector3& from = bodies[i].position;
            const Vector3& to = bodies[j].position;
            const double distance = std::hypot(std::hypot(to.x - from.x, to.y - from.y, to.z - from.z), 1e-3);
            const double pull = bodies[i].mass * bodies[j].mass / std::pow(distance, 3);
            forces[i].x += pull * (to.x - from.x);
            forces[i].y += pull * (to.y - from.y);
            forces[i].z += pull * (to.z - from.z);
            forces[j].x -= pull * (to.x - from.x);
            forces[j].y -= pull * (to.y - from.y);
            forces[j].z -= pull * (to.z - from.z);
        }
    }
    return forces;
}

TEST(AllPairs, PullsAsAPlainLoopOverPairsDoes) {
    const std::vector<Body> bodies = random_bodies(101, workloads::RandomStream(1, "bodies", 0));
    const std::vector<Vector3> expected = plain_gravity(bodies);
    double scale = 0.0;
    for (const Vector3& force : expected) {
        scale = std::max(scale, std::hypot(force.x, force.y, force.z));
    }
    std::vector<Vector3> on_one_thread;
    on_each_team([&](const Team& team) {
        std::vector<Vector3> forces(bodies.size());
        EXPECT_EQ(gravity(team, bodies, forces), 101U * 101U);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            EXPECT_NEAR(forces[i].x, expected[i].x, 1e-12 * scale);
            EXPECT_NEAR(forces[i].y, expected[i].y, 1e-12 * scale);
            EXPECT_NEAR(forces[i].z, expected[i].z, 1e-12 * scale);
        }
        EXPECT_TRUE(forces_cancel(forces));
        if (team.size() == 1) {
            on_one_thread = forces;
        }
        EXPECT_EQ(forces, on_one_thread);
        forces[7].y += 1e-6 * scale;
        EXPECT_FALSE(forces_cancel(forces));
    });
}

TEST(Stencil, SweepsAsAPlainLoopRoundTheRingDoes) {
    constexpr int sweeps = 6;
    for (const std::size_t count : {1U, 2U, 3U, 101U}) {
        SCOPED_TRACE(count);
        workloads::RandomStream random(1, "heat", count);
        std::vector<double> initial(count);
        std::generate(initial.begin(), initial.end(), [&random] { return random.uniform(); });
        std::vector<double> expected = initial;
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            const std::vector<double> before = expected;
            for (std::size_t i = 0; i < count; ++i) {
                expected[i] =
                    0.25 * before[(i + count - 1) % count] + 0.5 * before[i] + 0.25 * before[(i + 1) % count];
            }
        }
        std::vector<double> on_one_thread;
        on_each_team([&](const Team& team) {
            std::vector<double> cells = initial;
            std::vector<double> scratch(count);
            EXPECT_EQ(diffuse(team, cells, scratch, sweeps), count * sweeps);
            for (std::size_t i = 0; i < count; ++i) {
                EXPECT_NEAR(cells[i], expected[i], 1e-14);
            }
            if (team.size() == 1) {
                on_one_thread = cells;
            }
            EXPECT_EQ(cells, on_one_thread);
        });
    }
}

TEST(Stencil, CheckRefusesLostHeatNewExtremesAndStandstill) {
    const std::vector<double> earlier{0.0, 1.0, 0.0, 1.0};
    using Cells = std::vector<double>;
    EXPECT_TRUE(is_diffused(Cells{0.5, 0.5, 0.5, 0.5}, earlier));
    EXPECT_FALSE(is_diffused(Cells{0.5, 0.5, 0.5, 0.4}, earlier));
    EXPECT_FALSE(is_diffused(Cells{-0.1, 1.1, 0.5, 0.5}, earlier));
    EXPECT_FALSE(is_diffused(earlier, earlier));
}

TEST(BinarySearch, FindsWhatTheStandardLibraryFindsInLog2Steps) {
    for (const std::size_t size : {1U, 2U, 100U, 1023U, 4000U}) {
        SCOPED_TRACE(size);
        Integers table = random_integers(size);
        std::sort(table.begin(), table.end());
        Integers queries = random_integers(300, 2);
        queries.insert(queries.end(), {0, table.front(), table.back(), ~std::uint64_t{0}});
        std::vector<std::size_t> expected;
        for (const std::uint64_t query : queries) {
            const auto found = std::lower_bound(table.begin(), table.end(), query);
            expected.push_back(static_cast<std::size_t>(found - table.begin()));
        }
        on_each_team([&](const Team& team) {
            std::vector<std::size_t> positions(queries.size());
            const std::uint64_t compared = find_positions(team, table, queries, positions);
            EXPECT_EQ(positions, expected);
            EXPECT_GE(compared, queries.size() * (std::bit_width(size + 1) - 1));  // floor(log2(size + 1))
            EXPECT_LE(compared, queries.size() * std::bit_width(size));            // ceil(log2(size + 1))
            EXPECT_TRUE(are_positions(table, queries, positions));
            positions[299] = positions[299] == 0 ? 1 : positions[299] - 1;
            EXPECT_FALSE(are_positions(table, queries, positions));
        });
    }
}

TEST(PrefixSum, AddsUpAsTheStandardLibraryDoes) {
    for (const std::size_t count : {1U, 2U, 1000U}) {
        SCOPED_TRACE(count);
        const Integers values = random_integers(count);
        Integers expected(count);
        std::partial_sum(values.begin(), values.end(), expected.begin());
        on_each_team([&](const Team& team) {
            Integers sums(count);
            EXPECT_EQ(prefix_sum(team, values, sums, 4), 4 * (2 * count + team.size()));
            EXPECT_EQ(sums, expected);
            EXPECT_TRUE(are_prefix_sums(values, sums));
            sums.back() += 1;
            EXPECT_FALSE(are_prefix_sums(values, sums));
        });
    }
}

TEST(GatherRounds, SeesAllMembersStepsEachRound) {
    on_each_team([](const Team& team) {
        Gathered gathered = gather_rounds(team, 30, 8);
        EXPECT_EQ(gathered.additions, 30U * 8U * team.size());
        ASSERT_EQ(gathered.sums.size(), 30U);
        EXPECT_EQ(gathered.sums.back(), 30.0 * static_cast<double>(team.size()));
        EXPECT_TRUE(all_met(gathered, team.size()));
        gathered.sums[12] -= 1.0;
        EXPECT_FALSE(all_met(gathered, team.size()));
    });
    EXPECT_FALSE(all_met(Gathered{}, 1));
}

TEST(SerialPart, ShortCutsLeadToTheSameNumber) {
    for (const std::uint64_t steps : {0U, 1U, 2U, 1000U, 12345U}) {
        EXPECT_EQ(walk(42, steps), jump(42, steps));
    }
    const Integers values = random_integers(77);
    EXPECT_EQ(digest(values), digest_by_powers(values));
}

TEST(Kernels, AreRightOnAnyTeamAndOnlyOnceTheyRan) {
    for (const KernelEntry& entry : all_kernels()) {
        SCOPED_TRACE(entry.name);
        on_each_team([&](const Team& team) {
            const auto kernel = entry.make({.n = 130, .seed = 3, .searches = 500});
            kernel->set_up();
            EXPECT_FALSE(kernel->is_right());
            for (int repetition = 0; repetition < 2; ++repetition) {
                kernel->set_up();
                kernel->run(team);
                EXPECT_TRUE(kernel->is_right());
            }
        });
    }
}

TEST(Kernels, AreRightForTheSmallestProblems) {
    for (const KernelEntry& entry : all_kernels()) {
        for (const std::size_t n : {1U, 2U, 3U}) {
            SCOPED_TRACE(entry.name);
            on_each_team([&](const Team& team) {
                const auto kernel = entry.make({.n = n, .seed = 0, .searches = 1});
                kernel->set_up();
                kernel->run(team);
                EXPECT_TRUE(kernel->is_right());
            });
        }
    }
}

/// Operations of a kernel by the table in workloads/kernels/README.md.
double stated_operations(std::string_view name, double n, double threads) {
    if (name == "sort") {
        return 64 *
               (n * std::log2(n) - 1.25 * n);  // mean of merge sort to first order, Knuth, TAOCP 3, 5.2.4
    }
    if (name == "matrix_multiply") {
        return std::pow(n, 3) / 500;
    }
    if (name == "matrix_vector") {
        return 2 * n * n;
    }
    if (name == "all_pairs") {
        return n * n;
    }
    if (name == "stencil") {
        return 3200 * n;
    }
    if (name == "search") {
        return 1000 * std::log2(n);
    }
    if (name == "prefix_sum") {
        return 1600 * n + 50 * threads;
    }
    return 500 * 4096 * threads;  // barrier
}

TEST(Kernels, DoAsManyOperationsAsTheirLawsSay) {
    for (const KernelEntry& entry : all_kernels()) {
        const bool depends_on_data = entry.name == "sort" || entry.name == "search";
        for (const std::size_t n : {200U, 400U, 800U}) {
            SCOPED_TRACE(testing::Message() << entry.name << ", n = " << n);
            on_each_team([&](const Team& team) {
                const auto kernel = entry.make({.n = n, .seed = 1, .searches = 1000});
                kernel->set_up();
                const double stated =
                    stated_operations(entry.name, static_cast<double>(n), static_cast<double>(team.size()));
                const double tolerance = depends_on_data ? 0.03 * stated : 0.0;
                EXPECT_NEAR(static_cast<double>(kernel->run(team)), stated, tolerance);
            });
        }
    }
}

}  // namespace
}  // namespace plimsoll::kernels
