#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "plimsoll/mpi/detail/call.hpp"
#include "plimsoll/mpi/detail/host.hpp"

namespace plimsoll::mpi {

namespace {

constexpr std::size_t counters = plimsoll_region_counters;  ///< time in nanoseconds in place of ticks

/// What each thread counted on one call path: [threads x counters].
using Counts = std::vector<std::uint64_t>;

/// Call paths with what was counted on them, in the order in which they were added first.
class Paths {
  public:
    Counts& operator[](const std::string& path) {
        const auto [place, is_new] = index_.try_emplace(path, paths_.size());
        if (is_new) paths_.push_back({.path = path, .counts = {}});
        return paths_[place->second].counts;
    }
    struct Path {
        std::string path;
        Counts counts;
    };
    [[nodiscard]] const std::vector<Path>& all() const { return paths_; }

  private:
    std::vector<Path> paths_;
    std::map<std::string, std::size_t> index_;
};

bool took_part(const std::uint64_t* counted) {
    return counted[plimsoll_region_visits] > 0 || counted[plimsoll_region_ticks] > 0;
}

void add(Paths& paths, const plimsoll_region_sum& parent, const std::string& above, std::size_t threads,
         double tick_ns) {
    for (const plimsoll_region_sum* sum = parent.child; sum != nullptr; sum = sum->next) {
        const std::string path =
            above + (above.empty() ? "" : "->") + (*sum->name != '\0' ? sum->name : "unnamed");
        Counts& counts = paths[path];
        counts.resize(std::max(counts.size(), threads * counters));
        for (std::size_t i = 0; i < threads * counters; ++i) {
            const bool is_time = i % counters == plimsoll_region_ticks;
            const double ns = static_cast<double>(sum->counted[i]) * tick_ns;
            counts[i] += is_time ? static_cast<std::uint64_t>(ns) : sum->counted[i];
        }
        add(paths, *sum, path, threads, tick_ns);
    }
}

void add(Paths& paths, plimsoll_region_state* state) {
    if (state == nullptr || state->mode != plimsoll_region_on) return;
    std::size_t threads = 0;
    plimsoll_region_lock(state);
    const double tick_ns = plimsoll_region_tick_ns(state);
    plimsoll_region_sum* const root = plimsoll_region_collect(state, &threads);
    plimsoll_region_unlock(state);
    if (root != nullptr) add(paths, *root, "", threads, tick_ns);
    plimsoll_region_free_sum(root);
}

/// This rank's paths: of the library's own tree, then of the program's.
Paths of_this_rank() {
    Paths paths;
    add(paths, plimsoll_region_host.library);
    add(paths, plimsoll_region_host.program);
    return paths;
}

/// As bytes for another rank of this machine's kind: length, path, length, counts, and so on.
std::vector<char> packed(const Paths& paths) {
    std::vector<char> bytes;
    const auto put = [&bytes](const void* data, std::size_t size) {
        bytes.insert(bytes.end(), static_cast<const char*>(data), static_cast<const char*>(data) + size);
    };
    for (const auto& [path, counts] : paths.all()) {
        const std::uint64_t sizes[] = {path.size(), counts.size()};
        put(sizes, sizeof sizes);
        put(path.data(), path.size());
        put(counts.data(), counts.size() * sizeof(std::uint64_t));
    }
    return bytes;
}

/// Adds a rank's packed paths: its threads stand behind those of the ranks before.
void append(Paths& all, const std::vector<char>& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        std::uint64_t sizes[2];
        std::memcpy(sizes, &bytes[at], sizeof sizes);
        at += sizeof sizes;
        const std::string path(&bytes[at], sizes[0]);
        at += sizes[0];
        Counts& counts = all[path];
        const std::size_t before = counts.size();
        counts.resize(before + sizes[1]);
        if (sizes[1] > 0) std::memcpy(&counts[before], &bytes[at], sizes[1] * sizeof(std::uint64_t));
        at += sizes[1] * sizeof(std::uint64_t);
    }
}

void put_line(plimsoll_region_text& lines, const plimsoll_region_text& parameters, const Paths::Path& path,
              const char* metric, std::size_t counter) {
    plimsoll_region_put(&lines, R"({"params":)");
    plimsoll_region_put(&lines, parameters.data);
    plimsoll_region_put(&lines, R"(,"region":")");
    plimsoll_region_put_escaped(&lines, path.path.c_str());
    plimsoll_region_put(&lines, R"(","metric":)");
    plimsoll_region_put(&lines, metric);
    plimsoll_region_put(&lines, R"(,"value":[[)");
    bool is_first = true;
    for (std::size_t i = 0; i < path.counts.size(); i += counters) {
        if (!took_part(&path.counts[i])) continue;
        if (!is_first) plimsoll_region_put(&lines, ",");
        is_first = false;
        if (counter == plimsoll_region_ticks)
            plimsoll_region_put_seconds(&lines, path.counts[i + counter]);
        else
            plimsoll_region_put_number(&lines, path.counts[i + counter]);
    }
    plimsoll_region_put(&lines, "]]}\n");
}

/// What the program set, else what the environment says.
const char* setting(char* plimsoll_region_state::*set, const char* variable) {
    for (const plimsoll_region_state* state : {plimsoll_region_host.program, plimsoll_region_host.library})
        if (state != nullptr && state->*set != nullptr) return state->*set;
    return getenv(variable);
}

void write(const Paths& paths, int ranks) {
    plimsoll_region_text lines{};
    plimsoll_region_text parameters{};
    plimsoll_region_text target{};
    plimsoll_region_put_parameters(&parameters,
                                   setting(&plimsoll_region_state::parameters, "PLIMSOLL_PARAMETERS"), ranks);
    plimsoll_region_put_bytes(&parameters, "", 1);
    const char* const path = setting(&plimsoll_region_state::path, "PLIMSOLL_REGIONS");
    plimsoll_region_put_path(&target, path != nullptr ? path : "");
    if (parameters.failed == 0 && target.failed == 0) {
        for (const Paths::Path& one : paths.all()) {
            const auto any = [&](std::size_t counter) {
                for (std::size_t i = counter; i < one.counts.size(); i += counters)
                    if (one.counts[i] > 0) return true;
                return false;
            };
            if (!any(plimsoll_region_visits) && !any(plimsoll_region_ticks)) continue;
            put_line(lines, parameters, one, R"("time","unit":"s")", plimsoll_region_ticks);
            put_line(lines, parameters, one, R"("visits")", plimsoll_region_visits);
            if (any(plimsoll_region_sent))
                put_line(lines, parameters, one, R"("bytes_sent","unit":"B")", plimsoll_region_sent);
            if (any(plimsoll_region_received))
                put_line(lines, parameters, one, R"("bytes_received","unit":"B")", plimsoll_region_received);
        }
        if (lines.failed == 0 && lines.size > 0 && *target.data != '\0')
            plimsoll_region_append(target.data, &lines);
    }
    free(lines.data);
    free(parameters.data);
    free(target.data);
}

/// Where memory is short, this rank gives nothing, and no rank waits for it.
std::vector<char> packed_of_this_rank() {
    try {
        return packed(of_this_rank());
    } catch (const std::exception&) {
        return {};
    }
}

void gather_and_write(const std::vector<char>& mine, int rank, int ranks) {
    constexpr int tag = 1;
    MPI_Comm comm = MPI_COMM_NULL;
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &comm) != MPI_SUCCESS) return;
    const int size = mine.size() <= INT_MAX ? static_cast<int>(mine.size()) : 0;
    if (rank != 0) {
        PMPI_Send(mine.data(), size, MPI_BYTE, 0, tag, comm);
    } else {
        // One after the other, so that the first rank holds the bytes of one at a time.
        Paths all;
        for (int from = 0; from < ranks; ++from) {
            std::vector<char> theirs = from == 0 ? mine : std::vector<char>();
            if (from != 0) {
                MPI_Status status;
                int count = 0;
                PMPI_Probe(from, tag, comm, &status);
                PMPI_Get_count(&status, MPI_BYTE, &count);
                theirs.resize(static_cast<std::size_t>(count));
                PMPI_Recv(theirs.data(), count, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
            }
            append(all, theirs);
        }
        write(all, ranks);
    }
    PMPI_Comm_free(&comm);
}

}  // namespace

void report() {
    const std::vector<char> mine = packed_of_this_rank();
    int rank = 0;
    int ranks = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    // Ranks whose environment differs must agree on whether there is anything to gather.
    int has_any = mine.empty() ? 0 : 1;
    int any_has = 0;
    PMPI_Allreduce(&has_any, &any_has, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any_has != 0) gather_and_write(mine, rank, ranks);
}

}  // namespace plimsoll::mpi
