#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/progress.hpp"

namespace plimsoll {

namespace detail {
class Gunzip;
}

/// Bytes from a file, standard input or memory, read once from front to end, with a look ahead.
///
/// What gzip has compressed comes out as it was, and a byte order mark in front of a text (UTF-8) does not
/// come out. Memory is bounded by the block, whatever the size of the file.
class Input {
  public:
    /// Opens a file; `-` is standard input. Throws an input error where there is no such file.
    explicit Input(const std::string& path);

    /// Reads a text that the caller keeps alive.
    Input(std::string name, std::string_view content);

    Input(Input&&) noexcept;
    Input& operator=(Input&&) noexcept;
    ~Input();

    /// Name for messages: the path as given, or `<stdin>`.
    [[nodiscard]] const std::string& name() const { return name_; }

    /// The next `count` bytes, fewer only at the end of the file. They stay unread.
    [[nodiscard]] std::string_view peek(std::size_t count);

    /// Takes up to `count` unread bytes, empty only at the end. Valid until the next call.
    [[nodiscard]] std::string_view take(std::size_t count);

    /// All unread bytes.
    [[nodiscard]] std::string rest();

    /// Bytes of the whole file or text; 0 where that cannot be known, as of a pipe.
    [[nodiscard]] std::int64_t size() const { return size_; }

    /// The path of the file that is read, for libraries that open files by themselves; nothing where it is
    /// no plain file, or is compressed.
    [[nodiscard]] std::optional<std::string> plain_file();

    /// Counts bytes that somebody else has read of that file.
    void count_bytes(std::int64_t bytes) const {
        if (activity_ != nullptr) activity_->step(bytes);
    }

    /// From here on each block that is read steps the activity by its bytes, and so throws Cancelled once the
    /// user asked to stop. The activity outlives the reading.
    void count_for(Activity& activity) { activity_ = &activity; }

    /// Throws Cancelled once the user asked to stop: for work on what was read long before.
    void poll() const {
        if (activity_ != nullptr) activity_->step(0);
    }

    /// Bytes that are readable behind every text that `peek` and `take` return, as simdjson wants them.
    static constexpr std::size_t padding = 64;

  private:
    void swap(Input& other) noexcept;
    void fill(std::size_t wanted);
    void fill_buffer(std::size_t wanted);
    void look_for_compression();
    std::size_t read_some(char* target, std::size_t room);
    std::size_t inflate_some(char* target, std::size_t room);

    std::string name_;
    std::int64_t size_ = 0;
    int descriptor_ = -1;
    bool is_plain_ = false;  ///< a regular file
    std::string_view memory_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;  ///< of the unread bytes in `buffer_`
    std::size_t end_ = 0;
    bool finished_ = false;
    bool begun_ = false;
    bool is_past_mark_ = false;               ///< of a text
    std::unique_ptr<detail::Gunzip> gunzip_;  ///< where the source is compressed
    std::vector<char> compressed_;
    std::size_t compressed_begin_ = 0;
    std::size_t compressed_end_ = 0;
    std::int64_t compressed_used_ = 0;
    Activity* activity_ = nullptr;
};

/// Lines of an input, without their newline.
class LineReader {
  public:
    /// Lines of more bytes than `longest_line`, 1 GiB if not told, are refused: they are no text.
    explicit LineReader(Input& input, std::size_t longest_line = std::size_t{1} << 30)
        : input_(&input), longest_line_(longest_line) {}

    /// The next line, valid until the next call and followed by `Input::padding` readable bytes.
    /// False at the end. Lines end with a newline, or a carriage return and a newline. Throws an input error
    /// for a line that is too long.
    bool next(std::string_view& line);

    /// Number of the line last returned, counted from 1.
    [[nodiscard]] std::uint64_t number() const { return number_; }

    /// Whether the line last returned ended with a newline, rather than with the file.
    [[nodiscard]] bool is_whole() const { return is_whole_; }

    /// Name of the file that the lines come from.
    [[nodiscard]] const std::string& file() const { return input_->name(); }

  private:
    [[noreturn]] void refuse_long_line() const;

    Input* input_;
    std::size_t longest_line_;
    std::string_view block_;
    std::size_t position_ = 0;
    std::size_t scanned_ = 0;
    std::uint64_t number_ = 0;
    bool is_whole_ = true;
};

}  // namespace plimsoll
