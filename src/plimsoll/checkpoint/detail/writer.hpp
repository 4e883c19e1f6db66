#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/detail/save_job.hpp"
#include "plimsoll/checkpoint/detail/staging_pool.hpp"
#include "plimsoll/checkpoint/storage.hpp"
#include "plimsoll/core/seconds.hpp"

namespace plimsoll::checkpoint::detail {

struct WriterOptions {
    std::string folder;
    std::uint64_t rank = 0;
    std::uint64_t ranks = 1;
    std::uint64_t keep = 2;   ///< saves that retention leaves
    Seconds patience{600.0};  ///< with ranks that are silent
    /// Those that see the folder, sorted; the first of them commits. All where it is empty.
    std::vector<std::uint64_t> members;
    /// Called once this rank's share is on the disk.
    std::function<void(const SaveJob&)> written;
    /// Called once a save is committed, or has failed for a reason.
    std::function<void(SaveJob&, const std::string&)> done;
    /// Whether retention may have a save.
    std::function<bool(const SaveEntry&)> may_remove = [](const SaveEntry&) { return true; };
};

/// The thread that brings saves to one folder, one after the other, as docs/formats/checkpoint.md says.
///
/// Ranks agree through the folder alone: each puts its part there once it is on the disk, and the first of
/// them commits once all are. So no message is sent from this thread, and MPI need not allow several threads.
class Writer {
  public:
    Writer(Storage& storage, StagingPool& pool, WriterOptions options);
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    /// Finishes what was handed over.
    ~Writer();

    void submit(SaveJob job);
    /// Returns once nothing is left to do, the removal of older saves among it.
    void finish();
    /// Returns once at most so many saves wait their turn.
    void wait_for_room(std::size_t most);

  private:
    void run();
    void process(SaveJob& job);
    void begin(const SaveJob& job);
    void write_share(SaveJob& job);
    [[nodiscard]] PackRecord write_pack(const SaveJob& job, std::size_t number);
    void write_part(const SaveJob& job, const Part& part);
    void commit(const SaveJob& job);
    [[nodiscard]] Manifest gather_parts(const SaveJob& job);
    void await_commit(const SaveJob& job);
    void give_up(const SaveJob& job, const std::string& why) noexcept;
    void remove_outdated() noexcept;
    [[nodiscard]] bool is_first() const { return options_.members.front() == options_.rank; }
    [[nodiscard]] std::string unfinished_folder(const SaveJob& job) const;
    /// Calls until it answers true; throws where that takes longer than the patience.
    void wait_until(const std::function<bool()>& condition, const std::function<std::string()>& what) const;

    Storage* storage_;
    StagingPool* pool_;
    WriterOptions options_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<SaveJob> jobs_;
    bool is_ending_ = false;
    bool is_busy_ = false;
    std::thread thread_;
};

/// Throws a usage error where the pieces of all ranks do not make whole arrays.
void check_pieces(const std::vector<Part>& parts);

}  // namespace plimsoll::checkpoint::detail
