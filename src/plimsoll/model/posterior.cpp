#include "plimsoll/model/posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "plimsoll/core/error.hpp"
#include "plimsoll/model/detail/mixture.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {

namespace {

std::size_t packed(std::size_t row, std::size_t column) {
    return row >= column ? row * (row + 1) / 2 + column : column * (column + 1) / 2 + row;
}

/// Derivatives of the value by the unknowns of a form at a point; the value itself comes back.
double derivatives(const Posterior& posterior, const WeighedForm& form, std::span<const double> point,
                   std::vector<double>& by_unknown) {
    by_unknown.clear();
    double value = form.function.constant;
    if (form.has_constant) by_unknown.push_back(1.0);
    std::vector<double> by_exponent(form.free_parameters.size(), 0.0);
    for (const Term& term : form.function.terms) {
        const double product = factor_product(term.factors, point);
        by_unknown.push_back(product);
        value += term.coefficient * product;
        for (std::size_t i = 0; i < by_exponent.size(); ++i) {
            const std::size_t parameter = form.free_parameters[i];
            const bool is_factor = std::any_of(term.factors.begin(), term.factors.end(),
                                               [&](const Factor& f) { return f.parameter == parameter; });
            if (!is_factor) continue;
            by_exponent[i] +=
                term.coefficient * product * std::log(point[parameter] / posterior.middle[parameter]);
        }
    }
    by_unknown.insert(by_unknown.end(), by_exponent.begin(), by_exponent.end());
    return value;
}

/// Variance of what has these derivatives.
double variance_of(const WeighedForm& form, std::span<const double> by_unknown) {
    const std::size_t k = by_unknown.size();
    PLIMSOLL_EXPECT(form.covariance.size() == k * (k + 1) / 2);
    double variance = 0.0;
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
            variance += by_unknown[i] * form.covariance[packed(i, j)] * by_unknown[j];
        }
    }
    return std::max(variance, 0.0);
}

/// Mean and variance of a form's value.
Part part_of(const Posterior& posterior, const WeighedForm& form, std::span<const double> point,
             std::vector<double>& by_unknown) {
    const double mean = derivatives(posterior, form, point, by_unknown);
    return {.weight = form.probability, .mean = mean, .deviation = std::sqrt(variance_of(form, by_unknown))};
}

/// Derivative of a factor's logarithm by the fitted number of its parameter: an exponent, or a law's rate.
double log_derivative(const Factor& factor, double x, double middle) {
    if (factor.law.kind != LawKind::exponential) return std::log(x / middle);
    return std::numbers::ln2 * (argument_at(factor.law.of, x) - argument_at(factor.law.of, middle));
}

/// Mean and variance of the logarithm of a form's value, which itself may be beyond all numbers: all is in
/// units of its largest term.
Part log_part_of(const Posterior& posterior, const WeighedForm& form, std::span<const double> point,
                 std::vector<double>& by_unknown) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    const auto log_size = [](double value) { return value == 0.0 ? none : std::log(std::abs(value)); };
    double unit = form.has_constant ? log_size(form.function.constant) : none;
    for (const Term& term : form.function.terms) {
        unit = std::max(unit, log_size(term.coefficient) + log_factor_product(term.factors, point));
    }
    by_unknown.clear();
    double value = 0.0;
    if (form.has_constant) {
        by_unknown.push_back(std::exp(-unit));
        value += form.function.constant * by_unknown.back();
    }
    std::vector<double> by_free(form.free_parameters.size(), 0.0);
    for (const Term& term : form.function.terms) {
        const double log_product = log_factor_product(term.factors, point);
        by_unknown.push_back(std::exp(log_product - unit));
        const double share =
            std::copysign(std::exp(log_size(term.coefficient) + log_product - unit), term.coefficient);
        value += share;
        for (std::size_t i = 0; i < by_free.size(); ++i) {
            const std::size_t parameter = form.free_parameters[i];
            for (const Factor& factor : term.factors) {
                if (factor.parameter != parameter) continue;
                by_free[i] += share * log_derivative(factor, point[parameter], posterior.middle[parameter]);
            }
        }
    }
    by_unknown.insert(by_unknown.end(), by_free.begin(), by_free.end());
    return {.weight = form.probability,
            .mean = value > 0.0 ? unit + std::log(value) : std::numeric_limits<double>::quiet_NaN(),
            .deviation = std::sqrt(variance_of(form, by_unknown)) / value};
}

// What a form has, in one code.
constexpr std::int32_t has_constant = 1;
constexpr std::int32_t has_range = 2;
// A law stands beside the parameter of its factor, in one code.
constexpr std::int32_t law_unit = 1 << 24;

std::int32_t law_code(const Law& law) {
    switch (law.kind) {
        case LawKind::exponential: return 2 + static_cast<std::int32_t>(law.of);
        case LawKind::factorial: return 1;
        case LawKind::none: break;
    }
    return 0;
}

Law law_of(std::int32_t code) {
    if (code == 0) return {};
    if (code == 1) return {.kind = LawKind::factorial};
    return {.kind = LawKind::exponential, .of = static_cast<LawArgument>(code - 2)};
}

/// Steps beyond the measured range, 0 inside it.
double steps_beyond(const Posterior& posterior, std::span<const double> point) {
    double most = 0.0;
    for (std::size_t p = 0; p < posterior.largest.size() && p < posterior.step.size(); ++p) {
        const bool is_beyond =
            posterior.step[p] > 1.0 && posterior.largest[p] > 0.0 && point[p] > posterior.largest[p];
        if (is_beyond)
            most = std::max(most, std::log(point[p] / posterior.largest[p]) / std::log(posterior.step[p]));
    }
    return most;
}

}  // namespace

/// Reads the packed form of a list.
class FormList::Unpacking {
  public:
    Unpacking(const FormList& list, std::size_t i)
        : number_(list.numbers_.data() + list.starts_[i].number),
          code_(list.codes_.data() + list.starts_[i].code) {
        probability_ = *number_++;
        degrees_of_freedom_ = *number_++;
        has_constant_ = (*code_ & has_constant) != 0;
        if ((*code_++ & has_range) != 0) {
            range_.from = *number_++;
            range_.to = *number_++;
        }
        terms_ = static_cast<std::size_t>(*code_++);
        free_ = static_cast<std::size_t>(*code_++);
    }

    [[nodiscard]] Range range() const { return range_; }

    void read(Function& function) {
        function.constant = has_constant_ ? *number_++ : 0.0;
        function.terms.resize(terms_);
        for (Term& term : function.terms) {
            term.coefficient = *number_++;
            term.factors.resize(static_cast<std::size_t>(*code_++));
            for (Factor& factor : term.factors) {
                factor.parameter = static_cast<std::size_t>(code_[0] % law_unit);
                factor.law = law_of(code_[0] / law_unit);
                if (factor.law.kind == LawKind::exponential) factor.law.rate = *number_++;
                factor.exponent = Rational(code_[1], code_[2]);
                factor.log_exponent = Rational(code_[3], code_[4]);
                code_ += 5;
            }
        }
    }

    void read(WeighedForm& form) {
        form.probability = probability_;
        form.range = range_;
        read(form.function);
        form.has_constant = has_constant_;
        form.degrees_of_freedom = degrees_of_freedom_;
        form.free_parameters.assign(code_, code_ + free_);
        const std::size_t unknowns = (has_constant_ ? 1 : 0) + terms_ + free_;
        form.covariance.assign(number_, number_ + unknowns * (unknowns + 1) / 2);
    }

  private:
    const double* number_;
    const std::int32_t* code_;
    double probability_;
    Range range_;
    double degrees_of_freedom_;
    bool has_constant_;
    std::size_t terms_;
    std::size_t free_;
};

FormList::FormList(std::initializer_list<WeighedForm> forms) {
    for (const WeighedForm& form : forms) add(form);
}

void FormList::read(std::size_t i, WeighedForm& form) const { Unpacking(*this, i).read(form); }

WeighedForm FormList::operator[](std::size_t i) const {
    WeighedForm form;
    read(i, form);
    return form;
}

Function FormList::function(std::size_t i) const {
    Function function;
    Unpacking(*this, i).read(function);
    return function;
}

Range FormList::range(std::size_t i) const { return Unpacking(*this, i).range(); }

bool FormList::can_hold(const Rational& exponent) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    return std::abs(exponent.numerator()) <= most && exponent.denominator() <= most;
}

void FormList::add(const WeighedForm& form) {
    const std::size_t unknowns =
        (form.has_constant ? 1 : 0) + form.function.terms.size() + form.free_parameters.size();
    PLIMSOLL_EXPECT(form.function.segments.empty() &&
                    form.covariance.size() == unknowns * (unknowns + 1) / 2);
    starts_.push_back({.number = static_cast<std::uint32_t>(numbers_.size()),
                       .code = static_cast<std::uint32_t>(codes_.size())});
    const auto code = [&](auto value) { codes_.push_back(static_cast<std::int32_t>(value)); };
    numbers_.push_back(form.probability);
    numbers_.push_back(form.degrees_of_freedom);
    code((form.has_constant ? has_constant : 0) | (form.range.is_everywhere() ? 0 : has_range));
    if (!form.range.is_everywhere()) {
        numbers_.push_back(form.range.from);
        numbers_.push_back(form.range.to);
    }
    code(form.function.terms.size());
    code(form.free_parameters.size());
    if (form.has_constant) numbers_.push_back(form.function.constant);
    for (const Term& term : form.function.terms) {
        numbers_.push_back(term.coefficient);
        code(term.factors.size());
        for (const Factor& factor : term.factors) {
            PLIMSOLL_EXPECT(can_hold(factor.exponent) && can_hold(factor.log_exponent) &&
                            factor.segments.empty());
            PLIMSOLL_EXPECT(factor.parameter < static_cast<std::size_t>(law_unit));
            code(static_cast<std::int32_t>(factor.parameter) + law_unit * law_code(factor.law));
            has_laws_ = has_laws_ || factor.law.is_there();
            if (factor.law.kind == LawKind::exponential) numbers_.push_back(factor.law.rate);
            code(factor.exponent.numerator());
            code(factor.exponent.denominator());
            code(factor.log_exponent.numerator());
            code(factor.log_exponent.denominator());
        }
    }
    for (const std::size_t parameter : form.free_parameters) code(parameter);
    numbers_.insert(numbers_.end(), form.covariance.begin(), form.covariance.end());
}

void FormList::shrink() {
    starts_.shrink_to_fit();
    numbers_.shrink_to_fit();
    codes_.shrink_to_fit();
}

std::vector<WeighedForm> leading_forms(const Posterior& posterior) {
    constexpr std::size_t most = 5;
    constexpr double least = 0.01;
    std::vector<WeighedForm> forms;
    for (std::size_t i = 0; i < posterior.forms.size() && forms.size() < most; ++i) {
        if (posterior.forms.probability(i) < least) break;
        if (posterior.forms.range(i).is_last()) forms.push_back(posterior.forms[i]);
    }
    return forms;
}

LogMoments log_moments(const Posterior& posterior, std::span<const double> point) {
    std::vector<double> by_unknown;
    double all = 0.0;
    double total = 0.0;
    double mean = 0.0;
    double square = 0.0;
    WeighedForm form;
    for (std::size_t i = 0; i < posterior.forms.size(); ++i) {
        if (!posterior.forms.range(i).holds(point.front())) continue;
        posterior.forms.read(i, form);
        all += form.probability;
        const Part part = log_part_of(posterior, form, point, by_unknown);
        if (!std::isfinite(part.mean) || !std::isfinite(part.deviation)) continue;
        total += part.weight;
        mean += part.weight * part.mean;
        square += part.weight * (part.mean * part.mean + part.deviation * part.deviation);
    }
    if (!(total >= 0.5 * all)) return {};
    mean /= total;
    return {.mean = mean, .variance = std::max(square / total - mean * mean, 0.0)};
}

Estimate estimate(const Posterior& posterior, std::span<const double> point, double coverage) {
    PLIMSOLL_EXPECT(coverage > 0.0 && coverage < 1.0);
    std::vector<Part> parts;
    std::vector<double> by_unknown;
    const double tail = 0.5 * (1.0 - coverage);
    const double normal = -numeric::normal_quantile(tail);
    double all = 0.0;
    double total = 0.0;
    const Misfit::Correction correction =
        posterior.misfit.empty() ? Misfit::Correction{} : posterior.misfit.at(point);
    const double beyond =
        posterior.discrepancy > 0.0 ? posterior.discrepancy * steps_beyond(posterior, point) : 0.0;
    const double further = std::hypot(beyond, std::sqrt(correction.variance));
    const double factor = std::exp(correction.mean);
    const bool by_logarithm = posterior.forms.has_laws();
    WeighedForm form;
    for (std::size_t i = 0; i < posterior.forms.size(); ++i) {
        if (!posterior.forms.range(i).holds(point.front())) continue;
        posterior.forms.read(i, form);
        all += form.probability;
        Part part = by_logarithm ? log_part_of(posterior, form, point, by_unknown)
                                 : part_of(posterior, form, point, by_unknown);
        if (!std::isfinite(part.mean) || !std::isfinite(part.deviation)) continue;
        // A normal distribution as wide as Student's at the limits asked for.
        part.deviation *=
            numeric::student_of_normal_quantile(normal, std::max(form.degrees_of_freedom, 2.0)) / normal;
        const double scale = by_logarithm ? 1.0 : std::abs(part.mean);
        if (further > 0.0) part.deviation = std::hypot(part.deviation, further * scale);
        if (by_logarithm) {
            part.mean += correction.mean;
        } else {
            part.mean *= factor;
        }
        const double size = by_logarithm ? 1.0 : std::abs(part.mean);
        part.deviation = std::max(part.deviation, smallest_relative_deviation * size);
        if (part.deviation == 0.0) part.deviation = std::numeric_limits<double>::min();
        total += part.weight;
        parts.push_back(part);
    }
    if (!(total >= 0.5 * all) || total == 0.0) return {};  // most forms have no value there
    for (Part& part : parts) part.weight /= total;
    Estimate result{.value = quantile(parts, 0.5, 0.0),
                    .low = quantile(parts, tail, -normal),
                    .high = quantile(parts, 1.0 - tail, normal)};
    if (by_logarithm) {
        for (double* const value : {&result.value, &result.low, &result.high}) {
            *value = std::min(std::exp(*value), std::numeric_limits<double>::max());
        }
        return result;
    }
    if (!posterior.may_be_negative) {
        result.low = std::max(result.low, 0.0);
        result.value = std::max(result.value, 0.0);
        result.high = std::max(result.high, 0.0);
    }
    return result;
}

}  // namespace plimsoll::model
