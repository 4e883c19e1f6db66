#pragma once

#include <array>
#include <string>
#include <string_view>

#include "plimsoll/core/options.hpp"

namespace plimsoll::model {

/// How the form of a model is looked for.
enum class Search {
    posterior,  ///< all forms, weighed by their probability given the measurements
    extra_p     ///< the choice that Extra-P 4.2.5 makes
};
[[nodiscard]] constexpr std::array<EnumName<Search>, 2> enum_names(Search) {
    return {{{Search::posterior, "posterior"}, {Search::extra_p, "extra-p"}}};
}

/// Which statistic of the repetitions is modelled.
enum class Statistic {
    mean,         ///< of those that are neither far off nor drift; what was left out is told
    mean_of_all,  ///< where what occurs now and then belongs to what is modelled, as in steps of a training
    median,
    minimum,
    maximum
};
[[nodiscard]] constexpr std::array<EnumName<Statistic>, 5> enum_names(Statistic) {
    return {{{Statistic::mean, "mean"},
             {Statistic::mean_of_all, "mean-of-all"},
             {Statistic::median, "median"},
             {Statistic::minimum, "min"},
             {Statistic::maximum, "max"}}};
}

/// How models of one parameter are found, in an experiment with one parameter or along each axis of several.
enum class Modeler {
    basic,     ///< the best of a fixed set of exponents
    refining,  ///< exponents refined by mediants
    segmented  ///< basic, but with two segments where one function does not fit
};
[[nodiscard]] constexpr std::array<EnumName<Modeler>, 3> enum_names(Modeler) {
    return {{{Modeler::basic, "basic"}, {Modeler::refining, "refining"}, {Modeler::segmented, "segmented"}}};
}

/// The score that decides between forms.
enum class Ranking { smape, rss };
[[nodiscard]] constexpr std::array<EnumName<Ranking>, 2> enum_names(Ranking) {
    return {{{Ranking::smape, "smape"}, {Ranking::rss, "rss"}}};
}

/// Where the score of a form comes from.
enum class Scoring {
    leave_one_out,  ///< each point predicted from the others
    in_sample
};
[[nodiscard]] constexpr std::array<EnumName<Scoring>, 2> enum_names(Scoring) {
    return {{{Scoring::leave_one_out, "leave-one-out"}, {Scoring::in_sample, "in-sample"}}};
}

/// Whether values below zero are thought possible.
enum class Positive {
    automatic,  ///< where some value is negative
    yes,        ///< they are not; a negative value is an error
    no          ///< they are: coefficients of either sign, whatever the values
};
[[nodiscard]] constexpr std::array<EnumName<Positive>, 3> enum_names(Positive) {
    return {{{Positive::automatic, "auto"}, {Positive::yes, "yes"}, {Positive::no, "no"}}};
}

/// Which exponents are tried where the user gives some.
enum class ExponentUse {
    instead,  ///< the given ones, alone and in pairs
    pairs,    ///< the given ones, in pairs of power and logarithm only
    added     ///< the given ones, then the default ones
};
[[nodiscard]] constexpr std::array<EnumName<ExponentUse>, 3> enum_names(ExponentUse) {
    return {
        {{ExponentUse::instead, "instead"}, {ExponentUse::pairs, "pairs"}, {ExponentUse::added, "added"}}};
}

/// Which points make the models along each axis.
enum class AxisPoints {
    longest,  ///< the lines with most points, averaged
    smallest  ///< the line at the smallest values of the other parameters
};
[[nodiscard]] constexpr std::array<EnumName<AxisPoints>, 2> enum_names(AxisPoints) {
    return {{{AxisPoints::longest, "longest"}, {AxisPoints::smallest, "smallest"}}};
}

/// How the terms of several axes are combined.
enum class Combinations {
    mixed,          ///< sums of products, up to three parameters
    product_or_sum  ///< the product of all, or the sum of all
};
[[nodiscard]] constexpr std::array<EnumName<Combinations>, 2> enum_names(Combinations) {
    return {{{Combinations::mixed, "mixed"}, {Combinations::product_or_sum, "product-or-sum"}}};
}

struct FitOptions {
    Search search = Search::posterior;
    Statistic statistic = Statistic::mean;
    Positive positive = Positive::automatic;
    Modeler modeler = Modeler::basic;
    bool logarithms = true;
    bool negative_exponents = false;
    std::string exponents;
    std::string log_exponents;
    ExponentUse exponent_use = ExponentUse::instead;
    Scoring scoring = Scoring::leave_one_out;
    Ranking ranking = Ranking::smape;
    Ranking combination_ranking = Ranking::smape;
    double minimum_contribution = 0.0005;
    AxisPoints axis_points = AxisPoints::longest;
    Combinations combinations = Combinations::mixed;
    double coverage = 0.9;
    Switch laws;
};

/// Whether an option of this name is one of the search that Extra-P makes, and means nothing to others.
[[nodiscard]] constexpr bool is_extra_p_option(std::string_view name) {
    return name != "search" && name != "statistic" && name != "coverage" && name != "positive" &&
           name != "laws";
}

/// The one place where an option gets its name, help and limits.
template <class Visitor>
void describe(FitOptions& o, Visitor&& option) {
    option("search", o.search, "How the form is looked for");
    option("statistic", o.statistic,
           "Statistic of the repetitions that is modelled; mean leaves out those that are far off or drift");
    option("positive", o.positive,
           "Whether predictions stay above zero: where no value is negative (auto), always, so that a "
           "negative value is an error (yes), or not (no)");
    option("coverage", o.coverage, "Probability with which a value lies in the interval given for it",
           Shares{0.01, 0.999});
    option("laws", o.laws, "Try exponential and factorial laws as well, for one parameter");
    option("modeler", o.modeler, "Search along one parameter");
    option("logarithms", o.logarithms, "Try forms with logarithms");
    option("negative-exponents", o.negative_exponents, "Try falling forms as well");
    option("exponents", o.exponents, "Exponents to try, such as 0,1/2,1");
    option("log-exponents", o.log_exponents, "Exponents of the logarithm to try, such as 0,1");
    option("exponent-use", o.exponent_use, "What the given exponents do to the default ones");
    option("scoring", o.scoring, "How a form is scored");
    option("ranking", o.ranking, "Score that ranks the forms of one parameter");
    option("combination-ranking", o.combination_ranking,
           "Score that ranks combinations of several parameters");
    option("minimum-contribution", o.minimum_contribution,
           "Least share of a term in some measured value, below which it is refused", Between{0.0, 1.0});
    option("axis-points", o.axis_points, "Points for the models along each parameter");
    option("combinations", o.combinations, "How the terms of several parameters are combined");
}

}  // namespace plimsoll::model
