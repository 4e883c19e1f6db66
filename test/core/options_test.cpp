#include "plimsoll/core/options.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace plimsoll {
namespace {

enum class Colour { red, green };
constexpr std::array<EnumName<Colour>, 2> enum_names(Colour) {
    return {{{Colour::red, "red"}, {Colour::green, "green"}}};
}
enum class Nameless { one };

struct PaintOptions {
    int coats = 2;
    Colour colour = Colour::green;
};

template <class Visitor>
void describe(PaintOptions& o, Visitor&& option) {
    option("coats", o.coats, "Coats of paint", Between{1, 5});
    option("colour", o.colour, "Colour of all coats");
}

/// Collects what a page of help would show, and changes the values as flags would.
struct HelpVisitor {
    std::vector<std::string> lines;
    void operator()(std::string_view name, int& value, std::string_view help, Between<int> limits) {
        lines.push_back(std::string(name) + " " + std::to_string(value) + " " + std::string(help) + " " +
                        std::to_string(limits.lowest) + ".." + std::to_string(limits.highest));
        value = limits.highest;
    }
    template <NamedEnum Enum>
    void operator()(std::string_view name, Enum& value, std::string_view help) {
        lines.push_back(std::string(name) + " " + std::string(enum_name(value)) + " " + std::string(help));
    }
};

TEST(EnumName, IsTheOneInTheTable) {
    EXPECT_EQ(enum_name(Colour::red), "red");
    EXPECT_EQ(enum_name(Colour::green), "green");
    EXPECT_EQ(enum_name(static_cast<Colour>(7)), "unknown");
    EXPECT_TRUE(NamedEnum<Colour>);
    EXPECT_FALSE(NamedEnum<Nameless>);
    EXPECT_FALSE(NamedEnum<int>);
}

TEST(Options, AreVisitedInOrderWithNameValueHelpAndLimits) {
    PaintOptions options;
    HelpVisitor visitor;
    describe(options, visitor);
    EXPECT_EQ(visitor.lines,
              (std::vector<std::string>{"coats 2 Coats of paint 1..5", "colour green Colour of all coats"}));
    EXPECT_EQ(options.coats, 5);
}

}  // namespace
}  // namespace plimsoll
