#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace plimsoll::kernels {

/// A result that appears under its name only once it is complete: until `finish` it is written to
/// the name with ".tmp" behind, which goes away if `finish` is never reached.
///
/// "-" is stdout; that and what exists and is no regular file (/dev/null) is written directly.
class OutputFile {
  public:
    explicit OutputFile(std::string path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// Appends `text` and hands it to the system.
    void write(std::string_view text);
    /// Makes the result durable and gives it its name.
    void finish();

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    [[noreturn]] void fail() const;
    [[nodiscard]] std::FILE* stream() const { return file_ ? file_.get() : stdout; }

    std::string path_;
    std::string temporary_;  ///< empty if written directly
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace plimsoll::kernels
