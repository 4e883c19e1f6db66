// Reads measurements, models them and predicts each region at one point, by plimsoll's libraries alone.
//
// usage: embed FILE PARAMETER=VALUE...

#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/reader.hpp"
#include "plimsoll/model/fit.hpp"
#include "plimsoll/model/formula.hpp"
#include "plimsoll/model/posterior.hpp"

using namespace plimsoll;

namespace {

/// The point that arguments such as `p=4096` name, in the order of the experiment's parameters.
std::vector<double> point_of(const experiment::Experiment& experiment,
                             const std::vector<std::string>& arguments) {
    std::vector<double> point(experiment.parameters.size(), std::numeric_limits<double>::quiet_NaN());
    for (const std::string_view argument : arguments) {
        const std::size_t equals = argument.find('=');
        const auto axis = experiment.find_parameter(argument.substr(0, equals));
        const auto value =
            equals == std::string_view::npos ? std::nullopt : parse_number(argument.substr(equals + 1));
        if (!axis || !value) {
            throw Error(ErrorKind::usage, "'" + std::string(argument) + "' names no parameter and its value",
                        "give a value for each of " + join(experiment.parameter_names(), ", "));
        }
        point[*axis] = *value;
    }
    return point;
}

void predict(const std::string& file, const std::vector<std::string>& arguments) {
    const std::vector<std::string> files{file};
    const experiment::Experiment experiment = experiment::read(files, {}, silent());
    const std::vector<std::string> names = experiment.parameter_names();
    const std::vector<double> point = point_of(experiment, arguments);
    for (const model::Fit& fit : model::fit_all(experiment, {}, 0, silent())) {
        const experiment::Series& series = experiment.series[fit.series];
        const char* const region = experiment.region(series).path.c_str();
        if (fit.status == model::Status::ok) {
            const model::Estimate value = model::estimate(fit.posterior, point, 0.9);
            std::printf("%s: %.4g %s (90 %%: %.4g to %.4g), %s\n", region, value.value,
                        experiment.metric(series).unit.c_str(), value.low, value.high,
                        model::formula(fit.function, names).c_str());
        } else {
            std::printf("%s: no model, %s\n", region, fit.reason.c_str());
        }
    }
}

}  // namespace

int main(int count, char** arguments) try {
    if (count < 3) throw Error(ErrorKind::usage, "no file and point", "usage: embed FILE PARAMETER=VALUE...");
    predict(arguments[1], {arguments + 2, arguments + count});
    return 0;
} catch (const Error& error) {
    std::fprintf(stderr, "error: %s\nhint: %s\n", error.what(), error.hint().c_str());
    return exit_code(error.kind());
}
