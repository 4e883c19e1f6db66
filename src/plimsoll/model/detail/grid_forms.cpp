#include "plimsoll/model/detail/grid_forms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/vectorised.hpp"
#include "plimsoll/model/detail/mixture.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {

namespace {

constexpr std::size_t width = MixtureBatch::width;

PLIMSOLL_VECTORISED
void multiply(const double* by, double* values) {
    for (std::size_t j = 0; j < width; ++j) values[j] *= by[j];
}

PLIMSOLL_VECTORISED
void add_scaled(double scale, const double* from, double* to) {
    for (std::size_t j = 0; j < width; ++j) to[j] += scale * from[j];
}

PLIMSOLL_VECTORISED
void add_product(double scale, const double* a, const double* b, double* to) {
    for (std::size_t j = 0; j < width; ++j) to[j] += scale * a[j] * b[j];
}

/// Makes a variance the deviation of a part, as `estimate` does: as wide as Student's, wider by what is
/// further unknown.
PLIMSOLL_VECTORISED
void finish(double student, const double* __restrict further, const double* __restrict factor,
            double* __restrict mean, double* __restrict deviation) {
    constexpr double least_of_all = std::numeric_limits<double>::min();
    for (std::size_t j = 0; j < width; ++j) {
        const double own = deviation[j];
        const double variance = own > 0.0 ? own : 0.0 * own;  // not a number stays so
        const double beyond = further[j] * mean[j];
        deviation[j] = student * student * variance + beyond * beyond;
        mean[j] *= factor[j];
    }
    for (std::size_t j = 0; j < width; ++j) deviation[j] = std::sqrt(deviation[j]);
    for (std::size_t j = 0; j < width; ++j) {
        const double wide = deviation[j];
        const double least = smallest_relative_deviation * std::abs(mean[j]) + least_of_all;
        deviation[j] = wide < least ? least : wide;
    }
}

/// Weighs a part where it has a value; elsewhere it becomes one of no weight, with numbers that do no harm.
PLIMSOLL_VECTORISED
void settle(double probability, double* __restrict mean, double* __restrict deviation,
            double* __restrict inverse, double* __restrict weight) {
    for (std::size_t j = 0; j < width; ++j) {
        const double own_mean = mean[j];
        const double own_deviation = deviation[j];
        const double probe = own_mean * 0.0 + own_deviation * 0.0;  // 0 of numbers, else not a number
        const double width_of_part = probe < 1.0 ? own_deviation : 1.0;
        weight[j] = probe < 1.0 ? probability : 0.0;
        mean[j] = probe < 1.0 ? own_mean : 0.0;
        deviation[j] = width_of_part;
        inverse[j] = 1.0 / width_of_part;
    }
}

}  // namespace

GridForms::GridForms(const Posterior& posterior, const Grid& grid, double coverage)
    : posterior_(&posterior), grid_(&grid) {
    PLIMSOLL_EXPECT(!posterior.forms.has_laws());
    const double normal = -numeric::normal_quantile(0.5 * (1.0 - coverage));
    for (std::size_t k = 1; k < grid.values.size(); ++k) {
        if (grid.values[k].size() > grid.values[axis_].size()) axis_ = k;
    }
    if (!posterior.misfit.empty()) misfit_.emplace(posterior.misfit, grid, axis_);
    for (std::size_t i = 0; i < posterior.forms.size(); ++i) {
        const WeighedForm own = posterior.forms[i];
        Form form{
            .probability = own.probability,
            .range = own.range,
            .has_constant = own.has_constant,
            .constant = own.function.constant,
            .student =
                numeric::student_of_normal_quantile(normal, std::max(own.degrees_of_freedom, 2.0)) / normal,
            .terms = {},
            .free = {},
            .covariance = own.covariance};
        for (const Term& term : own.function.terms) {
            Product product{.coefficient = term.coefficient, .tables = {}};
            for (const Factor& factor : term.factors) product.tables.push_back(table_of(factor));
            form.terms.push_back(std::move(product));
        }
        for (const std::size_t parameter : own.free_parameters) {
            std::vector<std::size_t> holders;
            for (std::size_t t = 0; t < own.function.terms.size(); ++t) {
                const auto& factors = own.function.terms[t].factors;
                if (std::any_of(factors.begin(), factors.end(),
                                [&](const Factor& f) { return f.parameter == parameter; }))
                    holders.push_back(t);
            }
            form.free.emplace_back(parameter, std::move(holders));
        }
        const std::size_t unknowns = (form.has_constant ? 1 : 0) + form.terms.size() + form.free.size();
        for (std::size_t row = 0; row < unknowns; ++row) {
            for (std::size_t column = 0; column < row; ++column)
                form.covariance[row * (row + 1) / 2 + column] *= 2.0;
        }
        forms_.push_back(std::move(form));
    }
    for (std::size_t k = 0; k < grid.values.size(); ++k) {
        std::vector<double> logs;
        std::vector<double> steps;
        const bool has_step = k < posterior.largest.size() && k < posterior.step.size() &&
                              posterior.step[k] > 1.0 && posterior.largest[k] > 0.0;
        for (const double x : grid.values[k]) {
            logs.push_back(k < posterior.middle.size() ? std::log(x / posterior.middle[k]) : 0.0);
            steps.push_back(has_step && x > posterior.largest[k]
                                ? std::log(x / posterior.largest[k]) / std::log(posterior.step[k])
                                : 0.0);
        }
        // Rows of a batch may reach beyond the end.
        logs.resize(logs.size() + width, 0.0);
        steps.resize(steps.size() + width, 0.0);
        log_of_middle_.push_back(std::move(logs));
        steps_beyond_.push_back(std::move(steps));
    }
}

std::size_t GridForms::table_of(const Factor& factor) {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        const Table& table = tables_[i];
        if (table.parameter == factor.parameter && table.exponent == factor.exponent &&
            table.log_exponent == factor.log_exponent)
            return i;
    }
    Table table{.parameter = factor.parameter,
                .exponent = factor.exponent,
                .log_exponent = factor.log_exponent,
                .values = {}};
    for (const double x : grid_->values[factor.parameter])
        table.values.push_back(power_log(x, factor.exponent, factor.log_exponent));
    table.values.resize(table.values.size() + width, 0.0);
    tables_.push_back(std::move(table));
    return tables_.size() - 1;
}

void GridForms::find_further(std::size_t first, std::size_t points, Workspace& workspace) const {
    workspace.further.assign(width, 0.0);
    workspace.factor.assign(width, 1.0);
    if (misfit_) {
        std::array<double, width> variance{};
        misfit_->find(first, points, workspace.places, workspace.across, workspace.factor, variance);
        for (std::size_t j = 0; j < width; ++j) {
            workspace.factor[j] = std::exp(workspace.factor[j]);
            workspace.further[j] = std::sqrt(variance[j]);
        }
    }
    if (!(posterior_->discrepancy > 0.0)) return;
    double others = 0.0;
    for (std::size_t k = 0; k < grid_->values.size(); ++k) {
        if (k != axis_) others = std::max(others, steps_beyond_[k][workspace.places[k]]);
    }
    for (std::size_t j = 0; j < points; ++j) {
        const double beyond = posterior_->discrepancy * std::max(others, steps_beyond_[axis_][first + j]);
        workspace.further[j] = std::hypot(beyond, workspace.further[j]);
    }
}

void GridForms::fill_form(const Form& form, std::size_t first, std::size_t row, Workspace& workspace) const {
    const std::size_t constants = form.has_constant ? 1 : 0;
    const std::size_t unknowns = constants + form.terms.size() + form.free.size();
    workspace.products.resize(unknowns * width);
    double* const products = workspace.products.data();
    double* const mean = &workspace.batch.mean[row * width];
    double* const variance = &workspace.batch.deviation[row * width];
    double* const weight = &workspace.batch.weight[row * width];
    std::fill_n(mean, width, form.has_constant ? form.constant : 0.0);
    std::fill_n(variance, width, 0.0);
    if (form.has_constant) std::fill_n(products, width, 1.0);
    for (std::size_t t = 0; t < form.terms.size(); ++t) {
        double* const product = products + (constants + t) * width;
        double others = 1.0;
        for (const std::size_t table : form.terms[t].tables) {
            const Table& own = tables_[table];
            if (own.parameter != axis_) others *= own.values[workspace.places[own.parameter]];
        }
        std::fill_n(product, width, others);
        for (const std::size_t table : form.terms[t].tables) {
            if (tables_[table].parameter == axis_) multiply(&tables_[table].values[first], product);
        }
        add_scaled(form.terms[t].coefficient, product, mean);
    }
    for (std::size_t i = 0; i < form.free.size(); ++i) {
        const auto& [parameter, holders] = form.free[i];
        double* const derivative = products + (constants + form.terms.size() + i) * width;
        std::fill_n(derivative, width, 0.0);
        for (const std::size_t t : holders)
            add_scaled(form.terms[t].coefficient, products + (constants + t) * width, derivative);
        if (parameter == axis_) {
            multiply(&log_of_middle_[axis_][first], derivative);
        } else {
            const double log = log_of_middle_[parameter][workspace.places[parameter]];
            for (std::size_t j = 0; j < width; ++j) derivative[j] *= log;
        }
    }
    for (std::size_t a = 0; a < unknowns; ++a) {
        for (std::size_t b = 0; b <= a; ++b)
            add_product(form.covariance[a * (a + 1) / 2 + b], products + a * width, products + b * width,
                        variance);
    }
    finish(form.student, workspace.further.data(), workspace.factor.data(), mean, variance);
    settle(form.probability, mean, variance, &workspace.batch.inverse[row * width], weight);
}

void GridForms::fill(std::size_t first, std::size_t points, Workspace& workspace) const {
    MixtureBatch& batch = workspace.batch;
    batch.points = points;
    batch.resize(forms_.size());
    find_further(first, points, workspace);
    std::array<double, width> all{};  // weights of the forms that hold there
    batch.total.fill(0.0);
    for (std::size_t f = 0; f < forms_.size(); ++f) {
        const Form& form = forms_[f];
        fill_form(form, first, f, workspace);
        double* const weight = &batch.weight[f * width];
        for (std::size_t j = 0; j < points; ++j) {
            if (!form.range.is_everywhere()) {
                const double x =
                    axis_ == 0 ? grid_->values[0][first + j] : grid_->values[0][workspace.places[0]];
                if (!form.range.holds(x)) {
                    weight[j] = 0.0;
                    continue;
                }
            }
            all[j] += form.probability;
            batch.total[j] += weight[j];
        }
    }
    for (std::size_t j = 0; j < points; ++j) {
        if (batch.total[j] >= 0.5 * all[j]) continue;  // most forms have no value there
        batch.total[j] = 0.0;
        for (std::size_t f = 0; f < forms_.size(); ++f) batch.weight[f * width + j] = 0.0;
    }
}

}  // namespace plimsoll::model
