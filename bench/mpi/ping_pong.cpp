// What does libplimsoll-mpi add to a message of 8 bytes? Two ranks play ping-pong, in blocks that in turn
// call MPI_Send and MPI_Recv, which the library stands in for, and PMPI_Send and PMPI_Recv, which are MPI's
// own. So both sides are measured in one run, a few hundred microseconds apart, and what differs between two
// blocks side by side is the library.
//
// usage: mpiexec -n 2 env LD_PRELOAD=libplimsoll-mpi.so PLIMSOLL_REGIONS=/dev/null mpi_ping_pong [PAIRS]
//
// Prints one JSON line: medians over blocks in nanoseconds, of one message there or back.

#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "plimsoll/region.hpp"

namespace {

constexpr int trips = 200;  ///< there and back, in one block
constexpr int bytes = 8;

/// MPI as the program sees it.
struct Watched {
    static void send(const char* data, int to) { MPI_Send(data, bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD); }
    static void receive(char* data, int from) {
        MPI_Recv(data, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
};

struct Plain {
    static void send(const char* data, int to) { PMPI_Send(data, bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD); }
    static void receive(char* data, int from) {
        PMPI_Recv(data, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
};

/// The same by requests, each waited for at once: two calls for each of the above.
struct WatchedRequests {
    static void send(const char* data, int to) {
        MPI_Request request;
        MPI_Isend(data, bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    static void receive(char* data, int from) {
        MPI_Request request;
        MPI_Irecv(data, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
};

struct PlainRequests {
    static void send(const char* data, int to) {
        MPI_Request request;
        PMPI_Isend(data, bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD, &request);
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    static void receive(char* data, int from) {
        MPI_Request request;
        PMPI_Irecv(data, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, &request);
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
};

/// Nanoseconds of one message.
template <class Calls>
double block(int rank) {
    char data[bytes] = "";
    PMPI_Barrier(MPI_COMM_WORLD);
    const std::uint64_t begin = plimsoll_region_now_ns();
    for (int i = 0; i < trips; ++i) {
        if (rank == 0) {
            Calls::send(data, 1);
            Calls::receive(data, 1);
        } else {
            Calls::receive(data, 0);
            Calls::send(data, 0);
        }
    }
    return static_cast<double>(plimsoll_region_now_ns() - begin) / (2 * trips);
}

/// Nanoseconds that two readings of the region's clock take.
double two_clock_readings() {
    const plimsoll_region_thread* const thread = plimsoll_region_this_thread();
    const int by_counter = thread != nullptr ? thread->by_counter : 0;
    std::uint64_t sum = 0;
    const std::uint64_t begin = plimsoll_region_now_ns();
    for (int i = 0; i < trips; ++i) {
        sum += plimsoll_region_now(by_counter);
        sum += plimsoll_region_now(by_counter);
    }
    const std::uint64_t end = plimsoll_region_now_ns();
    volatile std::uint64_t kept = sum;  // so that the readings are made
    (void)kept;
    return static_cast<double>(end - begin) / trips;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Medians over pairs of blocks, as JSON.
template <class With, class Without>
std::string compare(int rank, std::size_t pairs) {
    constexpr std::size_t warm_up = 20;
    std::vector<double> watched;
    std::vector<double> plain;
    std::vector<double> differences;
    std::vector<double> clocks;
    for (std::size_t i = 0; i < pairs + warm_up; ++i) {
        // The order turns from pair to pair.
        const double first = i % 2 == 0 ? block<With>(rank) : block<Without>(rank);
        const double second = i % 2 == 0 ? block<Without>(rank) : block<With>(rank);
        if (i < warm_up) continue;
        watched.push_back(i % 2 == 0 ? first : second);
        plain.push_back(i % 2 == 0 ? second : first);
        differences.push_back(watched.back() - plain.back());
        clocks.push_back(two_clock_readings());
    }
    return fmt::format(
        R"({{"watched_ns":{:.2f},"plain_ns":{:.2f},"difference_ns":{:.2f},"two_clock_readings_ns":{:.2f}}})",
        median(watched), median(plain), median(differences), median(clocks));
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        if (rank == 0) fmt::print(stderr, "error: {} ranks\nhint: start it on 2\n", size);
        MPI_Finalize();
        return 2;
    }
    const std::size_t pairs = argc > 1 ? std::stoul(argv[1]) : 2000;
    {
        PLIMSOLL_REGION("ping_pong");
        const std::string blocking = compare<Watched, Plain>(rank, pairs);
        const std::string requests = compare<WatchedRequests, PlainRequests>(rank, pairs);
        if (rank == 0)
            fmt::print("{{\"pairs\":{},\"blocking\":{},\"requests\":{}}}\n", pairs, blocking, requests);
    }
    MPI_Finalize();
    return 0;
}
