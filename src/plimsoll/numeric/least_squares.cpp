#include "plimsoll/numeric/least_squares.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "plimsoll/core/error.hpp"

// LAPACK's own interface; all arguments by address, matrices column by column.
// NOLINTNEXTLINE(readability-identifier-naming): the name is LAPACK's
extern "C" void dgelsd_(const int* rows, const int* columns, const int* right_hand_sides, double* matrix,
                        const int* matrix_stride, double* solutions, const int* solution_stride,
                        double* singular_values, const double* cut_off, int* rank, double* work,
                        const int* work_size, int* integer_work, int* info);

// All that dgelsd needs of Fortran's own library, which takes as long to load as a small file to be modelled.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the names are LAPACK's and the
// compiler's

/// LAPACK's word on an argument that it does not take. Its own prints it and ends the process; the routine's
/// `info` says the same, and is looked at below.
extern "C" void xerbla_(const char* /*routine*/, const int* /*argument*/, std::size_t /*routine_length*/) {}

/// Fortran's `first // second`, cut or filled with blanks to `size`.
extern "C" void _gfortran_concat_string(std::size_t size, char* joined, std::size_t first_size,
                                        const char* first, std::size_t second_size, const char* second) {
    const std::size_t from_first = std::min(size, first_size);
    const std::size_t from_second = std::min(size - from_first, second_size);
    std::copy_n(first, from_first, joined);
    std::copy_n(second, from_second, joined + from_first);
    std::fill_n(joined + from_first + from_second, size - from_first - from_second, ' ');
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

namespace plimsoll::numeric {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

std::vector<double> by_columns(std::span<const double> matrix, std::size_t rows, std::size_t columns) {
    std::vector<double> transposed(matrix.size());
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < columns; ++k) transposed[k * rows + i] = matrix[i * columns + k];
    }
    return transposed;
}

struct Solved {
    std::vector<double> solutions;  ///< column by column, [max(rows, columns)] each
    std::size_t stride;
    std::size_t rank;
};

/// Solves for several right-hand sides, [rows] each, one after the other.
Solved gelsd(std::span<const double> matrix, std::size_t columns, std::span<const double> right,
             double cut_off) {
    PLIMSOLL_EXPECT(columns > 0 && !matrix.empty() && matrix.size() % columns == 0);
    const std::size_t row_count = matrix.size() / columns;
    PLIMSOLL_EXPECT(!right.empty() && right.size() % row_count == 0);
    const std::size_t sides = right.size() / row_count;
    const std::size_t stride = std::max(row_count, columns);
    std::vector<double> work_matrix = by_columns(matrix, row_count, columns);
    Solved solved{.solutions = std::vector<double>(stride * sides), .stride = stride, .rank = 0};
    for (std::size_t s = 0; s < sides; ++s) {
        std::copy_n(right.data() + s * row_count, row_count, solved.solutions.data() + s * stride);
    }
    std::vector<double> singular(std::min(row_count, columns));
    const auto m = static_cast<int>(row_count);
    const auto n = static_cast<int>(columns);
    const auto k = static_cast<int>(sides);
    const auto ld = static_cast<int>(stride);
    int rank = 0;
    int info = 0;
    double wanted_work = 0.0;
    int wanted_integers = 0;
    const int query = -1;
    dgelsd_(&m, &n, &k, work_matrix.data(), &m, solved.solutions.data(), &ld, singular.data(), &cut_off,
            &rank, &wanted_work, &query, &wanted_integers, &info);
    PLIMSOLL_EXPECT(info == 0);
    std::vector<double> work(static_cast<std::size_t>(wanted_work));
    std::vector<int> integers(static_cast<std::size_t>(std::max(1, wanted_integers)));
    const auto work_size = static_cast<int>(work.size());
    dgelsd_(&m, &n, &k, work_matrix.data(), &m, solved.solutions.data(), &ld, singular.data(), &cut_off,
            &rank, work.data(), &work_size, integers.data(), &info);
    PLIMSOLL_EXPECT(info == 0);  // finite matrices always converge
    solved.rank = static_cast<std::size_t>(rank);
    return solved;
}

double usual_cut_off(std::size_t rows, std::size_t columns) {
    return epsilon * static_cast<double>(std::max(rows, columns));
}

}  // namespace

std::vector<double> solve_least_squares(std::span<const double> matrix, std::size_t columns,
                                        std::span<const double> y, RankCutOff cut_off) {
    PLIMSOLL_EXPECT(matrix.size() == y.size() * columns);
    Solved solved = gelsd(matrix, columns, y, usual_cut_off(y.size(), columns));
    if (cut_off == RankCutOff::keep_most && solved.rank < columns)
        solved = gelsd(matrix, columns, y, epsilon);
    solved.solutions.resize(columns);
    return solved.solutions;
}

Design::Design(std::span<const double> matrix, std::size_t columns) : columns_(columns) {
    PLIMSOLL_EXPECT(columns > 0 && !matrix.empty() && matrix.size() % columns == 0);
    const std::size_t row_count = matrix.size() / columns;
    std::vector<double> identity(row_count * row_count);
    for (std::size_t i = 0; i < row_count; ++i) identity[i * row_count + i] = 1.0;
    const Solved solved = gelsd(matrix, columns, identity, usual_cut_off(row_count, columns));
    rank_ = solved.rank;
    inverse_.resize(columns * row_count);
    leverage_.resize(row_count);
    for (std::size_t i = 0; i < row_count; ++i) {
        double leverage = 0.0;
        for (std::size_t k = 0; k < columns; ++k) {
            inverse_[k * row_count + i] = solved.solutions[i * solved.stride + k];
            leverage += matrix[i * columns + k] * inverse_[k * row_count + i];
        }
        leverage_[i] = std::clamp(leverage, 0.0, 1.0);
    }
}

void Design::solve(std::span<const double> y, std::span<double> coefficients) const {
    PLIMSOLL_EXPECT(y.size() == rows() && coefficients.size() == columns_);
    for (std::size_t k = 0; k < columns_; ++k) {
        const double* weights = inverse_.data() + k * rows();
        double sum = 0.0;
        for (std::size_t i = 0; i < y.size(); ++i) sum += weights[i] * y[i];
        coefficients[k] = sum;
    }
}

}  // namespace plimsoll::numeric
