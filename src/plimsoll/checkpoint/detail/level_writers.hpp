#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plimsoll/checkpoint/communicator.hpp"
#include "plimsoll/checkpoint/detail/save_job.hpp"
#include "plimsoll/checkpoint/detail/staging_pool.hpp"
#include "plimsoll/checkpoint/detail/writer.hpp"
#include "plimsoll/checkpoint/session.hpp"
#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint::detail {

/// The ranks that share a local folder, and which of them speaks for the others.
struct Node {
    std::vector<std::uint64_t> members;  ///< sorted; this rank among them
    std::uint64_t next_sequence = 1;     ///< beyond all saves that the folder holds
    std::unique_ptr<FolderLock> lock;    ///< on the first of them
    [[nodiscard]] std::uint64_t first() const { return members.front(); }
};

/// Finds out which ranks see the same local folder, and sets it up. Throws on all ranks where one of them
/// cannot.
[[nodiscard]] Node set_up_node(Storage& storage, Communicator& ranks, const LocalLevel& level);

/// Brings saves to the levels: at once to the shared folder, or first to the node's own folder and from
/// there, every so many-th, to the shared one.
///
/// The levels do not depend on each other: what the node's own folder does not take goes to the shared one
/// from memory, if it is its turn.
class LevelWriters {
  public:
    LevelWriters(Storage& storage, StagingPool& pool, const SessionOptions& options, Communicator& ranks,
                 const Node* node);

    /// How far the save of this number is to come.
    [[nodiscard]] Stage goal_of(std::uint64_t sequence) const;
    /// All ranks call it with the same save. With a local level they tell each other how far they are.
    void submit(SaveJob job);
    /// Returns once nothing is left to do.
    void finish();
    /// Brings the last save to the shared folder, where it is on the nodes' own disks alone. All ranks call
    /// it.
    void share_last();

  private:
    void after_local(SaveJob& job, const std::string& failure);
    void after_shared(SaveJob& job, const std::string& failure);
    [[nodiscard]] bool may_remove(const SaveEntry& entry);
    /// The same save, which is read from the local folder.
    [[nodiscard]] SaveJob from_local(const SaveJob& job) const;

    Storage* storage_;
    LocalLevel level_;
    Communicator* ranks_;
    std::mutex mutex_;
    std::set<std::string> on_their_way_;  ///< to the shared folder: saves that stay in the local one
    std::uint64_t newest_local_ = 0;      ///< sequence of this node's newest save
    std::uint64_t common_ = 0;            ///< the oldest of these among all nodes
    std::optional<SaveJob> last_local_;   ///< the last save, while it is on this node alone
    std::optional<Writer> shared_;
    std::optional<Writer> local_;  // the last: it hands over to the other
};

}  // namespace plimsoll::checkpoint::detail
