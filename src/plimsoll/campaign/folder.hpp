#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plimsoll/campaign/channel.hpp"
#include "plimsoll/campaign/store.hpp"

namespace plimsoll::campaign {

/// What `init` decides for a campaign, kept in its folder.
struct FolderOptions {
    Durability durability = Durability::normal;
    bool any_file_system = false;  ///< also one of a network, where SQLite's locks may not hold
};

/// Where a server listens.
struct Address {
    std::string host;
    std::uint16_t port = 0;
    std::int64_t process = 0;
    std::string machine;  ///< host name of the server
};

/// A campaign on disk: the folder `.plimsoll` with its database, secret, server address, log and output.
///
/// The database is opened by the server alone; workers and commands read `secret` (mode 600) and
/// `server.json`, and workers write below `output`.
class Folder {
  public:
    /// Makes a campaign below `parent`, or completes one whose making was ended half-way. Throws a usage
    /// error where there is one, an environment error where the file system is one of a network and that is
    /// not allowed; then nothing is changed.
    static Folder make(const std::string& parent, const FolderOptions& options);

    /// The campaign at a path (`.plimsoll` or the folder that holds it), or, where the path is empty, of the
    /// working folder or the nearest one above it. Throws a usage error where there is none.
    static Folder find(const std::string& path);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string database() const { return path_ + "/campaign.db"; }
    [[nodiscard]] std::string log() const { return path_ + "/server.log"; }
    [[nodiscard]] std::string output() const { return path_ + "/output"; }
    [[nodiscard]] std::string address_file() const { return path_ + "/server.json"; }

    [[nodiscard]] Secret secret() const;
    [[nodiscard]] Durability durability() const;

    /// The address that a server left; it may have died since.
    [[nodiscard]] std::optional<Address> address() const;
    void write_address(const Address& address) const;
    void remove_address() const;

    /// Whether the folder lies on a file system of a network, and which: "nfs".
    [[nodiscard]] static std::optional<std::string> network_file_system(const std::string& path);

  private:
    explicit Folder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

/// Holds a campaign for one server: a lock on a file, gone with the process.
class FolderLock {
  public:
    /// Throws a usage error where another server has it.
    explicit FolderLock(const Folder& folder);
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock();

    /// Whether a server has it now. The question takes the lock for a moment, so that a server which starts
    /// just then may find it taken.
    [[nodiscard]] static bool is_held(const Folder& folder);

  private:
    int descriptor_ = -1;
};

}  // namespace plimsoll::campaign
