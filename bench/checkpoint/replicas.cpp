// How does the time of a save fall with the ranks that have the same array, each of which writes a share?
//
// usage: checkpoint_replicas FOLDER MIB RATE REPEATS RANKS...
//
// Ranks are threads of this process. Each writes no faster than RATE MB/s, as if that were its node's way to
// the disk (0: as fast as it can). Prints one JSON line: medians in seconds, from the call to durable on all
// ranks, by number of ranks.

#include <fmt/core.h>

#include <barrier>
#include <filesystem>
#include <map>

#include "bench/checkpoint/measuring.hpp"
#include "plimsoll/checkpoint/session.hpp"
#include "test/checkpoint/thread_ranks.hpp"

namespace {

using namespace plimsoll::bench;
namespace checkpoint = plimsoll::checkpoint;

/// Takes as long for what is written as a way of so many bytes a second.
class SlowFile : public checkpoint::NewFile {
  public:
    SlowFile(std::unique_ptr<NewFile> file, double rate) : file_(std::move(file)), rate_(rate) {}
    void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
        file_->write(offset, bytes);
        free_ = std::max(free_, Clock::now()) +
                std::chrono::duration_cast<Clock::duration>(
                    std::chrono::duration<double>(static_cast<double>(bytes.size()) / rate_));
        std::this_thread::sleep_until(free_);
    }
    void drain() override { file_->drain(); }
    void sync() override { file_->sync(); }

  private:
    std::unique_ptr<NewFile> file_;
    double rate_;
    Clock::time_point free_ = Clock::now();
};

class SlowStorage : public checkpoint::Storage {
  public:
    SlowStorage(std::unique_ptr<Storage> storage, double rate) : storage_(std::move(storage)), rate_(rate) {}
    [[nodiscard]] std::string_view name() const override { return storage_->name(); }
    [[nodiscard]] std::unique_ptr<checkpoint::NewFile> create(const std::string& path,
                                                              std::uint64_t size) override {
        if (rate_ <= 0) return storage_->create(path, size);
        return std::make_unique<SlowFile>(storage_->create(path, size), rate_);
    }
    [[nodiscard]] std::unique_ptr<checkpoint::StoredFile> open(const std::string& path) override {
        return storage_->open(path);
    }
    bool make_folder(const std::string& path) override { return storage_->make_folder(path); }
    void rename(const std::string& from, const std::string& to) override { storage_->rename(from, to); }
    void remove_file(const std::string& path) override { storage_->remove_file(path); }
    void remove_folder(const std::string& path) override { storage_->remove_folder(path); }
    void sync_folder(const std::string& path) override { storage_->sync_folder(path); }
    [[nodiscard]] std::vector<std::string> list(const std::string& path) override {
        return storage_->list(path);
    }
    [[nodiscard]] bool exists(const std::string& path) override { return storage_->exists(path); }
    [[nodiscard]] std::unique_ptr<checkpoint::FolderLock> lock(const std::string& path) override {
        return storage_->lock(path);
    }

  private:
    std::unique_ptr<Storage> storage_;
    double rate_;
};

/// Seconds from the call until it is durable on all ranks.
std::vector<double> times(const std::string& folder, const Memory& memory, int ranks, double rate,
                          std::size_t repeats) {
    std::vector<double> seconds;
    std::barrier meeting(ranks);
    checkpoint::test::on_ranks(ranks, [&](std::unique_ptr<checkpoint::Communicator> communicator) {
        const bool is_first = communicator->rank() == 0;
        checkpoint::Session session({.folder = folder, .copy_threads = 1}, std::move(communicator),
                                    std::make_unique<SlowStorage>(checkpoint::default_storage(), rate));
        session.protect("words", memory.words(), checkpoint::Layout::replicated({memory.words().size()}));
        for (std::size_t i = 0; i <= repeats; ++i) {
            meeting.arrive_and_wait();
            const Clock::time_point begin = Clock::now();
            const checkpoint::Save save = session.save(i);
            if (!save.wait()) throw std::runtime_error(save.failure());
            meeting.arrive_and_wait();
            if (is_first && i > 0) seconds.push_back(seconds_since(begin));
            session.finish();
        }
    });
    std::filesystem::remove_all(folder);
    return seconds;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) {
        fmt::print(stderr, "usage: checkpoint_replicas FOLDER MIB RATE REPEATS RANKS...\n");
        return 2;
    }
    try {
        const std::string folder = argv[1];
        std::filesystem::remove_all(folder);
        const Memory memory(std::stoul(argv[2]) << 20);
        std::string text;
        for (int i = 5; i < argc; ++i) {
            const double seconds = median(
                times(folder, memory, std::stoi(argv[i]), 1e6 * std::stod(argv[3]), std::stoul(argv[4])));
            text += fmt::format(R"({}"{}":{:.6f})", text.empty() ? "" : ",", argv[i], seconds);
        }
        fmt::print("{{{}}}\n", text);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return 3;
    }
}
