#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/experiment/detail/npy.hpp"

// Raw values in an Extra-P 4 file: members values/K.vals with arrays one after the other, and values/K.indx
// with the offset of each.
namespace plimsoll::experiment::detail {

constexpr std::string_view values_magic{"Extra-P VALUES\0\0", 16};
constexpr std::string_view index_magic{"Extra-P INDEX\0\0\0", 16};

/// Which array holds the values of a measurement.
struct ValuePosition {
    std::uint64_t chunk = 0;
    std::uint64_t index = 0;
};

/// The raw values of a file, held in memory.
class StoredValues {
  public:
    explicit StoredValues(Place place) : place_(std::move(place)) {}

    /// Keeps a member of the archive if it holds values; false if not.
    [[nodiscard]] static bool is_member(std::string_view name);
    void add(const std::string& name, std::string content);

    /// Throws an input error where there is no such array or it is damaged.
    void read(const ValuePosition& position, NpyArray& array) const;

  private:
    struct Chunk {
        std::string values;
        std::string index;
    };
    Place place_;
    std::map<std::uint64_t, Chunk> chunks_;
};

/// The values of one measurement, repetition by repetition.
struct RawValues {
    std::vector<double> values;
    std::vector<std::uint32_t> counts;  ///< of values in each repetition, none zero
};

/// Takes the values from an array.
///
/// Extra-P pads rows of different length with zeros and does not tell where; we pad with NaN. So the cells
/// are taken as they are, or without zeros at the ends of rows, or (weak-threaded scaling) without any zeros
/// of a repetition that has others: the first of these whose mean is the one stated. False where none fits.
[[nodiscard]] bool take_values(const NpyArray& array, std::optional<double> stated_mean, RawValues& raw);

/// Where each array goes in a file that is written.
class ValuePlan {
  public:
    /// A chunk that has reached `chunk_size` bytes is followed by a new one.
    explicit ValuePlan(std::uint64_t chunk_size = std::uint64_t{1} << 30U) : chunk_size_(chunk_size) {}

    ValuePosition add(std::uint64_t cells);

    /// Length of the values of each chunk.
    [[nodiscard]] const std::vector<std::uint64_t>& sizes() const { return sizes_; }
    /// Content of the index of a chunk.
    [[nodiscard]] std::string index(std::size_t chunk) const;

  private:
    std::uint64_t chunk_size_;
    std::vector<std::uint64_t> sizes_;
    std::vector<std::vector<std::uint64_t>> offsets_;
};

}  // namespace plimsoll::experiment::detail
