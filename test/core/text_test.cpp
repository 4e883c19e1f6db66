#include "plimsoll/core/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace plimsoll {
namespace {

std::string random_text(std::mt19937& random, std::string_view letters, std::size_t longest) {
    std::string text(random() % (longest + 1), ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    return text;
}

TEST(Trim, TakesBlanksFromBothEndsOnly) {
    EXPECT_EQ(trim(" \t a b\r\n"), "a b");
    EXPECT_EQ(trim("a"), "a");
    EXPECT_EQ(trim(" \n "), "");
    EXPECT_EQ(trim(""), "");
}

TEST(Split, IsUndoneByJoin) {
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
        const std::string text = random_text(random, "ab,,", 12);
        const auto pieces = split(text, ',');
        EXPECT_EQ(pieces.size(), 1U + static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')));
        EXPECT_EQ(join(std::vector<std::string>(pieces.begin(), pieces.end()), ","), text);
    }
    EXPECT_EQ(split("", ','), std::vector<std::string_view>{""});
    EXPECT_EQ(join({}, ", "), "");
}

TEST(ParseNumber, ReadsBackTheShortestTextOfEveryDouble) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 20'000; ++i) {
        const double value = std::bit_cast<double>(random());
        if (std::isnan(value)) continue;
        EXPECT_EQ(parse_number(shortest(value)), value) << shortest(value);
    }
    for (const double value : {0.0, -0.0, 5e-324, 1.7976931348623157e308, 0.1, 1e22, 123456789.0}) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(*parse_number(shortest(value))),
                  std::bit_cast<std::uint64_t>(value));
    }
}

TEST(ParseNumber, AgreesWithTheCLibrary) {
    const std::string zeros(400, '0');
    for (const std::string& text :
         {std::string("1e999"), std::string("-1e999"), std::string("1e-999"), "1" + zeros, "0." + zeros + "1",
          "0." + zeros + "1e5", "1" + zeros + "e-5", "1" + zeros + "e-400", "0." + zeros + "1e401",
          std::string("-0." + zeros + "7"), "1e" + zeros + "5", "1e-9" + zeros, "1e9" + zeros, "0e9" + zeros,
          std::string(".5"), std::string("5."), std::string("1E5"), std::string("1e-5")}) {
        ASSERT_TRUE(parse_number(text).has_value()) << text;
        EXPECT_EQ(*parse_number(text), std::strtod(text.c_str(), nullptr)) << text;
    }
}

TEST(LowerCase, ChangesAsciiCapitalsAlone) {
    EXPECT_EQ(lower_case("Wall_Time [S] AZ az @["), "wall_time [s] az az @[");
    EXPECT_EQ(lower_case("\xC3\x96"), "\xC3\x96");
}

TEST(Utf8Length, IsZeroWhereACharacterIsNotWellFormed) {
    EXPECT_EQ(utf8_length("xa", 1), 1U);
    EXPECT_EQ(utf8_length("\xC3\xB6", 0), 2U);
    EXPECT_EQ(utf8_length("\xE2\x82\xAC", 0), 3U);
    EXPECT_EQ(utf8_length("\xF0\x9F\x9A\xA2", 0), 4U);
    for (const char* const text :
         {"\xC3", "\xB6", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
        EXPECT_EQ(utf8_length(text, 0), 0U);
        EXPECT_FALSE(is_utf8(std::string("x") + text));
    }
    EXPECT_TRUE(is_utf8("x\xC3\xB6\xE2\x82\xAC"));
    EXPECT_TRUE(is_utf8(""));
}

TEST(ParseWhole, TakesTheWholeText) {
    EXPECT_EQ(parse_whole("17"), 17);
    EXPECT_EQ(parse_whole("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    for (const char* const text : {"", " 1", "1x", "1.0", "+1", "9223372036854775808"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(parse_whole(text));
    }
}

TEST(ParseNumber, UnderstandsWhatPythonWrites) {
    EXPECT_EQ(parse_number("+5"), 5.0);
    EXPECT_EQ(parse_number("1_000.5"), 1000.5);
    EXPECT_TRUE(std::isnan(parse_number("NaN").value()));
    EXPECT_EQ(parse_number("inf"), INFINITY);
    EXPECT_EQ(parse_number("-Infinity"), -INFINITY);
}

TEST(ParseNumber, RefusesWhatIsNoNumber) {
    for (const char* text : {"", " ", "x", "1x", " 1", "1 ", "1,5", "++1", "+-1", "--1", "0x10", "1_", "_1",
                             "1__0", "1_.5", "1e", "e5", ".", "1.2.3"}) {
        EXPECT_EQ(parse_number(text), std::nullopt) << "'" << text << "'";
    }
}

TEST(JsonQuote, IsReadBackByAJsonParser) {
    std::mt19937 random(3);
    for (int i = 0; i < 500; ++i) {
        std::string text = random_text(random, "a\"\\\n\t\r\b\x01\x1f/{}", 20);
        text += "ü€😀";
        EXPECT_EQ(nlohmann::json::parse(json_quote(text)).get<std::string>(), text);
    }
}

TEST(JsonQuote, GivesValidJsonForAnyBytes) {
    std::mt19937 random(4);
    for (int i = 0; i < 5000; ++i) {
        std::string bytes(random() % 8, ' ');
        for (char& c : bytes) c = static_cast<char>(random() % 4 == 0 ? random() : 0x80 + random() % 0x80);
        EXPECT_TRUE(nlohmann::json::accept(json_quote(bytes)));
    }
    const std::string surrogate("\xED\xA0\x80");
    EXPECT_EQ(json_quote(surrogate), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    EXPECT_EQ(json_quote("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    EXPECT_EQ(json_quote(std::string("\0", 1)), "\"\\u0000\"");
}

TEST(JsonNumber, IsNullWhereJsonHasNoNumber) {
    EXPECT_EQ(json_number(0.1), "0.1");
    EXPECT_EQ(json_number(NAN), "null");
    EXPECT_EQ(json_number(-INFINITY), "null");
    EXPECT_EQ(nlohmann::json::parse(json_number(1e300)).get<double>(), 1e300);
}

/// The same by its definition, exponential in the length.
int plain_distance(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) return static_cast<int>(a.size() + b.size());
    int best = std::min({plain_distance(a.substr(1), b) + 1, plain_distance(a, b.substr(1)) + 1,
                         plain_distance(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1)});
    if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
        best = std::min(best, plain_distance(a.substr(2), b.substr(2)) + 1);
    }
    return best;
}

TEST(EditDistance, AgreesWithItsDefinition) {
    std::mt19937 random(5);
    for (int i = 0; i < 300; ++i) {
        const std::string a = random_text(random, "abc", 6);
        const std::string b = random_text(random, "abc", 6);
        EXPECT_EQ(edit_distance(a, b), plain_distance(a, b)) << a << " " << b;
        EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
        EXPECT_EQ(edit_distance(a, a), 0);
    }
}

TEST(Nearest, OffersAWordOnlyWhereItIsNearEnoughToBeMeant) {
    const std::vector<std::string> words{"fit", "predict", "plan", "parameters"};
    EXPECT_EQ(nearest("fitt", words), "fit");
    EXPECT_EQ(nearest("pred", words), "predict");
    EXPECT_EQ(nearest("parametersx", words), "parameters");
    EXPECT_EQ(nearest("lpan", words), "plan");
    EXPECT_EQ(nearest("xyzzy", words), std::nullopt);
    EXPECT_EQ(nearest("fit", {}), std::nullopt);
    const std::vector<std::string> letters{"p", "n"};
    EXPECT_EQ(nearest("q", letters), std::nullopt) << "one letter is like no other";
    EXPECT_EQ(nearest("P", letters), "p") << "but for its case";
    EXPECT_EQ(nearest("pn", letters), "p");
}

/// The same by its definition.
bool plain_match(std::string_view pattern, std::string_view name) {
    if (pattern.empty()) return name.empty();
    if (pattern[0] == '*')
        return plain_match(pattern.substr(1), name) ||
               (!name.empty() && plain_match(pattern, name.substr(1)));
    return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
           plain_match(pattern.substr(1), name.substr(1));
}

TEST(GlobMatch, AgreesWithItsDefinition) {
    std::mt19937 random(6);
    int matches = 0;
    for (int i = 0; i < 5000; ++i) {
        const std::string pattern = random_text(random, "ab*?", 6);
        const std::string name = random_text(random, "ab", 6);
        EXPECT_EQ(glob_match(pattern, name), plain_match(pattern, name)) << pattern << " " << name;
        matches += glob_match(pattern, name) ? 1 : 0;
    }
    EXPECT_GT(matches, 500);
}

TEST(GlobMatch, IsQuickWhereAPlainSearchIsNot) {
    EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*a*b", std::string(100'000, 'a')));
}

TEST(Counted, PutsTheNounInItsNumber) {
    EXPECT_EQ(counted(1, "point"), "1 point");
    EXPECT_EQ(counted(0, "point"), "0 points");
    EXPECT_EQ(counted(5, "point"), "5 points");
}

TEST(DisplayWidth, CountsCharactersAndNotBytes) {
    EXPECT_EQ(display_width("abc"), 3U);
    EXPECT_EQ(display_width("zürich"), 6U);
    EXPECT_EQ(display_width(""), 0U);
}

}  // namespace
}  // namespace plimsoll
