#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "plimsoll/checkpoint/detail/posix_file.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/system_hint.hpp"

namespace plimsoll::checkpoint {

namespace detail {

void fail_on(const std::string& path, const char* action, int code) {
    throw Error(ErrorKind::environment, Place{.file = path},
                fmt::format("cannot {}: {}", action, std::strerror(code)),
                system_hint(code, "choose a folder that you may write to"));
}

OpenFile::~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

OpenFile create_file(const std::string& path, std::uint64_t size, int flags) {
    OpenFile file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | flags, 0666));
    if (file.get() < 0) fail_on(path, "create", errno);
    if (size == 0) return file;
    int code = 0;
    do {
        code = ::fallocate(file.get(), 0, 0, static_cast<off_t>(size)) == 0 ? 0 : errno;
    } while (code == EINTR);
    // A file system that cannot reserve room tells of a full disk when it is written to.
    if (code == EOPNOTSUPP) code = ::ftruncate(file.get(), static_cast<off_t>(size)) == 0 ? 0 : errno;
    if (code != 0) {
        ::unlink(path.c_str());
        fail_on(path, "reserve room", code);
    }
    return file;
}

void write_all(int descriptor, const std::string& path, std::uint64_t offset,
               std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_on(path, "write", errno);
        offset += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

namespace {

class PosixNewFile : public NewFile {
  public:
    PosixNewFile(std::string path, OpenFile file) : path_(std::move(path)), file_(std::move(file)) {}

    void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
        write_all(file_.get(), path_, offset, bytes);
    }
    void drain() override {}
    void sync() override {
        if (::fdatasync(file_.get()) != 0) fail_on(path_, "bring to the disk", errno);
    }

  private:
    std::string path_;
    OpenFile file_;
};

class PosixStoredFile : public StoredFile {
  public:
    PosixStoredFile(std::string path, OpenFile file, std::uint64_t size)
        : path_(std::move(path)), file_(std::move(file)), size_(size) {}

    [[nodiscard]] std::uint64_t size() const override { return size_; }

    void read(std::uint64_t offset, std::span<std::byte> into) override {
        while (!into.empty()) {
            const ssize_t count = ::pread(file_.get(), into.data(), into.size(), static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail_on(path_, "read", errno);
            if (count == 0) {
                throw Error(ErrorKind::input, Place{.file = path_},
                            fmt::format("ends before byte {}", offset + into.size()),
                            "restore from another save");
            }
            offset += static_cast<std::uint64_t>(count);
            into = into.subspan(static_cast<std::size_t>(count));
        }
    }

  private:
    std::string path_;
    OpenFile file_;
    std::uint64_t size_;
};

class PosixFolderLock : public FolderLock {
  public:
    explicit PosixFolderLock(OpenFile folder) : folder_(std::move(folder)) {}

  private:
    OpenFile folder_;  // the lock goes with the descriptor, also where the program is killed
};

}  // namespace

std::unique_ptr<NewFile> PosixStorage::create(const std::string& path, std::uint64_t size) {
    return std::make_unique<PosixNewFile>(path, create_file(path, size, 0));
}

std::unique_ptr<StoredFile> PosixStorage::open(const std::string& path) {
    OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 && (errno == ENOENT || errno == ENOTDIR)) return nullptr;
    if (file.get() < 0) fail_on(path, "open", errno);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) fail_on(path, "open", errno);
    if (!S_ISREG(status.st_mode)) return nullptr;
    return std::make_unique<PosixStoredFile>(path, std::move(file),
                                             static_cast<std::uint64_t>(status.st_size));
}

bool PosixStorage::make_folder(const std::string& path) {
    if (::mkdir(path.c_str(), 0777) == 0) return true;
    const int code = errno;
    struct stat status {};
    if (code == EEXIST && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return false;
    fail_on(path, "make the folder", code == EEXIST ? ENOTDIR : code);
}

void PosixStorage::rename(const std::string& from, const std::string& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) fail_on(from, "rename", errno);
}

void PosixStorage::remove_file(const std::string& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail_on(path, "remove", errno);
}

void PosixStorage::remove_folder(const std::string& path) {
    if (::rmdir(path.c_str()) != 0 && errno != ENOENT) fail_on(path, "remove", errno);
}

void PosixStorage::sync_folder(const std::string& path) {
    const OpenFile folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0) fail_on(path, "open", errno);
    // Some network file systems have no such call for folders, and bring names to the server by themselves.
    if (::fsync(folder.get()) != 0 && errno != EINVAL) fail_on(path, "bring to the disk", errno);
}

std::vector<std::string> PosixStorage::list(const std::string& path) {
    std::vector<std::string> names;
    DIR* const folder = ::opendir(path.c_str());
    if (folder == nullptr) {
        if (errno == ENOENT) return names;
        fail_on(path, "list", errno);
    }
    for (;;) {
        errno = 0;
        const dirent* const entry = ::readdir(folder);
        if (entry == nullptr) break;
        const std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    const int code = errno;
    ::closedir(folder);
    if (code != 0) fail_on(path, "list", code);
    std::sort(names.begin(), names.end());
    return names;
}

bool PosixStorage::exists(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    fail_on(path, "look up", errno);
}

std::unique_ptr<FolderLock> PosixStorage::lock(const std::string& path) {
    OpenFile folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0) fail_on(path, "open", errno);
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return nullptr;
    // Where the file system knows no locks, there is none to hold.
    return std::make_unique<PosixFolderLock>(std::move(folder));
}

}  // namespace detail

std::unique_ptr<Storage> pwrite_storage() { return std::make_unique<detail::PosixStorage>(); }

}  // namespace plimsoll::checkpoint
