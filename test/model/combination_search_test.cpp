#include "plimsoll/model/detail/combination_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "plimsoll/numeric/least_squares.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model::detail {
namespace {

using Columns = std::vector<std::vector<double>>;

/// Values of a product of axes at each point.
std::vector<double> product_of(const Columns& axes, std::uint32_t product) {
    std::vector<double> column(axes.front().size(), 1.0);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        if ((product >> axis & 1U) == 0) continue;
        for (std::size_t i = 0; i < column.size(); ++i) column[i] *= axes[axis][i];
    }
    return column;
}

struct Plain {
    CombinationForm form;
    std::vector<double> coefficients;
    double score = 0.0;
};

/// The slow plain reference: solve each form, refuse what does not contribute, take the first of the best.
Plain choose_plainly(const Columns& axes, const std::vector<CombinationForm>& forms,
                     const std::vector<double>& y, Ranking ranking) {
    Plain best;
    for (const CombinationForm& form : forms) {
        Columns columns{std::vector<double>(y.size(), 1.0)};
        for (const std::uint32_t product : form) columns.push_back(product_of(axes, product));
        std::vector<double> matrix;
        for (std::size_t i = 0; i < y.size(); ++i) {
            for (const auto& column : columns) matrix.push_back(column[i]);
        }
        const auto c =
            numeric::solve_least_squares(matrix, columns.size(), y, numeric::RankCutOff::keep_most);
        double score = 0.0;
        bool contributes = true;
        for (std::size_t k = 1; k < columns.size(); ++k) {
            double largest_share = 0.0;
            for (std::size_t i = 0; i < y.size(); ++i) {
                largest_share = std::max(largest_share, std::abs(c[k] * columns[k][i] / y[i]));
            }
            contributes = contributes && c[k] != 0.0 && largest_share >= 0.0005;
        }
        for (std::size_t i = 0; i < y.size(); ++i) {
            double f = 0.0;
            for (std::size_t k = 0; k < columns.size(); ++k) f += c[k] * columns[k][i];
            score += ranking == Ranking::rss ? (f - y[i]) * (f - y[i])
                                             : std::abs(f - y[i]) / (std::abs(f) + std::abs(y[i]));
        }
        if (best.form.empty() || (contributes && score < best.score))
            best = {.form = form, .coefficients = c, .score = score};
    }
    return best;
}

/// Terms of the axes at the points of a layout: x, y^2, sqrt(z), log2(u) + 1 ...
Columns axis_terms(const test::Points& points) {
    Columns columns(points.front().size());
    for (const auto& point : points) {
        for (std::size_t axis = 0; axis < point.size(); ++axis) {
            const double x = point[axis];
            columns[axis].push_back(axis == 0   ? x
                                    : axis == 1 ? x * x
                                    : axis == 2 ? std::sqrt(x)
                                                : 1.0 + std::log2(x));
        }
    }
    return columns;
}

std::vector<double> values_of(const Columns& axes, const CombinationForm& form,
                              const std::vector<double>& coefficients) {
    std::vector<double> values(axes.front().size(), coefficients.front());
    for (std::size_t k = 0; k < form.size(); ++k) {
        const std::vector<double> column = product_of(axes, form[k]);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += coefficients[k + 1] * column[i];
    }
    return values;
}

test::Points grid_of(std::size_t axes) {
    return test::grid(std::vector<std::vector<double>>(
        axes, axes < 3 ? std::vector<double>{1, 2, 4, 8, 16} : std::vector<double>{1, 3, 8}));
}

TEST(CombinationForms, AreThoseOfExtraPInItsOrder) {
    EXPECT_EQ(combination_forms(1, Combinations::mixed), (std::vector<CombinationForm>{{1}}));
    EXPECT_EQ(combination_forms(2, Combinations::mixed),
              (std::vector<CombinationForm>{{3}, {1, 2}, {1, 3}, {2, 3}}));
    const auto three = combination_forms(3, Combinations::mixed);
    ASSERT_EQ(three.size(), 23U);
    EXPECT_EQ(three[0], (CombinationForm{7}));
    EXPECT_EQ(three[1], (CombinationForm{1, 2, 4}));
    EXPECT_EQ(three[22], (CombinationForm{6, 1, 4}));
    for (const std::size_t axes : {2U, 3U, 4U, 7U}) {
        const std::uint32_t all = (1U << axes) - 1;
        const auto forms = combination_forms(axes, Combinations::product_or_sum);
        ASSERT_EQ(forms.size(), 2U);
        EXPECT_EQ(forms[0], (CombinationForm{all}));
        EXPECT_EQ(forms[1].size(), axes);
    }
}

TEST(CombinationForms, EachUseEveryAxisAndNoProductTwice) {
    for (std::size_t axes = 1; axes <= 5; ++axes) {
        std::set<std::set<std::uint32_t>> distinct;
        for (const CombinationForm& form : combination_forms(axes, Combinations::mixed)) {
            const std::set<std::uint32_t> products(form.begin(), form.end());
            EXPECT_EQ(products.size(), form.size());
            std::uint32_t used = 0;
            for (const std::uint32_t product : form) used |= product;
            EXPECT_EQ(used, (1U << axes) - 1);
            EXPECT_TRUE(distinct.insert(products).second);
        }
    }
}

class Choice : public testing::TestWithParam<std::tuple<std::size_t, Ranking>> {};

TEST_P(Choice, EqualsSolvingEachFormByItself) {
    const auto [axes, ranking] = GetParam();
    const Columns terms = axis_terms(grid_of(axes));
    const auto forms = combination_forms(axes, Combinations::mixed);
    const ProductTable table(terms, forms);
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    std::set<CombinationForm> chosen;
    for (int round = 0; round < 200; ++round) {
        SCOPED_TRACE(round);
        const CombinationForm& planted = forms[random() % forms.size()];
        std::vector<double> coefficients{10.0 + normal(random)};
        for (std::size_t k = 0; k < planted.size(); ++k)
            coefficients.push_back(1.0 + std::abs(normal(random)));
        std::vector<double> y = values_of(terms, planted, coefficients);
        for (double& value : y) value *= 1.0 + 0.1 * normal(random);
        const Plain expected = choose_plainly(terms, forms, y, ranking);
        const Combination seen = table.choose(y, ranking);
        ASSERT_NE(seen.form, nullptr);
        EXPECT_EQ(*seen.form, expected.form);
        ASSERT_EQ(seen.coefficients.size(), expected.coefficients.size());
        for (std::size_t k = 0; k < expected.coefficients.size(); ++k) {
            EXPECT_NEAR(seen.coefficients[k], expected.coefficients[k],
                        1e-9 * std::abs(expected.coefficients[k]) + 1e-9);
        }
        chosen.insert(*seen.form);
    }
    EXPECT_GE(chosen.size(), std::min<std::size_t>(forms.size(), axes == 1   ? 1
                                                                 : axes == 3 ? 10
                                                                             : 2))
        << "the examples are to vary";
}
INSTANTIATE_TEST_SUITE_P(AxesAndRankings, Choice,
                         testing::Combine(testing::Values(1U, 2U, 3U, 4U, 5U),
                                          testing::Values(Ranking::smape, Ranking::rss)));

TEST(ProductTable, TakesTheFirstFormUncheckedWhereNoTermContributes) {
    std::mt19937 random(9);
    std::normal_distribution<double> normal;
    for (std::size_t axes = 1; axes <= 4; ++axes) {
        const Columns terms = axis_terms(grid_of(axes));
        const auto forms = combination_forms(axes, Combinations::mixed);
        std::vector<double> y;
        for (std::size_t i = 0; i < terms.front().size(); ++i) y.push_back(1.0 + 1e-6 * normal(random));
        const Combination seen = ProductTable(terms, forms).choose(y, Ranking::smape);
        EXPECT_EQ(*seen.form, forms.front());
        EXPECT_EQ(*seen.form, choose_plainly(terms, forms, y, Ranking::smape).form);
    }
}

TEST(ProductTable, FindsEveryPlantedForm) {
    for (std::size_t axes = 1; axes <= 5; ++axes) {
        const Columns terms = axis_terms(grid_of(axes));
        const auto forms = combination_forms(axes, Combinations::mixed);
        const ProductTable table(terms, forms);
        for (const CombinationForm& planted : forms) {
            SCOPED_TRACE(testing::PrintToString(planted));
            std::vector<double> coefficients{3.0};
            for (std::size_t k = 0; k < planted.size(); ++k)
                coefficients.push_back(1.0 + static_cast<double>(k));
            const Combination seen = table.choose(values_of(terms, planted, coefficients), Ranking::smape);
            EXPECT_EQ(*seen.form, planted);
            EXPECT_TRUE(seen.equals.empty());
            for (std::size_t k = 0; k < coefficients.size(); ++k) {
                EXPECT_NEAR(seen.coefficients[k], coefficients[k], 1e-9);
            }
        }
    }
}

TEST(ProductTable, ReportsFormsThatACrossDoesNotTellApart) {
    const auto points = test::cross({{1, 2, 4, 8, 16}, {1, 2, 4, 8, 16}});
    Columns terms(2);
    for (const auto& point : points) {
        terms[0].push_back(point[0]);
        terms[1].push_back(point[1]);
    }
    const auto forms = combination_forms(2, Combinations::mixed);
    const ProductTable table(terms, forms);
    std::vector<double> y;
    for (std::size_t i = 0; i < points.size(); ++i) {
        y.push_back(5.0 + 2.0 * terms[0][i] + 3.0 * terms[1][i] +
                    0.1 * std::sin(7.0 * static_cast<double>(i)));
    }
    const Combination seen = table.choose(y, Ranking::smape);
    // Through a corner at 1, x + y, x + x y and y + x y are the same functions on the lines.
    std::set<CombinationForm> alike{*seen.form};
    for (const CombinationForm* form : seen.equals) alike.insert(*form);
    EXPECT_EQ(alike, (std::set<CombinationForm>{{1, 2}, {1, 3}, {2, 3}}));
    EXPECT_EQ(seen.equals.size(), 2U);
}

TEST(ProductTable, ChoosesAlikeWhateverTheUnit) {
    const Columns terms = axis_terms(grid_of(3));
    const auto forms = combination_forms(3, Combinations::mixed);
    const ProductTable table(terms, forms);
    const std::vector<double> y = test::planted_values(
        grid_of(3), [](auto x) { return 4.0 + x[0] * x[1] * x[1] + 7.0 * x[2]; }, 0.02);
    const Combination expected = table.choose(y, Ranking::smape);
    for (const int exponent : {-60, -3, 1, 70}) {
        std::vector<double> scaled = y;
        for (double& value : scaled) value = std::ldexp(value, exponent);
        const Combination seen = table.choose(scaled, Ranking::smape);
        EXPECT_EQ(seen.form, expected.form);
        for (std::size_t k = 0; k < seen.coefficients.size(); ++k) {
            EXPECT_EQ(seen.coefficients[k], std::ldexp(expected.coefficients[k], exponent));
        }
    }
}

TEST(ProductTable, HasNoCoefficientsWhereAProductOverflows) {
    const Columns terms{{1e100, 2e100, 3e100}, {1e100, 1e101, 1e102}};
    const auto forms = combination_forms(2, Combinations::mixed);
    EXPECT_TRUE(
        ProductTable(terms, forms).choose(std::vector<double>{1, 2, 3}, Ranking::smape).coefficients.empty());
}

TEST(ProductTable, SurvivesTermsThatDependOnEachOther) {
    const std::vector<double> x{1, 2, 3, 4, 5, 6};
    const std::vector<double> y{3.1, 4.9, 7.2, 9.1, 10.8, 13.1};
    const auto forms = combination_forms(2, Combinations::mixed);
    for (const Columns& terms : {Columns{x, x}, Columns{x, std::vector<double>(6, 1.0)}}) {
        const Combination seen = ProductTable(terms, forms).choose(y, Ranking::smape);
        ASSERT_FALSE(seen.coefficients.empty());
        const Plain expected = choose_plainly(terms, forms, y, Ranking::smape);
        const auto predicted = values_of(terms, *seen.form, seen.coefficients);
        double score = 0.0;
        for (std::size_t i = 0; i < y.size(); ++i)
            score += std::abs(predicted[i] - y[i]) / (std::abs(predicted[i]) + y[i]);
        EXPECT_NEAR(score, expected.score, 1e-9);
    }
}

TEST(ProductTable, TakesAsManyAxesAsFormsCanName) {
    // Memory is to grow with the products of the forms, not with all subsets of the axes.
    const std::size_t axes = 31;
    Columns terms(axes, std::vector<double>(64));
    std::mt19937 random(6);
    std::uniform_real_distribution<double> uniform(0.9, 1.1);
    for (auto& column : terms) {
        for (double& value : column) value = uniform(random);
    }
    const auto forms = combination_forms(axes, Combinations::mixed);
    const std::vector<double> y = values_of(terms, forms[1], std::vector<double>(axes + 1, 1.0));
    const Combination seen = ProductTable(terms, forms).choose(y, Ranking::smape);
    EXPECT_EQ(*seen.form, forms[1]);
}

TEST(ScorePredictions, FollowsTheDefinitionsOfExtraP) {
    const std::vector<double> y{1.0, -2.0, 4.0, 8.0};
    const std::vector<double> f{1.5, -1.0, 4.0, 6.0};
    const SearchScores scores = score_predictions(f, y, 1);
    EXPECT_NEAR(scores.rss, 0.25 + 1.0 + 0.0 + 4.0, 1e-14);
    EXPECT_NEAR(scores.relative_rss, 0.25 + 0.25 + 0.0 + 0.0625, 1e-14);
    EXPECT_NEAR(scores.relative_error, (0.5 - 0.5 + 0.0 + 0.25) / 4.0, 1e-14)
        << "denominators keep their sign";
    EXPECT_NEAR(scores.smape, 50.0 * (0.5 / 2.5 + 1.0 / 3.0 + 0.0 + 2.0 / 14.0), 1e-12);
    const double spread = 85.0 - 4.0 * 2.75 * 2.75;
    EXPECT_NEAR(scores.adjusted_r2, 1.0 - 5.25 / spread * 3.0 / 2.0, 1e-14);
    EXPECT_EQ(scores.normalized_rss, 0.0);
}

}  // namespace
}  // namespace plimsoll::model::detail
