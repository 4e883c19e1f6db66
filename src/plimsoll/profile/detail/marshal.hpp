#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace plimsoll::profile::detail {

/// A value that Python's marshal has written, as far as profiles have such values: a key is a tuple of two
/// texts and a number, a record one of numbers.
///
/// What lists, sets and dictionaries hold is read over, and so is what tuples within tuples hold. Texts are
/// those of the bytes that are read.
class MarshalValue {
  public:
    using Items = std::vector<MarshalValue>;  ///< of a tuple

    MarshalValue() = default;
    explicit MarshalValue(double number) : content_(number) {}
    explicit MarshalValue(std::string_view text) : content_(text) {}
    explicit MarshalValue(std::shared_ptr<const Items> items) : content_(std::move(items)) {}

    [[nodiscard]] bool is_number() const { return std::holds_alternative<double>(content_); }
    [[nodiscard]] bool is_text() const { return std::holds_alternative<std::string_view>(content_); }
    [[nodiscard]] bool is_tuple() const { return std::holds_alternative<Tuple>(content_); }
    [[nodiscard]] double number() const { return std::get<double>(content_); }
    [[nodiscard]] std::string_view text() const { return std::get<std::string_view>(content_); }
    [[nodiscard]] std::size_t size() const { return is_tuple() ? std::get<Tuple>(content_)->size() : 0; }
    [[nodiscard]] const MarshalValue& operator[](std::size_t i) const {
        return (*std::get<Tuple>(content_))[i];
    }

  private:
    using Tuple = std::shared_ptr<const Items>;
    std::variant<std::monostate, double, std::string_view, Tuple> content_;  ///< the first: something else
};

/// Reads what Python's marshal has written in its versions 0 to 4: one byte a type, and its content, numbers
/// with their lowest byte first. The highest bit of the type keeps a value for later references.
///
/// Source: the documentation of Python's module `marshal`, and files that Python 2.7 and 3.6 to 3.13 write.
class MarshalReader {
  public:
    /// The caller keeps the bytes alive.
    explicit MarshalReader(std::string_view bytes) : bytes_(bytes) {}

    /// Opens the dictionary that a document is; false where it is something else.
    [[nodiscard]] bool open_dictionary();
    /// The next key and value of it; false at its end. Throws `MarshalDamage`.
    bool next(MarshalValue& key, MarshalValue& value);

    /// Of the value last begun.
    [[nodiscard]] std::size_t offset() const { return begin_; }

  private:
    MarshalValue read(int depth);
    MarshalValue read_tuple(std::size_t count, int depth);
    void read_over(std::size_t count, int depth);
    void read_dictionary(int depth);
    MarshalValue reference();
    MarshalValue long_number();
    [[nodiscard]] bool is_at_end_of_dictionary();
    std::string_view take(std::size_t count);
    std::uint64_t take_bits(std::size_t bytes);
    std::size_t take_count(std::size_t least_bytes);
    double take_double();
    double take_decimal();

    std::string_view bytes_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;
    std::deque<MarshalValue> kept_;      ///< for references of Python 3
    std::deque<MarshalValue> interned_;  ///< for those of Python 2; neither needs twice its memory to grow
};

/// What is wrong with a text of marshal's, for a message.
struct MarshalDamage {
    std::string what;
};

}  // namespace plimsoll::profile::detail
