#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "plimsoll/core/input.hpp"
#include "plimsoll/experiment/detail/json_relaxer.hpp"

namespace plimsoll::experiment::detail {

/// The characters of a JSON document, made strict and counted by lines while a parser takes them one by one.
class JsonSource {
  public:
    explicit JsonSource(Input& input) : input_(&input) {}

    [[nodiscard]] bool at_end() {
        if (position_ == block_.size()) fill();
        return position_ == block_.size();
    }
    [[nodiscard]] char current() const { return block_[position_]; }
    void advance() {
        line_ = next_line_;
        if (block_[position_++] == '\n') ++next_line_;
    }

    /// Line of the character taken last, counted from 1.
    [[nodiscard]] std::uint64_t line() const { return line_; }

    /// Iterator of the standard library over the characters; one without a source is the end.
    class Iterator;

  private:
    void fill();

    Input* input_;
    JsonRelaxer relaxer_{Semicolons::stay};
    std::string block_;
    std::size_t position_ = 0;
    std::uint64_t line_ = 1;
    std::uint64_t next_line_ = 1;
    bool is_finished_ = false;
};

class JsonSource::Iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    Iterator() = default;
    explicit Iterator(JsonSource& source) : source_(&source) {}

    char operator*() const { return source_->current(); }
    Iterator& operator++() {
        source_->advance();
        return *this;
    }
    void operator++(int) { source_->advance(); }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.is_end() == b.is_end(); }

  private:
    [[nodiscard]] bool is_end() const { return source_ == nullptr || source_->at_end(); }

    JsonSource* source_ = nullptr;
};

}  // namespace plimsoll::experiment::detail
