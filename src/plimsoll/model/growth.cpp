#include "plimsoll/model/growth.hpp"

#include <algorithm>
#include <span>

namespace plimsoll::model {

namespace {

void add_order(const Order& order, std::vector<Order>& largest) {
    if (std::any_of(largest.begin(), largest.end(), [&](const Order& o) { return o.covers(order); })) return;
    std::erase_if(largest, [&](const Order& o) { return order.covers(o); });
    largest.push_back(order);
}

/// The orders of a product whose piecewise factors are replaced by the growth of their last segments.
std::vector<Order> orders_of(std::span<const Factor> factors, std::size_t parameters) {
    std::vector<Order> orders{
        {.exponents = std::vector<std::pair<Rational, Rational>>(parameters), .factors = {}}};
    for (const Factor& factor : factors) {
        std::vector<Order> own{
            {.exponents = std::vector<std::pair<Rational, Rational>>(parameters), .factors = {factor}}};
        own.front().exponents[factor.parameter] = {factor.exponent, factor.log_exponent};
        if (factor.law.is_there()) {
            own.front().laws.resize(parameters);
            own.front().laws[factor.parameter] = factor.law;
        }
        if (!factor.segments.empty()) own = growth_orders(factor.segments.back().function, parameters);
        std::vector<Order> products;
        for (const Order& a : orders) {
            for (const Order& b : own) {
                Order both = a;
                // Each parameter stands in one factor of a term only.
                for (std::size_t k = 0; k < parameters; ++k) {
                    if (b.exponents[k] != std::pair<Rational, Rational>{}) both.exponents[k] = b.exponents[k];
                    if (b.laws.empty() || !b.laws[k].is_there()) continue;
                    both.laws.resize(parameters);
                    both.laws[k] = b.laws[k];
                }
                both.factors.insert(both.factors.end(), b.factors.begin(), b.factors.end());
                products.push_back(std::move(both));
            }
        }
        orders = std::move(products);
    }
    return orders;
}

}  // namespace

int Order::compare(const Order& other, std::size_t parameter) const {
    const auto law_of = [&](const Order& order) {
        return order.laws.empty() ? Law{} : order.laws[parameter];
    };
    const int by_law = compare_growth(law_of(*this), law_of(other));
    if (by_law != 0) return by_law;
    if (exponents[parameter] == other.exponents[parameter]) return 0;
    return exponents[parameter] < other.exponents[parameter] ? -1 : 1;
}

bool Order::covers(const Order& other) const {
    for (std::size_t k = 0; k < exponents.size(); ++k) {
        if (compare(other, k) < 0) return false;
    }
    return true;
}

std::vector<Order> growth_orders(const Function& function, std::size_t parameters) {
    if (!function.segments.empty()) return growth_orders(function.segments.back().function, parameters);
    std::vector<Order> largest{
        {.exponents = std::vector<std::pair<Rational, Rational>>(parameters), .factors = {}}};
    for (const Term& term : function.terms) {
        if (term.coefficient == 0.0) continue;
        for (const Order& order : orders_of(term.factors, parameters)) add_order(order, largest);
    }
    return largest;
}

}  // namespace plimsoll::model
