#include "plimsoll/checkpoint_mpi/mpi_communicator.hpp"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint {

namespace {

constexpr int exchange_tag = 1;

/// MPI counts in ints; what is told among ranks is far shorter.
int count_of(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw Error(ErrorKind::environment, fmt::format("{} bytes are too many for one message", bytes),
                    "keep fewer saves");
    return static_cast<int>(bytes);
}

void check(int code, const char* call) {
    if (code != MPI_SUCCESS)
        throw Error(ErrorKind::environment, fmt::format("{} failed with code {}", call, code),
                    "see MPI's own messages");
}

}  // namespace

MpiCommunicator::MpiCommunicator(MPI_Comm ranks) {
    check(MPI_Comm_dup(ranks, &ranks_), "MPI_Comm_dup");
    check(MPI_Comm_rank(ranks_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(ranks_, &size_), "MPI_Comm_size");
}

MpiCommunicator::~MpiCommunicator() {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (is_over == 0) MPI_Comm_free(&ranks_);
}

std::string MpiCommunicator::broadcast(std::string text) {
    int count = count_of(text.size());
    check(MPI_Bcast(&count, 1, MPI_INT, 0, ranks_), "MPI_Bcast");
    text.resize(static_cast<std::size_t>(count));
    check(MPI_Bcast(text.data(), count, MPI_CHAR, 0, ranks_), "MPI_Bcast");
    return text;
}

std::vector<std::string> MpiCommunicator::gather(std::string text) {
    const auto ranks = static_cast<std::size_t>(size_);
    const int mine = count_of(text.size());
    std::vector<int> counts(ranks);
    check(MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, ranks_), "MPI_Allgather");
    std::vector<int> begins(ranks);
    std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
    std::string all(static_cast<std::size_t>(begins.back()) + static_cast<std::size_t>(counts.back()), '\0');
    check(MPI_Allgatherv(text.data(), mine, MPI_CHAR, all.data(), counts.data(), begins.data(), MPI_CHAR,
                         ranks_),
          "MPI_Allgatherv");
    std::vector<std::string> texts;
    texts.reserve(ranks);
    for (std::size_t r = 0; r < ranks; ++r)
        texts.push_back(all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(counts[r])));
    return texts;
}

std::vector<std::vector<std::byte>> MpiCommunicator::exchange(const std::vector<Outgoing>& outgoing,
                                                              const std::vector<int>& from) {
    std::vector<MPI_Request> requests(outgoing.size());
    for (std::size_t i = 0; i < outgoing.size(); ++i) {
        check(MPI_Isend(outgoing[i].bytes.data(), count_of(outgoing[i].bytes.size()), MPI_BYTE,
                        outgoing[i].to, exchange_tag, ranks_, &requests[i]),
              "MPI_Isend");
    }
    std::vector<std::vector<std::byte>> received(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        check(MPI_Mprobe(from[i], exchange_tag, ranks_, &message, &status), "MPI_Mprobe");
        int count = 0;
        check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
        received[i].resize(static_cast<std::size_t>(count));
        check(MPI_Mrecv(received[i].data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    }
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
    return received;
}

}  // namespace plimsoll::checkpoint
