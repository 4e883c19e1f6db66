#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint::test {

/// A disk in memory that remembers every operation, and can tell what would be left of it after a power
/// failure.
///
/// It promises as little as POSIX does: what was written to a file is sure after `sync` of the file, which
/// names a folder holds after `sync_folder` of that folder. Everything else may be on the disk or not, in any
/// combination; a write may be there in part, by pages of 4096 bytes.
class SimulatedDisk {
  public:
    SimulatedDisk();

    enum class Kind { link, unlink, rename, write, resize, sync_file, sync_folder };
    struct Operation {
        Kind kind = Kind::link;
        std::size_t node = 0;   ///< the file written or synced, or the folder whose names change
        std::size_t child = 0;  ///< what gets or changes its name
        std::string name;
        std::string new_name;  ///< of a renaming
        std::uint64_t at = 0;  ///< of a write, or the new size
        std::vector<std::byte> bytes;
    };
    /// Operations so far.
    [[nodiscard]] std::size_t operations() const;
    /// Positions of those before `end` that a power failure at that point may undo.
    [[nodiscard]] std::vector<std::size_t> unsure(std::size_t end) const;
    /// What is there after a power failure before operation `end`, where of the unsure operations those in
    /// `kept` have reached the disk.
    [[nodiscard]] std::shared_ptr<SimulatedDisk> after_failure(std::size_t end,
                                                               const std::set<std::size_t>& kept) const;

    /// Paths of all files, sorted.
    [[nodiscard]] std::vector<std::string> files() const;
    [[nodiscard]] std::vector<std::byte> content(const std::string& path) const;
    /// Changes a file behind the back of whoever wrote it.
    void set_content(const std::string& path, std::vector<std::byte> bytes);
    void remove(const std::string& path);
    [[nodiscard]] std::shared_ptr<SimulatedDisk> copy() const;

    /// Called before each operation that changes or syncs something, with its number; what it throws fails
    /// the operation.
    std::function<void(std::size_t)> before_operation;

  private:
    friend class SimulatedStorage;
    friend class SimulatedNewFile;
    struct Node {
        bool is_folder = false;
        std::map<std::string, std::size_t> names;  ///< of a folder
        std::vector<std::byte> bytes;              ///< of a file
    };
    static constexpr std::size_t none = ~std::size_t{0};

    [[nodiscard]] std::size_t find(const std::string& path) const;
    [[nodiscard]] std::pair<std::size_t, std::string> parent_of(const std::string& path) const;
    void apply(const Operation& operation);
    void record(Operation operation);

    mutable std::mutex mutex_;
    std::vector<Node> nodes_;
    std::vector<Operation> log_;
    std::size_t attempts_ = 0;
};

/// An engine on such a disk.
class SimulatedStorage : public Storage {
  public:
    explicit SimulatedStorage(std::shared_ptr<SimulatedDisk> disk) : disk_(std::move(disk)) {}
    [[nodiscard]] std::string_view name() const override { return "simulated"; }
    [[nodiscard]] std::unique_ptr<NewFile> create(const std::string& path, std::uint64_t size) override;
    [[nodiscard]] std::unique_ptr<StoredFile> open(const std::string& path) override;
    bool make_folder(const std::string& path) override;
    void rename(const std::string& from, const std::string& to) override;
    void remove_file(const std::string& path) override;
    void remove_folder(const std::string& path) override;
    void sync_folder(const std::string& path) override;
    [[nodiscard]] std::vector<std::string> list(const std::string& path) override;
    [[nodiscard]] bool exists(const std::string& path) override;
    [[nodiscard]] std::unique_ptr<FolderLock> lock(const std::string& path) override;

  private:
    std::shared_ptr<SimulatedDisk> disk_;
};

}  // namespace plimsoll::checkpoint::test
