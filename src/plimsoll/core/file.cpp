#include "plimsoll/core/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/input.hpp"
#include "plimsoll/core/system_hint.hpp"

namespace plimsoll {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

[[noreturn]] void fail_to_write(const std::string& path, int code) {
    throw Error(ErrorKind::environment, Place{.file = path},
                fmt::format("cannot write: {}", std::strerror(code)),
                system_hint(code, "choose a folder that you may write to"));
}

// The names of temporary files, for a signal handler. A program that has more of them open than there is room
// for leaves the others behind when it is interrupted.
std::array<std::atomic<const char*>, 64>
    unfinished{};  // NOLINT(*-avoid-non-const-global-variables): a signal handler's only way
static_assert(std::atomic<const char*>::is_always_lock_free);

void remember_unfinished(const char* path) {
    for (std::atomic<const char*>& slot : unfinished) {
        const char* empty = nullptr;
        if (slot.compare_exchange_strong(empty, path)) return;
    }
}

void forget_unfinished(const char* path) {
    for (std::atomic<const char*>& slot : unfinished) {
        const char* known = path;
        if (slot.compare_exchange_strong(known, nullptr)) return;
    }
}

/// The file that a link names, over any number of links, whether it is there or not.
std::filesystem::path behind_links(std::filesystem::path path) {
    constexpr int most_links = 40;  // as many as Linux follows
    std::error_code failure;
    for (int i = 0; i <= most_links; ++i) {
        if (!std::filesystem::is_symlink(path, failure)) return path;
        const std::filesystem::path target = std::filesystem::read_symlink(path, failure);
        if (failure) return path;
        path = path.parent_path() / target;
    }
    fail_to_write(path.string(), ELOOP);
}

/// The permissions that a newly created file would get.
mode_t default_mode() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666U & ~mask;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
    if (path_ == "-") {
        descriptor_ = STDOUT_FILENO;
        return;
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path_, ignored)) {
        throw Error(ErrorKind::usage, Place{.file = path_}, "is a folder", "name a file inside it");
    }
    // What is no regular file (a pipe, /dev/null) cannot be replaced by another one.
    if (std::filesystem::exists(path_, ignored) && !std::filesystem::is_regular_file(path_, ignored)) {
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        // A link is followed, so that the file it names is replaced and not the link.
        path_ = behind_links(path_).string();
        temporary_ = path_ + ".XXXXXX";
        descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
        if (descriptor_ < 0) {
            temporary_.clear();
        } else {
            remember_unfinished(temporary_.c_str());
        }
    }
    if (descriptor_ < 0) fail_to_write(path_, errno);
}

OutputFile::~OutputFile() {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
        forget_unfinished(temporary_.c_str());
    }
}

void OutputFile::write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= buffer_size) flush();
}

void OutputFile::flush() {
    std::string_view rest = buffer_;
    while (!rest.empty()) {
        const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_to_write(path_, errno);
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer_.clear();
}

void OutputFile::commit() {
    flush();
    if (temporary_.empty()) return;
    struct stat existing {};
    const mode_t mode = ::stat(path_.c_str(), &existing) == 0 ? existing.st_mode & 07777U : default_mode();
    if (::fchmod(descriptor_, mode) != 0 || ::fsync(descriptor_) != 0) fail_to_write(path_, errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_to_write(path_, errno);
    forget_unfinished(temporary_.c_str());
    temporary_.clear();
    // The new name itself must survive a power cut as well.
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    const int directory = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        ::fsync(directory);
        ::close(directory);
    }
}

void remove_unfinished_files() noexcept {
    for (const std::atomic<const char*>& slot : unfinished) {
        if (const char* const path = slot.load(); path != nullptr) ::unlink(path);
    }
}

std::string read_file(const std::string& path) { return Input(path).rest(); }

}  // namespace plimsoll
