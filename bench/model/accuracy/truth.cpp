#include "truth.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>

namespace plimsoll::model::accuracy {
namespace {

struct Factors {
    double coefficient = 0.0;
    double exponent = 0.0;
    double logarithms = 0.0;
    [[nodiscard]] double operator()(double x) const {
        return coefficient * std::pow(x, exponent) * std::pow(std::log2(x), logarithms);
    }
};

/// A published function: `c0+c1*a**i*math.log2(a)**j*c2*b**...` (a product) or with `+` between the axes (a
/// sum).
std::optional<Truth> parse(const std::string& line, std::size_t parameters) {
    std::string text = line.substr(line.find('\t') + 1);
    for (char& c : text) {
        if (c == '*' || c == '(' || c == ')') c = ' ';
    }
    const bool is_sum =
        static_cast<std::size_t>(std::count(text.begin(), text.end(), '+')) == parameters && parameters > 1;
    for (char& c : text) {
        if (c == '+') c = ' ';
    }
    std::istringstream in(text);
    double constant = 0.0;
    in >> constant;
    std::vector<Factors> factors;
    Truth truth;
    for (std::size_t p = 0; p < parameters; ++p) {
        Factors f;
        std::string name;
        std::string log2;
        std::string again;
        in >> f.coefficient >> name >> f.exponent >> log2 >> again >> f.logarithms;
        if (!in || log2 != "math.log2" || again != name) return std::nullopt;
        factors.push_back(f);
        truth.lead.push_back(f.exponent);
    }
    truth.terms = is_sum ? parameters : 1;
    truth.value = [=](std::span<const double> x) {
        double value = is_sum ? 0.0 : 1.0;
        for (std::size_t p = 0; p < factors.size(); ++p) {
            value = is_sum ? value + factors[p](x[p]) : value * factors[p](x[p]);
        }
        return constant + value;
    };
    return truth;
}

/// Functions of our own, one parameter (or two, for exponents off the list).
Truth draw(const Cell& cell, std::mt19937_64& random) {
    const auto uniform = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    constexpr std::array<double, 12> lists{0, 0.25, 1.0 / 3, 0.5, 2.0 / 3, 0.75, 0.8, 1, 1.25, 1.5, 2, 3};
    const double c0 = uniform(0, 1000);
    const double c1 = uniform(0, 1000);
    Truth truth;
    truth.lead.assign(cell.parameters, 0.0);
    truth.terms = 1;
    if (cell.truth == "constant") {
        truth.terms = 0;
        truth.value = [=](std::span<const double>) { return c0 + 1.0; };
    } else if (cell.truth == "single") {
        const auto& [e, l] = extra_p_classes()[random() % extra_p_classes().size()];
        truth.lead[0] = e;
        truth.value = [c0, c1, e = e, l = l](std::span<const double> x) {
            return c0 + c1 * std::pow(x[0], e) * std::pow(std::log2(x[0]), l);
        };
    } else if (cell.truth == "off-list") {
        std::vector<double> exponents;
        for (std::size_t p = 0; p < cell.parameters; ++p) exponents.push_back(uniform(0.2, 2.8));
        truth.lead = exponents;
        truth.value = [=](std::span<const double> x) {
            double product = c1;
            for (std::size_t p = 0; p < exponents.size(); ++p) product *= std::pow(x[p], exponents[p]);
            return c0 + product;
        };
    } else if (cell.truth == "strong-overhead") {  // c/p + d p + c0
        const double d = c1 / uniform(500.0, 8000.0);
        truth.lead[0] = 1.0;
        truth.terms = 2;
        truth.value = [=](std::span<const double> x) { return c1 / x[0] + d * x[0] + 0.02 * c0; };
    } else if (cell.truth == "amdahl") {
        const double f = uniform(0.005, 0.1);
        truth.value = [=](std::span<const double> x) { return c1 * (f + (1.0 - f) / x[0]); };
    } else if (cell.truth == "two-terms") {  // log p + p^e + c0
        const double e = lists[3 + random() % 6];
        const double c2 = uniform(0, 1000);
        truth.lead[0] = e;
        truth.terms = 2;
        truth.value = [=](std::span<const double> x) {
            return c0 + c1 * std::log2(x[0]) + c2 * std::pow(x[0], e) / std::pow(16.0, e) * 4.0;
        };
    } else if (cell.truth == "break") {  // the slope changes inside the range
        const double at = uniform(8.0, 32.0);
        const double more = uniform(1.0, 5.0);
        truth.lead[0] = 1.0;
        truth.terms = 2;
        truth.value = [=](std::span<const double> x) {
            return c0 + c1 * x[0] / 16 + more * c1 * std::max(0.0, x[0] - at) / 16;
        };
    } else {
        throw CLI::ValidationError("--truth", "no such truth: " + cell.truth);
    }
    return truth;
}

}  // namespace

const std::vector<std::pair<double, double>>& extra_p_classes() {
    static const std::vector<std::pair<double, double>> classes{
        {0, 1},      {0, 2},      {1. / 4, 0}, {1. / 3, 0}, {1. / 4, 1},  {1. / 3, 1}, {1. / 4, 2},
        {1. / 3, 2}, {1. / 2, 0}, {1. / 2, 1}, {1. / 2, 2}, {2. / 3, 0},  {3. / 4, 0}, {2. / 3, 1},
        {3. / 4, 1}, {4. / 5, 0}, {2. / 3, 2}, {3. / 4, 2}, {1, 0},       {1, 1},      {1, 2},
        {5. / 4, 0}, {5. / 4, 1}, {4. / 3, 0}, {4. / 3, 1}, {3. / 2, 0},  {3. / 2, 1}, {3. / 2, 2},
        {5. / 3, 0}, {7. / 4, 0}, {2, 0},      {2, 1},      {2, 2},       {9. / 4, 0}, {7. / 3, 0},
        {5. / 2, 0}, {5. / 2, 1}, {5. / 2, 2}, {8. / 3, 0}, {11. / 4, 0}, {3, 0},      {3, 1}};
    return classes;
}

std::vector<Truth> truths_of(const Cell& cell, const std::string& functions) {
    std::vector<Truth> truths;
    if (cell.truth == "published") {
        std::ifstream in(functions);
        if (!in) throw CLI::ValidationError("--functions", "cannot read " + functions);
        std::string line;
        for (std::size_t i = 0; std::getline(in, line) && truths.size() < cell.count; ++i) {
            if (i < cell.first) continue;
            auto truth = parse(line, cell.parameters);
            if (!truth) throw CLI::ValidationError("--functions", "cannot read the function: " + line);
            truths.push_back(std::move(*truth));
        }
        return truths;
    }
    std::mt19937_64 random(977 + cell.first);  // the same functions for all seeds and noises
    for (std::size_t i = 0; i < cell.count; ++i) truths.push_back(draw(cell, random));
    return truths;
}

}  // namespace plimsoll::model::accuracy
