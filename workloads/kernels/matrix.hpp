#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/thread_pool.hpp"
#include "support/random_stream.hpp"

namespace plimsoll::kernels {

/// Dense, row-major.
struct Matrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> elements;

    [[nodiscard]] double& at(std::size_t row, std::size_t column) { return elements[row * columns + column]; }
    [[nodiscard]] double at(std::size_t row, std::size_t column) const {
        return elements[row * columns + column];
    }
};

[[nodiscard]] Matrix zeros(std::size_t rows, std::size_t columns);

/// Elements are whole numbers from -8 to 7, so that sums of products are exact in any order and
/// the checks below can ask for equality (up to about 10^5 columns).
[[nodiscard]] Matrix random_matrix(std::size_t rows, std::size_t columns, workloads::RandomStream random);

/// Sets product = a b, in blocks, rows split over the team; returns the multiply-adds.
std::uint64_t multiply(const Team& team, const Matrix& a, const Matrix& b, Matrix& product);

/// Sets row v of `images` to `a` times row v of `vectors`, one vector after the other, rows of `a`
/// split over the team; returns the multiply-adds.
std::uint64_t multiply_vectors(const Team& team, const Matrix& a, const Matrix& vectors, Matrix& images);

/// Whether product = a b, judged by four random vectors of -1 and 1: a wrong product passes each with
/// probability 1/2 at most.
///
/// Source: Freivalds, "Probabilistic machines can use less running time", IFIP Congress 1977.
[[nodiscard]] bool is_product(const Matrix& a, const Matrix& b, const Matrix& product);

/// Whether the elements of each image add up to the column sums of `a` times its vector.
[[nodiscard]] bool are_images(const Matrix& a, const Matrix& vectors, const Matrix& images);

}  // namespace plimsoll::kernels
