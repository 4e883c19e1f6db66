#include "plimsoll/mpi/detail/requests.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace plimsoll::mpi {

namespace {

struct Table {
    std::mutex mutex;
    std::unordered_map<MPI_Request, Pending> entries;
    std::atomic<std::size_t> size = 0;  ///< of entries, to be read without the mutex
};

/// Never destroyed, since a program may complete requests while it ends.
Table& table() {
    static Table* const only = new Table;
    return *only;
}

}  // namespace

void remember(MPI_Request request, Pending pending) {
    if (request == MPI_REQUEST_NULL) return;
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    all.entries.insert_or_assign(request, pending);
    all.size.store(all.entries.size(), std::memory_order_relaxed);
}

void forget(MPI_Request request) {
    Table& all = table();
    if (all.size.load(std::memory_order_relaxed) == 0) return;
    const std::lock_guard lock(all.mutex);
    all.entries.erase(request);
    all.size.store(all.entries.size(), std::memory_order_relaxed);
}

void count_start(Call& call, MPI_Request request) {
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    const auto found = all.entries.find(request);
    if (found != all.entries.end() && found->second.kind == Pending::Kind::persistent_send)
        call.sends(found->second.bytes);
}

Completion::Completion(std::span<const MPI_Request> requests) : count_(requests.size()) {
    Table& all = table();
    if (all.size.load(std::memory_order_relaxed) == 0) return;
    const std::lock_guard lock(all.mutex);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const auto found = all.entries.find(requests[i]);
        if (found == all.entries.end()) continue;
        taken_.push_back({.index = i, .request = requests[i], .pending = found->second});
        if (found->second.kind == Pending::Kind::receive) all.entries.erase(found);
    }
    all.size.store(all.entries.size(), std::memory_order_relaxed);
}

Completion::~Completion() {
    for (const Taken& taken : taken_)
        if (taken.pending.kind == Pending::Kind::receive) remember(taken.request, taken.pending);
}

MPI_Status* Completion::statuses(MPI_Status* wanted) {
    statuses_ = wanted;
    const bool wants_none = wanted == MPI_STATUSES_IGNORE || wanted == MPI_STATUS_IGNORE;
    if (wants_none && !taken_.empty()) {
        own_.resize(count_);
        statuses_ = own_.data();
    }
    return statuses_;
}

void Completion::complete(Call& call, std::size_t index, std::size_t status) {
    const auto found =
        std::find_if(taken_.begin(), taken_.end(), [&](const Taken& taken) { return taken.index == index; });
    if (found == taken_.end()) return;
    const Pending::Kind kind = found->pending.kind;
    taken_.erase(found);
    int was_cancelled = 0;
    if (kind == Pending::Kind::persistent_send || !call.counts()) return;
    PMPI_Test_cancelled(&statuses_[status], &was_cancelled);
    if (was_cancelled == 0) call.receives(statuses_[status]);
}

}  // namespace plimsoll::mpi
