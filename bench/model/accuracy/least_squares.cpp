#include "least_squares.hpp"

#include <cmath>
#include <limits>

#include "plimsoll/core/error.hpp"

namespace plimsoll::model::accuracy {

bool factor(Matrix& m, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = m[i][j];
            for (std::size_t k = 0; k < j; ++k) sum -= m[i][k] * m[j][k];
            if (i == j) {
                if (!(sum > 0.0)) return false;
                m[i][i] = std::sqrt(sum);
            } else {
                m[i][j] = sum / m[j][j];
            }
        }
    }
    return true;
}

void solve(const Matrix& root, std::size_t n, Unknowns& x) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) x[i] -= root[i][k] * x[k];
        x[i] /= root[i][i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) x[i] -= root[k][i] * x[k];
        x[i] /= root[i][i];
    }
}

double LeastSquares::left(std::size_t n, const Unknowns& c) const {
    double result = square;
    for (std::size_t i = 0; i < n; ++i) {
        result -= 2.0 * c[i] * right[i];
        for (std::size_t j = 0; j < n; ++j) result += c[i] * gram[i][j] * c[j];
    }
    return result;
}

std::optional<Unknowns> LeastSquares::best(
    std::size_t n, const std::array<std::optional<double>, most_unknowns>& held) const {
    std::array<std::size_t, most_unknowns> open{};
    std::size_t count = 0;
    Unknowns c{};
    for (std::size_t i = 0; i < n; ++i) {
        if (held[i]) {
            c[i] = *held[i];
        } else {
            open[count++] = i;
        }
    }
    Matrix m{};
    Unknowns x{};
    for (std::size_t i = 0; i < count; ++i) {
        x[i] = right[open[i]];
        for (std::size_t j = 0; j < n; ++j) x[i] -= held[j] ? gram[open[i]][j] * *held[j] : 0.0;
        for (std::size_t j = 0; j < count; ++j) m[i][j] = gram[open[i]][open[j]];
        m[i][i] *= 1.0 + 1e-12;
    }
    if (!factor(m, count)) return std::nullopt;
    solve(m, count, x);
    for (std::size_t i = 0; i < count; ++i) c[open[i]] = x[i];
    return c;
}

Unknowns LeastSquares::within(std::size_t n, const Unknowns& largest) const {
    PLIMSOLL_EXPECT(n <= most_unknowns);
    Unknowns result{};
    double least = std::numeric_limits<double>::infinity();
    const int choices = n == 3 ? 27 : 9;
    for (int choice = 0; choice < choices; ++choice) {
        std::array<std::optional<double>, most_unknowns> held;
        int digits = choice;
        for (std::size_t i = 0; i < n; ++i, digits /= 3) {
            if (digits % 3 == 1) held[i] = 0.0;
            if (digits % 3 == 2) held[i] = largest[i];
        }
        const auto c = best(n, held);
        if (!c) continue;
        bool is_inside = true;
        for (std::size_t i = 0; i < n; ++i) {
            is_inside = is_inside && (*c)[i] >= 0.0 && (*c)[i] <= largest[i];
        }
        if (!is_inside) continue;
        if (choice == 0) return *c;
        const double rest = left(n, *c);
        if (rest < least) {
            least = rest;
            result = *c;
        }
    }
    return result;
}

}  // namespace plimsoll::model::accuracy
