// How fast do saves reach the disk, from the end of the call until they are durable?
//
// usage: checkpoint_write FOLDER MIB ARRAYS [ENGINE]
//
// Saves MIB in so many equal arrays once, by io_uring where it is to be had or by the engine named, and
// prints one JSON line: bytes, arrays, engine, blocked_s, durable_s (from the end of the call), restore_s.

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "bench/checkpoint/measuring.hpp"
#include "plimsoll/checkpoint/session.hpp"

namespace {

using namespace plimsoll::bench;
namespace checkpoint = plimsoll::checkpoint;

std::unique_ptr<checkpoint::Storage> engine(std::string_view name) {
    if (name.empty()) return checkpoint::default_storage();
    auto storage = name == "io_uring" ? checkpoint::uring_storage() : checkpoint::pwrite_storage();
    if (!storage) throw std::runtime_error("the system or this build has no io_uring");
    return storage;
}

void run(const std::string& folder, std::size_t bytes, std::size_t arrays, std::string_view engine_name) {
    std::filesystem::remove_all(folder);
    const Memory memory(bytes);
    auto storage = engine(engine_name);
    const std::string name(storage->name());
    checkpoint::Session session({.folder = folder}, checkpoint::one_process(), std::move(storage));
    const std::size_t words = memory.words().size() / arrays;
    for (std::size_t a = 0; a < arrays; ++a)
        session.protect(fmt::format("layer.{}.weight", a), memory.words().subspan(a * words, words));
    const Clock::time_point begin = Clock::now();
    const checkpoint::Save save = session.save(1);
    const double blocked = seconds_since(begin);
    const bool is_durable = save.wait();
    const double durable = seconds_since(begin) - blocked;
    if (!is_durable) throw std::runtime_error(save.failure());
    session.finish();
    const std::uint64_t first = memory.words().front();
    std::fill(memory.words().begin(), memory.words().end(), 0);
    const double restored = seconds_of([&] { static_cast<void>(session.restore()); });
    if (memory.words().front() != first) throw std::runtime_error("another state was restored");
    fmt::print(
        R"({{"bytes":{},"arrays":{},"engine":"{}","blocked_s":{:.6f},"durable_s":{:.6f},"restore_s":{:.6f}}})"
        "\n",
        bytes, arrays, name, blocked, durable, restored);
    std::filesystem::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        fmt::print(stderr, "usage: checkpoint_write FOLDER MIB ARRAYS [ENGINE]\n");
        return 2;
    }
    try {
        run(argv[1], std::stoul(argv[2]) << 20, std::stoul(argv[3]), argc > 4 ? argv[4] : "");
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return 3;
    }
}
