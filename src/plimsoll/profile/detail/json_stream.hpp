#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plimsoll/core/input.hpp"

namespace plimsoll::profile::detail {

/// Takes a JSON document apart that is too large for memory: the members of its object, and of one of them,
/// which is an array, each element. A document that is an array itself is taken for that one.
///
/// Only brackets, quotation marks and commas are looked at; what is inside is for a parser.
class JsonStream {
  public:
    struct Piece {
        std::string_view key;   ///< of the member; that of the array for its elements
        std::string_view text;  ///< JSON, followed by `Input::padding` readable bytes
        bool is_element = false;
    };

    JsonStream(Input& input, std::string_view array) : input_(&input), array_(array) {}

    /// The next piece, valid until the next call; false at the end. Throws an input error with the byte where
    /// the text is none.
    bool next(Piece& piece);

    /// Bytes before the piece last returned.
    [[nodiscard]] std::uint64_t offset() const { return taken_ + piece_at_; }

    /// Throws an input error of the piece last returned.
    [[noreturn]] void fail(const std::string& what) const;

  private:
    enum class State { start, object, array, done };

    bool more();
    [[nodiscard]] char peek_character();
    void skip_blanks();
    [[nodiscard]] std::string_view take_value();

    Input* input_;
    std::string array_;
    std::string key_;
    State state_ = State::start;
    bool array_is_all_ = false;
    bool expects_comma_ = false;
    std::string_view view_;     ///< unread bytes
    std::size_t at_ = 0;        ///< of what was not looked at, in the view
    std::size_t piece_at_ = 0;  ///< of the piece, in the view
    std::uint64_t taken_ = 0;   ///< bytes before the view
};

}  // namespace plimsoll::profile::detail
