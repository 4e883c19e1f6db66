#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/checkpoint/measuring.hpp"

namespace plimsoll::bench {

/// Where and among whom something is saved.
struct Setting {
    std::string folder;  ///< there already, and empty
    const Memory* memory = nullptr;
    int rank = 0;
    int ranks = 1;
};

/// A way of saving, after the one save that it makes.
class Method {
  public:
    Method() = default;
    Method(const Method&) = delete;
    Method& operator=(const Method&) = delete;
    virtual ~Method() = default;
    /// Keeps the program until it may go on.
    virtual void save() = 0;
    /// Returns once the method says that it is done.
    virtual void wait() {}
    /// Files that the method leaves to the system, which a power failure would take; the bench brings them to
    /// the disk.
    [[nodiscard]] virtual std::vector<std::string> unsynced() const { return {}; }
};

struct NamedMethod {
    std::string name;
    std::string what;
    std::function<std::unique_ptr<Method>(const Setting&)> make;
};

// Each file that implements some of them has one of these.
[[nodiscard]] std::vector<NamedMethod> our_methods();
[[nodiscard]] std::vector<NamedMethod> file_methods();
[[nodiscard]] std::vector<NamedMethod> mpi_methods();
[[nodiscard]] std::vector<NamedMethod> hdf5_methods();

/// Throws where a call of the system did not succeed.
void require(bool succeeded, const std::string& what);
/// Brings a file, or a folder's names, to the disk.
void sync_path(const std::string& path);

}  // namespace plimsoll::bench
