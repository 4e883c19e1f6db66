// Two threads of each rank that call MPI below regions of their own.

#include <mpi.h>

#include <atomic>
#include <thread>
#include <vector>

#include "plimsoll/region.hpp"

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    {
        const plimsoll::Region main("main");
        std::atomic<int> here(0);
        std::vector<std::thread> team;
        for (int tag = 0; tag < 2; ++tag) {
            team.emplace_back([tag, &main, &here] {
                const plimsoll::Region work("work", main);
                for (++here; here < 2;) std::this_thread::yield();
                int rank = 0;
                int size = 1;
                MPI_Comm_rank(MPI_COMM_WORLD, &rank);
                MPI_Comm_size(MPI_COMM_WORLD, &size);
                char sent[100] = "";
                char received[100];
                for (int i = 0; i < 500; ++i) {
                    MPI_Request request;
                    MPI_Irecv(received, 100, MPI_CHAR, (rank + size - 1) % size, tag, MPI_COMM_WORLD,
                              &request);
                    MPI_Send(sent, 10 + tag, MPI_CHAR, (rank + 1) % size, tag, MPI_COMM_WORLD);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                }
            });
        }
        for (std::thread& thread : team) thread.join();
    }
    MPI_Finalize();
    return provided == MPI_THREAD_MULTIPLE ? 0 : 1;
}
