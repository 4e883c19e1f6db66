#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::checkpoint {

/// A file that is being written. It was not there before, and is never written again once it is complete.
class NewFile {
  public:
    NewFile() = default;
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    virtual ~NewFile() = default;

    /// Writes bytes at a place. They may still be read after this returns, until `drain` or `sync` does.
    virtual void write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;

    /// Returns once the bytes handed over are not needed any more.
    virtual void drain() = 0;

    /// Returns once the disk holds everything written, power failure or not. A failure is final for this
    /// file: systems forget which pages they failed to write, and a second try would succeed without them.
    virtual void sync() = 0;
};

/// A file that is read. Its content does not change.
class StoredFile {
  public:
    StoredFile() = default;
    StoredFile(const StoredFile&) = delete;
    StoredFile& operator=(const StoredFile&) = delete;
    virtual ~StoredFile() = default;

    [[nodiscard]] virtual std::uint64_t size() const = 0;
    /// Fills all of `into`; throws where the file ends before that.
    virtual void read(std::uint64_t offset, std::span<std::byte> into) = 0;
};

/// Held as long as it lives.
class FolderLock {
  public:
    FolderLock() = default;
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    virtual ~FolderLock() = default;
};

/// The file operations that saving and restoring consist of, and nothing else: what every engine does its own
/// way, and what tests record, cut off anywhere and break. All throw environment errors that name the path.
///
/// Safe from several threads at once, except for calls on one file.
class Storage {
  public:
    Storage() = default;
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;
    virtual ~Storage() = default;

    /// "pwrite", "io_uring".
    [[nodiscard]] virtual std::string_view name() const = 0;

    /// Makes a file that must not be there yet, and takes the room that it will need. Its size is then
    /// `size`.
    [[nodiscard]] virtual std::unique_ptr<NewFile> create(const std::string& path, std::uint64_t size) = 0;
    /// Null where there is no such file.
    [[nodiscard]] virtual std::unique_ptr<StoredFile> open(const std::string& path) = 0;
    /// One folder, which may be there already; returns whether it was made.
    virtual bool make_folder(const std::string& path) = 0;
    virtual void rename(const std::string& from, const std::string& to) = 0;
    /// What is not there is removed already.
    virtual void remove_file(const std::string& path) = 0;
    virtual void remove_folder(const std::string& path) = 0;
    /// Returns once the disk knows which names the folder holds.
    virtual void sync_folder(const std::string& path) = 0;
    /// Names in a folder, sorted; none where it is not there.
    [[nodiscard]] virtual std::vector<std::string> list(const std::string& path) = 0;
    [[nodiscard]] virtual bool exists(const std::string& path) = 0;
    /// Keeps other programs from writing into a folder; null where one does so already.
    [[nodiscard]] virtual std::unique_ptr<FolderLock> lock(const std::string& path) = 0;
};

/// Writes and reads through the system's page cache. Works everywhere.
[[nodiscard]] std::unique_ptr<Storage> pwrite_storage();

/// Writes past the page cache with many requests in flight (io_uring, O_DIRECT). Null where the library was
/// built without it or the system forbids it, as containers often do.
[[nodiscard]] std::unique_ptr<Storage> uring_storage();

/// io_uring where it is to be had, else pwrite.
[[nodiscard]] std::unique_ptr<Storage> default_storage();

/// The path of a name in a folder.
[[nodiscard]] std::string path_in(const std::string& folder, const std::string& name);

/// The whole content of a small file; empty where there is no such file. Throws where it has more bytes than
/// `most`.
[[nodiscard]] std::string read_small(Storage& storage, const std::string& path, std::uint64_t most);

/// Writes a small file and brings it to the disk.
void write_small(Storage& storage, const std::string& path, std::string_view content);

/// Removes a folder with the files in it; there are no folders within.
void remove_with_files(Storage& storage, const std::string& path);

}  // namespace plimsoll::checkpoint
