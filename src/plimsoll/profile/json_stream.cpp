#include "plimsoll/profile/detail/json_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "plimsoll/core/error.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr std::size_t block = std::size_t{1} << 16U;
constexpr std::size_t longest_piece = std::size_t{64} << 20U;
constexpr std::size_t unfinished = std::string_view::npos;

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Behind the closing quotation mark of a string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    for (std::size_t i = at + 1;;) {
        if (i >= text.size()) return unfinished;
        const void* const mark = std::memchr(text.data() + i, '"', text.size() - i);
        if (mark == nullptr) return unfinished;
        const auto quote = static_cast<std::size_t>(static_cast<const char*>(mark) - text.data());
        std::size_t backslashes = 0;
        while (quote - backslashes > at + 1 && text[quote - backslashes - 1] == '\\') ++backslashes;
        if (backslashes % 2 == 0) return quote + 1;
        i = quote + 1;
    }
}

/// Behind the value that begins at `at`.
std::size_t end_of_value(std::string_view text, std::size_t at) {
    if (text[at] == '"') return end_of_string(text, at);
    if (text[at] != '{' && text[at] != '[') {
        const std::size_t end = text.find_first_of(",]} \n\t\r", at);
        return end;
    }
    std::size_t depth = 0;
    for (std::size_t i = at; i < text.size();) {
        switch (text[i]) {
            case '"':
                i = end_of_string(text, i);
                if (i == unfinished) return unfinished;
                continue;
            case '{':
            case '[': ++depth; break;
            case '}':
            case ']':
                if (--depth == 0) return i + 1;
                break;
            default: break;
        }
        ++i;
    }
    return unfinished;
}

}  // namespace

void JsonStream::fail(const std::string& what) const {
    throw Error(ErrorKind::input, Place{.file = input_->name()}, fmt::format("{} at byte {}", what, offset()),
                "write the file again; a program that was killed leaves a part of it");
}

/// Looks further ahead; false at the end.
bool JsonStream::more() {
    (void)input_->take(piece_at_);
    taken_ += piece_at_;
    at_ -= piece_at_;
    const std::size_t unread = view_.size() - piece_at_;
    piece_at_ = 0;
    if (unread > longest_piece) fail(fmt::format("a value of more than {} MiB begins", longest_piece >> 20U));
    view_ = input_->peek(std::max(block, 2 * unread));
    return view_.size() > unread;
}

char JsonStream::peek_character() {
    if (at_ == view_.size()) {
        piece_at_ = at_;
        if (!more()) fail("the JSON text ends too early");
    }
    return view_[at_];
}

void JsonStream::skip_blanks() {
    while (is_blank(peek_character())) ++at_;
}

std::string_view JsonStream::take_value() {
    piece_at_ = at_;
    std::size_t end = end_of_value(view_, at_);
    while (end == unfinished) {
        if (!more()) fail("the JSON text ends within a value that begins");
        end = end_of_value(view_, at_);
    }
    if (end == at_) fail("there is no value");
    at_ = end;
    return view_.substr(piece_at_, end - piece_at_);
}

bool JsonStream::next(Piece& piece) {
    if (state_ == State::start) {
        skip_blanks();
        piece_at_ = at_;
        if (view_[at_] != '{' && view_[at_] != '[') fail("this is no JSON object");
        array_is_all_ = view_[at_] == '[';
        state_ = array_is_all_ ? State::array : State::object;
        if (array_is_all_) key_ = array_;
        ++at_;
    }
    while (state_ != State::done) {
        skip_blanks();
        piece_at_ = at_;
        const char c = view_[at_];
        const char closing = state_ == State::array ? ']' : '}';
        if (c == closing) {
            ++at_;
            expects_comma_ = true;
            state_ = state_ == State::array && !array_is_all_ ? State::object : State::done;
            continue;
        }
        if (c == ',' && expects_comma_) {
            ++at_;
            expects_comma_ = false;
            continue;
        }
        if (expects_comma_) fail("a comma is missing");
        if (state_ == State::array) {
            piece = {.key = key_, .text = take_value(), .is_element = true};
            expects_comma_ = true;
            return true;
        }
        if (c != '"') fail("a key is missing");
        const std::string_view quoted = take_value();
        key_ = quoted.substr(1, quoted.size() - 2);
        skip_blanks();
        if (view_[at_] != ':') fail("a colon is missing");
        ++at_;
        skip_blanks();
        if (key_ == array_ && view_[at_] == '[') {
            ++at_;
            state_ = State::array;
            continue;
        }
        piece = {.key = key_, .text = take_value(), .is_element = false};
        expects_comma_ = true;
        return true;
    }
    return false;
}

}  // namespace plimsoll::profile::detail
