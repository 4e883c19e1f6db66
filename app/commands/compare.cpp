#include "app/commands/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/input.hpp"

namespace plimsoll::app {

namespace {

/// One version of the program.
struct Version {
    model::FitDocument models;
    std::optional<experiment::Experiment> measured;  ///< empty for models from a file
};

Version read_version(const CompareRequest& request, const std::string& path, Progress& progress) {
    ModelsRequest models = request.models;
    models.fit.inputs.paths = {path};
    models.fit.at.clear();
    Version version;
    if (holds_models(path)) {
        version.models = models_of(models, progress);
        return version;
    }
    version.measured = read_inputs(models.fit.inputs, progress);
    version.models = fit(*version.measured, models.fit, progress);
    for (model::RegionModel& m : version.models.models) m.predictions.clear();
    return version;
}

/// Throws where values of the two do not mean the same.
void expect_same_treatment(const CompareRequest& request, const Version& before, const Version& after) {
    for (const char* const name : {"scaling", "tree", "ranks", "statistic"}) {
        const std::string_view first = recorded_option(before.models, name);
        const std::string_view second = recorded_option(after.models, name);
        if (first == second || first.empty() || second.empty()) continue;
        throw Error(
            ErrorKind::input, Place{.file = request.after},
            fmt::format("is of --{} {}, and '{}' of --{} {}", name, second, request.before, name, first),
            "make both in the same way, from the original measurements");
    }
}

/// Notes of both, with the one that they are of in front; equal ones once.
void add_notes(const CompareRequest& request, std::vector<std::string> before,
               const std::vector<std::string>& after, std::vector<std::string>& notes) {
    for (const std::string& note : after) {
        const auto same = std::find(before.begin(), before.end(), note);
        if (same == before.end()) continue;
        notes.push_back(note);
        before.erase(same);
    }
    const auto add = [&](const std::string& path, const std::vector<std::string>& own) {
        for (const std::string& note : own) {
            if (std::find(notes.begin(), notes.end(), note) != notes.end()) continue;
            notes.push_back(note.starts_with(path) ? note : fmt::format("{}: {}", path, note));
        }
    };
    add(request.before, before);
    add(request.after, after);
}

std::vector<std::string> notes_of_measurements(const Version& version) {
    std::vector<std::string> notes;
    for (const experiment::Note& note : version.measured->notes) notes.push_back(experiment::to_text(note));
    return notes;
}

/// Why nothing can be compared.
std::string nothing_compared(const Version& before, const Version& after, bool predicts) {
    std::set<std::pair<std::string_view, std::string_view>> names;
    for (const model::RegionModel& m : before.models.models) names.emplace(m.region, m.metric);
    const bool any_common =
        std::any_of(after.models.models.begin(), after.models.models.end(), [&](const model::RegionModel& m) {
            return names.contains({m.region, m.metric});
        });
    if (!any_common) return "they have no region and metric in common";
    return predicts ? "no region has a model in both" : "nothing was measured in both at the same point";
}

}  // namespace

std::size_t CompareReport::count(model::Change verdict) const {
    return static_cast<std::size_t>(
        std::count_if(comparison.changes.begin(), comparison.changes.end(),
                      [&](const model::RegionChange& change) { return change.verdict == verdict; }));
}

bool CompareReport::fails() const {
    return options.fail_on == model::FailOn::slower && count(model::Change::slower) > 0;
}

CompareReport compare(const CompareRequest& request, Progress& progress) {
    if (request.before == "-" && request.after == "-") {
        throw Error(ErrorKind::usage, "both inputs are standard input", "name a file for one of them");
    }
    const bool predicts = !request.models.fit.at.empty();
    for (const std::string& path : {request.before, request.after}) {
        if (predicts || !holds_models(path)) continue;
        throw Error(ErrorKind::usage, Place{.file = path},
                    "holds models, which do not know what was measured",
                    "say where to compare, such as --at p=4096, or compare the measurements");
    }
    const Version before = read_version(request, request.before, progress);
    const Version after = read_version(request, request.after, progress);
    expect_same_treatment(request, before, after);
    CompareReport report{.before = request.before,
                         .after = request.after,
                         .parameters = before.models.parameters,
                         .predicted = predicts,
                         .options = request.compare,
                         .comparison = {},
                         .notes = {}};
    const model::VersionNames names{.before = request.before, .after = request.after};
    if (predicts) {
        std::vector<std::vector<double>> points;
        for (const std::string& at : request.models.fit.at)
            points.push_back(parse_point(at, report.parameters));
        report.comparison = model::compare(before.models, after.models, points, request.compare,
                                           request.models.fit.threads, progress, names);
        add_notes(request, notes_of(before.models), notes_of(after.models), report.notes);
        for (std::string& remark : remarks_on_points(before.models, points))
            report.notes.push_back(std::move(remark));
    } else {
        report.comparison = model::compare(*before.measured, *after.measured, request.compare, names);
        add_notes(request, notes_of_measurements(before), notes_of_measurements(after), report.notes);
    }
    model::add_growth(report.comparison, before.models, after.models, request.compare.confidence);
    if (report.comparison.changes.empty()) {
        const std::string reason = nothing_compared(before, after, predicts);
        if (request.compare.fail_on != model::FailOn::nothing) {
            throw Error(ErrorKind::input, Place{.file = request.after},
                        fmt::format("cannot be compared with '{}': {}", request.before, reason),
                        predicts
                            ? "compare models of the same program"
                            : "measure the same regions at the same points, or compare models with --at");
        }
        report.notes.push_back(reason);
    }
    return report;
}

}  // namespace plimsoll::app
