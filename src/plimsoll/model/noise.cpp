#include "plimsoll/model/noise.hpp"

#include "plimsoll/model/detail/posterior/noise_evidence.hpp"

namespace plimsoll::model {

Noise detail::noise_of(const experiment::Experiment& experiment, const experiment::Series& series,
                       const NoiseEvidence& evidence) {
    Noise noise{.run_deviation = evidence.run_deviation, .outliers = {}, .drifts = evidence.drifts};
    for (const detail::Outlier& outlier : evidence.outliers) {
        const auto at = experiment.point(series.measurements[outlier.point].point);
        noise.outliers.push_back(
            {.at = {at.begin(), at.end()}, .value = outlier.value, .median = outlier.median});
    }
    return noise;
}

Noise noise_of(const experiment::Experiment& experiment, const experiment::Series& series,
               Statistic statistic) {
    return detail::noise_of(experiment, series, detail::read_noise(series, statistic));
}

void write(JsonWriter& json, const Noise& noise, const std::vector<std::string>& parameters) {
    json.begin_object().member("run_deviation", noise.run_deviation).member("drifts", noise.drifts);
    json.key("outliers").begin_array();
    for (const Outlier& outlier : noise.outliers) {
        json.begin_object().numbers("at", parameters, outlier.at);
        json.member("value", outlier.value).member("median", outlier.median).end_object();
    }
    json.end_array().end_object();
}

}  // namespace plimsoll::model
