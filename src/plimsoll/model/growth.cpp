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
        if (!factor.segments.empty()) own = growth_orders(factor.segments.back().function, parameters);
        std::vector<Order> products;
        for (const Order& a : orders) {
            for (const Order& b : own) {
                Order both = a;
                // Each parameter stands in one factor of a term only.
                for (std::size_t k = 0; k < parameters; ++k) {
                    if (b.exponents[k] != std::pair<Rational, Rational>{}) both.exponents[k] = b.exponents[k];
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

bool Order::covers(const Order& other) const {
    for (std::size_t k = 0; k < exponents.size(); ++k) {
        if (exponents[k] < other.exponents[k]) return false;
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
