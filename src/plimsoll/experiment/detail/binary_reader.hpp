#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/input.hpp"

namespace plimsoll::experiment::detail {

/// Numbers and texts of fixed width from an input, in either byte order. Every failure is an input error that
/// names the byte at which it stands.
class BinaryReader {
  public:
    explicit BinaryReader(Input& input) : input_(&input) {}

    void set_order(std::endian order) { order_ = order; }

    [[nodiscard]] bool at_end() { return input_->peek(1).empty(); }
    [[nodiscard]] Place place() const { return Place{.file = input_->name()}; }

    /// The next bytes, fewer at the end of the file; they stay unread.
    [[nodiscard]] std::string_view peek(std::size_t count) { return input_->peek(count); }
    void skip(std::size_t count) { (void)take(count); }

    std::int64_t integer() { return static_cast<std::int64_t>(whole(take(8))); }
    double number() { return std::bit_cast<double>(whole(take(8))); }
    /// A count of things that follow.
    std::uint64_t count();
    /// A text behind its length of four bytes.
    std::string text();

    /// An unsigned number of as many bytes as given, eight at most.
    [[nodiscard]] std::uint64_t whole(std::string_view bytes) const;

    [[noreturn]] void fail(const std::string& message) const;

  private:
    std::string_view take(std::size_t count);

    Input* input_;
    std::endian order_ = std::endian::little;
    std::uint64_t offset_ = 0;
    std::uint64_t start_ = 0;  ///< of what was taken last
};

}  // namespace plimsoll::experiment::detail
