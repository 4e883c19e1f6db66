#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/extrap4_json.hpp"
#include "plimsoll/experiment/detail/formats.hpp"
#include "plimsoll/experiment/detail/stored_values.hpp"
#include "plimsoll/experiment/detail/zip.hpp"

namespace plimsoll::experiment::detail {

namespace {

using nlohmann::json;

constexpr const char* json_member = "experiment.json";

/// Puts what experiment.json tells into a builder.
class Extrap4File final : public Extrap4Listener {
  public:
    Extrap4File(const Input& input, const Place& place, ExperimentBuilder& builder,
                const StoredValues& values)
        : input_(input), place_(place), builder_(builder), values_(values) {}

    void part(const std::vector<std::string>& keys, std::string text) override;
    void measurement(const std::string& region, const std::string& metric,
                     const StoredMeasurement& stored) override;

    /// Whether measurements came before the names of their parameters, so that the document must be read
    /// again.
    [[nodiscard]] bool must_read_again() const { return early_measurements_ && has_parameters_; }
    /// From here on only measurements are taken.
    void read_again() { only_measurements_ = true; }
    void finish();

  private:
    void set_parameters(const json& names);
    void set_scaling(const json& name);
    void own_part(const std::string& key, const json& value);
    void add_values(SeriesId series, PointId point, const StoredMeasurement& stored);
    void add_summary(SeriesId series, PointId point, const StoredMeasurement& stored);
    [[noreturn]] void fail(const std::string& message) const {
        throw Error(ErrorKind::input, place_, message, "save the experiment again");
    }

    const Input& input_;
    const Place& place_;
    ExperimentBuilder& builder_;
    const StoredValues& values_;
    bool has_parameters_ = false;
    bool early_measurements_ = false;
    bool only_measurements_ = false;
    std::vector<std::pair<std::string, std::string>>
        region_tags_;  ///< given last, since they must not decide the order
    std::vector<std::pair<std::string, std::string>> metric_tags_;
    std::string region_;  ///< of the measurement before, and its metric and series
    std::string metric_;
    std::optional<SeriesId> series_;
    NpyArray array_;
    RawValues raw_;
};

void Extrap4File::set_parameters(const json& names) {
    if (!names.is_array()) fail("'parameters' is not a list of names");
    std::vector<std::string> parameters;
    for (const json& name : names) {
        if (!name.is_string()) fail("'parameters' is not a list of names");
        parameters.push_back(name.get<std::string>());
    }
    builder_.set_parameters(parameters, place_);
    has_parameters_ = true;
}

void Extrap4File::set_scaling(const json& name) {
    static const std::map<std::string, Scaling> scalings{
        {"weak", Scaling::weak}, {"weak_threaded", Scaling::weak_threaded}, {"strong", Scaling::strong}};
    if (name.is_null()) return;
    const auto found = name.is_string() ? scalings.find(name.get<std::string>()) : scalings.end();
    if (found == scalings.end()) fail(fmt::format("the scaling {} is not known", name.dump()));
    builder_.state_scaling(found->second, place_);
}

/// What our own writer adds: see docs/formats/extra-p.md.
void Extrap4File::own_part(const std::string& key, const json& value) {
    if (key == "parameter_units") {
        for (const auto& [name, unit] : value.items())
            builder_.set_parameter_unit(name, unit.get<std::string>());
    } else if (key == "metrics") {
        for (const json& row : value) {
            builder_.set_unit(builder_.metric(row.at(0).get<std::string>()), row.at(1).get<std::string>());
        }
    } else if (key == "regions") {
        for (const json& path : value) (void)builder_.region(path.get<std::string>());
    } else if (key == "points") {
        for (const json& point : value) (void)builder_.point(point.get<std::vector<double>>(), place_);
    } else if (key == "series") {
        for (const json& row : value) {
            (void)builder_.series(builder_.region(row.at(0).get<std::string>()),
                                  builder_.metric(row.at(1).get<std::string>()));
        }
    } else if (key == "tree") {
        if (value.get<std::string>() == "inclusive") builder_.state_inclusive();
    } else if (key == "notes") {
        const auto count = [](const json& number) {
            return number.get_ref<const json::number_unsigned_t&>();
        };
        for (const json& row : value) {
            builder_.rest().notes.push_back({.place = {.file = row.at("file"), .line = count(row.at("line"))},
                                             .message = row.at("message"),
                                             .count = count(row.at("count"))});
        }
    }
}

void Extrap4File::part(const std::vector<std::string>& keys, std::string text) {
    if (only_measurements_) return;
    const std::string& first = keys.front();
    if (first == "modelers") {
        std::string& modelers = builder_.rest().extrap_modelers;
        if (!modelers.empty())
            builder_.note(place_, "models in this file are left out beside those of the first file");
        if (modelers.empty()) modelers = std::move(text);
    } else if (first == "callpaths") {
        region_tags_.emplace_back(keys[1], std::move(text));
    } else if (first == "metrics") {
        metric_tags_.emplace_back(keys[1], std::move(text));
    } else if (first == "plimsoll" && keys.size() > 2) {
        builder_.rest().metadata.emplace(keys[2], std::move(text));
    } else {
        const json value = json::parse(text);
        try {
            if (first == "parameters") set_parameters(value);
            if (first == "scaling") set_scaling(value);
            if (first == "plimsoll") own_part(keys[1], value);
        } catch (const json::exception&) {
            fail(fmt::format("'{}' in experiment.json does not have the structure that plimsoll writes",
                             keys.back()));
        }
    }
}

void Extrap4File::add_summary(SeriesId series, PointId point, const StoredMeasurement& stored) {
    if (!stored.mean && !stored.median) fail(fmt::format("a measurement of '{}' has no mean", region_));
    numeric::Summary summary;
    summary.mean = stored.mean.value_or(stored.median.value_or(0.0));
    summary.median = stored.median.value_or(summary.mean);
    const bool complete = stored.minimum && stored.maximum && stored.deviation &&
                          std::isfinite(*stored.minimum) && std::isfinite(*stored.maximum) &&
                          std::isfinite(*stored.deviation);
    if (complete) {
        summary.minimum = *stored.minimum;
        summary.maximum = *stored.maximum;
        summary.deviation = *stored.deviation;
    }
    builder_.add_summary(series, point, summary, complete, stored.repetitions, place_);
}

void Extrap4File::add_values(SeriesId series, PointId point, const StoredMeasurement& stored) {
    values_.read(*stored.values, array_);
    const bool mean_is_known = stored.mean && std::isfinite(*stored.mean);
    if (!take_values(array_, mean_is_known ? stored.mean : std::nullopt, raw_)) {
        builder_.note(
            place_,
            fmt::format("the values of '{}' do not have the mean that the file states, and are left out",
                        region_));
        add_summary(series, point, stored);
        return;
    }
    if (array_.shape.size() < 2) {
        builder_.add_repetitions(series, point, raw_.values, place_);
        return;
    }
    std::span<const double> rest = raw_.values;
    for (const std::uint32_t count : raw_.counts) {
        builder_.add_repetition(series, point, rest.first(count), place_);
        rest = rest.subspan(count);
    }
}

void Extrap4File::measurement(const std::string& region, const std::string& metric,
                              const StoredMeasurement& stored) {
    input_.poll();  // the archive was read as a whole before
    if (!has_parameters_) {
        early_measurements_ = true;
        return;
    }
    if (!series_ || region != region_ || metric != metric_) {
        region_ = region;
        metric_ = metric;
        series_ = builder_.series(builder_.region(region), builder_.metric(metric));
    }
    const PointId point = builder_.point(stored.coordinate, place_);
    if (stored.values) {
        add_values(*series_, point, stored);
    } else {
        add_summary(*series_, point, stored);
    }
}

void Extrap4File::finish() {
    if (!has_parameters_) fail("experiment.json names no parameters");
    for (auto& [path, tags] : region_tags_)
        builder_.rest().regions[index(builder_.region(path))].tags = std::move(tags);
    for (auto& [name, tags] : metric_tags_)
        builder_.rest().metrics[index(builder_.metric(name))].tags = std::move(tags);
}

}  // namespace

bool is_extrap4(const Probe& probe) {
    if (probe.path.ends_with(".extra-p")) return true;
    return probe.head.starts_with("PK") && (probe.head.find(json_member) != std::string_view::npos ||
                                            probe.head.find(values_magic) != std::string_view::npos);
}

void read_extrap4(Input& input, ExperimentBuilder& builder, const ReadOptions& /*options*/) {
    const Place place{.file = input.name()};
    // The archive's members may come in any order, and its directory stands at the end.
    const std::string archive = input.rest();
    StoredValues values(place);
    int documents = 0;
    read_zip(archive, place, [&](const std::string& name, ZipMember& member) {
        if (StoredValues::is_member(name)) values.add(name, member.rest());
        documents += name == json_member ? 1 : 0;
    });
    if (documents != 1) {
        throw Error(ErrorKind::input, place,
                    fmt::format("the archive holds {} of the name {}",
                                counted(static_cast<std::size_t>(documents), "member"), json_member),
                    "check that Extra-P 4 wrote the file");
    }
    Extrap4File file(input, place, builder, values);
    const auto read_document = [&] {
        read_zip(archive, place, [&](const std::string& name, ZipMember& member) {
            if (name == json_member) read_extrap4_json(member, place, file);
        });
    };
    read_document();
    if (file.must_read_again()) {
        file.read_again();
        read_document();
    }
    file.finish();
}

}  // namespace plimsoll::experiment::detail
