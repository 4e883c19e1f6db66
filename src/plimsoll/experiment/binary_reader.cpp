#include "plimsoll/experiment/detail/binary_reader.hpp"

#include <fmt/format.h>

namespace plimsoll::experiment::detail {

namespace {

constexpr std::uint64_t longest_text = std::uint64_t{1} << 20U;  // far above any name, far below any memory

}  // namespace

std::string_view BinaryReader::take(std::size_t count) {
    start_ = offset_;
    const std::string_view bytes = input_->take(count);
    offset_ += bytes.size();
    if (bytes.size() < count) fail("the file ends within a record");
    return bytes;
}

std::uint64_t BinaryReader::whole(std::string_view bytes) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::size_t at = order_ == std::endian::big ? i : bytes.size() - 1 - i;
        value = (value << 8U) | static_cast<unsigned char>(bytes[at]);
    }
    return value;
}

std::uint64_t BinaryReader::count() {
    const std::int64_t value = integer();
    if (value < 0) fail(fmt::format("a count is negative ({})", value));
    return static_cast<std::uint64_t>(value);
}

std::string BinaryReader::text() {
    const std::uint64_t begin = offset_;
    const std::uint64_t length = whole(take(4));
    if (length > longest_text) fail(fmt::format("a name of {} bytes is announced", length));
    std::string content(take(length));
    start_ = begin;
    return content;
}

void BinaryReader::fail(const std::string& message) const {
    throw Error(ErrorKind::input, place(), fmt::format("{} (byte {})", message, start_),
                "the file is damaged or in another format: write it again, or tell its format with --format");
}

}  // namespace plimsoll::experiment::detail
