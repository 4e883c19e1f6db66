#include <algorithm>
#include <cmath>
#include <limits>

#include "gauss_legendre.hpp"
#include "line_pieces.hpp"

namespace plimsoll::model::accuracy {
namespace {

/// The likelihood of normal runs, relative deviation known.
class GaussianLaw {
  public:
    GaussianLaw(const Sums& sums, double deviation)
        : sums_(&sums), variance_(deviation * deviation), count_(static_cast<double>(sums.first.size())) {}

    void add_pieces(const std::vector<Form>& forms, std::vector<Piece>& pieces) const {
        struct Found {
            std::size_t form;
            double w;
            double best;
        };
        constexpr double unlikely = 35.0;  // with room for the volumes, which differ
        std::vector<Found> found;
        double best = -std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < forms.size(); ++j) {
            const double w = most_likely(forms[j]);
            found.push_back({j, w, along_z(forms[j], w).best});
            best = std::max(best, found.back().best);
        }
        std::erase_if(found, [&](const Found& f) { return f.best < best - unlikely; });
        // Lines are seen one by one only where there are few.
        static const Rule many(48);
        static const Rule few(24);
        const Rule& rule = found.size() <= 6 ? many : few;
        for (const Found& f : found) add_form(forms[f.form], f.form, f.w, f.best, rule, pieces);
    }

  private:
    /// The likelihood times the prior at one w: z^power exp(-(a z^2 - 2 b z) / 2 variance), z >= least.
    struct AlongZ {
        double a = 0.0;
        double b = 0.0;
        double least = 0.0;
        double free_mode = 0.0;  ///< were there no least z
        double mode = 0.0;
        double constant = 0.0;
        double best = 0.0;  ///< logarithm at the mode
    };

    [[nodiscard]] double power() const { return count_ * sums_->repetitions - 3.0; }

    [[nodiscard]] double log_density(const AlongZ& along, double z) const {
        const double from_middle = z - along.b / along.a;
        return along.constant + power() * std::log(z) - 0.5 * along.a * from_middle * from_middle / variance_;
    }

    [[nodiscard]] AlongZ along_z(const Form& form, double w) const {
        AlongZ along;
        double product = 1.0;
        for (std::size_t i = 0; i < form.ratio.size(); ++i) {
            const double g = 1.0 - w + w * form.ratio[i];
            product *= g;
            along.a += sums_->second[i] / (g * g);
            along.b += sums_->first[i] / g;
        }
        along.least = form.smallest_z(w);
        const double root = std::sqrt(along.b * along.b + 4.0 * along.a * variance_ * power());
        along.free_mode = (along.b + root) / (2.0 * along.a);
        along.mode = std::max(along.free_mode, along.least);
        along.constant = -sums_->repetitions * std::log(product) - form.log_at_reference +
                         0.5 * (along.b * along.b / along.a - count_ * sums_->repetitions) / variance_;
        along.best = log_density(along, along.mode);
        return along;
    }

    /// The w of the largest density, by golden section of ln(w / (1 - w)): it may be as close to 1 as 1e-8.
    [[nodiscard]] double most_likely(const Form& form) const {
        constexpr double part = 0.6180339887498949;
        constexpr double farthest = 30.0;
        const auto at = [&](double logit) { return along_z(form, share_of(logit)).best; };
        double low = -farthest;
        double high = farthest;
        double left = high - part * (high - low);
        double right = low + part * (high - low);
        double at_left = at(left);
        double at_right = at(right);
        for (int step = 0; step < 36; ++step) {
            if (at_left > at_right) {
                high = right;
                right = left;
                at_right = at_left;
                left = high - part * (high - low);
                at_left = at(left);
            } else {
                low = left;
                left = right;
                at_left = at_right;
                right = low + part * (high - low);
                at_right = at(right);
            }
        }
        double w = share_of(0.5 * (low + high));
        for (const double end : {0.0, 1.0}) {
            if (along_z(form, end).best > along_z(form, w).best) w = end;
        }
        return w;
    }

    static double share_of(double logit) { return 1.0 / (1.0 + std::exp(-logit)); }

    /// How far towards `end` the density counts.
    [[nodiscard]] double edge(const Form& form, double w, double best, double end) const {
        if (along_z(form, end).best >= best - negligible) return end;
        double inside = w;
        double outside = end;
        for (int step = 0; step < 50 && std::abs(outside - inside) > 1e-3 * std::abs(outside - w); ++step) {
            const double middle = 0.5 * (inside + outside);
            (along_z(form, middle).best >= best - negligible ? inside : outside) = middle;
        }
        return outside;
    }

    void add_form(const Form& form, std::size_t index, double w_best, double best, const Rule& rule,
                  std::vector<Piece>& pieces) const {
        constexpr int parts = 32;
        const double w_low = edge(form, w_best, best, 0.0);
        const double w_high = edge(form, w_best, best, 1.0);
        if (w_high <= w_low) return;
        for (std::size_t a = 0; a < rule.node.size(); ++a) {
            const double w = 0.5 * (w_low + w_high) + 0.5 * (w_high - w_low) * rule.node[a];
            const AlongZ along = along_z(form, w);
            const double deviation = std::sqrt(variance_ / along.a);
            // The logarithm bends by at least 1 / deviation^2, so it falls at least as a normal one does.
            const double reach = std::sqrt(2.0 * negligible) * deviation;
            const double z_high = along.free_mode + std::hypot(along.mode - along.free_mode, reach);
            const double z_low = std::max({along.least, along.mode - reach, 0.0});
            // Pieces of one width hold what lies within them, so that cutting widens nothing.
            const double step = (z_high - z_low) / parts;
            if (!(step > 0.0)) continue;
            const double scale = std::log(0.5 * (w_high - w_low) * rule.weight[a] * step);
            double high = -std::log(std::max(z_low, 1e-3 * step));
            for (int part = 0; part < parts; ++part) {
                const double low = -std::log(z_low + (part + 1) * step);
                pieces.push_back({.form = index,
                                  .w = w,
                                  .low = low,
                                  .high = high,
                                  .log_mass = scale + log_density(along, z_low + (part + 0.5) * step)});
                high = low;
            }
        }
    }

    const Sums* sums_;
    double variance_;
    double count_;  ///< of points
};

}  // namespace

std::vector<Piece> gaussian_pieces(const std::vector<Form>& forms, const Sums& sums, double deviation) {
    std::vector<Piece> pieces;
    GaussianLaw(sums, deviation).add_pieces(forms, pieces);
    return pieces;
}

}  // namespace plimsoll::model::accuracy
