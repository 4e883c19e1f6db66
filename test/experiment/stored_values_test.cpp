#include "plimsoll/experiment/detail/stored_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "plimsoll/experiment/detail/npy.hpp"
#include "test/support/extrap4_archive.hpp"

namespace plimsoll::experiment {
namespace {

using test::archive_error;
using test::archive_of;
using test::cells_of;
using test::document;
using test::Members;
using test::read_archive;

std::string array_of(std::string_view header, std::string_view cells) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    std::string text = "{" + std::string(header) + "}";
    text.resize(118, ' ');
    bytes.push_back(118);
    bytes.push_back(0);
    return bytes + text + std::string(cells);
}

Members with_values(const std::string& json, const std::string& array) {
    std::string index(detail::index_magic);
    for (const std::uint64_t number : {1, 16}) index += cells_of({number});
    return {{"values/0.vals", std::string(detail::values_magic) + array},
            {"values/0.indx", index},
            {"experiment.json", json}};
}

struct StoredArray {
    const char* what;
    std::string array;
    const char* statistics;
    std::vector<double> values;
    std::vector<std::uint32_t> locations;
};

class Extrap4Values : public testing::TestWithParam<StoredArray> {};

TEST_P(Extrap4Values, AreReadAsRepetitionsAndLocations) {
    SCOPED_TRACE(GetParam().what);
    Members members = with_values(
        document(R"({"coordinate":[4],"values":[0,0],)" + std::string(GetParam().statistics) + "}"),
        GetParam().array);
    for (int order = 0; order < 2; ++order) {
        const Experiment experiment = read_archive(archive_of(members));
        EXPECT_EQ(experiment.series[0].values, GetParam().values);
        EXPECT_EQ(experiment.series[0].locations, GetParam().locations);
        std::reverse(members.begin(), members.end());  // members may come in any order
    }
}

const double nan_value = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Each, Extrap4Values,
    testing::Values(StoredArray{"a list of repetitions",
                                array_of("'descr': '<f8', 'fortran_order': False, 'shape': (3,), ",
                                         cells_of({1.0, 2.0, 4.5})),
                                R"("mean":2.5)",
                                {1.0, 2.0, 4.5},
                                {}},
                    StoredArray{
                        "a single number",
                        array_of("'descr': '<f8', 'fortran_order': False, 'shape': (), ", cells_of({7.0})),
                        R"("mean":7)",
                        {7.0},
                        {}},
                    StoredArray{"whole numbers",
                                array_of("'descr': '<i8', 'fortran_order': False, 'shape': (2,), ",
                                         cells_of<std::int64_t>({-1, 5})),
                                R"("mean":2.0)",
                                {-1.0, 5.0},
                                {}},
                    StoredArray{"single precision",
                                array_of("'descr': '<f4', 'fortran_order': False, 'shape': (2,), ",
                                         cells_of<float>({0.5F, 1.5F})),
                                R"("mean":1.0)",
                                {0.5, 1.5},
                                {}},
                    StoredArray{"big endian",
                                array_of("'descr': '>f8', 'fortran_order': False, 'shape': (1,), ",
                                         cells_of({6.25}, true)),
                                R"("mean":6.25)",
                                {6.25},
                                {}},
                    StoredArray{"rows",
                                array_of("'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), ",
                                         cells_of({1.0, 2.0, 3.0, 6.0})),
                                R"("mean":3)",
                                {1.0, 2.0, 3.0, 6.0},
                                {2, 2}},
                    StoredArray{"columns",
                                array_of("'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), ",
                                         cells_of({1.0, 4.0, 2.0, 5.0, 3.0, 6.0})),
                                R"("mean":3.5)",
                                {1.0, 2.0, 3.0, 4.0, 5.0, 6.0},
                                {3, 3}},
                    StoredArray{"repetitions, processes and threads",
                                array_of("'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2), ",
                                         cells_of({1.0, 2.0, 3.0, nan_value, 5.0, 6.0, 7.0, 8.0})),
                                R"("mean":4.571428571428571)",
                                {1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0},
                                {3, 4}},
                    StoredArray{"rows padded with zeros, as Extra-P does",
                                array_of("'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), ",
                                         cells_of({1.0, 2.0, 3.0, 0.0})),
                                R"("mean":2)",
                                {1.0, 2.0, 3.0},
                                {2, 1}},
                    StoredArray{"idle threads that do not count",
                                array_of("'descr': '<f8', 'fortran_order': False, 'shape': (1, 4), ",
                                         cells_of({1.0, 0.0, 3.0, 0.0})),
                                R"("mean":2)",
                                {1.0, 3.0},
                                {2}},
                    StoredArray{"zeros that count",
                                array_of("'descr': '<f8', 'fortran_order': False, 'shape': (1, 4), ",
                                         cells_of({1.0, 0.0, 3.0, 0.0})),
                                R"("mean":1)",
                                {1.0, 0.0, 3.0, 0.0},
                                {4}}));

TEST(Extrap4, TrustsTheStatisticsWhereTheValuesDoNotFit) {
    const std::string array =
        array_of("'descr': '<f8', 'fortran_order': False, 'shape': (2,), ", cells_of({1.0, 2.0}));
    const Experiment experiment = read_archive(archive_of(with_values(
        document(R"({"coordinate":[4],"values":[0,0],"mean":70,"median":71,"repetitions":9})"), array)));
    EXPECT_EQ(experiment.series[0].measurements[0].summary.median, 71.0);
    EXPECT_EQ(experiment.series[0].measurements[0].repetitions, 9U);
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_EQ(to_text(experiment.notes[0]),
              "a.extra-p: the values of 'main' do not have the mean that the file states, and are left out");
}

TEST(Extrap4, NamesWhatIsWrongWithValues) {
    const auto error = [](std::string_view header, int index = 0) {
        return archive_error(archive_of(
            with_values(document(R"({"coordinate":[1],"values":[0,)" + std::to_string(index) + "]}"),
                        array_of(header, cells_of({1.0, 2.0})))));
    };
    EXPECT_EQ(error("'descr': '<f8', 'fortran_order': False, 'shape': (2,), "), "");
    EXPECT_EQ(error("'descr': '<f8', 'fortran_order': False, 'shape': (2,), ", 1),
              "a.extra-p: the file holds no values number 1 of chunk 0");
    EXPECT_EQ(error("'descr': '<f8', 'fortran_order': False, 'shape': (3,), "),
              "a.extra-p: an array of values announces 3 numbers and holds 2");
    EXPECT_EQ(error("'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999999), "),
              "a.extra-p: an array of values is too large");
    EXPECT_EQ(error("'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1), "),
              "a.extra-p: an array of values has 4 dimensions");
    EXPECT_EQ(error("'descr': '<f8', 'fortran_order': False, 'shape': (x,), "),
              "a.extra-p: an array of values has no readable shape");
    EXPECT_EQ(error("'descr': '|O', 'fortran_order': False, 'shape': (1,), "),
              "a.extra-p: an array of values has the type '|O', which is not known");
    EXPECT_EQ(error("'shape': (1,), "), "a.extra-p: an array of values does not tell its 'descr'");
    Members members = with_values(document(R"({"coordinate":[1],"values":[0,0]})"), "no array at all");
    EXPECT_EQ(archive_error(archive_of(members)),
              "a.extra-p: an array of values does not begin as NumPy's arrays do");
    members[0].second[0] = 'e';
    EXPECT_EQ(archive_error(archive_of(members)),
              "a.extra-p: the member 'values/0.vals' does not begin as it should");
}

TEST(ValuePlan, BeginsANewChunkBehindAFullOne) {
    detail::ValuePlan plan(400);
    std::vector<std::uint64_t> chunks;
    for (int i = 0; i < 5; ++i) chunks.push_back(plan.add(10).chunk);  // 208 bytes each
    EXPECT_EQ(chunks, (std::vector<std::uint64_t>{0, 0, 1, 1, 2}));
    EXPECT_EQ(plan.sizes(), (std::vector<std::uint64_t>{432, 432, 224}));
    EXPECT_EQ(plan.index(1), std::string(detail::index_magic) + cells_of<std::uint64_t>({2, 16, 224}));
}

TEST(Npy, ReadsBackWhatItWrites) {
    std::mt19937 random(3);
    for (const std::vector<std::uint64_t>& shape :
         {std::vector<std::uint64_t>{0}, {1}, {7}, {2, 3}, {100'000, 1}}) {
        std::vector<double> cells;
        for (std::uint64_t i = 0; i < shape[0] * (shape.size() > 1 ? shape[1] : 1); ++i)
            cells.push_back(static_cast<double>(random()));
        std::string bytes;
        detail::append_npy(bytes, shape, cells);
        EXPECT_EQ(bytes.size(), detail::npy_size(cells.size()));
        detail::NpyArray array;
        detail::read_npy(bytes + "more", {}, array);
        EXPECT_EQ(array.shape, shape);
        EXPECT_EQ(array.cells, cells);
    }
}

}  // namespace
}  // namespace plimsoll::experiment
