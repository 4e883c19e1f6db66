#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/model/document.hpp"

namespace plimsoll::model {

namespace {

using nlohmann::json;

constexpr std::string_view our_schema = "plimsoll.fit/1";
constexpr std::string_view any_version = "\"plimsoll.fit/";
constexpr std::string_view hint = "write the models again with 'plimsoll fit ... -o models.json'";

[[noreturn]] void fail_at(const Place& place, const std::string& message) {
    throw Error(ErrorKind::input, place, message, std::string(hint));
}

/// Values of one file by their key; every complaint names the file, the model and the key.
class Reader {
  public:
    explicit Reader(const std::string& file) : place_{.file = file} {}

    /// Begins the complaints about what is read from now on.
    void enter(std::string where) { where_ = std::move(where); }

    [[noreturn]] void fail(const std::string& message) const {
        fail_at(place_, where_.empty() ? message : fmt::format("{}: {}", where_, message));
    }
    [[nodiscard]] const json& at(const json& object, const char* key) const {
        if (!object.is_object() || !object.contains(key)) fail(fmt::format("the key '{}' is missing", key));
        return object.at(key);
    }
    [[nodiscard]] double number(const json& object, const char* key) const {
        return as_number(at(object, key), key);
    }
    [[nodiscard]] double as_number(const json& value, const char* key) const {
        if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
        if (!value.is_number()) fail_type(value, key, "number");
        return value.get<double>();
    }
    /// A number that a function is made of, and so has to be there.
    [[nodiscard]] double finite(const json& object, const char* key) const {
        const json& value = at(object, key);
        if (value.is_null()) fail(fmt::format("'{}' is null, and a function needs finite numbers", key));
        return as_number(value, key);
    }
    [[nodiscard]] std::string text(const json& object, const char* key) const {
        return as_text(at(object, key), key);
    }
    [[nodiscard]] std::string as_text(const json& value, const char* key) const {
        if (!value.is_string()) fail_type(value, key, "text");
        return value.get<std::string>();
    }
    [[nodiscard]] const json& list(const json& object, const char* key) const {
        const json& value = at(object, key);
        if (!value.is_array()) fail_type(value, key, "list");
        return value;
    }
    [[nodiscard]] std::vector<std::string> texts(const json& object, const char* key) const {
        std::vector<std::string> result;
        for (const json& value : list(object, key)) result.push_back(as_text(value, key));
        return result;
    }
    [[nodiscard]] std::vector<double> numbers(const json& object, const char* key) const {
        std::vector<double> result;
        for (const json& value : list(object, key)) result.push_back(as_number(value, key));
        return result;
    }
    [[nodiscard]] bool flag(const json& object, const char* key) const {
        const json& value = at(object, key);
        if (!value.is_boolean()) fail_type(value, key, "true or false");
        return value.get<bool>();
    }
    [[nodiscard]] const json& members(const json& object, const char* key) const {
        const json& value = at(object, key);
        if (!value.is_object()) fail_type(value, key, "object");
        return value;
    }
    [[nodiscard]] std::size_t count(const json& object, const char* key) const {
        const json& value = at(object, key);
        if (!value.is_number_unsigned()) fail(fmt::format("'{}' is no count", key));
        return value.get<std::size_t>();
    }

  private:
    [[noreturn]] void fail_type(const json& value, const char* key, std::string_view wanted) const {
        fail(fmt::format("'{}' is no {}, but of type {}", key, wanted, value.type_name()));
    }

    Place place_;
    std::string where_;
};

/// The functions of a document with known parameters.
class FunctionReader {
  public:
    FunctionReader(const Reader& reader, const std::vector<std::string>& parameters)
        : reader_(&reader), parameters_(&parameters) {}

    /// A sum of terms, or segments of such sums.
    [[nodiscard]] Function function(const json& object) const { return function(object, {}); }

  private:
    /// What a function may hold: the ones we write are no deeper than this, and a factor is one parameter's.
    struct Limits {
        bool segments = true;
        std::optional<std::size_t> only_parameter;
    };

    [[nodiscard]] Function function(const json& object, const Limits& limits) const {
        Function result;
        if (object.is_object() && object.contains("segments")) {
            if (!limits.segments) reader_->fail("segments lie within segments");
            if (object.contains("parameter")) result.segment_parameter = parameter(object);
            result.segments = segments(object, {.segments = false});
            return result;
        }
        result.constant = reader_->finite(object, "constant");
        for (const json& entry : reader_->list(object, "terms")) result.terms.push_back(term(entry, limits));
        return result;
    }

    [[nodiscard]] Term term(const json& object, const Limits& limits) const {
        Term result{.coefficient = reader_->finite(object, "coefficient"), .factors = {}};
        for (const json& entry : reader_->list(object, "factors")) {
            Factor next = factor(entry, limits);
            const auto is_same = [&](const Factor& f) { return f.parameter == next.parameter; };
            if (std::any_of(result.factors.begin(), result.factors.end(), is_same)) {
                reader_->fail(fmt::format("a term has two factors of '{}'", (*parameters_)[next.parameter]));
            }
            result.factors.push_back(std::move(next));
        }
        return result;
    }

    [[nodiscard]] Factor factor(const json& object, const Limits& limits) const {
        Factor result{.parameter = parameter(object), .exponent = {}, .log_exponent = {}, .segments = {}};
        if (limits.only_parameter && result.parameter != *limits.only_parameter) {
            reader_->fail(fmt::format("a factor of '{}' depends on '{}'",
                                      (*parameters_)[*limits.only_parameter],
                                      (*parameters_)[result.parameter]));
        }
        if (object.contains("segments")) {
            if (!limits.segments) reader_->fail("segments lie within segments");
            result.segments = segments(object, {.segments = false, .only_parameter = result.parameter});
        } else {
            result.exponent = exponent(object, "exponent");
            result.log_exponent = exponent(object, "log_exponent");
            if (object.contains("law")) result.law = law(object);
        }
        return result;
    }

    [[nodiscard]] Law law(const json& object) const {
        Law result{.kind = name_of(object, "law", LawKind::none)};
        if (result.kind != LawKind::exponential) return result;
        result.rate = reader_->finite(object, "rate");
        result.of = name_of(object, "of", LawArgument::linear);
        return result;
    }

    template <NamedEnum Enum>
    [[nodiscard]] Enum name_of(const json& object, const char* key, Enum any) const {
        const std::string name = reader_->text(object, key);
        for (const auto& entry : enum_names(any)) {
            if (entry.name == name) return entry.value;
        }
        reader_->fail(fmt::format("'{}' is no value of '{}'", name, key));
    }

    [[nodiscard]] std::vector<Segment> segments(const json& object, const Limits& limits) const {
        std::vector<Segment> result;
        for (const json& entry : reader_->list(object, "segments")) {
            Segment segment;
            if (!reader_->at(entry, "from").is_null()) segment.from = reader_->number(entry, "from");
            if (!reader_->at(entry, "to").is_null()) segment.to = reader_->number(entry, "to");
            segment.function = function(reader_->at(entry, "function"), limits);
            result.push_back(std::move(segment));
        }
        if (result.empty()) reader_->fail("a list of segments is empty");
        return result;
    }

    [[nodiscard]] std::size_t parameter(const json& object) const {
        const std::string name = reader_->text(object, "parameter");
        const auto found = std::find(parameters_->begin(), parameters_->end(), name);
        if (found == parameters_->end()) reader_->fail(fmt::format("there is no parameter '{}'", name));
        return static_cast<std::size_t>(found - parameters_->begin());
    }

    [[nodiscard]] Rational exponent(const json& object, const char* key) const {
        const std::string written = reader_->text(object, key);
        const auto rational = numeric::parse_rational(written);
        if (!rational) reader_->fail(fmt::format("'{}' is no exponent", written));
        return *rational;
    }

    const Reader* reader_;
    const std::vector<std::string>* parameters_;
};

Fitness read_fitness(const Reader& reader, const json& object) {
    return {.rss = reader.number(object, "rss"),
            .smape = reader.number(object, "smape"),
            .r2 = reader.number(object, "r2"),
            .adjusted_r2 = reader.number(object, "adjusted_r2")};
}

/// Numbers for each parameter, or none at all.
std::vector<double> for_parameters(const Reader& reader, const json& object, const char* key,
                                   std::size_t parameters) {
    std::vector<double> values = reader.numbers(object, key);
    if (!values.empty() && values.size() != parameters) {
        reader.fail(fmt::format("'{}' does not hold one value for each parameter", key));
    }
    return values;
}

/// A limit that is `null` is none.
Range read_range(const Reader& reader, const json& object) {
    Range range;
    if (!reader.at(object, "from").is_null()) range.from = reader.number(object, "from");
    if (!reader.at(object, "to").is_null()) range.to = reader.number(object, "to");
    if (!(range.from < range.to)) reader.fail("a form's range ends before it begins");
    return range;
}

std::vector<ChangePoint> read_changes(const Reader& reader, const json& object) {
    std::vector<ChangePoint> changes;
    for (const json& entry : reader.list(object, "changes")) {
        const ChangePoint change{.after = reader.finite(entry, "after"),
                                 .before = reader.finite(entry, "before"),
                                 .probability = reader.number(entry, "probability")};
        const bool follows = changes.empty() || changes.back().before <= change.after;
        if (!follows || !(change.after < change.before) || !(change.probability >= 0.0) ||
            change.probability > 1.0) {
            reader.fail("'changes' do not rise, or a probability is no number");
        }
        changes.push_back(change);
    }
    return changes;
}

WeighedForm read_form(const Reader& reader, const std::vector<std::string>& parameters, const json& object) {
    WeighedForm form{.probability = reader.number(object, "probability"),
                     .function = FunctionReader(reader, parameters).function(reader.at(object, "function")),
                     .has_constant = reader.flag(object, "has_constant"),
                     .degrees_of_freedom = reader.number(object, "degrees_of_freedom"),
                     .free_parameters = {},
                     .covariance = reader.numbers(object, "covariance")};
    if (object.contains("from") || object.contains("to")) form.range = read_range(reader, object);
    if (!form.range.is_everywhere() && parameters.size() != 1) {
        reader.fail("a form of the posterior has a range, which one parameter alone can have");
    }
    if (!form.function.segments.empty()) reader.fail("a form of the posterior has segments");
    for (const Term& term : form.function.terms) {
        for (const Factor& factor : term.factors) {
            if (!factor.segments.empty()) reader.fail("a form of the posterior has segments");
            if (!FormList::can_hold(factor.exponent) || !FormList::can_hold(factor.log_exponent)) {
                reader.fail("an exponent of the posterior has more digits than we write");
            }
        }
    }
    for (const std::string& name : reader.texts(object, "free_parameters")) {
        const auto found = std::find(parameters.begin(), parameters.end(), name);
        if (found == parameters.end()) reader.fail(fmt::format("there is no parameter '{}'", name));
        form.free_parameters.push_back(static_cast<std::size_t>(found - parameters.begin()));
    }
    const std::size_t unknowns =
        (form.has_constant ? 1 : 0) + form.function.terms.size() + form.free_parameters.size();
    if (form.covariance.size() != unknowns * (unknowns + 1) / 2) {
        reader.fail(fmt::format("a 'covariance' has {} and not {} numbers", form.covariance.size(),
                                unknowns * (unknowns + 1) / 2));
    }
    if (!(form.probability >= 0.0) || !(form.degrees_of_freedom > 0.0)) {
        reader.fail("a form's probability or degrees of freedom are no positive number");
    }
    return form;
}

Misfit read_misfit(const Reader& reader, std::size_t parameters, const json& object) {
    Misfit misfit{.origin = reader.numbers(object, "origin"),
                  .range = reader.numbers(object, "range"),
                  .length = reader.numbers(object, "length"),
                  .variance = reader.number(object, "variance"),
                  .noise = reader.number(object, "noise"),
                  .points = reader.numbers(object, "points"),
                  .residuals = reader.numbers(object, "residuals")};
    const bool fits = misfit.origin.size() == parameters && misfit.range.size() == parameters &&
                      misfit.length.size() == parameters && misfit.residuals.size() <= most_misfit_points &&
                      misfit.points.size() == misfit.residuals.size() * parameters;
    if (!fits) reader.fail("the lists of 'misfit' do not fit together");
    const auto all = [](const std::vector<double>& values, auto is_right) {
        return std::all_of(values.begin(), values.end(), is_right);
    };
    const auto is_positive = [](double value) { return value > 0.0 && std::isfinite(value); };
    const bool is_sound =
        is_positive(misfit.variance) && is_positive(misfit.noise) && all(misfit.points, is_positive) &&
        all(misfit.length, is_positive) &&
        all(misfit.range, [](double value) { return value >= 0.0 && std::isfinite(value); }) &&
        all(misfit.residuals, [](double value) { return std::isfinite(value); });
    if (!is_sound) reader.fail("a number of 'misfit' is not finite or not positive");
    return misfit;
}

/// Between changes there are forms, and beyond the last one.
void require_forms_of_regimes(const Reader& reader, const Posterior& posterior) {
    Range range;
    for (std::size_t r = 0; r <= posterior.changes.size(); ++r) {
        if (r > 0) range.from = posterior.changes[r - 1].after;
        range.to = r < posterior.changes.size() ? posterior.changes[r].before : Range{}.to;
        bool is_there = false;
        for (std::size_t i = 0; i < posterior.forms.size() && !is_there; ++i)
            is_there = posterior.forms.range(i) == range;
        if (!is_there) reader.fail("the posterior has no forms for a range between 'changes'");
    }
}

Posterior read_posterior(const Reader& reader, const std::vector<std::string>& parameters,
                         const json& object) {
    Posterior posterior;
    posterior.run_deviation = reader.number(object, "run_deviation");
    posterior.may_be_negative = reader.flag(object, "may_be_negative");
    posterior.discrepancy = reader.number(object, "discrepancy");
    if (object.contains("changes")) posterior.changes = read_changes(reader, object);
    posterior.middle = for_parameters(reader, object, "middle", parameters.size());
    posterior.largest = for_parameters(reader, object, "largest", parameters.size());
    posterior.step = for_parameters(reader, object, "step", parameters.size());
    if (object.contains("misfit")) {
        posterior.misfit = read_misfit(reader, parameters.size(), reader.at(object, "misfit"));
    }
    for (const json& entry : reader.list(object, "forms")) {
        const WeighedForm form = read_form(reader, parameters, entry);
        if (!form.free_parameters.empty() && posterior.middle.empty()) {
            reader.fail("'middle' is empty, but a form has free parameters");
        }
        posterior.forms.add(form);
    }
    if (posterior.forms.empty()) reader.fail("the posterior has no forms");
    require_forms_of_regimes(reader, posterior);
    return posterior;
}

RegionModel read_model(const Reader& reader, const std::vector<std::string>& parameters, const json& object) {
    RegionModel model{.region = reader.text(object, "region"),
                      .metric = reader.text(object, "metric"),
                      .unit = reader.text(object, "unit")};
    const std::string status = reader.text(object, "status");
    const auto names = enum_names(Status::ok);
    const auto* const known =
        std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.name == status; });
    if (known == names.end()) reader.fail(fmt::format("'{}' is no status of a model", status));
    model.status = known->value;
    if (model.status == Status::ok || object.contains("points"))
        model.points = reader.count(object, "points");
    if (model.status == Status::ok || object.contains("repetitions")) {
        model.repetitions = reader.count(object, "repetitions");
    }
    if (model.status != Status::ok) {
        model.reason = reader.text(object, "reason");
        return model;
    }
    model.function = FunctionReader(reader, parameters).function(reader.at(object, "function"));
    const json& quality = reader.at(object, "quality");
    model.quality = {.in_sample = read_fitness(reader, reader.at(quality, "in_sample")),
                     .leave_one_out = read_fitness(reader, reader.at(quality, "leave_one_out"))};
    model.warnings = reader.texts(object, "warnings");
    if (object.contains("posterior")) {
        model.posterior = read_posterior(reader, parameters, reader.at(object, "posterior"));
    }
    return model;
}

std::vector<double> read_measured_values(const Reader& reader, const json& root, const char* key,
                                         std::size_t parameters) {
    if (!root.contains(key)) return {};
    std::vector<double> values = reader.numbers(root, key);
    if (values.size() != parameters) {
        reader.fail(fmt::format("'{}' does not hold one value for each parameter", key));
    }
    return values;
}

void read_head(const Reader& reader, const json& root, FitDocument& document) {
    document.parameters = reader.texts(root, "parameters");
    if (document.parameters.empty()) reader.fail("there is no parameter");
    for (auto name = document.parameters.begin(); name != document.parameters.end(); ++name) {
        if (std::find(document.parameters.begin(), name, *name) != name) {
            reader.fail(fmt::format("the parameter '{}' is named twice", *name));
        }
    }
    document.smallest = read_measured_values(reader, root, "smallest", document.parameters.size());
    document.largest = read_measured_values(reader, root, "largest", document.parameters.size());
    for (const auto& [name, value] : reader.members(root, "options").items()) {
        if (value.is_structured()) continue;  // no option of ours
        document.options.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
        if (name == "tree") document.inclusive = value == "inclusive";
    }
    document.notes = reader.texts(root, "notes");
}

json parse(const std::string& content, const std::string& file) {
    try {
        return json::parse(content);
    } catch (const json::parse_error& error) {
        const std::size_t end = std::min(error.byte, content.size());
        const auto lines =
            std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(end), '\n');
        fail_at({.file = file, .line = static_cast<std::uint64_t>(lines) + 1},
                "is no JSON document from here on");
    } catch (const json::exception&) {
        fail_at({.file = file}, "holds a number that is too large");
    }
}

}  // namespace

bool is_document(Input& input) {
    const std::string_view head = trim(input.peek(4096));
    return head.starts_with('{') && head.substr(0, 200).find(any_version) != std::string_view::npos;
}

FitDocument read_document(Input& input) {
    Reader reader(input.name());
    const json root = parse(input.rest(), input.name());
    const std::string schema = reader.text(root, "schema");
    if (schema != our_schema && fmt::format("\"{}", schema).starts_with(any_version)) {
        throw Error(ErrorKind::input, Place{.file = input.name()},
                    fmt::format("was written by a later version of plimsoll (its schema is '{}', ours '{}')",
                                schema, our_schema),
                    "use that version, or write the models again with 'plimsoll fit ... -o models.json'");
    }
    if (schema != our_schema) reader.fail(fmt::format("is '{}' and not '{}'", schema, our_schema));
    FitDocument document;
    read_head(reader, root, document);
    for (const json& entry : reader.list(root, "models")) {
        const std::size_t number = document.models.size() + 1;
        const bool named = entry.is_object() && entry.contains("region") && entry["region"].is_string();
        reader.enter(named ? fmt::format("model {} ('{}')", number, entry["region"].get<std::string>())
                           : fmt::format("model {}", number));
        document.models.push_back(read_model(reader, document.parameters, entry));
    }
    return document;
}

}  // namespace plimsoll::model
