#include "plimsoll/core/json_writer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "plimsoll/core/error.hpp"

namespace plimsoll {
namespace {

TEST(JsonWriter, WritesWhatAnIndependentParserReadsBack) {
    JsonWriter writer;
    writer.begin_object()
        .member("name", "a \"b\"\n\t\x01 µ")
        .member("third", 1.0 / 3.0)
        .key("list")
        .begin_array();
    writer.value(1).value(true).null().begin_object().end_object().begin_array().end_array();
    writer.end_array()
        .member("nan", std::nan(""))
        .member("inf", std::numeric_limits<double>::infinity())
        .end_object();
    const auto read = nlohmann::json::parse(writer.take());
    EXPECT_EQ(read["name"], "a \"b\"\n\t\x01 µ");
    EXPECT_EQ(read["third"].get<double>(), 1.0 / 3.0);
    EXPECT_EQ(read["list"], nlohmann::json::parse("[1, true, null, {}, []]"));
    EXPECT_TRUE(read["nan"].is_null());
    EXPECT_TRUE(read["inf"].is_null());
}

TEST(JsonWriter, IndentsTheOuterLevelsAndKeepsTheInnerOnOneLine) {
    JsonWriter writer(1);
    writer.begin_object().key("a").begin_array().value(1).value(2).end_array().member("b", 3).end_object();
    EXPECT_EQ(writer.take(), "{\n  \"a\": [1, 2],\n  \"b\": 3\n}\n");
}

TEST(JsonWriter, RefusesWhatWouldNotBeJson) {
    EXPECT_THROW(JsonWriter().begin_object().value(1), Error);
    EXPECT_THROW(JsonWriter().begin_array().key("a"), Error);
    EXPECT_THROW(JsonWriter().begin_object().end_array(), Error);
    EXPECT_THROW((void)JsonWriter().begin_object().take(), Error);
    EXPECT_THROW(JsonWriter().value(1).value(2), Error);
}

}  // namespace
}  // namespace plimsoll
