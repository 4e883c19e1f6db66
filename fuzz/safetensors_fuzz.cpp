#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "plimsoll/checkpoint/pack.hpp"
#include "plimsoll/core/error.hpp"

namespace {

class Bytes : public plimsoll::checkpoint::StoredFile {
  public:
    explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    void read(std::uint64_t offset, std::span<std::byte> into) override {
        PLIMSOLL_EXPECT(offset + into.size() <= bytes_.size());
        if (!into.empty()) std::memcpy(into.data(), bytes_.data() + offset, into.size());
    }

  private:
    std::span<const std::uint8_t> bytes_;
};

}  // namespace

/// Arbitrary bytes are refused with an input error, or are a file whose arrays cover its data without holes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace plimsoll::checkpoint;
    Bytes file({data, size});
    try {
        std::uint64_t end = 0;
        const PackHeader header = read_pack_header(file, "fuzz");
        for (const Tensor& tensor : header.tensors) {
            PLIMSOLL_EXPECT(end == 0 || tensor.at == end);
            PLIMSOLL_EXPECT(tensor.bytes == element_count(tensor.shape) * size_of(tensor.type));
            end = tensor.at + tensor.bytes;
        }
        PLIMSOLL_EXPECT(header.tensors.empty() || end == size);
    } catch (const plimsoll::Error& error) {
        if (error.kind() != plimsoll::ErrorKind::input) throw;
    }
    return 0;
}
