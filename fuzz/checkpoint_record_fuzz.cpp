#include <cstddef>
#include <cstdint>
#include <string>

#include "plimsoll/checkpoint/manifest.hpp"
#include "plimsoll/core/error.hpp"

namespace {

/// Runs a reader; whether it took the text. Only an input error may refuse it.
template <class Read>
bool is_taken(const Read& read) {
    try {
        read();
    } catch (const plimsoll::Error& error) {
        if (error.kind() != plimsoll::ErrorKind::input) throw;
        return false;
    }
    return true;
}

}  // namespace

/// Arbitrary bytes are refused with an input error, or make a record that is whole in itself, and the same
/// when it is written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace plimsoll::checkpoint;
    const std::string text(reinterpret_cast<const char*>(data), size);
    Part part;
    if (is_taken([&] { part = read_part(text, "fuzz"); })) {
        for (const StoredArray& array : part.arrays) {
            PLIMSOLL_EXPECT(is_inside(array.block) && array.pack < part.packs.size());
            PLIMSOLL_EXPECT(array.at + array.bytes <= part.packs[array.pack].bytes);
            PLIMSOLL_EXPECT(array.bytes == element_count(array.block.shape) * size_of(array.type));
        }
        PLIMSOLL_EXPECT(to_json(read_part(to_json(part), "again")) == to_json(part));
    }
    Manifest manifest;
    if (is_taken([&] { manifest = read_manifest(text, "fuzz"); }))
        PLIMSOLL_EXPECT(to_json(read_manifest(to_json(manifest), "again")) == to_json(manifest));
    if (const auto commit = read_commit(text)) PLIMSOLL_EXPECT(to_text(*commit) == text);
    return 0;
}
