#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/core/input.hpp"
#include "plimsoll/core/options.hpp"
#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/numeric/rational.hpp"

namespace plimsoll::model {

/// What a rule bounds.
enum class RuleKind {
    growth,     ///< how a metric grows: `main->solve : O(p^0.5 log p)`
    value,      ///< what it is at a point: `main->io <= 10 s @ p=4096`
    efficiency  ///< how well it scales up to a point: `efficiency(main) >= 0.7 @ p=1024`
};
[[nodiscard]] constexpr std::array<EnumName<RuleKind>, 3> enum_names(RuleKind) {
    return {{{RuleKind::growth, "growth"}, {RuleKind::value, "value"}, {RuleKind::efficiency, "efficiency"}}};
}

enum class Relation { at_most, at_least };

/// x^exponent * log(x)^log_exponent of a parameter.
struct BoundFactor {
    std::string parameter;
    numeric::Rational exponent;
    numeric::Rational log_exponent;
};

/// One expectation, as its line says it.
struct Rule {
    std::uint64_t line = 0;
    std::string text;
    RuleKind kind = RuleKind::growth;
    std::string region;                            ///< a path, or a pattern with `*` and `?`
    std::optional<std::string> metric;             ///< where the line names one
    std::vector<std::vector<BoundFactor>> growth;  ///< a sum of products; no factor stands for 1
    Relation relation = Relation::at_most;
    double bound = 0.0;
    std::string unit;                                ///< of the bound; empty: that of the metric
    std::vector<std::pair<std::string, double>> at;  ///< a value for each parameter that is named
    /// Of an efficiency: how the program was scaled, where the line says so.
    std::optional<experiment::Scaling> scaling;
};

/// The rules of a file, whose format is docs/formats/rules.md.
struct Rules {
    std::string file;
    std::vector<Rule> rules;
};

/// Reads rules, one a line. Throws an input error that names file and line.
[[nodiscard]] Rules read_rules(Input& input);

/// One rule; the place is for complaints.
[[nodiscard]] Rule parse_rule(std::string_view line, const Place& place);

}  // namespace plimsoll::model
