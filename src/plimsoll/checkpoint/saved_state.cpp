#include "plimsoll/checkpoint/saved_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "plimsoll/checkpoint/detail/checksum.hpp"
#include "plimsoll/checkpoint/detail/folder_files.hpp"
#include "plimsoll/checkpoint/detail/pack_reader.hpp"
#include "plimsoll/checkpoint/detail/save_records.hpp"
#include "plimsoll/checkpoint/pack.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
    throw Error(ErrorKind::input, Place{.file = path}, what, "restore from another save");
}

void check_pack_sizes(Storage& storage, const std::string& folder, const Part& part) {
    for (const PackRecord& pack : part.packs) {
        const std::string path = folder + "/" + pack.file;
        const auto file = storage.open(path);
        if (!file) fail(path, "is missing");
        if (file->size() != pack.bytes)
            fail(path, fmt::format("has {} bytes instead of {}", file->size(), pack.bytes));
    }
}

/// The packs in one folder.
class FolderSource : public detail::ByteSource {
  public:
    FolderSource(Storage& storage, std::string folder, const std::vector<Part>& parts)
        : storage_(&storage), folder_(std::move(folder)), parts_(&parts) {}

    void read(std::size_t part, std::uint64_t pack, std::uint64_t offset,
              std::span<std::byte> into) override {
        reader(part, pack).read(offset, into);
    }

  private:
    detail::PackReader& reader(std::size_t part, std::uint64_t pack) {
        constexpr std::size_t most_open = 32;  // each holds a descriptor and a chunk
        const auto key = std::pair(part, pack);
        if (const auto found = readers_.find(key); found != readers_.end()) return *found->second;
        if (readers_.size() >= most_open) readers_.clear();
        const PackRecord& record = (*parts_)[part].packs[pack];
        auto made = std::make_unique<detail::PackReader>(*storage_, folder_ + "/" + record.file, record);
        return *readers_.emplace(key, std::move(made)).first->second;
    }

    Storage* storage_;
    std::string folder_;
    const std::vector<Part>* parts_;
    /// Those used last; small arrays that share a chunk are read at once.
    std::map<std::pair<std::size_t, std::uint64_t>, std::unique_ptr<detail::PackReader>> readers_;
};

}  // namespace

SavedState::SavedState(Storage& storage, std::string folder, const SaveEntry& save)
    : folder_(std::move(folder) + "/" + save.name) {
    manifest_ = detail::checked_manifest(storage, folder_, save.commit);
    for (const Manifest::PartRecord& record : manifest_.parts) {
        const std::string part_path = folder_ + "/" + record.file;
        Part part =
            read_part(detail::checked_record(storage, part_path, record.bytes, record.checksum), part_path);
        if (part.save != manifest_.save || part.rank != parts_.size() || part.ranks != manifest_.parts.size())
            fail(part_path, "belongs to another save");
        check_pack_sizes(storage, folder_, part);
        parts_.push_back(std::move(part));
    }
    source_ = std::make_unique<FolderSource>(storage, folder_, parts_);
    index_pieces();
}

SavedState::SavedState(Manifest manifest, std::vector<Part> parts, std::unique_ptr<detail::ByteSource> source)
    : folder_("the nodes' own folders"),
      manifest_(std::move(manifest)),
      parts_(std::move(parts)),
      source_(std::move(source)) {
    index_pieces();
}

void SavedState::index_pieces() {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        for (std::size_t a = 0; a < parts_[p].arrays.size(); ++a)
            pieces_[parts_[p].arrays[a].name].push_back({p, a});
    }
}

std::vector<std::string> SavedState::array_names() const {
    std::vector<std::string> names;
    for (const auto& entry : pieces_) names.push_back(entry.first);
    return names;
}

std::optional<SavedState::Description> SavedState::find(const std::string& name, std::uint64_t rank) const {
    const auto found = pieces_.find(name);
    if (found == pieces_.end()) return std::nullopt;
    for (const Piece& piece : found->second) {
        const StoredArray& array = parts_[piece.part].arrays[piece.array];
        if (!array.owner || *array.owner == rank)
            return Description{
                .type = array.type, .shape = array.block.global, .is_own = array.owner.has_value()};
    }
    return std::nullopt;
}

SavedState::~SavedState() = default;

void SavedState::read(const std::string& name, std::uint64_t rank, const Block& box,
                      std::span<std::byte> into) {
    const auto found = pieces_.find(name);
    PLIMSOLL_EXPECT(found != pieces_.end());
    std::uint64_t filled = 0;  // bytes
    for (const Piece& piece : found->second) {
        const StoredArray& array = parts_[piece.part].arrays[piece.array];
        if (array.owner && *array.owner != rank) continue;
        if (array.block.global != box.global || !common_part(array.block, box)) continue;
        const std::uint64_t size = size_of(array.type);
        each_stretch(array.block, box, [&](const Stretch& stretch) {
            PLIMSOLL_EXPECT((stretch.to + stretch.count) * size <= into.size());
            source_->read(piece.part, array.pack, array.at + stretch.from * size,
                          into.subspan(stretch.to * size, stretch.count * size));
            filled += stretch.count * size;
        });
    }
    if (filled != into.size())
        fail(folder_,
             fmt::format("holds {} of the {} bytes wanted of array '{}'", filled, into.size(), name));
}

std::vector<Damage> verify_save(Storage& storage, const std::string& folder, const SaveEntry& save,
                                Depth depth) {
    std::vector<Damage> damage;
    const auto relative = [&](const std::string& path) {
        return path.starts_with(folder + "/") ? path.substr(folder.size() + 1) : path;
    };
    const auto note = [&](const Error& error) {
        std::string what = error.what();
        const std::string prefix = error.place().file + ": ";
        if (what.starts_with(prefix)) what = what.substr(prefix.size());
        damage.push_back({relative(error.place().file), what});
    };
    std::optional<SavedState> state;
    try {
        state.emplace(storage, folder, save);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
        note(error);
        return damage;
    }
    for (const Part& part : state->parts()) {
        for (std::size_t p = 0; p < part.packs.size(); ++p) {
            const PackRecord& record = part.packs[p];
            const std::string path = fmt::format("{}/{}/{}", folder, save.name, record.file);
            try {
                const auto file = storage.open(path);
                if (!file) fail(path, "is missing");
                // The header is for other readers; ours goes by the part. They must say the same.
                const PackHeader header = read_pack_header(*file, path);
                std::set<std::tuple<std::string, std::uint64_t, std::uint64_t, Shape>> told;
                for (const Tensor& tensor : header.tensors) {
                    if (!is_padding(tensor.name))
                        told.insert({tensor.name, tensor.at, tensor.bytes, tensor.shape});
                }
                for (const StoredArray& array : part.arrays) {
                    if (array.pack == p &&
                        told.erase({array.name, array.at, array.bytes, array.block.shape}) != 1)
                        fail(path, fmt::format("its header does not tell of array '{}'", array.name));
                }
                if (!told.empty())
                    fail(path, fmt::format("its header tells of '{}', which was not saved",
                                           std::get<0>(*told.begin())));
                if (depth == Depth::bytes) {
                    for (const std::string& what : detail::damaged_chunks(storage, path, record))
                        damage.push_back({relative(path), what});
                }
            } catch (const Error& error) {
                if (error.kind() == ErrorKind::internal) throw;
                note(error);
            }
        }
    }
    return damage;
}

}  // namespace plimsoll::checkpoint
