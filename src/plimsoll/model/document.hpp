#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/core/input.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/model/explanation.hpp"
#include "plimsoll/model/fit.hpp"

namespace plimsoll::model {

/// Value of one model at one point.
struct Prediction {
    std::vector<double> at;  ///< [parameters]
    double value = 0.0;      ///< not a number where the model is not defined there
    double share = 0.0;  ///< of the total of all regions for this metric; not a number where there is none
    /// Where the true value lies with probability `coverage`; empty for a model of one form alone.
    struct Interval {
        double coverage;
        double low;
        double high;
    };
    std::optional<Interval> interval = {};
};

/// The model of one region and metric, with the names that make it readable alone.
struct RegionModel {
    std::string region;
    std::string metric;
    std::string unit;
    Status status = Status::ok;
    std::string reason;
    std::size_t points = 0;
    std::size_t repetitions = 0;
    Function function;
    Quality quality;
    Posterior posterior;  ///< without forms where the search yields one form only
    std::vector<Prediction> predictions;
    std::vector<std::string> warnings;
    std::optional<Explanation> explanation = {};  ///< where it was asked for
};

/// The document `plimsoll.fit/1`: all models of an experiment. Its format is docs/formats/fit.md.
struct FitDocument {
    std::vector<std::string> parameters;
    std::vector<double> smallest;  ///< measured value of each parameter; empty where it is not known
    std::vector<double> largest;   ///< likewise
    std::vector<std::pair<std::string, std::string>> options;  ///< names and values, as they were in force
    bool inclusive = false;                                    ///< regions hold the values of their sub-trees
    std::vector<RegionModel> models;
    std::vector<std::string> notes;
};

/// The document of fits.
[[nodiscard]] FitDocument make_document(const experiment::Experiment& experiment, std::vector<Fit> fits);

/// What the record of a run says of an option; empty where it says nothing.
[[nodiscard]] std::string_view recorded_option(const FitDocument& document, std::string_view name);

/// Adds a prediction at a point to each model that is there, with its share of the total of its metric and,
/// where the model has a posterior, an interval of the given coverage; the value is then the median over the
/// posterior, which need not be the named function's. The total is the sum over all regions; where values are
/// inclusive, over those that lie within no other that has a model. Negative values count 0.
void predict(FitDocument& document, const std::vector<double>& at, double coverage = 0.9);

[[nodiscard]] std::string to_json(const FitDocument& document);

/// Writes a function as one JSON value, as the document has it.
void write(JsonWriter& json, const Function& function, const std::vector<std::string>& parameters);

/// Reads what `to_json` wrote, but for the predictions, which are made anew; keys that are not known are
/// ignored. Throws an input error that names the file, the model and what is wrong with it.
[[nodiscard]] FitDocument read_document(Input& input);

/// Whether an input begins as such a document does.
[[nodiscard]] bool is_document(Input& input);

}  // namespace plimsoll::model
