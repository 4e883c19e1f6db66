#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/campaign/records.hpp"

namespace plimsoll::campaign {

/// What happens to a commit when the machine loses power. Neither loses anything when a process dies.
enum class Durability : std::uint8_t {
    normal,  ///< the last commits may be undone, whole transactions each
    full,    ///< nothing that was acknowledged is undone
};

constexpr std::array<EnumName<Durability>, 2> enum_names(Durability) {
    return {{{Durability::normal, "normal"}, {Durability::full, "full"}}};
}

/// Where a campaign stands on disk. One server has it open at a time.
///
/// The engine keeps in memory what is live and writes in batches; finished tasks exist here alone. Errors of
/// the disk are environment errors, damage is an input error; after either nothing of the batch is stored.
class Store {
  public:
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store() = default;

    /// Writes a batch in one transaction.
    virtual void commit(const Batch& batch) = 0;

    /// What the engine begins with.
    struct Marks {
        JobId last_job;
        WorkerId last_worker;
        Token last_token;
        WallTime last_event = 0;
    };
    [[nodiscard]] virtual Marks marks() = 0;
    /// Jobs with tasks that are not final, in order of their ids.
    virtual void each_unfinished_job(
        const std::function<void(const JobRecord&, const std::vector<JobId>& after)>& visit) = 0;
    /// Rows of a job's tasks in order of their indexes.
    virtual void each_task(JobId job, const std::function<void(const TaskRecord&)>& visit) = 0;
    [[nodiscard]] virtual std::vector<RangeRecord> ranges(JobId job) = 0;

    // Questions of users; lists come in pages.
    [[nodiscard]] virtual std::optional<JobRecord> job(JobId id) = 0;
    /// Jobs from the newest down, starting below `before` (0: the newest).
    [[nodiscard]] virtual std::vector<JobRecord> jobs(JobId before, std::size_t limit) = 0;
    [[nodiscard]] virtual std::vector<JobId> parents(JobId id) = 0;
    [[nodiscard]] virtual std::vector<JobId> children(JobId id) = 0;
    [[nodiscard]] virtual std::optional<TaskRecord> task(TaskId id) = 0;
    /// Rows from index `from` on, of one state where one is given.
    [[nodiscard]] virtual std::vector<TaskRecord> tasks(JobId job, std::uint32_t from,
                                                        std::optional<TaskState> state,
                                                        std::size_t limit) = 0;
    [[nodiscard]] virtual std::vector<AttemptRecord> attempts(TaskId id) = 0;
    /// Events with numbers above `after`, of one job where its id is not 0.
    [[nodiscard]] virtual std::vector<Event> events(std::int64_t after, JobId job, std::size_t limit) = 0;
    [[nodiscard]] virtual std::optional<WorkerRecord> worker(WorkerId id) = 0;
    [[nodiscard]] virtual std::vector<WorkerRecord> workers(std::size_t limit) = 0;
    /// Entries `first` … of a job's lines, at most `limit`.
    [[nodiscard]] virtual std::vector<std::string> lines(JobId job, std::uint32_t first,
                                                         std::size_t limit) = 0;
};

/// Opens or makes the SQLite file of a campaign.
///
/// Throws an input error where the file is damaged or no campaign, an environment error where it cannot be
/// written. The caller sees to it that nobody else has it open.
[[nodiscard]] std::unique_ptr<Store> open_sqlite_store(const std::string& path, Durability durability);

/// Goes over the whole file of a campaign; where there is none yet, that is well. Throws an input error that
/// says what is damaged.
void check_sqlite_store(const std::string& path);

}  // namespace plimsoll::campaign
