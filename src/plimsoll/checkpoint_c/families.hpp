#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plimsoll/checkpoint.h"
#include "plimsoll/checkpoint/communicator.hpp"
#include "plimsoll/checkpoint/save.hpp"
#include "plimsoll/checkpoint/session.hpp"

namespace plimsoll::checkpoint {

/// Makes one more communicator of the same ranks.
using MakeRanks = std::function<std::unique_ptr<Communicator>()>;

/// Memory that is protected under a number.
struct Region {
    std::string name;  ///< of the array in the files
    ElementType type = ElementType::uint8;
    Shape shape;
    std::span<std::byte> bytes;
};

/// Checkpoints by name, as the C API has them: each name is a session in a folder of its own, and all of them
/// save the same numbered regions, or those of them that a call names.
class Families {
  public:
    Families(SessionOptions options, MakeRanks make_ranks);

    void protect(int id, Region region);
    void unprotect(int id);
    /// Numbers that are protected, in their order.
    [[nodiscard]] std::vector<int> all() const;

    void save(const std::string& name, std::uint64_t version, const std::vector<int>& ids);
    /// False where a last save has failed; `failure` then says which and why.
    [[nodiscard]] bool wait();
    [[nodiscard]] bool is_ready() const;
    [[nodiscard]] const std::string& failure() const { return failure_; }
    void fence();

    /// The newest version below `below`, or of all. The same on all ranks.
    [[nodiscard]] std::optional<std::uint64_t> newest(const std::string& name,
                                                      std::optional<std::uint64_t> below);
    [[nodiscard]] bool has(const std::string& name, std::uint64_t version);
    void restore(const std::string& name, std::uint64_t version, const std::vector<int>& ids);
    /// From the newest version that is whole; empty where there never was one.
    [[nodiscard]] std::optional<std::uint64_t> restore_newest(const std::string& name);
    /// Bytes that this rank saved under a number, if any.
    [[nodiscard]] std::optional<std::uint64_t> saved_bytes(const std::string& name, std::uint64_t version,
                                                           int id);

    /// Whether all ranks say yes.
    [[nodiscard]] bool agree(bool mine);

  private:
    struct Family {
        std::unique_ptr<Session> session;
        std::optional<Save> last;
        std::vector<std::string> arrays;  ///< that its session protects now
    };
    Family& family(const std::string& name);
    /// Protects these numbers in the session and no others.
    void choose(Family& family, const std::vector<int>& ids);
    /// That are committed, the newest first, as rank 0 sees them.
    [[nodiscard]] std::vector<std::uint64_t> versions(const std::string& name);
    [[nodiscard]] std::string folder_of(const std::string& name) const;

    SessionOptions options_;
    MakeRanks make_ranks_;
    std::unique_ptr<Communicator> ranks_;
    std::map<int, Region> regions_;
    std::map<std::string, Family> families_;
    std::string failure_;
};

/// Without a folder where there are no options.
[[nodiscard]] SessionOptions session_options(const plimsoll_checkpoint_options* options);

/// What plimsoll_checkpoint_init does, for these ranks: a code of plimsoll/checkpoint.h.
[[nodiscard]] int begin_families(const SessionOptions& options, MakeRanks make_ranks) noexcept;

}  // namespace plimsoll::checkpoint
