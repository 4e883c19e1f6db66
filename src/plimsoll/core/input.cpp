#include "plimsoll/core/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "plimsoll/core/detail/gunzip.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/system_hint.hpp"

namespace plimsoll {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t block_size = std::size_t{1} << 16;  // fits a second-level cache, and is soon cleared

[[noreturn]] void fail_to_open(const std::string& path, int code) {
    const bool absent = code == ENOENT || code == ENOTDIR;
    const bool wrong_path = absent || code == ENAMETOOLONG || code == ELOOP;
    throw Error(
        wrong_path ? ErrorKind::input : ErrorKind::environment, Place{.file = path},
        absent ? "there is no such file or folder" : std::strerror(code),
        absent ? "check the path" : system_hint(code, "check the permissions of the file and its folder"));
}

}  // namespace

Input::Input(const std::string& path) : name_(path == "-" ? "<stdin>" : path) {
    if (path == "-") {
        descriptor_ = STDIN_FILENO;
        return;
    }
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail_to_open(path, errno);
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) return;
    is_plain_ = S_ISREG(status.st_mode);
    if (is_plain_) size_ = status.st_size;
    if (S_ISDIR(status.st_mode)) {
        ::close(std::exchange(descriptor_, -1));
        throw Error(ErrorKind::input, Place{.file = path}, "is a folder, not a file",
                    "name a file inside it");
    }
}

Input::Input(std::string name, std::string_view content)
    : name_(std::move(name)), size_(static_cast<std::int64_t>(content.size())), memory_(content) {}

Input::Input(Input&& other) noexcept { swap(other); }

Input& Input::operator=(Input&& other) noexcept {
    Input taken(std::move(other));
    swap(taken);
    return *this;
}

void Input::swap(Input& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(size_, other.size_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(is_plain_, other.is_plain_);
    std::swap(memory_, other.memory_);
    std::swap(buffer_, other.buffer_);
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
    std::swap(finished_, other.finished_);
    std::swap(begun_, other.begun_);
    std::swap(is_past_mark_, other.is_past_mark_);
    std::swap(gunzip_, other.gunzip_);
    std::swap(compressed_, other.compressed_);
    std::swap(compressed_begin_, other.compressed_begin_);
    std::swap(compressed_end_, other.compressed_end_);
    std::swap(compressed_used_, other.compressed_used_);
    std::swap(activity_, other.activity_);
}

Input::~Input() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

std::optional<std::string> Input::plain_file() {
    fill(detail::gzip_mark_size);  // which looks for compression
    return is_plain_ && gunzip_ == nullptr ? std::optional(name_) : std::nullopt;
}

/// Sees to it that so many unread bytes are there, or all.
void Input::fill(std::size_t wanted) {
    if (!std::exchange(is_past_mark_, true)) {
        fill_buffer(byte_order_mark.size());
        if (std::string_view(buffer_.data() + begin_, end_ - begin_).starts_with(byte_order_mark))
            begin_ += byte_order_mark.size();
    }
    fill_buffer(wanted);
}

void Input::fill_buffer(std::size_t wanted) {
    if (end_ - begin_ >= wanted || finished_) return;
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    const std::size_t capacity = std::max(wanted, block_size);
    if (buffer_.size() < capacity + padding) buffer_.resize(capacity + padding);
    while (end_ < wanted && !finished_) {
        char* const target = buffer_.data() + end_;
        const std::size_t room = buffer_.size() - padding - end_;
        const std::size_t count = gunzip_ ? inflate_some(target, room) : read_some(target, room);
        finished_ = count == 0;
        end_ += count;
        if (!begun_ && (end_ >= detail::gzip_mark_size || finished_)) look_for_compression();
    }
}

/// Bytes of the source as they are; 0 at its end alone.
std::size_t Input::read_some(char* target, std::size_t room) {
    if (descriptor_ < 0) {
        const std::size_t count = std::min(room, memory_.size());
        std::copy_n(memory_.data(), count, target);
        memory_.remove_prefix(count);
        if (activity_ != nullptr) activity_->step(static_cast<std::int64_t>(count));
        return count;
    }
    ssize_t count = 0;
    do {
        count = ::read(descriptor_, target, room);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        throw Error(ErrorKind::environment, Place{.file = name_}, std::strerror(errno),
                    "check the file system");
    }
    if (activity_ != nullptr) activity_->step(count);
    return static_cast<std::size_t>(count);
}

/// The first bytes tell whether the source is compressed; then they are put back as such.
void Input::look_for_compression() {
    begun_ = true;
    if (!detail::is_gzip({buffer_.data(), end_})) return;
    gunzip_ = std::make_unique<detail::Gunzip>();
    compressed_.assign(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(end_));
    compressed_.resize(std::max(compressed_.size(), block_size));
    compressed_end_ = std::exchange(end_, 0);
    finished_ = false;
}

/// Bytes that were compressed; 0 at the end alone. Throws an input error where the source is damaged.
std::size_t Input::inflate_some(char* target, std::size_t room) {
    const auto fail = [&](const char* what) {
        throw Error(ErrorKind::input, Place{.file = name_},
                    fmt::format("what gzip has compressed {} at byte {}", what, compressed_used_),
                    "copy or write the file again; 'gzip -t' checks it");
    };
    for (;;) {
        if (compressed_begin_ == compressed_end_) {
            compressed_begin_ = 0;
            compressed_end_ = read_some(compressed_.data(), compressed_.size());
            if (compressed_end_ == 0 && gunzip_->is_between_members()) return 0;
        }
        const std::string_view given(compressed_.data() + compressed_begin_,
                                     compressed_end_ - compressed_begin_);
        const auto [used, written, damaged] = gunzip_->step(given, {target, room});
        compressed_begin_ += used;
        compressed_used_ += static_cast<std::int64_t>(used);
        if (damaged) fail("is damaged");
        if (written > 0) return written;
        if (given.empty()) fail("ends");
    }
}

std::string_view Input::peek(std::size_t count) {
    fill(count);
    return {buffer_.data() + begin_, std::min(count, end_ - begin_)};
}

std::string Input::rest() {
    std::string content;
    for (std::string_view block = take(block_size); !block.empty(); block = take(block_size))
        content += block;
    return content;
}

std::string_view Input::take(std::size_t count) {
    fill(count);
    const std::string_view taken{buffer_.data() + begin_, std::min(count, end_ - begin_)};
    begin_ += taken.size();
    return taken;
}

bool LineReader::next(std::string_view& line) {
    for (;;) {
        const std::size_t newline = block_.find('\n', std::max(position_, scanned_));
        if (newline != std::string_view::npos) {
            line = block_.substr(position_, newline - position_);
            position_ = newline + 1;
            scanned_ = position_;
            break;
        }
        // The block has no whole line left: give back what was used and look further ahead.
        (void)input_->take(position_);
        const std::size_t unread = block_.size() - position_;
        scanned_ = unread;
        position_ = 0;
        if (unread > longest_line_) refuse_long_line();
        block_ = input_->peek(std::max(block_size, 2 * unread));
        if (block_.size() > unread) continue;
        if (block_.empty()) return false;
        line = block_;
        position_ = block_.size();
        scanned_ = position_;
        is_whole_ = false;
        break;
    }
    if (line.size() > longest_line_) refuse_long_line();
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
}

void LineReader::refuse_long_line() const {
    throw Error(ErrorKind::input, Place{.file = input_->name(), .line = number_ + 1},
                fmt::format("the line exceeds {} MiB", longest_line_ >> 20U),
                "check that this is a text file");
}

}  // namespace plimsoll
