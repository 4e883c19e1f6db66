#include <algorithm>
#include <cmath>
#include <limits>

#include "gauss_legendre.hpp"
#include "line_pieces.hpp"

namespace plimsoll::model::accuracy {
namespace {

/// The likelihood of runs that lie anywhere within 1 +- half of the value, equally likely.
class UniformLaw {
  public:
    UniformLaw(const Sums& sums, double half) : sums_(&sums) {
        for (std::size_t i = 0; i < sums.first.size(); ++i) {
            low_.push_back(sums.largest[i] / (1.0 + half));
            high_.push_back(sums.smallest[i] / (1.0 - half));
        }
    }

    void add_pieces(const std::vector<Form>& forms, std::vector<Piece>& pieces) const {
        for (std::size_t j = 0; j < forms.size(); ++j) add_form(forms[j], j, pieces);
    }

  private:
    struct Corner {
        double constant;  ///< c0
        double term;      ///< c1 t(reference)
    };

    /// What is left of a convex polygon where constant * by_constant + term * by_term <= limit.
    static std::vector<Corner> cut(const std::vector<Corner>& corners, double by_constant, double by_term,
                                   double limit) {
        std::vector<Corner> kept;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const Corner& here = corners[i];
            const Corner& next = corners[(i + 1) % corners.size()];
            const double at_here = by_constant * here.constant + by_term * here.term - limit;
            const double at_next = by_constant * next.constant + by_term * next.term - limit;
            if (at_here <= 0.0) kept.push_back(here);
            if ((at_here < 0.0 && at_next > 0.0) || (at_here > 0.0 && at_next < 0.0)) {
                const double part = at_here / (at_here - at_next);
                kept.push_back({.constant = std::lerp(here.constant, next.constant, part),
                                .term = std::lerp(here.term, next.term, part)});
            }
        }
        return kept;
    }

    void add_form(const Form& form, std::size_t index, std::vector<Piece>& pieces) const {
        constexpr double most = largest_coefficient;
        std::vector<Corner> corners{
            {0.0, 0.0}, {most, 0.0}, {most, most * form.at_reference}, {0.0, most * form.at_reference}};
        for (std::size_t i = 0; i < low_.size() && !corners.empty(); ++i) {
            corners = cut(corners, 1.0, form.ratio[i], high_[i]);
            corners = cut(corners, -1.0, -form.ratio[i], -low_[i]);
        }
        if (corners.size() < 3) return;
        std::vector<double> edges;  // in w: between them, the limits of z are smooth
        for (const Corner& corner : corners) edges.push_back(corner.term / (corner.constant + corner.term));
        std::sort(edges.begin(), edges.end());
        static const Rule rule(8);
        for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
            const double half = 0.5 * (edges[e + 1] - edges[e]);
            if (!(half > 0.0)) continue;
            for (std::size_t a = 0; a < rule.node.size(); ++a) {
                add_line(form, index, edges[e] + half * (1.0 + rule.node[a]), std::log(half * rule.weight[a]),
                         pieces);
            }
        }
    }

    /// All z at one w: the density is z^power within limits.
    void add_line(const Form& form, std::size_t index, double w, double log_weight,
                  std::vector<Piece>& pieces) const {
        constexpr int parts = 8;
        double low = form.smallest_z(w);
        double high = std::numeric_limits<double>::infinity();
        double log_product = 0.0;
        for (std::size_t i = 0; i < form.ratio.size(); ++i) {
            const double g = 1.0 - w + w * form.ratio[i];
            low = std::max(low, g / high_[i]);
            high = std::min(high, g / low_[i]);
            log_product += std::log(g);
        }
        if (!(high > low)) return;
        const double power = static_cast<double>(low_.size()) * sums_->repetitions - 3.0;
        const double step = std::log(high / low) / parts;
        const double constant = log_weight - sums_->repetitions * log_product - form.log_at_reference +
                                std::log(std::expm1((power + 1.0) * step) / (power + 1.0));
        for (int part = 0; part < parts; ++part) {
            const double from = std::log(low) + part * step;
            pieces.push_back({.form = index,
                              .w = w,
                              .low = -from - step,
                              .high = -from,
                              .log_mass = constant + (power + 1.0) * from});
        }
    }

    const Sums* sums_;
    std::vector<double> low_;   ///< smallest value of the function at each point that the runs allow
    std::vector<double> high_;  ///< largest
};

}  // namespace

std::vector<Piece> uniform_pieces(const std::vector<Form>& forms, const Sums& sums, double half) {
    std::vector<Piece> pieces;
    UniformLaw(sums, half).add_pieces(forms, pieces);
    return pieces;
}

}  // namespace plimsoll::model::accuracy
