#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/json_input.hpp"
#include "plimsoll/profile/detail/text_input.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr std::string_view whole_run = "run";
constexpr std::string_view unnamed = "value";  // results of expressions have no name

struct Sample {
    double time = 0.0;  ///< s
    double value = 0.0;
};

/// A time series, or a single sample of an instant.
struct Series {
    std::string name;
    std::map<std::string, std::string> labels;  ///< without the name
    std::vector<Sample> samples;
    std::size_t position = 0;  ///< in the answer, counted from 1
    bool is_range = false;
};

/// What becomes of a series.
struct Result {
    std::string region;
    std::string metric;
    std::string unit;
    std::string instance;
    double value = 0.0;
    bool is_sum = false;  ///< over instances; else a mean
};

/// A metric's unit stands at the end of its name, in front of what says how it counts.
struct Suffix {
    std::string_view suffix;
    std::string_view unit;
};
constexpr std::array suffixes{Suffix{"_seconds", "s"}, Suffix{"_bytes", "B"}, Suffix{"_joules", "J"},
                              Suffix{"_watts", "W"}};

std::string_view without(std::string_view text, std::string_view suffix) {
    return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

std::string_view unit_of(std::string_view metric) {
    for (const std::string_view counting : {"_total", "_sum"}) metric = without(metric, counting);
    for (const Suffix& suffix : suffixes) {
        if (metric.ends_with(suffix.suffix)) return suffix.unit;
    }
    return {};
}

/// From the first to the last sample. A counter that falls has begun anew at 0.
double increase(const std::vector<Sample>& samples) {
    double sum = 0.0;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        const double before = samples[i - 1].value;
        const double now = samples[i].value;
        sum += now < before ? now : now - before;
    }
    return sum;
}

/// Of values that change evenly from sample to sample.
double integral(const std::vector<Sample>& samples) {
    double sum = 0.0;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        sum += 0.5 * (samples[i].time - samples[i - 1].time) * (samples[i].value + samples[i - 1].value);
    }
    return sum;
}

/// Over the time; of samples of one moment, over these.
double mean(const std::vector<Sample>& samples) {
    const double range = samples.back().time - samples.front().time;
    if (range > 0.0) return integral(samples) / range;
    double sum = 0.0;
    for (const Sample& sample : samples) sum += sample.value;
    return sum / static_cast<double>(samples.size());
}

class Reader {
  public:
    Reader(Input& input, Sink& sink) : place_{.file = input.name()}, sink_(&sink) {
        const nlohmann::json document = read_json(input);
        read_document(document);
    }

    void deliver() {
        find_regions();
        for (const Series& series : series_) names_.insert(series.name);
        for (const Series& series : series_) evaluate(series);
        Part part;
        part.place = place_;
        part.metadata = metadata_;
        std::map<std::string, std::uint32_t> locations;
        std::map<std::pair<std::string, std::string>, double> counts;
        for (const Result& result : results_) {
            locations.emplace(result.instance, 0);
            counts[{result.region, result.metric}] += 1.0;
        }
        std::uint32_t next = 0;
        for (auto& [instance, location] : locations) location = next++;
        const bool by_instance = all_have_all_instances(locations.size());
        for (const Result& result : results_) {
            std::uint32_t location = 0;
            double share = 1.0;
            if (by_instance) {
                location = locations.at(result.instance);
            } else if (!result.is_sum) {
                share = 1.0 / counts[{result.region, result.metric}];
            }
            part.add(sink_->builder.region(result.region), sink_->metric(result.metric, result.unit),
                     share * result.value, location);
        }
        sink_->parts.push_back(std::move(part));
    }

  private:
    [[noreturn]] void fail(const std::string& what,
                           const char* hint = "ask Prometheus again, for /api/v1/query_range") const {
        throw Error(ErrorKind::input, place_, what, hint);
    }

    void read_document(const nlohmann::json& document) {
        if (text_at(document, "status") == "error")
            fail(fmt::format("Prometheus answered with an error: {}", text_at(document, "error")));
        const auto data = document.is_object() ? document.find("data") : document.end();
        if (!document.is_object() || data == document.end() || !data->is_object())
            fail("holds no 'data' of an answer");
        const std::string type = text_at(*data, "resultType");
        const auto result = data->find("result");
        if ((type != "matrix" && type != "vector") || result == data->end() || !result->is_array())
            fail(fmt::format("holds a result of type '{}', not of type 'matrix' or 'vector'", type));
        std::size_t position = 0;
        for (const nlohmann::json& entry : *result) {
            ++position;
            if (!entry.is_object()) fail(fmt::format("result {} is no time series", position));
            read_series(entry, position);
        }
        if (left_out_ > 0) {
            sink_->builder.note(
                place_, left_out_ == 1
                            ? "1 sample is no finite number, and left out"
                            : fmt::format("{} samples are no finite numbers, and left out", left_out_));
        }
    }

    void read_series(const nlohmann::json& entry, std::size_t position) {
        Series series{.name = std::string(unnamed), .position = position};
        if (const auto metric = entry.find("metric"); metric != entry.end() && metric->is_object()) {
            for (const auto& [label, value] : metric->items()) {
                if (!value.is_string()) continue;
                if (label == "__name__") {
                    series.name = value.get<std::string>();
                } else {
                    series.labels.emplace(label, value.get<std::string>());
                }
            }
        }
        const auto values = entry.find("values");
        const auto value = entry.find("value");
        if (values != entry.end() && values->is_array()) {
            series.is_range = true;
            for (const nlohmann::json& sample : *values) read_sample(sample, series, position);
        } else if (value != entry.end()) {
            read_sample(*value, series, position);
        } else if (entry.contains("histograms") || entry.contains("histogram")) {
            sink_->builder.note(place_,
                                fmt::format("'{}' is a native histogram, and is left out", series.name));
        } else {
            fail(fmt::format("result {} ('{}') has no values", position, series.name));
        }
        std::stable_sort(series.samples.begin(), series.samples.end(),
                         [](const Sample& a, const Sample& b) { return a.time < b.time; });
        if (!series.samples.empty()) series_.push_back(std::move(series));
    }

    /// [time, "value"]
    void read_sample(const nlohmann::json& sample, Series& series, std::size_t position) {
        if (!sample.is_array() || sample.size() != 2 || !sample[0].is_number() || !sample[1].is_string())
            fail(fmt::format("a sample of result {} ('{}') is not [time, \"value\"]", position, series.name));
        const std::string& text = sample[1].get_ref<const std::string&>();
        const auto value = parse_number(text);
        if (!value) {
            fail(fmt::format("a sample of result {} ('{}') is no number: '{}'", position, series.name,
                             excerpt(text)));
        }
        if (!std::isfinite(*value)) {
            ++left_out_;
            return;
        }
        series.samples.push_back({.time = sample[0].get<double>(), .value = *value});
    }

    static bool names_instance(const std::string& label) { return label == "instance" || label == "job"; }

    /// Labels that tell series of a metric apart make its regions; those that all have alike are metadata.
    void find_regions() {
        std::map<std::string, std::map<std::string, std::set<std::string>>> values;  // by metric and label
        std::map<std::string, std::map<std::string, std::size_t>> named;
        std::map<std::string, std::size_t> sizes;
        for (const Series& series : series_) {
            ++sizes[series.name];
            for (const auto& [label, value] : series.labels) {
                values[series.name][label].insert(value);
                ++named[series.name][label];
            }
        }
        for (const auto& [metric, labels] : values) {
            for (const auto& [label, texts] : labels) {
                const bool in_all = named[metric][label] == sizes[metric];
                if (!names_instance(label) && (texts.size() > 1 || !in_all)) telling_[metric].insert(label);
            }
        }
        for (const auto& [label, text] :
             series_.empty() ? std::map<std::string, std::string>() : series_.front().labels) {
            const bool is_common = std::all_of(
                series_.begin(), series_.end(), [&, key = label, wanted = text](const Series& series) {
                    const auto found = series.labels.find(key);
                    return found != series.labels.end() && found->second == wanted;
                });
            if (is_common) metadata_.emplace(label, text);
        }
    }

    /// Whether a metric only grows, but for new beginnings: its name says so. Other things are called a count
    /// as well, so that of a histogram or summary is known by its sum or buckets.
    [[nodiscard]] bool is_counter(std::string_view name) const {
        constexpr std::string_view count = "_count";
        if (name.ends_with("_total") || name.ends_with("_sum") || name.ends_with("_bucket")) return true;
        const std::string stem(without(name, count));
        return name.ends_with(count) && (names_.contains(stem + "_sum") || names_.contains(stem + "_bucket"));
    }

    void evaluate(const Series& series) {
        Result result{.region = std::string(whole_run),
                      .metric = series.name,
                      .unit = std::string(unit_of(series.name))};
        std::vector<std::string> pieces;
        for (const auto& [label, value] : series.labels) {
            if (names_instance(label)) result.instance += value + '\n';
            if (telling_[series.name].contains(label)) pieces.push_back(fmt::format("{}={}", label, value));
        }
        if (!pieces.empty()) result.region = join(pieces, ", ");
        const bool counts = is_counter(series.name);
        result.is_sum = counts;
        if (counts && series.is_range) {
            if (series.samples.size() < 2) {
                sink_->builder.note(
                    place_, fmt::format("a counter has no increase from one sample alone: '{}' is left out",
                                        series.name));
                return;
            }
            result.value = increase(series.samples);
        } else {
            result.value = mean(series.samples);
        }
        add(result, series);
        // Power over time is energy, where that was not measured itself.
        constexpr std::string_view power = "_watts";
        if (!series.is_range || !series.name.ends_with(power) || series.samples.size() < 2) return;
        result.metric = std::string(without(series.name, power)) + "_joules";
        if (names_.contains(result.metric) || names_.contains(result.metric + "_total")) return;
        result.unit = "J";
        result.value = integral(series.samples);
        result.is_sum = true;
        add(result, series);
    }

    void add(const Result& result, const Series& series) {
        if (!std::isfinite(result.value)) {
            fail(fmt::format("the values of result {} ('{}') are too large to add up", series.position,
                             series.name),
                 "ask for them in a larger unit");
        }
        results_.push_back(result);
    }

    /// Whether each metric is there of each instance, and each mean in each region: that of counters is 0
    /// where it is not there. Otherwise it leaves a note.
    [[nodiscard]] bool all_have_all_instances(std::size_t instances) const {
        std::map<std::pair<std::string, std::string>, std::set<std::string>> having;  // by metric and region
        for (const Result& result : results_) {
            having[{result.metric, result.is_sum ? std::string() : result.region}].insert(result.instance);
        }
        std::set<std::string> lacking;
        for (const auto& [key, names] : having) {
            if (names.size() < instances) lacking.insert('\'' + key.first + '\'');
        }
        if (lacking.empty()) return true;
        const std::vector<std::string> metrics(lacking.begin(), lacking.end());
        sink_->builder.note(place_,
                            fmt::format("not every instance has {}: values are sums of counters and means of "
                                        "others over instances",
                                        join(metrics, ", ")));
        return false;
    }

    Place place_;
    Sink* sink_;
    std::vector<Series> series_;
    std::set<std::string> names_;                           ///< of metrics
    std::map<std::string, std::set<std::string>> telling_;  ///< labels by metric
    std::map<std::string, std::string> metadata_;
    std::vector<Result> results_;
    std::size_t left_out_ = 0;
};

}  // namespace

bool is_prometheus(const experiment::Probe& probe) {
    return has_key(probe, "status") &&
           ((has_key(probe, "data") && has_key(probe, "resultType")) || has_key(probe, "errorType"));
}

void read_prometheus(Input& input, Sink& sink) { Reader(input, sink).deliver(); }

}  // namespace plimsoll::profile::detail
