#include "plimsoll/model/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/parallel.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/model/formula.hpp"
#include "plimsoll/model/growth.hpp"
#include "plimsoll/model/predictive.hpp"

namespace plimsoll::model {

namespace {

/// The line from the largest measured values to a point.
class Line {
  public:
    Line(const std::vector<double>& from, const std::vector<double>& to) : from_(&from), to_(&to) {}

    [[nodiscard]] std::vector<double> point(double share) const {
        std::vector<double> point(from_->size());
        for (std::size_t k = 0; k < point.size(); ++k) {
            const double a = (*from_)[k];
            const double b = (*to_)[k];
            point[k] = a > 0.0 && b > 0.0 ? a * std::pow(b / a, share) : a + share * (b - a);
        }
        return point;
    }

    /// How fast each parameter's logarithm rises along the line; 1 each where none does.
    [[nodiscard]] std::vector<double> rise() const {
        std::vector<double> rise;
        for (std::size_t k = 0; k < from_->size(); ++k) {
            const bool rises = (*from_)[k] > 0.0 && (*to_)[k] > (*from_)[k];
            rise.push_back(rises ? std::log((*to_)[k] / (*from_)[k]) : 0.0);
        }
        const bool none = std::all_of(rise.begin(), rise.end(), [](double r) { return r == 0.0; });
        if (none) rise.assign(rise.size(), 1.0);
        return rise;
    }

  private:
    const std::vector<double>* from_;
    const std::vector<double>* to_;
};

/// What decides who dominates far along a line.
struct Dominance {
    Law law;  ///< of the terms that grow so; several parameters have none
    double power = -std::numeric_limits<double>::infinity();
    double logarithm = 0.0;
    double size = 0.0;  ///< of the terms that grow so, at the point

    /// Powers that differ by rounding are the same.
    [[nodiscard]] int compare_order(const Dominance& other) const {
        constexpr double rounding = 1e-9;
        const auto sign = [](double a, double b) {
            const double most = std::max({1.0, std::abs(a), std::abs(b)});
            const bool differ = std::isfinite(most) ? std::abs(a - b) > rounding * most : a != b;
            if (!differ) return 0;
            return a < b ? -1 : 1;
        };
        const int by_law = compare_growth(law, other.law);
        if (by_law != 0) return by_law;
        const int by_power = sign(power, other.power);
        return by_power != 0 ? by_power : sign(logarithm, other.logarithm);
    }
};

Dominance order_of(const Term& term, const std::vector<double>& rise) {
    const Function alone{.constant = 0.0, .terms = {{.coefficient = 1.0, .factors = term.factors}}};
    // Its own exponents: as growth, a falling term is but a constant, and it has to come below these.
    Order own{.exponents = std::vector<std::pair<Rational, Rational>>(rise.size()), .factors = {}};
    for (const Factor& f : term.factors) {
        own.exponents[f.parameter] = {f.exponent, f.log_exponent};
        if (!f.law.is_there()) continue;
        own.laws.resize(rise.size());
        own.laws[f.parameter] = f.law;
    }
    std::vector<Order> orders = growth_orders(alone, rise.size());
    const bool is_piecewise = std::any_of(term.factors.begin(), term.factors.end(),
                                          [](const Factor& f) { return !f.segments.empty(); });
    if (!is_piecewise) orders = {own};
    Dominance most;
    for (const Order& order : orders) {
        Dominance d{.law = {}, .power = 0.0, .logarithm = 0.0};
        for (std::size_t k = 0; k < rise.size(); ++k) {
            if (rise[k] == 0.0) continue;
            if (!order.laws.empty() && compare_growth(order.laws[k], d.law) > 0) d.law = order.laws[k];
            d.power += rise[k] * order.exponents[k].first.value();
            d.logarithm += order.exponents[k].second.value();
        }
        if (d.compare_order(most) > 0) most = d;
    }
    return most;
}

Dominance dominance(const Function& function, const std::vector<double>& at,
                    const std::vector<double>& rise) {
    if (!function.segments.empty()) return dominance(function.segments.back().function, at, rise);
    Dominance most;
    const auto add = [&](const Dominance& d) {
        const int comparison = d.compare_order(most);
        if (comparison > 0) most = d;
        if (comparison == 0) most.size += d.size;
    };
    if (function.constant != 0.0) add({.law = {}, .power = 0.0, .logarithm = 0.0, .size = function.constant});
    for (const Term& term : function.terms) {
        if (term.coefficient == 0.0) continue;
        Dominance d = order_of(term, rise);
        d.size = term_value(term, at);
        add(d);
    }
    return most;
}

/// A region on its way into the ranking.
struct Entry {
    RankedRegion region;
    Dominance dominance;
    const RegionModel* model = nullptr;
};

double growth_probability(const RegionModel& model, const std::vector<std::string>& parameters,
                          const std::string& text) {
    if (model.posterior.forms.empty()) return 1.0;
    double probability = 0.0;
    for (std::size_t i = 0; i < model.posterior.forms.size(); ++i) {
        const bool is_same = model.posterior.forms.range(i).is_last() &&
                             growth(model.posterior.forms.function(i), parameters) == text;
        if (is_same) probability += model.posterior.forms.probability(i);
    }
    return std::min(probability, 1.0);
}

Entry entry_of(const RegionModel& m, const FitDocument& document, const RegionRanking& ranking,
               const std::vector<double>& rise, double coverage) {
    const std::string text = growth(m.function, document.parameters);
    return {.region = {.region = m.region,
                       .metric = m.metric,
                       .unit = m.unit,
                       .growth = text,
                       .growth_probability = growth_probability(m, document.parameters, text),
                       .measured = predicted(m.posterior, m.function, ranking.from, coverage),
                       .cost = predicted(m.posterior, m.function, ranking.at, coverage)},
            .dominance = dominance(m.function, ranking.at, rise),
            .model = &m};
}

bool dominates(const Entry& a, const Entry& b) {
    const double size_a = a.dominance.size;
    const double size_b = b.dominance.size;
    // What falls without a bound is never the one that dominates; of two, the one that falls slower.
    if ((size_a < 0.0) != (size_b < 0.0)) return size_b < 0.0;
    const int order = a.dominance.compare_order(b.dominance);
    if (order != 0) return size_a < 0.0 ? order < 0 : order > 0;
    return size_a > size_b;
}

bool costs_more(const Entry& a, const Entry& b) {
    const auto size = [](const Entry& e) {
        return std::isnan(e.region.cost.value) ? -std::numeric_limits<double>::infinity()
                                               : e.region.cost.value;
    };
    return size(a) > size(b);
}

double value_at(const RegionModel& model, const std::vector<double>& point) {
    return predicted(model.posterior, model.function, point, 0.5).value;
}

/// Where on the line the first becomes larger than the second; they are in the other order at its begin.
double crossing_of(const RegionModel& first, const RegionModel& second, const Line& line) {
    double low = 0.0;
    double high = 1.0;
    constexpr int steps = 30;  // 1e-9 of the line
    for (int i = 0; i < steps; ++i) {
        const double middle = 0.5 * (low + high);
        const std::vector<double> point = line.point(middle);
        (value_at(first, point) > value_at(second, point) ? high : low) = middle;
    }
    return 0.5 * (low + high);
}

/// Whether one path lies below another one.
bool lies_below(std::string_view path, std::string_view above) {
    return path.size() > above.size() && path.starts_with(above) &&
           path.substr(above.size()).starts_with(experiment::arrow);
}

/// Crossings of neighbours in the order by cost. Of inclusive values, no region overtakes one that it lies
/// in: where models say so, the outer one's is wrong.
std::vector<Crossing> crossings_of(const std::vector<Entry>& by_cost, const RegionRanking& ranking,
                                   bool inclusive, double coverage, int threads, Progress& progress) {
    const Line line(ranking.from, ranking.at);
    std::vector<std::size_t> changing;  // positions of the larger one
    for (std::size_t i = 0; i + 1 < by_cost.size(); ++i) {
        const RankedRegion& larger = by_cost[i].region;
        const RankedRegion& smaller = by_cost[i + 1].region;
        const bool changes =
            larger.cost.value > smaller.cost.value && larger.measured.value < smaller.measured.value;
        const bool is_possible = !inclusive || !lies_below(larger.region, smaller.region);
        if (changes && is_possible) changing.push_back(i);
    }
    std::vector<std::pair<double, Crossing>> found(changing.size());
    const auto values = [&](const Entry& e) {
        return predictive(e.model->posterior, e.model->function, ranking.at);
    };
    Activity activity(progress, "finding crossings", std::ssize(changing));
    parallel_for(changing.size(), threads, activity, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const Entry& larger = by_cost[changing[i]];
            const Entry& smaller = by_cost[changing[i] + 1];
            const double share = crossing_of(*larger.model, *smaller.model, line);
            found[i] = {share,
                        {.region = larger.region.region,
                         .overtaken = smaller.region.region,
                         .metric = larger.region.metric,
                         .at = line.point(share),
                         .probability = ratio(values(larger), values(smaller), coverage).above_one}};
        }
    });
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Crossing> crossings;
    crossings.reserve(found.size());
    for (auto& [share, crossing] : found) crossings.push_back(std::move(crossing));
    return crossings;
}

}  // namespace

RegionRanking rank(const FitDocument& document, const std::vector<double>& at, const RankOptions& options,
                   double coverage, int threads, Progress& progress) {
    PLIMSOLL_EXPECT(at.size() == document.parameters.size());
    PLIMSOLL_EXPECT(document.largest.size() == document.parameters.size());
    RegionRanking ranking{.from = document.largest, .at = at, .regions = {}, .crossings = {}};
    const std::vector<double> rise = Line(ranking.from, ranking.at).rise();
    std::vector<std::string> metrics;
    for (const RegionModel& m : document.models) {
        if (std::find(metrics.begin(), metrics.end(), m.metric) == metrics.end()) metrics.push_back(m.metric);
    }
    for (const std::string& metric : metrics) {
        std::vector<Entry> entries;
        for (const RegionModel& m : document.models) {
            if (m.metric == metric && m.status == Status::ok) entries.push_back({.model = &m});
        }
        Activity activity(progress, "ranking", std::ssize(entries));
        parallel_for(entries.size(), threads, activity, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i)
                entries[i] = entry_of(*entries[i].model, document, ranking, rise, coverage);
        });
        std::stable_sort(entries.begin(), entries.end(), dominates);
        for (std::size_t i = 0; i < entries.size(); ++i) entries[i].region.growth_rank = i + 1;
        std::stable_sort(entries.begin(), entries.end(), costs_more);
        for (std::size_t i = 0; i < entries.size(); ++i) entries[i].region.cost_rank = i + 1;
        for (Crossing& crossing :
             crossings_of(entries, ranking, document.inclusive, coverage, threads, progress))
            ranking.crossings.push_back(std::move(crossing));
        if (options.by == RankBy::growth) {
            std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
                return a.region.growth_rank < b.region.growth_rank;
            });
        }
        for (Entry& entry : entries) ranking.regions.push_back(std::move(entry.region));
    }
    return ranking;
}

}  // namespace plimsoll::model
