#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::profile::detail {

/// A value that Python's marshal has written, as far as profiles have such values.
///
/// What lists, sets and dictionaries hold is read over.
struct MarshalValue {
    enum class Kind { nothing, number, text, tuple, other };
    Kind kind = Kind::nothing;
    double number = 0.0;
    std::shared_ptr<const std::string> text;
    std::shared_ptr<const std::vector<MarshalValue>> items;  ///< of a tuple
    int height = 0;                                          ///< of tuples within tuples

    [[nodiscard]] bool is_number() const { return kind == Kind::number; }
    [[nodiscard]] bool is_text() const { return kind == Kind::text; }
    [[nodiscard]] std::size_t size() const { return kind == Kind::tuple ? items->size() : 0; }
    [[nodiscard]] const MarshalValue& operator[](std::size_t i) const { return (*items)[i]; }
};

/// Reads what Python's marshal has written in its versions 0 to 4: one byte a type, and its content, numbers
/// with their lowest byte first. The highest bit of the type keeps a value for later references.
///
/// Source: the documentation of Python's module `marshal`, and files that Python 2.7 and 3.6 to 3.13 write.
class MarshalReader {
  public:
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
    std::vector<MarshalValue> kept_;      ///< for references of Python 3
    std::vector<MarshalValue> interned_;  ///< for those of Python 2
};

/// What is wrong with a text of marshal's, for a message.
struct MarshalDamage {
    std::string what;
};

}  // namespace plimsoll::profile::detail
