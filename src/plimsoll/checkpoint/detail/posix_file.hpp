#pragma once

#include <memory>
#include <string>

#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint::detail {

/// The error of a system call on a path: "FOLDER/COMMIT: cannot write: No space left on device".
[[noreturn]] void fail_on(const std::string& path, const char* action, int code);

/// Closes a descriptor when it goes.
class OpenFile {
  public:
    OpenFile() = default;
    explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
    OpenFile(OpenFile&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    OpenFile& operator=(OpenFile&&) = delete;
    ~OpenFile();
    [[nodiscard]] int get() const { return descriptor_; }

  private:
    int descriptor_ = -1;
};

/// A new file of this size, open for writing, with its room reserved. `flags` are added to those of open().
[[nodiscard]] OpenFile create_file(const std::string& path, std::uint64_t size, int flags);

/// Writes all of it, however often the system takes only a part.
void write_all(int descriptor, const std::string& path, std::uint64_t offset,
               std::span<const std::byte> bytes);

/// What of files and folders is alike for all engines on a file system.
class PosixStorage : public Storage {
  public:
    [[nodiscard]] std::string_view name() const override { return "pwrite"; }
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
};

}  // namespace plimsoll::checkpoint::detail
