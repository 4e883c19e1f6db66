#include "plimsoll/profile/detail/marshal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "plimsoll/core/text.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr int deepest = 32;            // profiles nest to 5
constexpr std::size_t most_items = 5;  // of a tuple: a record has so many
constexpr unsigned keep_flag = 0x80;

}  // namespace

std::string_view MarshalReader::take(std::size_t count) {
    if (count > bytes_.size() - at_) throw MarshalDamage{"the file ends too early"};
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
}

std::uint64_t MarshalReader::take_bits(std::size_t bytes) {
    std::uint64_t bits = 0;
    unsigned shift = 0;
    for (const char c : take(bytes)) {
        bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(c)) << shift;
        shift += 8;
    }
    return bits;
}

/// A number of things, each of which takes so many bytes at least.
std::size_t MarshalReader::take_count(std::size_t least_bytes) {
    const auto count = static_cast<std::size_t>(take_bits(4));
    if (count > (bytes_.size() - at_) / least_bytes) throw MarshalDamage{"the file ends too early"};
    return count;
}

double MarshalReader::take_double() { return std::bit_cast<double>(take_bits(8)); }

double MarshalReader::take_decimal() {
    const auto number = parse_number(take(static_cast<std::size_t>(take_bits(1))));
    if (!number) throw MarshalDamage{"a number is damaged"};
    return *number;
}

/// Digits to the base 2^15; the sign is that of their count.
MarshalValue MarshalReader::long_number() {
    const auto count = static_cast<std::int32_t>(static_cast<std::uint32_t>(take_bits(4)));
    const std::uint64_t digits = count < 0
                                     ? std::uint64_t{0} - static_cast<std::uint64_t>(std::int64_t{count})
                                     : static_cast<std::uint64_t>(count);
    if (digits > (bytes_.size() - at_) / 2) throw MarshalDamage{"the file ends too early"};
    double value = 0.0;
    double weight = 1.0;
    constexpr double base = 32768.0;
    for (std::uint64_t i = 0; i < digits; ++i) {
        const auto digit = static_cast<double>(take_bits(2));
        if (digit > 0.0) value += digit * weight;
        weight *= base;
    }
    return MarshalValue(count < 0 ? -value : value);
}

MarshalValue MarshalReader::reference() {
    const bool is_interned = bytes_[at_ - 1] == 'R';
    const std::deque<MarshalValue>& values = is_interned ? interned_ : kept_;
    const std::uint64_t number = take_bits(4);
    if (number >= values.size()) throw MarshalDamage{fmt::format("reference {} refers to nothing", number)};
    return values[static_cast<std::size_t>(number)];
}

MarshalValue MarshalReader::read_tuple(std::size_t count, int depth) {
    if (count > most_items) {
        at_ = begin_;
        throw MarshalDamage{fmt::format("a tuple has {} items, more than any of a profile", count)};
    }
    MarshalValue::Items items;
    items.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        MarshalValue item = read(depth);
        items.push_back(item.is_tuple() ? MarshalValue() : std::move(item));
    }
    return MarshalValue(std::make_shared<const MarshalValue::Items>(std::move(items)));
}

void MarshalReader::read_over(std::size_t count, int depth) {
    for (std::size_t i = 0; i < count; ++i) (void)read(depth);
}

bool MarshalReader::is_at_end_of_dictionary() {
    if (at_ == bytes_.size()) throw MarshalDamage{"the file ends too early"};
    if (bytes_[at_] != '0') return false;
    ++at_;
    return true;
}

void MarshalReader::read_dictionary(int depth) {
    while (!is_at_end_of_dictionary()) {
        (void)read(depth);
        (void)read(depth);
    }
}

MarshalValue MarshalReader::read(int depth) {
    if (depth > deepest) throw MarshalDamage{"values are nested too deeply"};
    begin_ = at_;
    const auto code = static_cast<unsigned>(take_bits(1));
    const auto type = static_cast<char>(code & ~keep_flag);
    // None, True and the like are never kept.
    const bool is_kept =
        (code & keep_flag) != 0 && std::string_view("NTFS.").find(type) == std::string_view::npos;
    // A tuple is counted before what is in it.
    const std::size_t place = kept_.size();
    if (is_kept) kept_.emplace_back();
    const auto text = [&](std::size_t length) { return MarshalValue(take(length)); };
    MarshalValue value;
    switch (type) {
        case 'N':
        case 'T':
        case 'F':
        case 'S':
        case '.': break;
        case 'i':
            value = MarshalValue(
                static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint32_t>(take_bits(4)))));
            break;
        case 'I': value = MarshalValue(static_cast<double>(static_cast<std::int64_t>(take_bits(8)))); break;
        case 'l': value = long_number(); break;
        case 'g': value = MarshalValue(take_double()); break;
        case 'f': value = MarshalValue(take_decimal()); break;
        case 's':
        case 'u':
        case 'a':
        case 'A': value = text(take_count(1)); break;
        case 'z':
        case 'Z': value = text(static_cast<std::size_t>(take_bits(1))); break;
        case 't':
            value = text(take_count(1));
            interned_.push_back(value);
            break;
        case 'r':
        case 'R': value = reference(); break;
        case ')': value = read_tuple(static_cast<std::size_t>(take_bits(1)), depth + 1); break;
        case '(': value = read_tuple(take_count(1), depth + 1); break;
        case '[':
        case '<':
        case '>': read_over(take_count(1), depth + 1); break;
        case '{': read_dictionary(depth + 1); break;
        default: at_ = begin_; throw MarshalDamage{fmt::format("no value has the type {}", code)};
    }
    if (is_kept) kept_[place] = value;
    return value;
}

bool MarshalReader::open_dictionary() {
    if (bytes_.empty()) return false;
    const auto code = static_cast<unsigned>(static_cast<unsigned char>(bytes_.front()));
    if (static_cast<char>(code & ~keep_flag) != '{') return false;
    if ((code & keep_flag) != 0) kept_.emplace_back();
    at_ = 1;
    return true;
}

bool MarshalReader::next(MarshalValue& key, MarshalValue& value) {
    begin_ = at_;
    if (is_at_end_of_dictionary()) return false;
    const std::size_t entry = at_;
    key = read(0);
    value = read(0);
    begin_ = entry;
    return true;
}

}  // namespace plimsoll::profile::detail
