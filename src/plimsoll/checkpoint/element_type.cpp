#include "plimsoll/checkpoint/element_type.hpp"

namespace plimsoll::checkpoint {

std::uint64_t size_of(ElementType type) {
    switch (type) {
        case ElementType::boolean:
        case ElementType::uint8:
        case ElementType::int8: return 1;
        case ElementType::uint16:
        case ElementType::int16:
        case ElementType::float16:
        case ElementType::bfloat16: return 2;
        case ElementType::uint32:
        case ElementType::int32:
        case ElementType::float32: return 4;
        case ElementType::uint64:
        case ElementType::int64:
        case ElementType::float64: break;
    }
    return 8;
}

std::optional<ElementType> element_type(std::string_view name) {
    for (const auto& entry : enum_names(ElementType{})) {
        if (entry.name == name) return entry.value;
    }
    return std::nullopt;
}

}  // namespace plimsoll::checkpoint
