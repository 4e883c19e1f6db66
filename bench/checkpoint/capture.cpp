// How long does `save` keep a program from its work, and what does copying reach of what memory allows?
//
// usage: checkpoint_capture [MIB [REPEATS [FOLDER]]]
//
// Prints one JSON line of medians in seconds, for MIB of memory on 2 MiB and on 4 KiB pages. All of a line is
// measured in turn, so that whatever else the machine does meets all of it alike.
//
//   memcpy_one, memcpy_all   by one thread and by as many as the session takes, into memory that is there
//   copy, copy_plain         the session's copy with its checksums, and the same loop without them
//   blocked_copied           `save` that copies at once
//   blocked_lazy             `save` that protects
//   rewrite                  writing each word once
//   rewrite_during           the same right after a lazy `save`: each granule is met by a page fault

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "bench/checkpoint/measuring.hpp"
#include "plimsoll/checkpoint/detail/aligned_buffer.hpp"
#include "plimsoll/checkpoint/detail/checked_copy.hpp"
#include "plimsoll/checkpoint/detail/image_copy.hpp"
#include "plimsoll/checkpoint/session.hpp"

namespace {

using namespace plimsoll::bench;
namespace checkpoint = plimsoll::checkpoint;

checkpoint::detail::SaveJob::Pack pack_of(const Memory& memory) {
    checkpoint::detail::SaveJob::Pack pack;
    pack.plan = checkpoint::plan_pack(
        {{.name = "words", .type = checkpoint::ElementType::uint64, .shape = {memory.words().size()}}}, {});
    pack.sources = {memory.bytes()};
    return pack;
}

/// Fails the program where a save has not what the memory had.
void check_saved(const std::string& folder, std::uint64_t first_word, checkpoint::Session& session,
                 const Memory& memory) {
    std::fill(memory.words().begin(), memory.words().end(), 0);
    static_cast<void>(session.restore());
    for (const std::uint64_t word : {memory.words().front(), memory.words()[memory.words().size() / 2]}) {
        if (word == 0) throw std::runtime_error("nothing was saved in " + folder);
    }
    if (memory.words().front() != first_word)
        throw std::runtime_error("another state was saved in " + folder);
}

std::string measure(std::size_t bytes, std::size_t repeats, const std::string& folder, Pages pages) {
    const Memory memory(bytes, pages);
    const checkpoint::detail::AlignedBuffer target(bytes + (1 << 20));
    const unsigned threads = checkpoint::detail::copying_threads();
    const auto into = target.bytes().first(bytes);
    checkpoint::detail::SaveJob::Pack pack = pack_of(memory);
    const auto image = target.bytes().first(pack.plan.bytes);
    checkpoint::Session copying({.folder = folder + "/copied"});
    checkpoint::Session lazy({.folder = folder + "/lazy", .capture = checkpoint::Capture::lazy});
    copying.protect("words", memory.words());
    lazy.protect("words", memory.words());
    std::map<std::string, std::vector<double>> times;
    const auto note = [&](const std::string& name, double seconds, std::size_t repeat) {
        if (repeat > 0) times[name].push_back(seconds);  // the first fills what is used again later
    };
    const auto block_times = [&](checkpoint::Session& session, std::uint64_t step) {
        const double blocked = seconds_of([&] { session.save(step); });
        return blocked;
    };
    for (std::size_t i = 0; i <= repeats; ++i) {
        note("memcpy_one", seconds_of([&] { parallel_memcpy(into, memory.bytes(), 1); }), i);
        note("memcpy_all", seconds_of([&] { parallel_memcpy(into, memory.bytes(), threads); }), i);
        note("copy", seconds_of([&] { fill_image(pack, image, threads); }), i);
        constexpr std::size_t piece = 4 << 20;
        note("copy_plain", seconds_of([&] {
                 checkpoint::detail::in_parallel(bytes / piece, threads, [&](std::uint64_t p) {
                     checkpoint::detail::copy_past_cache(into.data() + p * piece,
                                                         memory.bytes().data() + p * piece, piece);
                 });
             }),
             i);
        note("rewrite", seconds_of([&] { memory.rewrite(i); }), i);
        note("blocked_copied", block_times(copying, i), i);
        copying.finish();
        memory.rewrite(i + 1);
        note("blocked_lazy", block_times(lazy, i), i);
        lazy.fence();
        lazy.finish();
        memory.rewrite(i + 2);
        const std::uint64_t first = memory.words().front();
        lazy.save(i);
        note("rewrite_during", seconds_of([&] { memory.rewrite(i + 3); }), i);
        lazy.finish();
        if (i == 0) check_saved(folder, first, lazy, memory);
    }
    std::string text = fmt::format(R"("threads":{})", threads);
    for (const auto& [name, values] : times) text += fmt::format(R"(,"{}":{:.7f})", name, median(values));
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::size_t bytes = (argc > 1 ? std::stoul(argv[1]) : 1024) << 20;
        const std::size_t repeats = argc > 2 ? std::stoul(argv[2]) : 7;
        const std::string folder = argc > 3 ? argv[3] : "/dev/shm/plimsoll-capture";
        std::filesystem::remove_all(folder);
        fmt::print("{{\"bytes\":{},\"large_pages\":{{{}}},\"small_pages\":{{{}}}}}\n", bytes,
                   measure(bytes, repeats, folder + "/large", Pages::large),
                   measure(bytes, repeats, folder + "/small", Pages::small));
        std::filesystem::remove_all(folder);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return 3;
    }
}
