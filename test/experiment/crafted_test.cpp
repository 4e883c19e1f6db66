// Files made to be difficult, most of which Extra-P rejects: what each is read as, or what its error says.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "plimsoll/experiment/reader.hpp"
#include "test/support/shared_data.hpp"

namespace plimsoll::experiment {

namespace {

/// Sizes of an experiment that was read.
struct Sizes {
    std::size_t parameters;
    std::size_t points;
    std::size_t series;
    std::size_t measurements;
    std::size_t repetitions;

    friend bool operator==(const Sizes&, const Sizes&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Sizes& s) {
        return out << s.parameters << " parameters, " << s.points << " points, " << s.series << " series, "
                   << s.measurements << " measurements, " << s.repetitions << " repetitions";
    }
};

Sizes sizes_of(const Experiment& experiment) {
    Sizes sizes{experiment.parameters.size(), experiment.point_count(), experiment.series.size(), 0, 0};
    for (const Series& series : experiment.series) {
        sizes.measurements += series.measurements.size();
        for (const Measurement& measurement : series.measurements)
            sizes.repetitions += measurement.repetitions;
    }
    return sizes;
}

struct Accepted {
    const char* file;
    Sizes sizes;
    const char* note = "";  ///< the only one, without its file
};

struct Rejected {
    const char* file;
    const char* format;   ///< that the user names; empty where it is detected
    const char* message;  ///< without its file
    const char* hint;
};

constexpr const char* begin_each_line = "begin each line with PARAMETER, POINTS, REGION, METRIC or DATA";
constexpr const char* numbers_in_text = "write numbers as 12, 1.5 or 1e6, separated by blanks";
constexpr const char* name_parameters = "name the parameters first, such as 'PARAMETER p'";
constexpr const char* list_points = "list the points before the first DATA line, such as 'POINTS 4 8 16'";
constexpr const char* group_size = "give each point one number for each parameter";
constexpr const char* one_line_a_point = "give as many DATA lines as POINTS lists points";
constexpr const char* cut_line = "drop the line if its program was stopped while writing it";
constexpr const char* talpas_keys = "a Talpas line has the keys parameters, metric, callpath and value";
constexpr const char* leave_out_format = "leave out --format, so that the format is detected";

std::vector<Accepted> accepted() {
    return {
        // Extra-P reads these as well.
        {"crafted/all_zero.txt", {1, 5, 1, 5, 5}},
        {"crafted/amdahl.txt", {1, 6, 1, 6, 6}},
        {"crafted/below_one.txt", {1, 5, 1, 5, 5}},
        {"crafted/callpath_gaps.txt", {1, 5, 3, 15, 30}},
        {"crafted/constant_exact.txt", {1, 5, 1, 5, 5}},
        {"crafted/decreasing.txt", {1, 5, 1, 5, 5}},
        {"crafted/decreasing_floor.txt", {1, 5, 1, 5, 5}},
        {"crafted/first_zero.txt", {1, 5, 1, 5, 5}},
        {"crafted/four_param.txt", {4, 36, 1, 36, 36}},
        {"crafted/four_points.txt", {1, 4, 1, 4, 4}},
        {"crafted/huge_values.txt", {1, 5, 1, 5, 5}},
        {"crafted/inf_value.txt", {1, 5, 1, 4, 4}, ":6: a value of 'r' is not finite (inf) and is left out"},
        {"crafted/inverse.txt", {1, 6, 1, 6, 6}},
        {"crafted/json_five_params.json", {5, 25, 1, 25, 25}},
        {"crafted/json_scalar_values.json", {1, 5, 1, 5, 5}},
        {"crafted/jsonl_defaults.jsonl", {1, 5, 1, 5, 5}},
        {"crafted/jsonl_extra_param.jsonl",
         {1, 2, 1, 2, 2},
         ":2: the parameter 'q' is not known and is ignored"},
        {"crafted/jsonl_mixed_lists.jsonl", {1, 5, 1, 5, 15}},
        {"crafted/jsonl_nan.jsonl",
         {1, 5, 1, 4, 4},
         ":2: a value of '<root>' is not finite (nan) and is left out"},
        {"crafted/jsonl_repetition_lines.jsonl", {1, 5, 1, 5, 15}},
        {"crafted/jsonl_string_param.jsonl",
         {1, 5, 1, 5, 5},
         ":1: numbers are written as strings, and read as numbers"},
        {"crafted/large_parameters.txt", {1, 5, 1, 5, 5}},
        {"crafted/metric_missing_in_one_region.txt", {1, 5, 3, 15, 25}},
        {"crafted/metrics_interleaved.txt", {1, 5, 4, 20, 30}},
        {"crafted/mixed_sign.txt", {1, 5, 1, 5, 5}},
        {"crafted/nan_value.txt", {1, 5, 1, 4, 4}, ":6: a value of 'r' is not finite (nan) and is left out"},
        {"crafted/negative_point.txt", {1, 5, 1, 5, 5}},
        {"crafted/negative_values.txt", {1, 5, 1, 5, 5}},
        {"crafted/no_metric.txt", {1, 5, 1, 5, 10}},
        {"crafted/noisy_constant.txt", {1, 5, 1, 5, 25}},
        {"crafted/one_point.txt", {1, 1, 1, 1, 3}},
        {"crafted/outlier_repetition.txt", {1, 5, 1, 5, 25}},
        {"crafted/point_one.txt", {1, 5, 1, 5, 5}},
        {"crafted/point_zero.txt", {1, 5, 1, 5, 5}},
        {"crafted/quadratic_12.txt", {1, 12, 1, 12, 12}},
        {"crafted/ragged_repetitions.txt", {1, 5, 1, 5, 11}},
        {"crafted/segmented_step.txt", {1, 12, 1, 12, 12}},
        {"crafted/slow_growth.txt", {1, 5, 1, 5, 10}},
        {"crafted/some_zero.txt", {1, 5, 1, 5, 5}},
        {"crafted/step_time_dl.txt", {1, 5, 1, 5, 5}},
        {"crafted/tabs_crlf.txt", {1, 5, 1, 5, 10}},
        {"crafted/talpas_semicolon_in_name.txt", {1, 5, 1, 5, 5}},
        {"crafted/three_regimes.txt", {1, 30, 1, 30, 30}},
        {"crafted/tiny_values.txt", {1, 5, 1, 5, 5}},
        {"crafted/two_param_additive_cross.txt", {2, 9, 1, 9, 9}},
        {"crafted/two_param_cross.txt", {2, 9, 1, 9, 9}},
        {"crafted/two_param_cross_plus1.txt", {2, 10, 1, 10, 10}},
        {"crafted/two_param_diagonal.txt", {2, 5, 1, 5, 5}},
        {"crafted/two_param_one_constant.txt", {2, 25, 1, 25, 25}},
        {"crafted/two_param_zero_value.txt", {2, 25, 1, 25, 25}},
        {"crafted/two_points.txt", {1, 2, 1, 2, 2}},
        {"crafted/unsorted_points.txt", {1, 5, 1, 5, 5}},
        {"crafted/utf8_names.txt", {1, 5, 1, 5, 10}},
        // Extra-P rejects these; nothing in them is wrong enough for it.
        {"crafted/duplicate_point.txt", {1, 5, 1, 5, 6}},
        {"crafted/duplicate_region.txt",
         {1, 5, 1, 5, 20},
         ":11: 'r' / 'time' comes again; its values count as further repetitions"},
        {"crafted/empty_data_line.txt",
         {1, 5, 1, 4, 4},
         ":5: a DATA line has no value; its point counts as missing"},
        {"crafted/five_parameters.txt", {5, 2, 1, 2, 2}},
        {"crafted/json_duplicate_point.json", {1, 5, 1, 5, 6}},
        {"crafted/json_incomplete_callpath.json", {1, 5, 2, 8, 8}},
        {"crafted/json_string_values.json",
         {1, 5, 1, 5, 5},
         ":1: numbers are written as strings, and read as numbers"},
        {"crafted/jsonl_incomplete.jsonl", {1, 5, 2, 9, 9}},
        {"crafted/jsonl_single_line.jsonl", {1, 1, 1, 1, 1}},
        {"crafted/leading_space.txt", {1, 5, 1, 5, 10}},
        {"crafted/lowercase_keyword.txt", {1, 5, 1, 5, 10}},
        {"crafted/no_region.txt", {1, 5, 1, 5, 10}},
        {"crafted/points_nested_parens.txt", {2, 2, 1, 2, 2}},
        {"crafted/too_few_data.txt", {1, 5, 1, 4, 8}, ":8: 'r' / 'time' has DATA for 4 of 5 points"},
        {"input/experiments_MP/experiment_MP_neg1.txt",
         {2, 25, 4, 99, 440},
         ":32: 'met1' / '' has DATA for 24 of 25 points"},
        {"json/input_11.JSON", {1, 5, 1, 4, 20}},
        {"talpas/talpas_10_neg.txt", {1, 5, 2, 8, 35}},
    };
}

std::vector<Rejected> rejected() {
    return {
        {"crafted/empty.txt", "", ": the file is empty", "check that the program wrote its measurements"},
        {"crafted/json_array_top.json", "", ":1: the document is a list, not an object",
         "give an object with 'parameters' and 'measurements', the old form with 'callpaths' beside them, or "
         "JSON lines "
         "with 'params' and 'value'"},
        {"crafted/json_empty_values.json", "", ":1: nothing was measured",
         "the first note says: a measurement has no values; its point counts as missing"},
        {"crafted/json_missing_measurements.json", "", ":1: the document has no 'measurements'",
         "add 'measurements' to it"},
        {"crafted/json_missing_point.json", "", ":1: a measurement has no 'point'", "add 'point' to it"},
        {"crafted/json_not_json.json", "json",
         ":1: 'this is not json' is not the beginning of a JSON document", leave_out_format},
        {"crafted/json_truncated.json", "", ":1: the document ends in the middle",
         "check that the file was written to its end"},
        {"crafted/jsonl_bad_line.jsonl", "", ":2: the line ends in the middle of its object", cut_line},
        {"crafted/jsonl_missing_param.jsonl", "", ":2: parameter 'q' is missing",
         "give a value for each of p, q"},
        {"crafted/jsonl_missing_value.jsonl", "", ":2: the line has no 'value'",
         R"(write lines such as {"params": {"p": 4}, "region": "main", "value": 1.5})"},
        {"crafted/no_data.txt", "", ":3: nothing was measured",
         "the first note says: region 'r' has no DATA lines"},
        {"crafted/no_parameter.txt", "", ":1: no PARAMETER line stands before this one", name_parameters},
        {"crafted/no_points.txt", "", ":4: no POINTS line stands before this one", list_points},
        {"crafted/non_numeric_data.txt", "", ":6: DATA value 'abc' is not a number", numbers_in_text},
        {"crafted/non_numeric_point.txt", "", ":2: coordinate 'x' is not a number", numbers_in_text},
        {"crafted/only_comments.txt", "text", ": the file has no PARAMETER line", name_parameters},
        {"crafted/points_no_parens_2p.txt", "", ":7: DATA line 3 of 'r', but there are 2 points",
         one_line_a_point},
        {"crafted/talpas_broken.txt", "", ":1: the line ends in the middle of its object", cut_line},
        {"crafted/talpas_missing_metric.txt", "", ":1: the line has no 'metric'", talpas_keys},
        {"crafted/too_many_data.txt", "", ":10: DATA line 6 of 'r', but there are 5 points",
         one_line_a_point},
        {"crafted/unknown_keyword.txt", "", ":3: unknown keyword 'CALLPATH'", begin_each_line},
        {"crafted/wrong_dimension.txt", "", ":2: the group '(2 3 4)' has 3 numbers for 2 parameters",
         group_size},
        {"input/experiments_MP/experiment_MP_neg2.txt", "",
         ":34: DATA line 26 of 'met1', but there are 25 points", one_line_a_point},
        {"input/experiments_SP/experiment3_neg.txt", "",
         ":5: the last group '16000' has 1 number for 4 parameters", group_size},
        {"input/experiments_SP/experiment_neg.txt", "", ":1: no PARAMETER line stands before this one",
         name_parameters},
        // A good file, and the wrong --format.
        {"talpas/talpas_1.txt", "jsonl", ":1: semicolons stand where JSON has commas",
         "read Talpas lines with --format talpas"},
        {"talpas/talpas_1.txt", "json", ":1: semicolons stand where JSON has commas",
         "read Talpas lines with --format talpas"},
        {"text/one_parameter_1.txt", "jsonl", ":1: 'PARAMETER x' is not the beginning of JSON lines",
         leave_out_format},
        {"text/one_parameter_1.txt", "json", ":1: 'PARAMETER x' is not the beginning of a JSON document",
         leave_out_format},
        {"text/one_parameter_1.txt", "talpas", ":1: 'PARAMETER x' is not the beginning of Talpas lines",
         leave_out_format},
        {"jsonlines/test1.jsonl", "talpas", ":1: the line has no 'parameters'", talpas_keys},
        {"json/input_1.JSON", "text", ":1: unknown keyword '{'",
         "the file looks like JSON: leave out --format, so that the format is detected"},
        {"talpas/talpas_1.txt", "text",
         ":1: unknown keyword '{\"parameters\":{\"x\":20};\"metric\":\"time...'",
         "the file looks like JSON: leave out --format, so that the format is detected"},
    };
}

}  // namespace

TEST(Crafted, FilesThatAreRead) {
    PLIMSOLL_SHARED_OR_SKIP(data, "data/extrap");
    for (const Accepted& c : accepted()) {
        SCOPED_TRACE(c.file);
        const std::string path = data + "/" + c.file;
        try {
            const Experiment experiment = read(std::vector{path}, {}, silent());
            EXPECT_EQ(sizes_of(experiment), c.sizes);
            std::string notes;
            for (const Note& note : experiment.notes) notes += to_text(note);
            EXPECT_EQ(notes, *c.note == '\0' ? "" : path + c.note);
        } catch (const Error& error) {
            ADD_FAILURE() << error.what();
        }
    }
}

TEST(Crafted, FilesThatAreRejected) {
    PLIMSOLL_SHARED_OR_SKIP(data, "data/extrap");
    for (const Rejected& c : rejected()) {
        SCOPED_TRACE(c.file);
        const std::string path = data + "/" + c.file;
        try {
            (void)read(std::vector{path}, {.format = c.format}, silent());
            ADD_FAILURE() << "was read";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_EQ(error.what(), path + c.message);
            EXPECT_EQ(error.hint(), c.hint);
        }
    }
}

TEST(Crafted, FilesAreAllInTheTables) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/extrap/crafted");
    std::set<std::string> known;
    for (const Accepted& c : accepted()) known.insert(c.file);
    for (const Rejected& c : rejected()) known.insert(c.file);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".txt" && extension != ".json" && extension != ".jsonl") continue;
        EXPECT_TRUE(known.contains("crafted/" + entry.path().filename().string())) << entry.path();
    }
}

}  // namespace plimsoll::experiment
