#include "app/commands/expect.hpp"

#include <algorithm>

#include "plimsoll/core/error.hpp"

namespace plimsoll::app {

std::size_t ExpectReport::count(model::Verdict verdict) const {
    return static_cast<std::size_t>(std::count_if(
        checks.begin(), checks.end(), [&](const model::Check& check) { return check.verdict == verdict; }));
}

bool ExpectReport::fails(const model::Check& check) const {
    return check.verdict == model::Verdict::broken || (strict && check.verdict == model::Verdict::undecided);
}

bool ExpectReport::any_fails() const {
    return std::any_of(checks.begin(), checks.end(), [&](const model::Check& check) { return fails(check); });
}

ExpectReport expect(ExpectRequest request, Progress& progress) {
    const std::vector<std::string>& paths = request.models.fit.inputs.paths;
    if (std::find(paths.begin(), paths.end(), request.rules) != paths.end()) {
        throw Error(ErrorKind::usage, "the rules are the input as well",
                    "give the file of rules first, then models or measurements");
    }
    Input input(request.rules);
    model::Rules rules = model::read_rules(input);  // before the work, so that a mistake costs no time
    const model::FitDocument document = models_of(request.models, progress);
    const double coverage = request.models.fit.fit.coverage;
    const int threads = request.models.fit.threads;
    ExpectReport report{.parameters = document.parameters,
                        .rules = {},
                        .checks = model::check(rules, document, coverage, progress, threads),
                        .coverage = coverage,
                        .strict = request.strict,
                        .notes = notes_of(document)};
    report.rules = std::move(rules);
    for (const model::Check& check : report.checks) {
        if (!check.note.empty()) report.notes.push_back(check.note);
    }
    return report;
}

}  // namespace plimsoll::app
