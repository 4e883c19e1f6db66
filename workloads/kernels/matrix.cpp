#include "kernels/matrix.hpp"

#include <algorithm>
#include <array>

#include "kernels/operation_count.hpp"

namespace plimsoll::kernels {

namespace {

constexpr std::size_t block = 64;  // 64 x 64 doubles of one factor fill a first-level cache of 32 KiB

/// Four sums at once, so that time per element does not hang on how far the processor looks ahead
/// from one row into the next.
double dot(const double* a, const double* b, std::size_t size) {
    std::array<double, 4> sums{};
    std::size_t i = 0;
    for (; i + 4 <= size; i += 4) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            sums[lane] += a[i + lane] * b[i + lane];
        }
    }
    for (; i < size; ++i) {
        sums[0] += a[i] * b[i];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

std::vector<double> times(const Matrix& a, const std::vector<double>& x) {
    std::vector<double> image(a.rows, 0.0);
    for (std::size_t row = 0; row < a.rows; ++row) {
        for (std::size_t column = 0; column < a.columns; ++column) {
            image[row] += a.at(row, column) * x[column];
        }
    }
    return image;
}

}  // namespace

Matrix zeros(std::size_t rows, std::size_t columns) {
    return {.rows = rows, .columns = columns, .elements = std::vector<double>(rows * columns, 0.0)};
}

Matrix random_matrix(std::size_t rows, std::size_t columns, workloads::RandomStream random) {
    Matrix result = zeros(rows, columns);
    for (double& element : result.elements) {
        element = static_cast<double>(random.below(16)) - 8.0;
    }
    return result;
}

std::uint64_t multiply(const Team& team, const Matrix& a, const Matrix& b, Matrix& product) {
    OperationCount multiply_adds(team);
    team.run([&](Member me) {
        const Range rows = me.share(a.rows);
        const std::size_t columns = b.columns;
        std::fill(product.elements.data() + rows.begin * columns,
                  product.elements.data() + rows.end * columns, 0.0);
        std::uint64_t count = 0;
        for (std::size_t inner = 0; inner < a.columns; inner += block) {
            const std::size_t inner_end = std::min(inner + block, a.columns);
            for (std::size_t first = 0; first < columns; first += block) {
                const std::size_t width = std::min(block, columns - first);
                for (std::size_t row = rows.begin; row < rows.end; ++row) {
                    double* const out = &product.at(row, first);
                    for (std::size_t k = inner; k < inner_end; ++k) {
                        const double factor = a.at(row, k);
                        const double* const in = &b.elements[k * columns + first];
                        for (std::size_t j = 0; j < width; ++j) {
                            out[j] += factor * in[j];
                        }
                        count += width;
                    }
                }
            }
        }
        multiply_adds.add(me, count);
    });
    return multiply_adds.total();
}

std::uint64_t multiply_vectors(const Team& team, const Matrix& a, const Matrix& vectors, Matrix& images) {
    OperationCount multiply_adds(team);
    team.run([&](Member me) {
        const Range rows = me.share(a.rows);
        std::uint64_t count = 0;
        for (std::size_t v = 0; v < vectors.rows; ++v) {
            const double* const x = &vectors.elements[v * vectors.columns];
            for (std::size_t row = rows.begin; row < rows.end; ++row) {
                const double* const factors = &a.elements[row * a.columns];
                images.at(v, row) = dot(factors, x, a.columns);
                count += a.columns;
            }
        }
        multiply_adds.add(me, count);
    });
    return multiply_adds.total();
}

bool is_product(const Matrix& a, const Matrix& b, const Matrix& product) {
    workloads::RandomStream random(0, "is_product", 0);
    for (int trial = 0; trial < 4; ++trial) {
        std::vector<double> probe(b.columns);
        for (double& element : probe) {
            element = random.below(2) == 0 ? -1.0 : 1.0;
        }
        if (times(product, probe) != times(a, times(b, probe))) {
            return false;
        }
    }
    return true;
}

bool are_images(const Matrix& a, const Matrix& vectors, const Matrix& images) {
    std::vector<double> column_sums(a.columns, 0.0);
    for (std::size_t row = 0; row < a.rows; ++row) {
        for (std::size_t column = 0; column < a.columns; ++column) {
            column_sums[column] += a.at(row, column);
        }
    }
    const std::vector<double> expected = times(vectors, column_sums);
    return times(images, std::vector<double>(images.columns, 1.0)) == expected;
}

}  // namespace plimsoll::kernels
