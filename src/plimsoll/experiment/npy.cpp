#include "plimsoll/experiment/detail/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "plimsoll/core/text.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t header_size = 128;  // of the arrays that we write: a multiple of 64

/// What the header of an array says.
struct Header {
    char order = '<';  ///< of bytes
    char kind = 'f';
    std::size_t width = 8;
    bool fortran = false;
    std::vector<std::uint64_t> shape;
    std::size_t size = 0;  ///< of the header itself
};

[[noreturn]] void fail(const Place& place, std::string_view what) {
    throw Error(ErrorKind::input, place, fmt::format("an array of values {}", what),
                "save the experiment again");
}

/// The text behind a key of the header, which is a Python dictionary: {'descr': '<f8', 'shape': (3,), }.
std::string_view behind_key(std::string_view dictionary, std::string_view key, const Place& place) {
    const std::size_t at = dictionary.find(fmt::format("'{}':", key));
    if (at == std::string_view::npos) fail(place, fmt::format("does not tell its '{}'", key));
    return trim(dictionary.substr(at + key.size() + 3));
}

std::vector<std::uint64_t> parse_shape(std::string_view text, const Place& place) {
    std::vector<std::uint64_t> shape;
    const std::size_t end = text.find(')');
    if (!text.starts_with('(') || end == std::string_view::npos) fail(place, "has no readable shape");
    for (std::string_view piece : split(text.substr(1, end - 1), ',')) {
        piece = trim(piece);
        if (piece.empty()) continue;
        std::uint64_t length = 0;
        const auto [stop, status] = std::from_chars(piece.data(), piece.data() + piece.size(), length);
        if (status != std::errc{} || stop != piece.data() + piece.size())
            fail(place, "has no readable shape");
        shape.push_back(length);
    }
    if (shape.size() > 3) fail(place, fmt::format("has {} dimensions", shape.size()));
    return shape;
}

Header parse_header(std::string_view bytes, const Place& place) {
    if (!bytes.starts_with(magic) || bytes.size() < 12) fail(place, "does not begin as NumPy's arrays do");
    const std::size_t width = bytes[6] == 1 ? 2 : 4;  // of the length that follows the version
    std::size_t length = 0;
    for (std::size_t i = width; i-- > 0;) length = (length << 8U) | static_cast<unsigned char>(bytes[8 + i]);
    Header header;
    header.size = 8 + width + length;
    if (header.size > bytes.size()) fail(place, "is cut off");
    const std::string_view dictionary = bytes.substr(8 + width, length);
    const std::string_view type = behind_key(dictionary, "descr", place);
    if (type.size() < 5 || (type[0] != '\'' && type[0] != '"')) fail(place, "has no readable type");
    header.order = type[1];
    header.kind = type[2];
    header.width = static_cast<std::size_t>(type[3] - '0');
    const bool known = (header.kind == 'f' || header.kind == 'i' || header.kind == 'u') &&
                       type[4] == type[0] && (header.width == 4 || header.width == 8) &&
                       (header.order == '<' || header.order == '>');
    if (!known)
        fail(place, fmt::format("has the type {}, which is not known", type.substr(0, type.find(','))));
    header.fortran = behind_key(dictionary, "fortran_order", place).starts_with("True");
    header.shape = parse_shape(behind_key(dictionary, "shape", place), place);
    return header;
}

double decode(const char* bytes, const Header& header) {
    std::uint64_t raw = 0;
    for (std::size_t i = 0; i < header.width; ++i) {
        const std::size_t at = header.order == '>' ? i : header.width - 1 - i;
        raw = (raw << 8U) | static_cast<unsigned char>(bytes[at]);
    }
    if (header.kind == 'u') return static_cast<double>(raw);
    if (header.width == 4) {
        const auto half = static_cast<std::uint32_t>(raw);
        return header.kind == 'f' ? static_cast<double>(std::bit_cast<float>(half))
                                  : static_cast<double>(std::bit_cast<std::int32_t>(half));
    }
    return header.kind == 'f' ? std::bit_cast<double>(raw)
                              : static_cast<double>(std::bit_cast<std::int64_t>(raw));
}

/// Place in column-major order of a cell that is counted in row-major order.
std::uint64_t fortran_position(std::uint64_t cell, std::span<const std::uint64_t> shape) {
    std::uint64_t position = 0;
    std::uint64_t stride = 1;
    for (const std::uint64_t length : shape) stride *= length;
    for (std::size_t k = shape.size(); k-- > 0;) {
        stride /= shape[k];
        position += (cell % shape[k]) * stride;
        cell /= shape[k];
    }
    return position;
}

}  // namespace

void read_npy(std::string_view bytes, const Place& place, NpyArray& array) {
    const Header header = parse_header(bytes, place);
    const std::uint64_t available = (bytes.size() - header.size) / header.width;
    std::uint64_t cells = 1;
    for (const std::uint64_t length : header.shape) {
        if (length > 0 && cells > std::numeric_limits<std::uint32_t>::max() / length)
            fail(place, "is too large");
        cells *= length;
    }
    if (cells > available) fail(place, fmt::format("announces {} numbers and holds {}", cells, available));
    array.shape = header.shape;
    array.cells.resize(cells);
    const char* const data = bytes.data() + header.size;
    const bool plain = header.kind == 'f' && header.width == 8 && header.order == '<' && !header.fortran &&
                       std::endian::native == std::endian::little;
    if (plain) {
        if (cells > 0) std::memcpy(array.cells.data(), data, cells * sizeof(double));
        return;
    }
    for (std::uint64_t i = 0; i < cells; ++i) {
        const std::uint64_t at = header.fortran ? fortran_position(i, header.shape) : i;
        array.cells[i] = decode(data + at * header.width, header);
    }
}

std::uint64_t npy_size(std::uint64_t cells) { return header_size + cells * sizeof(double); }

void append_npy(std::string& bytes, std::span<const std::uint64_t> shape, std::span<const double> cells) {
    constexpr std::size_t start = 10;  // magic, version and length
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
    for (const std::uint64_t length : shape) header += fmt::format("{}, ", length);
    if (shape.size() > 1) header.resize(header.size() - 2);
    header += "), }";
    PLIMSOLL_EXPECT(header.size() < header_size - start);
    header.resize(header_size - start - 1, ' ');
    header.push_back('\n');
    bytes += magic;
    bytes += std::string_view("\x01\x00", 2);
    bytes.push_back(static_cast<char>(header.size()));
    bytes.push_back('\0');
    bytes += header;
    for (const double cell : cells) {
        const auto raw = std::bit_cast<std::uint64_t>(cell);
        for (unsigned shift = 0; shift < 64; shift += 8)
            bytes.push_back(static_cast<char>((raw >> shift) & 0xFFU));
    }
}

}  // namespace plimsoll::experiment::detail
