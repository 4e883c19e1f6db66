// How long does a checkpoint keep a program from its work, and how fast is it on the disk, by our way and by
// those of others?
//
// usage: mpiexec -n RANKS checkpoint_rivals FOLDER MIB REPEATS [METHOD...]
//
// Each rank has MIB of memory, which it rewrites right after the call, as programs do. Prints one JSON line a
// method, medians over repeats of the slowest rank's seconds: `blocked` in the call; `lost` beside what
// rewriting takes alone; `done` from the call until the method says so; `durable` from the call until the
// disk has it, where the bench syncs what the method does not (`syncs` false).

#include <fmt/core.h>
#include <mpi.h>

#include <filesystem>
#include <map>

#include "bench/checkpoint/rivals/method.hpp"

namespace {

using namespace plimsoll::bench;

double slowest(double mine) {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

struct Times {
    double blocked = 0;
    double lost = 0;
    double done = 0;
    double durable = 0;
    bool syncs = true;
};

Times run_once(const NamedMethod& method, Setting setting, std::uint64_t seed) {
    if (setting.rank == 0) {
        std::filesystem::remove_all(setting.folder);
        std::filesystem::create_directories(setting.folder);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    Times times;
    {
        const auto way = method.make(setting);
        const double alone = seconds_of([&] { setting.memory->rewrite(seed); });
        MPI_Barrier(MPI_COMM_WORLD);
        const Clock::time_point begin = Clock::now();
        way->save();
        times.blocked = seconds_since(begin);
        const double rewritten = seconds_of([&] { setting.memory->rewrite(seed + 1); });
        way->wait();
        times.done = seconds_since(begin);
        const std::vector<std::string> left = way->unsynced();
        for (const std::string& path : left) sync_path(path);
        if (!left.empty()) sync_path(setting.folder);
        times.durable = slowest(seconds_since(begin));
        times.syncs = left.empty();
        times.lost = slowest(times.blocked + rewritten - alone);
        times.blocked = slowest(times.blocked);
        times.done = slowest(times.done);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (setting.rank == 0) std::filesystem::remove_all(setting.folder);
    return times;
}

void run(int argc, char** argv) {
    Setting setting{.folder = argv[1]};
    MPI_Comm_rank(MPI_COMM_WORLD, &setting.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &setting.ranks);
    const Memory memory(std::stoul(argv[2]) << 20);
    setting.memory = &memory;
    const std::size_t repeats = std::stoul(argv[3]);
    const std::vector<std::string> wanted(argv + 4, argv + argc);
    std::vector<NamedMethod> methods;
    for (const auto& some : {our_methods(), file_methods(), mpi_methods(), hdf5_methods()}) {
        for (const NamedMethod& method : some) {
            if (wanted.empty() || std::find(wanted.begin(), wanted.end(), method.name) != wanted.end())
                methods.push_back(method);
        }
    }
    // In turn, so that whatever else the machine does meets all of them alike.
    std::map<std::string, std::vector<Times>> times;
    for (std::size_t i = 0; i < repeats; ++i) {
        for (const NamedMethod& method : methods)
            times[method.name].push_back(run_once(method, setting, 10 * i + 1));
    }
    if (setting.rank != 0) return;
    for (const NamedMethod& method : methods) {
        const std::vector<Times>& all = times[method.name];
        const auto median_of = [&](double Times::*field) {
            std::vector<double> values;
            values.reserve(all.size());
            for (const Times& one : all) values.push_back(one.*field);
            return median(values);
        };
        fmt::print(R"({{"method":"{}","what":"{}","ranks":{},"bytes":{},"blocked_s":{:.6f},"lost_s":{:.6f},)"
                   R"("done_s":{:.6f},"durable_s":{:.6f},"syncs":{}}})"
                   "\n",
                   method.name, method.what, setting.ranks,
                   memory.bytes().size() * static_cast<std::size_t>(setting.ranks),
                   median_of(&Times::blocked), median_of(&Times::lost), median_of(&Times::done),
                   median_of(&Times::durable), all.front().syncs);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        fmt::print(stderr, "usage: mpiexec -n RANKS checkpoint_rivals FOLDER MIB REPEATS [METHOD...]\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    try {
        run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Finalize();
    return 0;
}
