#include "plimsoll/experiment/detail/stored_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace plimsoll::experiment::detail {

namespace {

constexpr std::string_view folder = "values/";
constexpr std::string_view values_end = ".vals";
constexpr std::string_view index_end = ".indx";

std::uint64_t whole(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
    return value;
}

void append_whole(std::string& bytes, std::uint64_t value) {
    for (unsigned shift = 0; shift < 64; shift += 8)
        bytes.push_back(static_cast<char>((value >> shift) & 0xFFU));
}

/// Number of the chunk that a member belongs to.
std::optional<std::uint64_t> chunk_of(std::string_view name) {
    const bool fits = name.starts_with(folder) && (name.ends_with(values_end) || name.ends_with(index_end));
    if (!fits) return std::nullopt;
    const std::string_view digits =
        name.substr(folder.size(), name.size() - folder.size() - values_end.size());
    std::uint64_t chunk = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), chunk);
    if (status != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return chunk;
}

enum class Zeros { keep, drop_padding, drop_idle };

/// Appends what counts of one innermost row.
void take_row(std::span<const double> row, Zeros zeros, bool is_padded, std::vector<double>& values) {
    while (is_padded && !row.empty() && std::isnan(row.back())) row = row.first(row.size() - 1);
    while (is_padded && zeros == Zeros::drop_padding && !row.empty() && row.back() == 0.0)
        row = row.first(row.size() - 1);
    values.insert(values.end(), row.begin(), row.end());
}

void take_repetitions(const NpyArray& array, Zeros zeros, RawValues& raw) {
    raw.values.clear();
    raw.counts.clear();
    const std::uint64_t repetitions = array.repetitions();
    const std::uint64_t length = array.row_length();
    if (array.cells.empty()) return;
    const std::uint64_t rows = array.cells.size() / length / repetitions;  // of one repetition
    const double* cells = array.cells.data();
    for (std::uint64_t r = 0; r < repetitions; ++r) {
        const std::size_t before = raw.values.size();
        for (std::uint64_t row = 0; row < rows; ++row, cells += length) {
            take_row({cells, length}, zeros, array.shape.size() > 1, raw.values);
        }
        const auto begin = raw.values.begin() + static_cast<std::ptrdiff_t>(before);
        const auto is_zero = [](double value) { return value == 0.0; };
        if (zeros == Zeros::drop_idle && !std::all_of(begin, raw.values.end(), is_zero)) {
            raw.values.erase(std::remove_if(begin, raw.values.end(), is_zero), raw.values.end());
        }
        if (raw.values.size() > before)
            raw.counts.push_back(static_cast<std::uint32_t>(raw.values.size() - before));
    }
}

/// Whether the mean of the values is the one stated. Values that are not finite prove nothing.
bool agrees(const std::vector<double>& values, double mean) {
    double sum = 0.0;
    double largest = 0.0;
    for (const double value : values) {
        sum += value / static_cast<double>(values.size());
        largest = std::max(largest, std::abs(value));
    }
    constexpr double tolerance = 1e-9;  // relative: sums in another order
    return !std::isfinite(sum) || std::abs(sum - mean) <= tolerance * largest;
}

}  // namespace

bool StoredValues::is_member(std::string_view name) { return chunk_of(name).has_value(); }

void StoredValues::add(const std::string& name, std::string content) {
    const auto chunk = chunk_of(name);
    PLIMSOLL_EXPECT(chunk.has_value());
    const bool is_index = name.ends_with(index_end);
    if (!content.starts_with(is_index ? index_magic : values_magic)) {
        throw Error(ErrorKind::input, place_,
                    fmt::format("the member '{}' does not begin as it should", name),
                    "save the experiment again");
    }
    (is_index ? chunks_[*chunk].index : chunks_[*chunk].values) = std::move(content);
}

void StoredValues::read(const ValuePosition& position, NpyArray& array) const {
    const auto fail = [&] {
        throw Error(
            ErrorKind::input, place_,
            fmt::format("the file holds no values number {} of chunk {}", position.index, position.chunk),
            "save the experiment again");
    };
    const auto found = chunks_.find(position.chunk);
    if (found == chunks_.end()) fail();
    const std::string_view index = found->second.index;
    const std::size_t first = index_magic.size() + 8;  // behind the number of offsets
    if (index.size() < first || position.index >= (index.size() - first) / 8) fail();
    const std::uint64_t offset = whole(index.substr(first + 8 * position.index, 8));
    const std::string_view values = found->second.values;
    if (offset >= values.size()) fail();
    read_npy(values.substr(offset), place_, array);
}

bool take_values(const NpyArray& array, std::optional<double> stated_mean, RawValues& raw) {
    for (const Zeros zeros : {Zeros::keep, Zeros::drop_padding, Zeros::drop_idle}) {
        take_repetitions(array, zeros, raw);
        if (!stated_mean || agrees(raw.values, *stated_mean)) return true;
    }
    return false;
}

ValuePosition ValuePlan::add(std::uint64_t cells) {
    if (sizes_.empty() || sizes_.back() >= chunk_size_) {
        sizes_.push_back(values_magic.size());
        offsets_.emplace_back();
    }
    const ValuePosition position{.chunk = sizes_.size() - 1, .index = offsets_.back().size()};
    offsets_.back().push_back(sizes_.back());
    sizes_.back() += npy_size(cells);
    return position;
}

std::string ValuePlan::index(std::size_t chunk) const {
    std::string content(index_magic);
    append_whole(content, offsets_[chunk].size());
    for (const std::uint64_t offset : offsets_[chunk]) append_whole(content, offset);
    return content;
}

}  // namespace plimsoll::experiment::detail
