#include "kernels/kernels.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/all_pairs.hpp"
#include "kernels/binary_search.hpp"
#include "kernels/gather_rounds.hpp"
#include "kernels/matrix.hpp"
#include "kernels/merge_sort.hpp"
#include "kernels/prefix_sum.hpp"
#include "kernels/stencil.hpp"
#include "support/random_stream.hpp"

namespace plimsoll::kernels {

namespace {

// Working sizes and fixed repetitions, chosen so that no region dwarfs the others for n from 500 to
// 4000 and that what linear kernels touch stays in a second-level cache of 1 MiB.
constexpr std::size_t rows_to_sort = 64;
constexpr std::size_t n_per_matrix_column = 10;
constexpr std::size_t rows_a_column = 2;  // of the left factor
constexpr std::size_t vectors_to_map = 200;
constexpr std::size_t cells_per_n = 8;
constexpr int sweeps = 400;
constexpr std::size_t summands_per_n = 16;
constexpr int prefix_sum_rounds = 50;
constexpr std::size_t meetings = 500;
constexpr std::size_t values_per_member = 4096;

void fill(std::vector<std::uint64_t>& values, workloads::RandomStream random) {
    std::generate(values.begin(), values.end(), [&random] { return random.next(); });
}

std::size_t matrix_columns(const Problem& problem) {
    return std::max<std::size_t>(1, problem.n / n_per_matrix_column);
}

class Sort final : public Kernel {
  public:
    explicit Sort(const Problem& problem)
        : length_(problem.n),
          random_(problem.seed, "sort", problem.n),
          values_(rows_to_sort * length_),
          scratch_(values_.size()) {}

    void set_up() override { fill(values_, random_); }
    std::uint64_t run(const Team& team) override { return sort_rows(team, values_, scratch_, length_); }
    bool is_right() const override {
        std::vector<std::uint64_t> original(values_.size());
        fill(original, random_);
        return rows_are_sorted(values_, original, length_);
    }

  private:
    std::size_t length_;
    workloads::RandomStream random_;
    std::vector<std::uint64_t> values_;
    std::vector<std::uint64_t> scratch_;
};

class MatrixMultiply final : public Kernel {
  public:
    explicit MatrixMultiply(const Problem& problem)
        : a_(random_matrix(rows_a_column * matrix_columns(problem), matrix_columns(problem),
                           workloads::RandomStream(problem.seed, "left factor", problem.n))),
          b_(random_matrix(a_.columns, a_.columns,
                           workloads::RandomStream(problem.seed, "right factor", problem.n))),
          product_(zeros(a_.rows, a_.columns)) {}

    std::uint64_t run(const Team& team) override { return multiply(team, a_, b_, product_); }
    bool is_right() const override { return is_product(a_, b_, product_); }

  private:
    Matrix a_;
    Matrix b_;
    Matrix product_;
};

class MatrixVector final : public Kernel {
  public:
    explicit MatrixVector(const Problem& problem)
        : a_(random_matrix(matrix_columns(problem), matrix_columns(problem),
                           workloads::RandomStream(problem.seed, "map", problem.n))),
          vectors_(random_matrix(vectors_to_map, a_.rows,
                                 workloads::RandomStream(problem.seed, "vectors", problem.n))),
          images_(zeros(vectors_to_map, a_.rows)) {}

    std::uint64_t run(const Team& team) override { return multiply_vectors(team, a_, vectors_, images_); }
    bool is_right() const override { return are_images(a_, vectors_, images_); }

  private:
    Matrix a_;
    Matrix vectors_;
    Matrix images_;
};

class AllPairs final : public Kernel {
  public:
    explicit AllPairs(const Problem& problem)
        : bodies_(random_bodies(problem.n, workloads::RandomStream(problem.seed, "bodies", problem.n))),
          forces_(bodies_.size()) {}

    std::uint64_t run(const Team& team) override { return gravity(team, bodies_, forces_); }
    bool is_right() const override { return forces_cancel(forces_); }

  private:
    std::vector<Body> bodies_;
    std::vector<Vector3> forces_;
};

class Stencil final : public Kernel {
  public:
    explicit Stencil(const Problem& problem)
        : random_(problem.seed, "heat", problem.n),
          cells_(cells_per_n * problem.n),
          scratch_(cells_.size()) {}

    void set_up() override { heat(cells_); }
    std::uint64_t run(const Team& team) override { return diffuse(team, cells_, scratch_, sweeps); }
    bool is_right() const override {
        std::vector<double> earlier(cells_.size());
        heat(earlier);
        return is_diffused(cells_, earlier);
    }

  private:
    void heat(std::vector<double>& cells) const {
        workloads::RandomStream random = random_;
        std::generate(cells.begin(), cells.end(), [&random] { return random.uniform(); });
    }

    workloads::RandomStream random_;
    std::vector<double> cells_;
    std::vector<double> scratch_;
};

class Search final : public Kernel {
  public:
    explicit Search(const Problem& problem)
        : table_(problem.n), queries_(problem.searches), positions_(problem.searches) {
        fill(table_, workloads::RandomStream(problem.seed, "table", problem.n));
        fill(queries_, workloads::RandomStream(problem.seed, "queries", problem.n));
        std::sort(table_.begin(), table_.end());
    }

    std::uint64_t run(const Team& team) override {
        return find_positions(team, table_, queries_, positions_);
    }
    bool is_right() const override { return are_positions(table_, queries_, positions_); }

  private:
    std::vector<std::uint64_t> table_;
    std::vector<std::uint64_t> queries_;
    std::vector<std::size_t> positions_;
};

class PrefixSum final : public Kernel {
  public:
    explicit PrefixSum(const Problem& problem)
        : random_(problem.seed, "summands", problem.n),
          values_(summands_per_n * problem.n),
          sums_(values_.size()) {}

    void set_up() override { fill(values_, random_); }
    std::uint64_t run(const Team& team) override {
        return prefix_sum(team, values_, sums_, prefix_sum_rounds);
    }
    bool is_right() const override { return are_prefix_sums(values_, sums_); }

  private:
    workloads::RandomStream random_;
    std::vector<std::uint64_t> values_;
    std::vector<std::uint64_t> sums_;
};

class Barrier final : public Kernel {
  public:
    explicit Barrier(const Problem& /*problem*/) {}

    std::uint64_t run(const Team& team) override {
        threads_ = team.size();
        gathered_ = gather_rounds(team, meetings, values_per_member);
        return gathered_.additions;
    }
    bool is_right() const override { return all_met(gathered_, threads_); }

  private:
    std::size_t threads_ = 0;
    Gathered gathered_;
};

template <class SomeKernel>
std::unique_ptr<Kernel> make(const Problem& problem) {
    return std::make_unique<SomeKernel>(problem);
}

constexpr std::array<KernelEntry, 8> entries{{
    {.name = "sort", .law = "n log2(n) / t", .make = make<Sort>},
    {.name = "matrix_multiply", .law = "n^3 / t", .make = make<MatrixMultiply>},
    {.name = "matrix_vector", .law = "n^2 / t", .make = make<MatrixVector>},
    {.name = "all_pairs", .law = "n^2 / t", .make = make<AllPairs>},
    {.name = "stencil", .law = "n / t", .make = make<Stencil>},
    {.name = "search", .law = "log2(n) / t", .make = make<Search>},
    {.name = "prefix_sum", .law = "n / t + t", .make = make<PrefixSum>},
    {.name = "barrier", .law = "t", .make = make<Barrier>},
}};

}  // namespace

std::span<const KernelEntry> all_kernels() { return entries; }

}  // namespace plimsoll::kernels
