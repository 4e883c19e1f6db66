#include "plimsoll/core/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/input.hpp"

namespace plimsoll {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

[[noreturn]] void fail_to_write(const std::string& path, int code) {
    throw Error(ErrorKind::environment, Place{.file = path},
                fmt::format("cannot write: {}", std::strerror(code)),
                code == ENOSPC ? "free some space, or write to another disk"
                               : "choose a folder that you may write to");
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
    // A link is followed, so that the file it names is replaced and not the link.
    if (std::filesystem::is_symlink(path_, ignored)) {
        const std::filesystem::path target = std::filesystem::weakly_canonical(path_, ignored);
        if (!ignored) path_ = target.string();
    }
    // What is no regular file (a pipe, /dev/null) cannot be replaced by another one.
    if (std::filesystem::exists(path_, ignored) && !std::filesystem::is_regular_file(path_, ignored)) {
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        temporary_ = path_ + ".XXXXXX";
        descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
        if (descriptor_ < 0) temporary_.clear();
    }
    if (descriptor_ < 0) fail_to_write(path_, errno);
}

OutputFile::~OutputFile() {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
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
    temporary_.clear();
    // The new name itself must survive a power cut as well.
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    const int directory = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        ::fsync(directory);
        ::close(directory);
    }
}

std::string read_file(const std::string& path) {
    Input input(path);
    std::string content;
    for (std::string_view block = input.take(buffer_size); !block.empty(); block = input.take(buffer_size)) {
        content += block;
    }
    return content;
}

}  // namespace plimsoll
