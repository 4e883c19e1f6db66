#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace plimsoll::test {

/// A fresh folder that goes away with the test.
class TemporaryFolder {
  public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

    /// Writes a file, with the folders above it, and returns its path.
    std::string write(const std::string& name, std::string_view content) const;

  private:
    std::filesystem::path path_;
};

}  // namespace plimsoll::test
