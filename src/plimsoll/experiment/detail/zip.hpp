#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/experiment/detail/archive_handle.hpp"

namespace plimsoll::experiment::detail {

/// The content of one member of a ZIP archive, unpacked as it is read.
class ZipMember {
  public:
    /// Reads up to `room.size()` bytes; 0 at the end. Throws an input error for a damaged member, for one
    /// above 4 GiB, and for one that unpacks to more than a thousand times the archive.
    std::size_t read(std::span<char> room);

    /// All that is left, for members that are kept in memory.
    [[nodiscard]] std::string rest();

  private:
    friend void read_zip(std::string_view, const Place&,
                         const std::function<void(const std::string&, ZipMember&)>&);
    ZipMember(archive* handle, std::uint64_t archive_size, Place place)
        : handle_(handle), archive_size_(archive_size), place_(std::move(place)) {}

    archive* handle_;
    std::uint64_t archive_size_;
    std::uint64_t unpacked_ = 0;
    Place place_;
};

/// Calls `visit` with each member of a ZIP archive that is held in memory, in their order in the archive.
/// A member that `visit` does not read is passed over. Throws an input error for what is no such archive.
void read_zip(std::string_view bytes, const Place& place,
              const std::function<void(const std::string& name, ZipMember& member)>& visit);

/// Writes a ZIP archive to a file. The same members give the same bytes.
class ZipWriter {
  public:
    explicit ZipWriter(OutputFile& file);

    /// Begins a member that is stored as it is, `size` bytes long.
    void begin_stored(const std::string& name, std::uint64_t size);
    /// Begins a member that is compressed, of any length.
    void begin_packed(const std::string& name);
    void write(std::string_view bytes);
    /// Ends the archive; the file is the caller's to commit.
    void finish();

  private:
    struct Target {
        OutputFile* file;
        std::exception_ptr failure;  ///< of the file: it may not pass through the library, which is C
    };
    void check(std::int64_t status);

    std::unique_ptr<Target> target_;
    ArchiveHandle handle_;
};

}  // namespace plimsoll::experiment::detail
