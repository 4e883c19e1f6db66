#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/manifest.hpp"
#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint {

namespace detail {
class PackReader;

/// Where the bytes of packs come from.
class ByteSource {
  public:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual ~ByteSource() = default;
    /// Fills all of `into` with bytes of a pack, which have been checked. Throws where they are not to be
    /// had.
    virtual void read(std::size_t part, std::uint64_t pack, std::uint64_t offset,
                      std::span<std::byte> into) = 0;
};
}  // namespace detail

/// The arrays of one save: an index over the pieces of all ranks, from which any box of any array can be
/// read, on any number of ranks. Every byte is checked before it is handed out.
class SavedState {
  public:
    /// Reads manifest and parts, and checks them and the sizes of the packs. Throws an input error where
    /// something is missing or damaged.
    SavedState(Storage& storage, std::string folder, const SaveEntry& save);
    /// Of parts that are known, one for each rank, whose bytes come from elsewhere.
    SavedState(Manifest manifest, std::vector<Part> parts, std::unique_ptr<detail::ByteSource> source);
    SavedState(const SavedState&) = delete;
    SavedState& operator=(const SavedState&) = delete;
    ~SavedState();

    [[nodiscard]] std::uint64_t step() const { return manifest_.step; }
    [[nodiscard]] std::uint64_t ranks() const { return parts_.size(); }
    [[nodiscard]] const Manifest& manifest() const { return manifest_; }
    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    [[nodiscard]] std::vector<std::string> array_names() const;

    /// An array as a whole, or one rank's own.
    struct Description {
        ElementType type = ElementType::uint8;
        Shape shape;
        bool is_own = false;  ///< each rank has one of its own
    };
    /// Empty where there is no such array. `rank` chooses among arrays that ranks have each their own of.
    [[nodiscard]] std::optional<Description> find(const std::string& name, std::uint64_t rank) const;

    /// Fills `into` with a box of an array, row-major. Throws an input error where bytes are damaged; the
    /// array must be there, and of that shape.
    void read(const std::string& name, std::uint64_t rank, const Block& box, std::span<std::byte> into);

    /// Bytes of a file of the save, as they are; throws an input error where they are damaged.
    void read_pack(std::size_t part, std::uint64_t pack, std::uint64_t offset, std::span<std::byte> into) {
        source_->read(part, pack, offset, into);
    }

  private:
    struct Piece {
        std::size_t part;
        std::size_t array;
    };
    void index_pieces();

    std::string folder_;  ///< of the save, or what stands for it in messages
    Manifest manifest_;
    std::vector<Part> parts_;
    std::map<std::string, std::vector<Piece>> pieces_;
    std::unique_ptr<detail::ByteSource> source_;
};

/// Something wrong in a save.
struct Damage {
    std::string file;  ///< within the checkpoint folder
    std::string what;
};

/// How closely a save is looked at.
enum class Depth {
    records,  ///< records, sizes and headers
    bytes     ///< every byte of every array as well
};

/// What is wrong with a save; nothing where it can be restored.
[[nodiscard]] std::vector<Damage> verify_save(Storage& storage, const std::string& folder,
                                              const SaveEntry& save, Depth depth);

}  // namespace plimsoll::checkpoint
