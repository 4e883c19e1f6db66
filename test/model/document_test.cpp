#include "plimsoll/model/document.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "plimsoll/core/error.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model {
namespace {

using nlohmann::json;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

FitDocument read(const std::string& text) {
    Input input("models.json", text);
    return read_document(input);
}

/// The message that reading ends in; empty where the text is read.
std::string error_of(const std::string& text) {
    try {
        (void)read(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
        EXPECT_EQ(error.place().file, "models.json") << error.what();
        EXPECT_NE(error.hint(), "");
        return error.what();
    }
    return {};
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same(const Function& a, const Function& b);

bool same(const std::vector<Segment>& a, const std::vector<Segment>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Segment& s, const Segment& t) {
        return s.from == t.from && s.to == t.to && same(s.function, t.function);
    });
}

bool same(const Factor& a, const Factor& b) {
    return a.parameter == b.parameter && a.exponent == b.exponent && a.log_exponent == b.log_exponent &&
           same(a.segments, b.segments);
}

bool same(const Function& a, const Function& b) {
    const bool same_terms = std::equal(
        a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(), [](const Term& s, const Term& t) {
            return same(s.coefficient, t.coefficient) &&
                   std::equal(s.factors.begin(), s.factors.end(), t.factors.begin(), t.factors.end(),
                              [](const Factor& f, const Factor& g) { return same(f, g); });
        });
    return same(a.constant, b.constant) && same_terms && a.segment_parameter == b.segment_parameter &&
           same(a.segments, b.segments);
}

bool same(const Fitness& a, const Fitness& b) {
    return same(a.rss, b.rss) && same(a.smape, b.smape) && same(a.r2, b.r2) &&
           same(a.adjusted_r2, b.adjusted_r2);
}

/// Predictions aside, which are made anew.
void expect_same(const FitDocument& a, const FitDocument& b) {
    EXPECT_EQ(a.parameters, b.parameters);
    EXPECT_EQ(a.largest, b.largest);
    EXPECT_EQ(a.options, b.options);
    EXPECT_EQ(a.inclusive, b.inclusive);
    EXPECT_EQ(a.notes, b.notes);
    ASSERT_EQ(a.models.size(), b.models.size());
    for (std::size_t i = 0; i < a.models.size(); ++i) {
        SCOPED_TRACE(a.models[i].region);
        const RegionModel& m = a.models[i];
        const RegionModel& o = b.models[i];
        EXPECT_EQ(
            std::tie(m.region, m.metric, m.unit, m.status, m.reason, m.points, m.repetitions, m.warnings),
            std::tie(o.region, o.metric, o.unit, o.status, o.reason, o.points, o.repetitions, o.warnings));
        EXPECT_TRUE(same(m.function, o.function));
        EXPECT_TRUE(same(m.quality.in_sample, o.quality.in_sample));
        EXPECT_TRUE(same(m.quality.leave_one_out, o.quality.leave_one_out));
    }
}

/// A document with a model of every kind.
FitDocument of_all_kinds() {
    const Fitness fitness{.rss = 0.1, .smape = 1.0 / 3.0, .r2 = 0.99, .adjusted_r2 = 0.98};
    const Factor root{.parameter = 0, .exponent = Rational(1, 2), .log_exponent = 1};
    const Factor square{.parameter = 1, .exponent = 2};
    const Function single{.constant = 1.25, .terms = {{.coefficient = 0.5, .factors = {root}}}};
    const Function line{.constant = -3.0, .terms = {{.coefficient = 1e-16, .factors = {{.exponent = 1}}}}};
    const std::vector<Segment> halves{{.to = 10.5, .function = single}, {.from = 10.5, .function = line}};
    FitDocument document{.parameters = {"p", "größe \"n\""},
                         .largest = {64.0, 1e9},
                         .options = {{"search", "extra-p"}, {"tree", "inclusive"}},
                         .inclusive = true,
                         .models = {},
                         .notes = {"runs.jsonl:7: a note with \\ and \t"}};
    const auto add = [&](const std::string& region, const Function& function) {
        document.models.push_back({.region = region,
                                   .metric = "time",
                                   .unit = "s",
                                   .points = 25,
                                   .repetitions = 5,
                                   .function = function,
                                   .quality = {.in_sample = fitness, .leave_one_out = fitness}});
    };
    add("main", {.constant = 7.0});
    add("main->solve", single);
    add("main->löse", {.terms = {{.coefficient = -2.0, .factors = {root, square}},
                                 {.coefficient = 1.0, .factors = {square}}}});
    add("main->halves", {.segment_parameter = 1, .segments = halves});
    add("main->factor",
        {.constant = 1.0, .terms = {{.coefficient = 2.0, .factors = {{.segments = halves}, square}}}});
    add("main->lost", {.constant = -3.0, .terms = {{.coefficient = 1e-9, .factors = {root}}}});
    document.models.back().quality = {};
    document.models.back().warnings = {"measured at 25 of 30 points", "überrascht"};
    add("main->few", {});
    document.models.back().status = Status::too_few_points;
    document.models.back().reason = "3 of 5 points";
    document.models.back().quality = {};
    return document;
}

TEST(Document, ReadsWhatItWrote) {
    const FitDocument document = of_all_kinds();
    expect_same(read(to_json(document)), document);
}

TEST(Document, OfFitsOfEveryModelerReadsBack) {
    const test::Points line = test::grid({test::powers_of_two(0, 11)});
    const auto bent = [](auto x) { return x[0] <= 40 ? 5.0 + x[0] : 9000.0 + 100.0 * x[0]; };
    for (const Modeler modeler : {Modeler::basic, Modeler::refining, Modeler::segmented}) {
        test::PlantedExperiment planted({"p"});
        planted.add("main", line, bent).add("flat", line, [](auto) { return 2.0; });
        const auto experiment = planted.build();
        const FitDocument document = make_document(
            experiment, fit_all(experiment, {.search = Search::extra_p, .modeler = modeler}, 1, silent()));
        const FitDocument again = read(to_json(document));
        expect_same(again, document);
        EXPECT_EQ(document.models.front().function.segments.empty(), modeler != Modeler::segmented);
    }
}

TEST(Document, LosesNoDigitOfANumber) {
    for (const double value : {0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, -0.0, 1e22}) {
        FitDocument document{.parameters = {"p"}, .largest = {value}};
        document.models.push_back({.region = "main", .function = {.constant = value}});
        const FitDocument again = read(to_json(document));
        EXPECT_EQ(again.models.front().function.constant, value);
        EXPECT_EQ(again.largest.front(), value);
    }
}

TEST(Document, HasTheKeysThatScriptsRelyOn) {
    FitDocument document = of_all_kinds();
    predict(document, {4096.0, 9000.0});
    const json root = json::parse(to_json(document));
    EXPECT_EQ(root["schema"], "plimsoll.fit/1");
    EXPECT_EQ(root["options"]["search"], "extra-p");
    const json& single = root["models"][1];
    EXPECT_EQ(single["status"], "ok");
    EXPECT_EQ(single["function"], json::parse(R"({"constant": 1.25, "terms": [{"coefficient": 0.5,
                  "factors": [{"parameter": "p", "exponent": "1/2", "log_exponent": "1"}]}]})"));
    EXPECT_EQ(single["formula"], "1.25 + 0.5 * p^(1/2) * log2(p)");
    EXPECT_EQ(single["growth"], "p^(1/2) * log2(p)");
    EXPECT_EQ(single["quality"]["in_sample"]["smape"], 1.0 / 3.0);
    EXPECT_EQ(single["predictions"][0]["at"], json::parse(R"({"p": 4096, "größe \"n\"": 9000})"));
    EXPECT_EQ(single["predictions"][0]["value"], 1.25 + 0.5 * 64.0 * 12.0);
    const json& halves = root["models"][3]["function"];
    EXPECT_TRUE(halves["segments"][0]["from"].is_null());
    EXPECT_EQ(halves["segments"][0]["to"], 10.5);
    EXPECT_EQ(halves["segments"][1]["from"], 10.5);
    EXPECT_TRUE(halves["segments"][1]["to"].is_null());
    EXPECT_TRUE(root["models"][5]["quality"]["in_sample"]["r2"].is_null()) << "non-finite numbers are null";
    const json& few = root["models"][6];
    EXPECT_EQ(few["status"], "too-few-points");
    EXPECT_EQ(few["reason"], "3 of 5 points");
    EXPECT_TRUE(few["function"].is_null());
}

TEST(Document, NamesRegionsMetricsAndLimitsOfTheExperiment) {
    test::PlantedExperiment planted({"p", "n"});
    const test::Points points = test::cross({{1, 2, 4, 8, 16}, {1, 2, 4, 8, 32}});
    planted.add("main->solve", points, [](auto x) { return 1.0 + 2.0 * x[0] + 3.0 * x[1]; });
    const auto experiment = planted.build();
    const FitDocument document =
        make_document(experiment, fit_all(experiment, {.search = Search::extra_p}, 1, silent()));
    EXPECT_EQ(document.parameters, (std::vector<std::string>{"p", "n"}));
    EXPECT_EQ(document.largest, (std::vector<double>{16, 32}));
    const RegionModel& model = document.models.front();
    EXPECT_EQ(model.region, "main->solve");
    EXPECT_EQ(model.metric, "time");
    EXPECT_EQ(model.unit, "s");
    ASSERT_EQ(model.warnings.size(), 2U) << "a cross has two more forms that fit";
    EXPECT_EQ(model.warnings[0].find("the form "), 0U);
}

TEST(Document, ReadsOneWithTheLeastKeysThatAreAgreedOn) {
    const FitDocument document =
        read(R"({"schema": "plimsoll.fit/1", "parameters": ["p"], "options": {}, "models": [
        {"region": "main->io", "metric": "time", "unit": "s", "status": "too-few-points", "reason": "3 of 5 points",
         "function": null}], "notes": []})");
    EXPECT_EQ(document.models.front().status, Status::too_few_points);
    EXPECT_EQ(document.models.front().reason, "3 of 5 points");
    EXPECT_TRUE(document.largest.empty());
    expect_same(read(to_json(document)), document);
}

TEST(Document, IgnoresKeysThatItDoesNotKnow) {
    json root = json::parse(to_json(of_all_kinds()));
    root["future"] = {1, 2, 3};
    root["options"]["nested"] = {{"a", 1}};
    root["models"][0]["future"] = "x";
    root["models"][1]["function"]["future"] = nullptr;
    EXPECT_EQ(error_of(root.dump()), "");
}

/// Pointers to every value of a document that lies in another.
std::vector<json::json_pointer> values_within(const json& root) {
    std::set<std::string> paths;
    const json leaves = root.flatten();
    for (const auto& [path, leaf] : leaves.items()) {
        for (json::json_pointer pointer(path); !pointer.empty(); pointer.pop_back())
            paths.insert(pointer.to_string());
    }
    std::vector<json::json_pointer> pointers;
    for (const std::string& path : paths) pointers.emplace_back(path);
    return pointers;
}

TEST(Document, WithAKeyLessIsReadOrRefusedByItsName) {
    const json whole = json::parse(to_json(of_all_kinds()));
    int refused = 0;
    for (const json::json_pointer& pointer : values_within(whole)) {
        json broken = whole;
        json& parent = broken[pointer.parent_pointer()];
        if (!parent.is_object()) continue;
        parent.erase(pointer.back());
        const std::string message = error_of(broken.dump());
        if (message.empty()) continue;
        // Without segments, a sum of terms is expected.
        const bool sums = pointer.back() == "segments";
        EXPECT_TRUE(sums || message.find("'" + pointer.back() + "'") != std::string::npos)
            << pointer << ": " << message;
        ++refused;
    }
    EXPECT_GT(refused, 100);
}

TEST(Document, WithAnotherTypeIsReadOrRefused) {
    const json whole = json::parse(to_json(of_all_kinds()));
    const std::vector<json> others{nullptr,       true,           -1,       1e300, "text",
                                   json::array(), json::object(), {nullptr}};
    int refused = 0;
    for (const json::json_pointer& pointer : values_within(whole)) {
        for (const json& other : others) {
            json broken = whole;
            broken[pointer] = other;
            refused += error_of(broken.dump()).empty() ? 0 : 1;  // an input error that names the file
        }
    }
    EXPECT_GT(refused, 500);
}

TEST(Document, SaysWhatIsWrongAndWhere) {
    const std::string good = to_json(of_all_kinds());
    const auto with = [&](const std::string& pointer, const json& value) {
        json broken = json::parse(good);
        broken[json::json_pointer(pointer)] = value;
        return error_of(broken.dump());
    };
    const std::string solve = "models.json: model 2 ('main->solve'): ";
    EXPECT_EQ(with("/schema", "plimsoll.fit/2"),
              "models.json: was written by a later version of plimsoll (its schema is 'plimsoll.fit/2', ours "
              "'plimsoll.fit/1')");
    EXPECT_EQ(with("/schema", "plimsoll.show/1"),
              "models.json: is 'plimsoll.show/1' and not 'plimsoll.fit/1'");
    EXPECT_EQ(with("/models/1/function/constant", nullptr),
              solve + "'constant' is null, and a function needs finite numbers");
    EXPECT_EQ(with("/models/1/function/terms/0/coefficient", nullptr),
              solve + "'coefficient' is null, and a function needs finite numbers");
    EXPECT_EQ(with("/parameters", json::array()), "models.json: there is no parameter");
    EXPECT_EQ(with("/parameters", {"p", "p"}), "models.json: the parameter 'p' is named twice");
    EXPECT_EQ(with("/largest", {1}), "models.json: 'largest' does not hold one value for each parameter");
    EXPECT_EQ(with("/parameters/0", 7), "models.json: 'parameters' is no text, but of type number");
    EXPECT_EQ(with("/options", {"search"}), "models.json: 'options' is no object, but of type array");
    EXPECT_EQ(with("/models/1/status", "good"), solve + "'good' is no status of a model");
    EXPECT_EQ(with("/models/1/points", -1), solve + "'points' is no count");
    EXPECT_EQ(with("/models/1/unit", 5), solve + "'unit' is no text, but of type number");
    EXPECT_EQ(with("/models/1/function/constant", "x"),
              solve + "'constant' is no number, but of type string");
    EXPECT_EQ(with("/models/1/function/terms", 3), solve + "'terms' is no list, but of type number");
    EXPECT_EQ(with("/models/1/function/terms/0/factors/0/parameter", "q"),
              solve + "there is no parameter 'q'");
    EXPECT_EQ(with("/models/1/function/terms/0/factors/0/exponent", "1/0"), solve + "'1/0' is no exponent");
    EXPECT_EQ(with("/models/2/function/terms/0/factors/0/parameter", "größe \"n\""),
              "models.json: model 3 ('main->löse'): a term has two factors of 'größe \"n\"'");
    EXPECT_EQ(with("/models/4/function/terms/0/factors/0/segments/0/function/terms/0/factors/0/parameter",
                   "größe \"n\""),
              "models.json: model 5 ('main->factor'): a factor of 'p' depends on 'größe \"n\"'");
    EXPECT_EQ(with("/models/3/function/segments", json::array()),
              "models.json: model 4 ('main->halves'): a list of segments is empty");
    EXPECT_EQ(with("/models/1", "x"), "models.json: model 2: the key 'region' is missing");
}

TEST(Document, SaysInWhichLineItBreaksOff) {
    const std::string good = to_json(of_all_kinds());
    EXPECT_EQ(error_of(""), "models.json:1: is no JSON document from here on");
    EXPECT_EQ(error_of("{\"schema\": \"plimsoll.fit/1\",\n\n nonsense}"),
              "models.json:3: is no JSON document from here on");
    for (std::size_t length = 0; length + 2 < good.size(); length += 97) {
        EXPECT_NE(error_of(good.substr(0, length)).find("is no JSON document from here on"),
                  std::string::npos);
    }
    EXPECT_NE(error_of(good + "{}"), "") << "something follows";
    EXPECT_NE(error_of("{\"schema\": \"plimsoll.fit/1\", \"largest\": [1e999]}"), "");
}

TEST(Document, TakesHostileNestingForAnError) {
    const std::size_t deep = 200'000;
    const std::string nested = std::string(deep, '[') + std::string(deep, ']');
    const std::string head =
        "{\"schema\": \"plimsoll.fit/1\", \"parameters\": [\"p\"], \"options\": {\"x\": ";
    EXPECT_NE(error_of(nested), "");
    EXPECT_EQ(error_of(head + nested + "}, \"models\": [], \"notes\": []}"), "")
        << "an option that is not known";
    EXPECT_NE(error_of(head + "1}, \"largest\": [" + nested + "], \"models\": [], \"notes\": []}"), "");
    std::string function = "{\"constant\": 1, \"terms\": []}";
    for (int i = 0; i < 5000; ++i)
        function = "{\"segments\": [{\"from\": null, \"to\": null, \"function\": " + function + "}]}";
    json root = json::parse(to_json(of_all_kinds()));
    std::string text = root.dump();
    const std::string constant = "{\"constant\":7,\"terms\":[]}";
    const std::size_t place = text.find(constant);
    ASSERT_NE(place, std::string::npos);
    EXPECT_EQ(error_of(text.replace(place, constant.size(), function)),
              "models.json: model 1 ('main'): segments lie within segments");
}

TEST(IsDocument, KnowsADocumentByItsBeginning) {
    const auto is = [](const std::string& text) {
        Input input("x", text);
        return is_document(input);
    };
    EXPECT_TRUE(is(to_json(of_all_kinds())));
    EXPECT_TRUE(is("  {\"schema\":\"plimsoll.fit/1\"}"));
    EXPECT_FALSE(is(""));
    EXPECT_FALSE(is("{\"params\": {\"p\": 4}, \"value\": 1}"));
    EXPECT_FALSE(is("plimsoll.fit/1"));
}

/// Models that are constants, so that their values are known.
FitDocument constants(const std::vector<std::pair<std::string, double>>& regions, bool inclusive = false) {
    FitDocument document{.parameters = {"p"}, .inclusive = inclusive};
    for (const auto& [region, value] : regions) {
        document.models.push_back({.region = region, .metric = "time", .function = {.constant = value}});
    }
    predict(document, {1.0});
    return document;
}

std::vector<double> shares(const FitDocument& document) {
    std::vector<double> result;
    for (const RegionModel& model : document.models) result.push_back(model.predictions.back().share);
    return result;
}

TEST(Predict, SharesAddUpToOneForEachMetric) {
    FitDocument document = constants({{"a", 3.0}, {"b", 1.0}, {"c", 12.0}});
    document.models.push_back({.region = "a", .metric = "bytes", .function = {.constant = 5.0}});
    predict(document, {2.0});
    EXPECT_EQ(shares(document), (std::vector<double>{3.0 / 16.0, 1.0 / 16.0, 12.0 / 16.0, 1.0}));
    EXPECT_EQ(document.models.front().predictions.size(), 2U);
    EXPECT_EQ(document.models.front().predictions.back().at, std::vector<double>{2.0});
}

TEST(Predict, CountsNegativeValuesAsNothing) {
    const FitDocument document = constants({{"a", 3.0}, {"b", -5.0}, {"c", 1.0}});
    EXPECT_EQ(shares(document), (std::vector<double>{0.75, 0.0, 0.25}));
    EXPECT_EQ(document.models[1].predictions.front().value, -5.0) << "the value stays what it is";
}

TEST(Predict, KnowsNoShareWhereThereIsNoTotalOrNoValue) {
    for (const double share : shares(constants({{"a", 0.0}, {"b", -1.0}}))) EXPECT_TRUE(std::isnan(share));
    const auto some =
        shares(constants({{"a", nan}, {"b", 2.0}, {"c", std::numeric_limits<double>::infinity()}}));
    EXPECT_TRUE(std::isnan(some[0]));
    EXPECT_EQ(some[1], 1.0);
    EXPECT_TRUE(std::isnan(some[2]));
}

TEST(Predict, TakesTheRootsForTheTotalOfInclusiveValues) {
    const std::vector<std::pair<std::string, double>> tree{
        {"main", 8.0}, {"main->a", 6.0}, {"main->a->b", 2.0}, {"main->c", 1.0}, {"other", 2.0}};
    EXPECT_EQ(shares(constants(tree, true)), (std::vector<double>{0.8, 0.6, 0.2, 0.1, 0.2}));
    // A region whose parent was not measured lies within its grandparent all the same.
    EXPECT_EQ(shares(constants({{"main", 8.0}, {"main->a->b", 2.0}}, true)),
              (std::vector<double>{1.0, 0.25}));
    EXPECT_EQ(shares(constants({{"mainly->a", 3.0}, {"main", 1.0}}, true)),
              (std::vector<double>{0.75, 0.25}));
}

TEST(Predict, TakesTheNextModelsBelowARootThatHasNone) {
    FitDocument document =
        constants({{"main", 8.0}, {"main->a", 6.0}, {"main->b", 2.0}, {"main->b->c", 1.0}}, true);
    document.models.front().status = Status::too_few_points;
    document.models.front().predictions.clear();
    predict(document, {1.0});
    EXPECT_TRUE(document.models.front().predictions.empty());
    EXPECT_EQ(document.models[1].predictions.back().share, 0.75);
    EXPECT_EQ(document.models[2].predictions.back().share, 0.25);
    EXPECT_EQ(document.models[3].predictions.back().share, 0.125);
}

}  // namespace
}  // namespace plimsoll::model
