// How well do models predict, and how honest are their intervals, against the noise of the measurements?
//
// Draws functions, measures them with noise on a grid, models them by each search, and compares predictions
// with the functions themselves. One CSV row for each cell (truth, design, law, noise, repetitions), seed,
// choice of functions and search. Rows that the file has already are not made again, so a run that was
// stopped goes on where it was.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/core/options.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/model/fit.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model {
namespace {

/// A function to be found, and the exponent that leads its growth along each axis.
struct Truth {
    std::function<double(std::span<const double>)> value;
    std::vector<double> lead;
};

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
    truth.value = [=](std::span<const double> x) {
        double value = is_sum ? 0.0 : 1.0;
        for (std::size_t p = 0; p < factors.size(); ++p) {
            value = is_sum ? value + factors[p](x[p]) : value * factors[p](x[p]);
        }
        return constant + value;
    };
    return truth;
}

struct Cell {
    std::string truth = "published";
    std::string design = "grid";
    std::string law = "independent";
    std::size_t parameters = 2;
    double noise = 0.0;  ///< per cent, full width
    int repetitions = 4;
    std::uint64_t seed = 0;
    std::size_t first = 0;  ///< of the functions
    std::size_t count = 200;
};

/// Exponent and logarithms of the 42 forms with one term that Extra-P tries.
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
    if (cell.truth == "constant") {
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
        truth.value = [=](std::span<const double> x) { return c1 / x[0] + d * x[0] + 0.02 * c0; };
    } else if (cell.truth == "amdahl") {
        const double f = uniform(0.005, 0.1);
        truth.value = [=](std::span<const double> x) { return c1 * (f + (1.0 - f) / x[0]); };
    } else if (cell.truth == "two-terms") {  // log p + p^e + c0
        const double e = lists[3 + random() % 6];
        const double c2 = uniform(0, 1000);
        truth.lead[0] = e;
        truth.value = [=](std::span<const double> x) {
            return c0 + c1 * std::log2(x[0]) + c2 * std::pow(x[0], e) / std::pow(16.0, e) * 4.0;
        };
    } else if (cell.truth == "break") {  // the slope changes inside the range
        const double at = uniform(8.0, 32.0);
        const double more = uniform(1.0, 5.0);
        truth.lead[0] = 1.0;
        truth.value = [=](std::span<const double> x) {
            return c0 + c1 * x[0] / 16 + more * c1 * std::max(0.0, x[0] - at) / 16;
        };
    } else {
        throw CLI::ValidationError("--truth", "no such truth: " + cell.truth);
    }
    return truth;
}

const std::vector<std::vector<double>>& axes() {
    static const std::vector<std::vector<double>> values{
        {4, 8, 16, 32, 64}, {10, 20, 30, 40, 50}, {1000, 2000, 3000, 4000, 5000}, {10, 12, 14, 16, 18}};
    return values;
}

struct Place {
    std::string name;
    std::vector<double> at;
};

std::vector<Place> places(std::size_t parameters) {
    if (parameters == 1) {
        return {{"inside", {24}}, {"step", {96}}, {"target", {128}}, {"far", {256}}, {"farthest", {512}}};
    }
    std::vector<Place> all{{"inside", {24, 25, 2500, 13}},
                           {"step", {64, 60, 6000, 20}},
                           {"target", {128, 60, 6000, 20}},
                           {"far", {128, 100, 10000, 36}},
                           {"farthest", {256, 200, 20000, 72}}};
    for (Place& place : all) place.at.resize(parameters);
    return all;
}

std::vector<std::vector<double>> design_points(const Cell& cell) {
    std::vector<std::vector<double>> points;
    const std::size_t m = cell.parameters;
    if (cell.design == "grid") {
        std::size_t count = 1;
        for (std::size_t p = 0; p < m; ++p) count *= 5;
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<double> x(m);
            std::size_t rest = i;
            for (std::size_t p = m; p-- > 0;) {
                x[p] = axes()[p][rest % 5];
                rest /= 5;
            }
            points.push_back(std::move(x));
        }
        return points;
    }
    // A line of five along each axis through the smallest values, and one point off the lines.
    std::vector<double> x(m);
    for (std::size_t p = 0; p < m; ++p) x[p] = axes()[p][0];
    points.push_back(x);
    for (std::size_t p = 0; p < m; ++p) {
        for (std::size_t i = 1; i < 5; ++i) {
            std::vector<double> on_line = x;
            on_line[p] = axes()[p][i];
            points.push_back(std::move(on_line));
        }
    }
    for (std::size_t p = 0; p < m; ++p) x[p] = axes()[p][1];
    points.push_back(x);
    return points;
}

experiment::Experiment measure(const Cell& cell, const std::vector<Truth>& truths, std::mt19937_64& random) {
    experiment::ExperimentBuilder builder;
    std::vector<std::string> names;
    for (std::size_t p = 0; p < cell.parameters; ++p) names.emplace_back(1, static_cast<char>('a' + p));
    builder.set_parameters(names, {});
    const auto points = design_points(cell);
    std::uniform_real_distribution<double> half(-cell.noise / 200.0, cell.noise / 200.0);
    std::student_t_distribution<double> heavy(3.0);
    std::vector<double> runs;
    for (std::size_t f = 0; f < truths.size(); ++f) {
        const auto series = builder.series(builder.region(fmt::format("f{}", f)), builder.metric("time"));
        for (const std::vector<double>& x : points) {
            const double exact = truths[f].value(x);
            runs.clear();
            double value = exact;
            for (int r = 0; r < cell.repetitions; ++r) {
                if (cell.law == "compounding") {
                    value *= 1.0 + half(random);
                } else if (cell.law == "gaussian") {
                    value = exact * (1.0 + std::normal_distribution<double>(
                                               0.0, cell.noise / 200.0 / std::numbers::sqrt3)(random));
                } else if (cell.law == "heavy") {
                    value = exact * std::max(0.05, 1.0 + cell.noise / 600.0 * heavy(random));
                } else {
                    value = exact * (1.0 + half(random));
                }
                runs.push_back(value);
            }
            builder.add_repetitions(series, builder.point(x, {}), runs, {});
        }
    }
    return builder.build();
}

double lead_exponent(const Function& function, std::size_t axis) {
    double lead = 0.0;
    for (const Term& term : function.terms) {
        for (const Factor& factor : term.factors) {
            if (factor.parameter == axis) lead = std::max(lead, factor.exponent.value());
        }
    }
    return lead;
}

double median(std::vector<double> values) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

constexpr double coverage = 0.9;

std::string key_of(const Cell& cell, std::string_view search) {
    return fmt::format("{},{},{},{},{},{},{},{},{},{}", cell.truth, cell.design, cell.law, cell.parameters,
                       cell.noise, cell.repetitions, cell.seed, cell.first, cell.count, search);
}

constexpr int key_columns = 10;

std::string header() {
    std::string text =
        "truth,design,law,parameters,noise,repetitions,seed,first,count,search,functions,lead,named_constant";
    for (const char* name : {"inside", "step", "target", "far", "farthest"}) {
        text += fmt::format(",{0}_within5,{0}_within10,{0}_within20,{0}_coverage,{0}_width,{0}_score", name);
    }
    return text;
}

std::string judge(const Cell& cell, const std::vector<Truth>& truths, const std::vector<Fit>& fits) {
    std::size_t right = 0;
    std::size_t constants = 0;
    for (std::size_t f = 0; f < truths.size(); ++f) {
        bool is_right = true;
        for (std::size_t p = 0; p < cell.parameters; ++p) {
            is_right = is_right && std::abs(lead_exponent(fits[f].function, p) - truths[f].lead[p]) <= 0.2501;
        }
        right += is_right ? 1 : 0;
        constants += fits[f].function.terms.empty() ? 1 : 0;
    }
    const auto count = static_cast<double>(truths.size());
    std::string row = fmt::format("{},{:.4f},{:.4f}", truths.size(), static_cast<double>(right) / count,
                                  static_cast<double>(constants) / count);
    for (const Place& place : places(cell.parameters)) {
        std::array<std::size_t, 3> within{};
        std::size_t covered = 0;
        std::vector<double> widths;
        double score = 0.0;
        for (std::size_t f = 0; f < truths.size(); ++f) {
            const double exact = truths[f].value(place.at);
            Estimate e;
            if (fits[f].posterior.forms.empty()) {
                e.value = fits[f].function(place.at);
            } else {
                e = estimate(fits[f].posterior, place.at, coverage);
                covered += e.low <= exact && exact <= e.high ? 1 : 0;
                widths.push_back((e.high - e.low) / exact);
                const double outside = std::max({e.low - exact, exact - e.high, 0.0});
                score += std::min((e.high - e.low + 2.0 / (1.0 - coverage) * outside) / exact, 100.0);
            }
            const double error = std::abs(e.value / exact - 1.0);
            within[0] += error <= 0.05 ? 1 : 0;
            within[1] += error <= 0.10 ? 1 : 0;
            within[2] += error <= 0.20 ? 1 : 0;
        }
        for (const std::size_t w : within) row += fmt::format(",{:.4f}", static_cast<double>(w) / count);
        if (widths.empty()) {
            row += ",,,";
        } else {
            row += fmt::format(",{:.4f},{:.5f},{:.4f}", static_cast<double>(covered) / count, median(widths),
                               score / count);
        }
    }
    return row;
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

/// The keys of the rows that a file has; none where it is not there.
std::set<std::string> keys_in(const std::string& path) {
    std::set<std::string> done;
    std::ifstream in(path);
    std::string line;
    if (!std::getline(in, line)) return done;
    if (line != header()) throw CLI::ValidationError("-o", path + " has other columns");
    done.insert({});  // the header is there
    while (std::getline(in, line)) {
        std::size_t comma = line.find(',');
        for (int i = 1; i < key_columns && comma != std::string::npos; ++i) comma = line.find(',', comma + 1);
        done.insert(line.substr(0, comma));
    }
    return done;
}

int run(int argc, char** argv) {
    CLI::App app("Accuracy of models and coverage of their intervals, on functions that are known");
    Cell cell;
    std::vector<double> noises{1, 2, 5, 10, 20, 50};
    std::size_t seeds = 20;
    int threads = 0;
    std::string functions;
    std::string output;
    std::vector<std::string> searches{"extra-p", "posterior"};
    app.add_option("--truth", cell.truth)
        ->check(CLI::IsMember({"published", "single", "off-list", "constant", "strong-overhead", "amdahl",
                               "two-terms", "break"}));
    app.add_option("--design", cell.design)->check(CLI::IsMember({"grid", "cross"}));
    app.add_option("--law", cell.law)
        ->check(CLI::IsMember({"independent", "compounding", "gaussian", "heavy"}));
    app.add_option("--parameters", cell.parameters)->check(CLI::Range(std::size_t{1}, axes().size()));
    app.add_option("--noise", noises, "Per cent")->delimiter(',')->check(CLI::NonNegativeNumber);
    app.add_option("--repetitions", cell.repetitions)->check(CLI::PositiveNumber);
    app.add_option("--seeds", seeds);
    app.add_option("--count", cell.count, "Functions")->check(CLI::PositiveNumber);
    app.add_option("--first", cell.first, "First function");
    app.add_option("--functions", functions, "File of published functions");
    app.add_option("--search", searches)->delimiter(',')->check(CLI::IsMember({"extra-p", "posterior"}));
    app.add_option("--threads", threads);
    app.add_option("-o", output, "CSV file, continued if it is there");
    CLI11_PARSE(app, argc, argv);

    const std::set<std::string> done = output.empty() ? std::set<std::string>() : keys_in(output);
    std::ofstream file;
    if (!output.empty()) file.open(output, std::ios::app);
    std::ostream& out = output.empty() ? std::cout : file;
    if (done.empty()) out << header() << '\n';
    const std::vector<Truth> truths = truths_of(cell, functions);
    if (truths.empty()) throw CLI::ValidationError("--first", "there is no such function");
    for (const double noise : noises) {
        for (std::size_t seed = 1; seed <= seeds; ++seed) {
            cell.noise = noise;
            cell.seed = seed;
            std::mt19937_64 random(seed * 1000003 + static_cast<std::uint64_t>(noise * 1000));
            const experiment::Experiment experiment = measure(cell, truths, random);
            for (const std::string& search : searches) {
                const std::string key = key_of(cell, search);
                if (done.contains(key)) continue;
                FitOptions options;
                options.search = search == "extra-p" ? Search::extra_p : Search::posterior;
                const std::vector<Fit> fits = fit_all(experiment, options, threads, silent());
                out << key << ',' << judge(cell, truths, fits) << std::endl;
            }
        }
    }
    return 0;
}

}  // namespace
}  // namespace plimsoll::model

int main(int argc, char** argv) try {
    return plimsoll::model::run(argc, argv);
} catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
}
