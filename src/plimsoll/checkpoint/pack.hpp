#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "plimsoll/checkpoint/block.hpp"
#include "plimsoll/checkpoint/element_type.hpp"
#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint {

/// One array in a pack.
struct Tensor {
    std::string name;
    ElementType type = ElementType::uint8;
    Shape shape;
    std::uint64_t at = 0;     ///< its first byte in the file
    std::uint64_t bytes = 0;  ///< elements times their size
};

/// A safetensors file: a header, then the arrays behind each other without holes.
///
/// Arrays begin at multiples of 64 bytes, the first at one of 4096, where the file ends as well. What lies
/// between is arrays named `.pad/0`, `.pad/1`, …, as the format wants no byte unaccounted for.
struct PackPlan {
    std::string header;           ///< all bytes before the first array
    std::vector<Tensor> tensors;  ///< in the order given, without those that pad
    std::uint64_t bytes = 0;      ///< of the whole file
};

/// Lays out a pack. Positions and byte counts of the tensors given are filled in.
[[nodiscard]] PackPlan plan_pack(std::vector<Tensor> tensors,
                                 const std::map<std::string, std::string>& metadata);

/// Bytes that a pack's header takes for a tensor at most, for splitting before a header gets too long.
[[nodiscard]] std::uint64_t header_bytes(const Tensor& tensor);

/// What the header of a safetensors file says, with those that pad.
struct PackHeader {
    std::vector<Tensor> tensors;  ///< by position
    std::map<std::string, std::string> metadata;
};

/// Reads and checks a header: sizes fit the file, no byte is unaccounted for. Throws an input error.
[[nodiscard]] PackHeader read_pack_header(StoredFile& file, const std::string& path);

/// Whether an array of this name only fills a gap.
[[nodiscard]] bool is_padding(const std::string& name);

/// Throws a usage error where no array can have this name.
void check_array_name(const std::string& name);

}  // namespace plimsoll::checkpoint
