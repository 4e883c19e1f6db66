#include "plimsoll/checkpoint/pack.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "plimsoll/checkpoint/detail/aligned_buffer.hpp"
#include "plimsoll/checkpoint/detail/json_fields.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::checkpoint {

namespace {

constexpr std::uint64_t array_alignment = 64;          ///< bytes; a cache line, and any vector register
constexpr std::uint64_t longest_header = 100'000'000;  ///< bytes; the limit of the reference reader
constexpr std::uint64_t length_bytes = 8;              ///< of the header's length in front of it

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

std::string entry_text(const std::string& name, std::string_view type, const Shape& shape,
                       std::uint64_t begin, std::uint64_t end) {
    return fmt::format(R"(,{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", json_quote(name), type,
                       fmt::join(shape, ","), begin, end);
}

}  // namespace

bool is_padding(const std::string& name) { return name.starts_with(".pad/"); }

void check_array_name(const std::string& name) {
    constexpr std::size_t longest = 1000;
    const bool ok =
        !name.empty() && name.size() <= longest && name != "__metadata__" && !is_padding(name) &&
        is_utf8(name) &&
        std::none_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (ok) return;
    throw Error(
        ErrorKind::usage, fmt::format("no array can be named {}", json_quote(name.substr(0, 80))),
        "use 1 to 1000 bytes of UTF-8 without control characters; .pad/ and __metadata__ are the format's");
}

std::uint64_t header_bytes(const Tensor& tensor) {
    constexpr std::uint64_t rest = 120;  // punctuation, type, two offsets, and a gap's own entry
    return 6 * tensor.name.size() + 21 * tensor.shape.size() + rest + 120;
}

PackPlan plan_pack(std::vector<Tensor> tensors, const std::map<std::string, std::string>& metadata) {
    PackPlan plan;
    std::vector<std::string> words;
    words.reserve(metadata.size());
    for (const auto& [key, value] : metadata)
        words.push_back(fmt::format("{}:{}", json_quote(key), json_quote(value)));
    std::string text = fmt::format(R"({{"__metadata__":{{{}}})", join(words, ","));
    std::uint64_t end = 0;  // in the data area
    std::size_t gaps = 0;
    const auto fill_up_to = [&](std::uint64_t multiple) {
        const std::uint64_t begin = rounded_up(end, multiple);
        if (begin == end) return;
        text += entry_text(fmt::format(".pad/{}", gaps++), "U8", {begin - end}, end, begin);
        end = begin;
    };
    for (Tensor& tensor : tensors) {
        fill_up_to(array_alignment);
        tensor.at = end;
        tensor.bytes = element_count(tensor.shape) * size_of(tensor.type);
        text += entry_text(tensor.name, enum_name(tensor.type), tensor.shape, end, end + tensor.bytes);
        end += tensor.bytes;
    }
    fill_up_to(detail::page_bytes);
    text += '}';
    const std::uint64_t data = rounded_up(length_bytes + text.size(), detail::page_bytes);
    text.resize(data - length_bytes, ' ');
    PLIMSOLL_EXPECT(text.size() <= longest_header);
    for (std::size_t i = 0; i < length_bytes; ++i)
        plan.header += static_cast<char>(text.size() >> (8 * i) & 0xffU);
    plan.header += text;
    for (Tensor& tensor : tensors) tensor.at += data;
    plan.tensors = std::move(tensors);
    plan.bytes = data + end;
    return plan;
}

PackHeader read_pack_header(StoredFile& file, const std::string& path) {
    const auto fail = [&](const std::string& what) {
        throw Error(ErrorKind::input, Place{.file = path}, what, "restore from another save");
    };
    if (file.size() < length_bytes) fail("is too short for a safetensors file");
    std::array<unsigned char, length_bytes> length_text{};
    file.read(0, std::as_writable_bytes(std::span(length_text)));
    std::uint64_t length = 0;
    for (std::size_t i = length_bytes; i-- > 0;) length = length << 8U | length_text[i];
    if (length > longest_header || length > file.size() - length_bytes)
        fail(fmt::format("says that its header has {} bytes", length));
    std::string text(length, '\0');
    file.read(length_bytes, std::as_writable_bytes(std::span(text)));
    const detail::Fields header(text, path);
    const std::uint64_t data = length_bytes + length;
    PackHeader result;
    for (const auto& [name, value] : header.value().items()) {
        const detail::Fields fields(value, path, name);
        if (name == "__metadata__") {
            for (const auto& entry : value.items()) result.metadata[entry.key()] = fields.text(entry.key());
            continue;
        }
        const auto type = element_type(fields.text("dtype"));
        if (!type)
            fail(fmt::format("array {} has elements of type {}", json_quote(name), fields.text("dtype")));
        const std::vector<std::uint64_t> range = fields.numbers("data_offsets");
        Tensor tensor{.name = name, .type = *type, .shape = fields.numbers("shape")};
        if (range.size() != 2 || range[0] > range[1] || range[1] > file.size() - data)
            fail(fmt::format("array {} does not lie within the file", json_quote(name)));
        tensor.at = data + range[0];
        tensor.bytes = range[1] - range[0];
        const std::uint64_t count = element_count(tensor.shape);
        if (tensor.bytes / size_of(*type) != count || tensor.bytes % size_of(*type) != 0)
            fail(fmt::format("array {} has {} bytes for a shape of {}", json_quote(name), tensor.bytes,
                             shape_text(tensor.shape)));
        result.tensors.push_back(std::move(tensor));
    }
    std::stable_sort(result.tensors.begin(), result.tensors.end(), [](const Tensor& a, const Tensor& b) {
        return a.at != b.at ? a.at < b.at : a.bytes < b.bytes;
    });
    std::uint64_t end = data;
    for (const Tensor& tensor : result.tensors) {
        if (tensor.at != end)
            fail(
                fmt::format("array {} does not begin where the one before it ends", json_quote(tensor.name)));
        end += tensor.bytes;
    }
    if (end != file.size())
        fail(fmt::format("has {} bytes, of which its header accounts for {}", file.size(), end));
    return result;
}

}  // namespace plimsoll::checkpoint
