#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace plimsoll {

/// A file that appears whole or not at all.
///
/// Text goes to a temporary file beside the target, which `commit` flushes to the disk and renames.
/// Without `commit` the target stays as it was. `-` writes to standard output.
class OutputFile {
  public:
    /// Throws an environment error where the folder does not take a file.
    explicit OutputFile(const std::string& path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    /// Throws an environment error when the disk is full.
    void write(std::string_view text);

    /// Makes the file appear. Call once, last.
    void commit();

    /// Hands to the system what was written so far, for a reader behind a pipe. Throws as `write`.
    void flush();

  private:
    std::string path_;
    std::string temporary_;
    std::string buffer_;
    int descriptor_ = -1;
};

/// Removes the temporary files of all `OutputFile`s that are open, for a signal handler that ends the
/// program: it is safe there, and nothing may be written afterwards.
void remove_unfinished_files() noexcept;

/// The whole content of a file, for files that are known to be small. Throws as Input does.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace plimsoll
