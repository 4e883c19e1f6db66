// How well do models predict, and how honest are their intervals, against the noise of the measurements?
//
// Draws functions, measures them with noise on a grid, models them by each search, and compares predictions
// with the functions themselves; the search `limit` is what no method can do better on average. One CSV row
// for each cell (truth, design, law, noise, repetitions), seed, choice of functions and search. Rows that the
// file has already are not made again, so a run that was stopped goes on where it was.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "accuracy/answer.hpp"
#include "accuracy/cell.hpp"
#include "accuracy/limit.hpp"
#include "accuracy/measuring.hpp"
#include "accuracy/picture.hpp"
#include "accuracy/row.hpp"
#include "accuracy/truth.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/model/fit.hpp"

namespace plimsoll::model::accuracy {
namespace {

std::vector<Answer> answers_by(const std::string& search, const Cell& cell, const Runs& runs, int threads) {
    if (search == "limit") return limit(cell, runs, threads);
    FitOptions options;
    options.search = search == "extra-p" ? Search::extra_p : Search::posterior;
    return answers_of(cell, fit_all(experiment_of(cell, runs), options, threads, silent()), threads);
}

int run(int argc, char** argv) {
    CLI::App app("Accuracy of models and coverage of their intervals, on functions that are known");
    Cell cell;
    std::vector<double> noises{1, 2, 5, 10, 20, 50};
    std::size_t seeds = 20;
    int threads = 0;
    std::string functions;
    std::string output;
    std::string picture;
    std::vector<std::string> searches{"extra-p", "posterior"};
    app.add_option("--truth", cell.truth)
        ->check(CLI::IsMember({"published", "single", "off-list", "constant", "strong-overhead", "amdahl",
                               "two-terms", "break"}));
    app.add_option("--design", cell.design)->check(CLI::IsMember({"grid", "cross"}));
    app.add_option("--law", cell.law)
        ->check(CLI::IsMember({"independent", "compounding", "gaussian", "gaussian-compounding", "heavy"}));
    app.add_option("--parameters", cell.parameters)->check(CLI::Range(std::size_t{1}, axes().size()));
    app.add_option("--noise", noises, "Per cent")->delimiter(',')->check(CLI::NonNegativeNumber);
    app.add_option("--repetitions", cell.repetitions)->check(CLI::PositiveNumber);
    app.add_option("--seeds", seeds);
    app.add_option("--count", cell.count, "Functions")->check(CLI::PositiveNumber);
    app.add_option("--first", cell.first, "First function");
    app.add_option("--functions", functions, "File of published functions");
    app.add_option("--search", searches)
        ->delimiter(',')
        ->check(CLI::IsMember({"extra-p", "posterior", "limit"}));
    app.add_option("--threads", threads);
    app.add_option("-o", output, "CSV file, continued if it is there");
    app.add_option("--picture", picture, "SVG file, drawn from the rows of -o")->needs("-o");
    CLI11_PARSE(app, argc, argv);

    const bool wants_limit = std::find(searches.begin(), searches.end(), "limit") != searches.end();
    const bool is_noisy = std::all_of(noises.begin(), noises.end(), [](double noise) { return noise > 0.0; });
    if (wants_limit && !(has_limit(cell) && is_noisy)) {
        throw CLI::ValidationError(
            "--search",
            "limit is there with noise that is not heavy, for --truth single of one parameter and, with "
            "--law gaussian or gaussian-compounding, for the published functions of two");
    }
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
            const Runs runs = measure(cell, truths, random);
            for (const std::string& search : searches) {
                const std::string key = key_of(cell, search);
                if (done.contains(key)) continue;
                out << key << ',' << judged(cell, truths, answers_by(search, cell, runs, threads))
                    << std::endl;
            }
        }
    }
    if (!picture.empty()) draw_picture(cell, output, picture);
    return 0;
}

}  // namespace
}  // namespace plimsoll::model::accuracy

int main(int argc, char** argv) try {
    return plimsoll::model::accuracy::run(argc, argv);
} catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
}
