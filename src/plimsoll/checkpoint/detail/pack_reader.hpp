#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plimsoll/checkpoint/manifest.hpp"
#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint::detail {

/// Reads ranges of a pack, each chunk that they touch checked first.
class PackReader {
  public:
    PackReader(Storage& storage, std::string path, const PackRecord& record);

    /// Throws an input error where a chunk is damaged. Chunks that are wanted whole go to `into` directly.
    void read(std::uint64_t offset, std::span<std::byte> into);

  private:
    [[nodiscard]] std::uint64_t length_of(std::uint64_t chunk) const;
    void read_chunk(std::uint64_t chunk, std::span<std::byte> into);

    std::string path_;
    const PackRecord* record_;
    std::unique_ptr<StoredFile> file_;
    std::vector<std::byte> last_;  ///< the chunk that was last wanted in part
    std::uint64_t last_chunk_ = ~std::uint64_t{0};
};

/// A line for each chunk of a pack whose checksum is another one: "bytes 0 to 4194303 are damaged".
[[nodiscard]] std::vector<std::string> damaged_chunks(Storage& storage, const std::string& path,
                                                      const PackRecord& record);

}  // namespace plimsoll::checkpoint::detail
