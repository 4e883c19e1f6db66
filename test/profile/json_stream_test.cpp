#include "plimsoll/profile/detail/json_stream.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"

namespace plimsoll::profile::detail {
namespace {

/// All pieces, as "key:text", elements in brackets.
std::vector<std::string> pieces_of(const std::string& text) {
    Input input("file", text);
    JsonStream stream(input, "events");
    std::vector<std::string> pieces;
    JsonStream::Piece piece;
    while (stream.next(piece)) {
        const std::string value(piece.text);
        pieces.push_back(std::string(piece.key) + ":" + (piece.is_element ? "[" + value + "]" : value));
        EXPECT_EQ(text.substr(stream.offset(), value.size()), value);
    }
    return pieces;
}

std::string error_of(const std::string& text) {
    try {
        (void)pieces_of(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return {};
}

using Pieces = std::vector<std::string>;

TEST(JsonStream, TakesMembersAndElementsApart) {
    EXPECT_EQ(
        pieces_of(
            R"( {"a": 1, "b" : {"x": [1, 2]}, "events": [ {"n": "}],{"}, 7 , "s\\\"" ], "c": [3], "d": null} )"),
        (Pieces{"a:1", R"(b:{"x": [1, 2]})", R"(events:[{"n": "}],{"}])", "events:[7]", R"(events:["s\\\""])",
                "c:[3]", "d:null"}));
    EXPECT_EQ(pieces_of("[1,[2],\n{}]"), (Pieces{"events:[1]", "events:[[2]]", "events:[{}]"}));
    EXPECT_EQ(pieces_of("{}"), Pieces{});
    EXPECT_EQ(pieces_of("[]"), Pieces{});
    EXPECT_EQ(pieces_of(R"({"events": []})"), Pieces{});
}

TEST(JsonStream, GoesOnOverTheBordersOfBlocks) {
    std::string text = R"({"events": [)";
    Pieces expected;
    for (int i = 0; i < 3000; ++i) {
        const std::string element = R"({"name": ")" + std::string(static_cast<std::size_t>(i % 97), 'x') +
                                    R"(\"", "n": )" + std::to_string(i) + "}";
        text += (i > 0 ? ", " : "") + element;
        expected.push_back("events:[" + element + "]");
    }
    const std::string large = "\"" + std::string(300'000, 'y') + "\"";
    text += "], \"large\": " + large + "}";
    expected.push_back("large:" + large);
    EXPECT_EQ(pieces_of(text), expected);
}

TEST(JsonStream, SaysWhereTheTextIsNone) {
    EXPECT_EQ(error_of(""), "file: the JSON text ends too early at byte 0");
    EXPECT_EQ(error_of("7"), "file: this is no JSON object at byte 0");
    EXPECT_EQ(error_of(R"({"events": [{"a": 1}, {"a")"),
              "file: the JSON text ends within a value that begins at byte 22");
    EXPECT_EQ(error_of(R"({"events": [1 2]})"), "file: a comma is missing at byte 14");
    EXPECT_EQ(error_of(R"({"a" 1})"), "file: a colon is missing at byte 1");
    EXPECT_EQ(error_of(R"({a: 1})"), "file: a key is missing at byte 1");
    EXPECT_EQ(error_of(R"({"a": })"), "file: there is no value at byte 6");
    EXPECT_EQ(error_of(R"([1,)"), "file: the JSON text ends too early at byte 3");
}

}  // namespace
}  // namespace plimsoll::profile::detail
