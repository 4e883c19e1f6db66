#include "plimsoll/campaign/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/launch/descriptor.hpp"

namespace plimsoll::campaign {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* folder_name = ".plimsoll";
constexpr mode_t owner_only = 0600;

/// Magic numbers of statfs(2), of file systems on which SQLite's locks are known not to be sure.
constexpr std::array<std::pair<std::uint32_t, const char*>, 9> network_file_systems{{{0x6969, "nfs"},
                                                                                     {0xff534d42, "cifs"},
                                                                                     {0xfe534d42, "smb2"},
                                                                                     {0x0bd00bd0, "lustre"},
                                                                                     {0x47504653, "gpfs"},
                                                                                     {0x00c36400, "ceph"},
                                                                                     {0x013111a8, "beegfs"},
                                                                                     {0x19830326, "beegfs"},
                                                                                     {0x65735546, "fuse"}}};

[[noreturn]] void fail(const std::string& path) {
    const int code = errno;
    throw Error(ErrorKind::environment, fmt::format("{}: {}", path, std::strerror(code)),
                "check the folder's permissions and its disk");
}

/// Makes a file whole or not at all. False where it is there already: then it stays as it is.
bool write_private(const std::string& path, const std::string& content) {
    const std::string temporary = fmt::format("{}.{}", path, random_name(8));
    const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner_only);
    if (file < 0) fail(temporary);
    const bool written =
        ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
    const bool synced = ::fsync(file) == 0;
    ::close(file);
    int status = -1;
    if (written && synced) {
        status = ::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE);
        // A file system that does not know this flag.
        if (status != 0 && (errno == EINVAL || errno == ENOSYS) && ::access(path.c_str(), F_OK) != 0)
            status = ::rename(temporary.c_str(), path.c_str());
    }
    if (status == 0) return true;
    const int code = errno;
    const bool is_there = ::access(path.c_str(), F_OK) == 0;
    ::unlink(temporary.c_str());
    if (is_there) return false;
    errno = code;
    fail(path);
}

/// The path, or the nearest folder above it that is there.
fs::path nearest_there(fs::path path) {
    std::error_code ignored;
    while (!fs::exists(path, ignored) && path != path.parent_path()) path = path.parent_path();
    return path;
}

[[noreturn]] void refuse_second(const fs::path& path) {
    throw Error(ErrorKind::usage, fmt::format("{}: there is a campaign already", path.string()),
                "use it, or make another in another folder");
}

json read_json(const std::string& path) {
    json value = json::parse(read_file(path), nullptr, false);
    if (!value.is_object()) {
        throw Error(ErrorKind::input, fmt::format("{}: this is no JSON object", path),
                    "restore the file, or make a new campaign with 'plimsoll campaign init'");
    }
    return value;
}

constexpr int most_tries = 8;  // to read a file that comes and goes

bool is_campaign(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path / "settings.json", ignored);
}

}  // namespace

std::optional<std::string> Folder::network_file_system(const std::string& path) {
    struct statfs information {};
    if (::statfs(path.c_str(), &information) != 0) return std::nullopt;
    const auto type = static_cast<std::uint32_t>(information.f_type);
    for (const auto& [number, name] : network_file_systems) {
        if (type == number) return name;
    }
    return std::nullopt;
}

Folder Folder::make(const std::string& parent, const FolderOptions& options) {
    const fs::path path = fs::absolute(fs::path(parent) / folder_name).lexically_normal();
    if (is_campaign(path)) refuse_second(path);
    const auto network = network_file_system(nearest_there(path).string());
    if (network && !options.any_file_system) {
        throw Error(ErrorKind::environment,
                    fmt::format("{}: this is on a network file system ({}), where a database may be damaged",
                                parent, *network),
                    "choose a local disk, or pass --any-file-system if one machine alone runs the server");
    }
    std::error_code code;
    fs::create_directories(path / "output", code);
    if (code) {
        throw Error(ErrorKind::environment, fmt::format("{}: {}", path.string(), code.message()),
                    "choose a folder that you may write to");
    }
    fs::permissions(path, fs::perms::owner_all, code);
    if (code) {
        throw Error(ErrorKind::environment, fmt::format("{}: {}", path.string(), code.message()),
                    "choose a file system that keeps permissions, since the folder holds a secret");
    }
    const Secret secret = make_secret();
    std::string digits;
    for (const unsigned char byte : secret) digits += fmt::format("{:02x}", byte);
    Folder folder(path.string());
    // One that is there was left by a making that was ended half-way, and serves as well.
    if (!write_private((path / "secret").string(), digits + "\n")) (void)folder.secret();
    const json settings{{"schema", "plimsoll.campaign-settings/1"},
                        {"durability", std::string(enum_name(options.durability))}};
    // Last, since it is what makes the folder a campaign.
    if (!write_private((path / "settings.json").string(), settings.dump(2) + "\n")) refuse_second(path);
    return folder;
}

Folder Folder::find(const std::string& path) {
    if (!path.empty()) {
        const fs::path given = fs::absolute(path).lexically_normal();
        if (is_campaign(given)) return Folder(given.string());
        if (is_campaign(given / folder_name)) return Folder((given / folder_name).string());
        throw Error(ErrorKind::usage, fmt::format("{}: there is no campaign here", path),
                    fmt::format("make one with 'plimsoll campaign init {}'", path));
    }
    for (fs::path here = fs::current_path();; here = here.parent_path()) {
        if (is_campaign(here / folder_name)) return Folder((here / folder_name).string());
        if (here == here.parent_path()) break;
    }
    throw Error(ErrorKind::usage, "there is no campaign in this folder or above it",
                "make one with 'plimsoll campaign init', or name one with --campaign");
}

Secret Folder::secret() const {
    const std::string file = path_ + "/secret";
    struct stat information {};
    if (::stat(file.c_str(), &information) == 0 && (information.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        throw Error(ErrorKind::environment, fmt::format("{}: others may read the campaign's secret", file),
                    fmt::format("run 'chmod 600 {}'", file));
    }
    const std::string digits = read_file(file);
    Secret secret{};
    const auto digit = [&](std::size_t place) {
        const char c = place < digits.size() ? digits[place] : '?';
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        throw Error(ErrorKind::input, fmt::format("{}: this is no secret of 64 hexadecimal digits", file),
                    "restore the file from a copy, or remove it where the campaign was never used");
    };
    for (std::size_t i = 0; i < secret.size(); ++i)
        secret[i] = static_cast<unsigned char>(digit(2 * i) * 16 + digit(2 * i + 1));
    return secret;
}

Durability Folder::durability() const {
    const json settings = read_json(path_ + "/settings.json");
    return settings.value("durability", "normal") == "full" ? Durability::full : Durability::normal;
}

std::optional<Address> Folder::address() const {
    json value;
    for (int tries = 0; value.is_null(); ++tries) {
        try {
            value = read_json(address_file());
        } catch (const Error&) {  // a server removes it, and the next one writes it, at any time
            std::error_code ignored;
            if (!fs::exists(address_file(), ignored)) return std::nullopt;
            if (tries == most_tries) throw;
        }
    }
    return Address{.host = value.value("host", ""),
                   .port = value.value("port", std::uint16_t{0}),
                   .process = value.value("process", std::int64_t{0}),
                   .machine = value.value("machine", "")};
}

void Folder::write_address(const Address& address) const {
    OutputFile file(address_file());
    const json value{{"host", address.host},
                     {"port", address.port},
                     {"process", address.process},
                     {"machine", address.machine}};
    file.write(value.dump() + "\n");
    file.commit();
}

void Folder::remove_address() const { ::unlink(address_file().c_str()); }

FolderLock::FolderLock(const Folder& folder) {
    const std::string path = folder.path() + "/lock";
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, owner_only);
    if (descriptor_ < 0) fail(path);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        ::close(descriptor_);
        throw Error(ErrorKind::usage, fmt::format("{}: a server has this campaign open", folder.path()),
                    "use it, or end it with 'plimsoll campaign server stop'");
    }
}

bool FolderLock::is_held(const Folder& folder) {
    const launch::Descriptor file(::open((folder.path() + "/lock").c_str(), O_RDONLY | O_CLOEXEC));
    return file.number() >= 0 && ::flock(file.number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace plimsoll::campaign
