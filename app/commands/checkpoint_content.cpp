// What saves hold: written to one file, and compared.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "app/commands/checkpoint.hpp"
#include "plimsoll/checkpoint/pack.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"

namespace plimsoll::app {

namespace {

using checkpoint::ElementType;
using checkpoint::SavedState;

/// An array of a save, or one rank's own.
struct Whole {
    std::string name;  ///< "random state", or "random state@3" of rank 3
    std::string saved_as;
    std::uint64_t rank = 0;
    ElementType type = ElementType::uint8;
    checkpoint::Shape shape;
};

std::vector<Whole> wholes_of(const SavedState& state) {
    std::vector<Whole> wholes;
    for (const std::string& name : state.array_names()) {
        for (std::uint64_t rank = 0; rank < state.ranks(); ++rank) {
            const auto found = state.find(name, rank);
            if (!found) continue;
            wholes.push_back({.name = found->is_own ? fmt::format("{}@{}", name, rank) : name,
                              .saved_as = name,
                              .rank = rank,
                              .type = found->type,
                              .shape = found->shape});
            if (!found->is_own) break;
        }
    }
    return wholes;
}

std::vector<std::byte> bytes_of(SavedState& state, const Whole& whole) {
    std::vector<std::byte> bytes(checkpoint::element_count(whole.shape) * size_of(whole.type));
    state.read(whole.saved_as, whole.rank, checkpoint::whole(whole.shape), bytes);
    return bytes;
}

template <class T>
void compare_elements(std::span<const std::byte> before, std::span<const std::byte> after,
                      CheckpointDiff::Array& array) {
    for (std::size_t at = 0; at < before.size(); at += sizeof(T)) {
        if (std::memcmp(before.data() + at, after.data() + at, sizeof(T)) == 0) continue;
        ++array.different;
        T a{};
        T b{};
        std::memcpy(&a, before.data() + at, sizeof(T));
        std::memcpy(&b, after.data() + at, sizeof(T));
        const double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
        array.largest =
            std::isnan(difference) ? difference : std::max(array.largest.value_or(0.0), difference);
    }
}

/// Elements that are no numbers here: 16-bit floats, truth values.
void compare_bits(std::span<const std::byte> before, std::span<const std::byte> after, std::size_t size,
                  CheckpointDiff::Array& array) {
    for (std::size_t at = 0; at < before.size(); at += size) {
        if (std::memcmp(before.data() + at, after.data() + at, size) != 0) ++array.different;
    }
}

void compare_arrays(ElementType type, std::span<const std::byte> before, std::span<const std::byte> after,
                    CheckpointDiff::Array& array) {
    switch (type) {
        case ElementType::uint8: return compare_elements<std::uint8_t>(before, after, array);
        case ElementType::int8: return compare_elements<std::int8_t>(before, after, array);
        case ElementType::uint16: return compare_elements<std::uint16_t>(before, after, array);
        case ElementType::int16: return compare_elements<std::int16_t>(before, after, array);
        case ElementType::uint32: return compare_elements<std::uint32_t>(before, after, array);
        case ElementType::int32: return compare_elements<std::int32_t>(before, after, array);
        case ElementType::uint64: return compare_elements<std::uint64_t>(before, after, array);
        case ElementType::int64: return compare_elements<std::int64_t>(before, after, array);
        case ElementType::float32: return compare_elements<float>(before, after, array);
        case ElementType::float64: return compare_elements<double>(before, after, array);
        case ElementType::boolean:
        case ElementType::float16:
        case ElementType::bfloat16: break;
    }
    compare_bits(before, after, size_of(type), array);
}

}  // namespace

CheckpointExport export_checkpoint(const CheckpointRequest& request, Progress& progress) {
    const auto storage = checkpoint::pwrite_storage();
    const checkpoint::Catalog catalog = read_catalog(*storage, request.folder);
    const checkpoint::SaveEntry& entry = find_save(catalog, request.folder, request.save);
    SavedState state(*storage, request.folder, entry);
    const std::vector<Whole> wholes = wholes_of(state);
    std::vector<checkpoint::Tensor> tensors;
    CheckpointExport result{.save = entry.name, .output = request.output};
    for (const Whole& whole : wholes) {
        tensors.push_back({.name = whole.name, .type = whole.type, .shape = whole.shape});
        result.arrays.push_back(whole.name);
    }
    const checkpoint::PackPlan plan = plan_pack(
        std::move(tensors), {{"format", "plimsoll.checkpoint/1"}, {"step", fmt::format("{}", state.step())}});
    OutputFile file(request.output);
    file.write(plan.header);
    std::uint64_t written = plan.header.size();
    Activity activity(progress, "exporting", std::ssize(wholes));
    for (std::size_t i = 0; i < wholes.size(); ++i) {
        const std::vector<std::byte> bytes = bytes_of(state, wholes[i]);
        file.write(std::string(plan.tensors[i].at - written, '\0'));
        file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        written = plan.tensors[i].at + bytes.size();
        activity.step();
    }
    file.write(std::string(plan.bytes - written, '\0'));
    file.commit();
    result.bytes = plan.bytes;
    return result;
}

bool CheckpointDiff::differs() const {
    return std::any_of(arrays.begin(), arrays.end(),
                       [](const Array& array) { return array.verdict != Verdict::same; });
}

CheckpointDiff compare_checkpoints(const CheckpointRequest& request, Progress& progress) {
    const auto storage = checkpoint::pwrite_storage();
    const checkpoint::Catalog catalog = read_catalog(*storage, request.folder);
    const checkpoint::SaveEntry& first = find_save(catalog, request.folder, request.save);
    const checkpoint::SaveEntry& second = find_save(catalog, request.folder, request.other);
    SavedState before(*storage, request.folder, first);
    SavedState after(*storage, request.folder, second);
    CheckpointDiff diff{.before = first.name, .after = second.name};
    std::vector<Whole> left = wholes_of(before);
    const std::vector<Whole> right = wholes_of(after);
    Activity activity(progress, "comparing", std::ssize(left));
    std::set<std::string> known;
    for (const Whole& whole : left) {
        known.insert(whole.name);
        CheckpointDiff::Array array{.name = whole.name, .elements = checkpoint::element_count(whole.shape)};
        const auto other =
            std::find_if(right.begin(), right.end(), [&](const Whole& w) { return w.name == whole.name; });
        if (other == right.end()) {
            array.verdict = CheckpointDiff::Verdict::only_before;
        } else if (other->type != whole.type || other->shape != whole.shape) {
            array.verdict = CheckpointDiff::Verdict::other_type_or_shape;
        } else {
            compare_arrays(whole.type, bytes_of(before, whole), bytes_of(after, *other), array);
            if (array.different > 0) array.verdict = CheckpointDiff::Verdict::different;
        }
        diff.arrays.push_back(std::move(array));
        activity.step();
    }
    for (const Whole& whole : right) {
        if (!known.contains(whole.name))
            diff.arrays.push_back({.name = whole.name,
                                   .verdict = CheckpointDiff::Verdict::only_after,
                                   .elements = checkpoint::element_count(whole.shape)});
    }
    return diff;
}

}  // namespace plimsoll::app
