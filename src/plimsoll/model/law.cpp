#include "plimsoll/model/law.hpp"

#include <cmath>
#include <numbers>

namespace plimsoll::model {

double argument_at(LawArgument argument, double x) {
    switch (argument) {
        case LawArgument::root: return std::sqrt(x);
        case LawArgument::over_log: return x / std::log2(x);
        case LawArgument::linear: return x;
        case LawArgument::times_log: return x * std::log2(x);
        case LawArgument::square: break;
    }
    return x * x;
}

double log_value(const Law& law, double x) {
    switch (law.kind) {
        case LawKind::exponential: return std::numbers::ln2 * law.rate * argument_at(law.of, x);
        case LawKind::factorial: {
            int sign = 0;  // unlike std::lgamma, safe with threads
            return ::lgamma_r(x + 1.0, &sign);
        }
        case LawKind::none: break;
    }
    return 0.0;
}

int compare_growth(const Law& a, const Law& b) {
    // x! is 2^(x log2 x) less 2^(1.44 x): it comes just below the former.
    struct Order {
        int argument;
        double rate;
        int below;
    };
    const auto order = [](const Law& law) -> Order {
        switch (law.kind) {
            case LawKind::exponential: {
                if (law.rate == 0.0) return {.argument = 0, .rate = 0.0, .below = 0};
                const int argument = static_cast<int>(law.of) + 1;
                return {.argument = law.rate > 0.0 ? argument : -argument, .rate = law.rate, .below = 0};
            }
            case LawKind::factorial:
                return {.argument = static_cast<int>(LawArgument::times_log) + 1, .rate = 1.0, .below = 1};
            case LawKind::none: break;
        }
        return {.argument = 0, .rate = 0.0, .below = 0};
    };
    const Order first = order(a);
    const Order second = order(b);
    if (first.argument != second.argument) return first.argument < second.argument ? -1 : 1;
    if (first.rate != second.rate) return first.rate < second.rate ? -1 : 1;
    return second.below - first.below;
}

}  // namespace plimsoll::model
