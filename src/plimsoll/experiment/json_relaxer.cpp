#include "plimsoll/experiment/detail/json_relaxer.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::size_t longest_literal = std::string_view("-Infinity").size();

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_literal(std::string_view word) { return word == "NaN" || word == "Infinity" || word == "-Infinity"; }

}  // namespace

void JsonRelaxer::append(std::string_view piece, std::string& strict) {
    strict.reserve(strict.size() + piece.size() + 16);
    for (const char c : piece) append(c, strict);
}

void JsonRelaxer::append(char c, std::string& strict) {
    if (in_string_) {
        strict.push_back(c);
        if (is_escaped_) {
            is_escaped_ = false;
        } else if (c == '\\') {
            is_escaped_ = true;
        } else if (c == '"') {
            in_string_ = false;
        }
        return;
    }
    if (!word_.empty()) {
        if (is_letter(c) && word_.size() <= longest_literal) {
            word_.push_back(c);
            return;
        }
        end_word(strict);
    }
    if (c == '-' || c == 'N' || c == 'I') {
        word_.push_back(c);
        return;
    }
    in_string_ = c == '"';
    strict.push_back(c == ';' && semicolons_ == Semicolons::become_commas ? ',' : c);
}

void JsonRelaxer::end_word(std::string& strict) {
    if (is_literal(word_)) {
        strict.push_back('"');
        strict += word_;
        strict.push_back('"');
    } else {
        strict += word_;
    }
    word_.clear();
}

void JsonRelaxer::finish(std::string& strict) {
    if (!word_.empty()) end_word(strict);
    in_string_ = false;
    is_escaped_ = false;
}

}  // namespace plimsoll::experiment::detail
