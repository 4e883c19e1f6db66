#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/model/rules.hpp"

/// Arbitrary bytes are refused with an input error, or make rules that are complete, and the same when their
/// text is read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace plimsoll;
    model::Rules rules;
    try {
        Input input("fuzz", std::string_view(reinterpret_cast<const char*>(data), size));
        rules = model::read_rules(input);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
        return 0;
    }
    for (const model::Rule& rule : rules.rules) {
        PLIMSOLL_EXPECT(!rule.region.empty() && rule.line > 0 && std::isfinite(rule.bound));
        PLIMSOLL_EXPECT((rule.kind == model::RuleKind::growth) == rule.at.empty());
        const model::Rule again = model::parse_rule(rule.text, {.file = "fuzz", .line = rule.line});
        PLIMSOLL_EXPECT(again.kind == rule.kind && again.region == rule.region && again.at == rule.at);
        PLIMSOLL_EXPECT(again.metric == rule.metric && again.unit == rule.unit && again.bound == rule.bound);
    }
    return 0;
}
