// What is done with files alone: a stream, a stream with a sync, VeloC's way and fork.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "bench/checkpoint/rivals/method.hpp"

namespace plimsoll::bench {

namespace {

constexpr std::size_t piece_bytes = 1 << 20;

void write_all(int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), std::min(bytes.size(), piece_bytes));
        require(written > 0, "write");
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

std::string file_of(const Setting& setting, const std::string& folder) {
    return setting.folder + "/" + folder + std::to_string(setting.rank);
}

/// The state through a C++ stream, and nothing more.
class Stream : public Method {
  public:
    explicit Stream(const Setting& setting) : setting_(setting), path_(file_of(setting, "stream-")) {}
    void save() override { write_stream(path_); }
    [[nodiscard]] std::vector<std::string> unsynced() const override { return {path_}; }

  protected:
    void write_stream(const std::string& path) const {
        const std::span<const std::byte> bytes = setting_.memory->bytes();
        std::ofstream stream(path, std::ios::binary);
        const std::size_t regions = 1;
        stream.write(reinterpret_cast<const char*>(&regions), sizeof regions);
        stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        stream.close();
        require(stream.good(), path);
    }
    Setting setting_;
    std::string path_;
};

class SyncedWrite : public Stream {
  public:
    using Stream::Stream;
    void save() override {
        const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        require(file >= 0, path_);
        write_all(file, setting_.memory->bytes());
        require(::fsync(file) == 0, "fsync");
        ::close(file);
    }
    [[nodiscard]] std::vector<std::string> unsynced() const override { return {}; }
};

/// The program waits while its state goes through a stream to the scratch folder; another thread then copies
/// that file to where it should last. Nothing is synced.
class ScratchThenCopy : public Stream {
  public:
    explicit ScratchThenCopy(const Setting& setting)
        : Stream(setting), scratch_(file_of(setting, "scratch-")) {}
    void save() override {
        write_stream(scratch_);
        copying_ = std::jthread([this] { copy(); });
    }
    void wait() override { copying_.join(); }

  private:
    void copy() const {
        const int from = ::open(scratch_.c_str(), O_RDONLY | O_CLOEXEC);
        const int to = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        require(from >= 0 && to >= 0, path_);
        std::vector<std::byte> buffer(16 * piece_bytes);
        for (;;) {
            const ssize_t count = ::read(from, buffer.data(), buffer.size());
            require(count >= 0, "read");
            if (count == 0) break;
            write_all(to, std::span(buffer).first(static_cast<std::size_t>(count)));
        }
        ::close(from);
        ::close(to);
    }
    std::string scratch_;
    std::jthread copying_;
};

/// A child has the state as it was, since pages are copied when one of both writes to them.
class Forked : public Stream {
  public:
    using Stream::Stream;
    void save() override {
        child_ = ::fork();
        require(child_ >= 0, "fork");
        if (child_ > 0) return;
        const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        for (std::span<const std::byte> bytes = setting_.memory->bytes(); file >= 0 && !bytes.empty();) {
            const ssize_t written = ::write(file, bytes.data(), std::min(bytes.size(), piece_bytes));
            if (written <= 0) ::_exit(1);
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
        ::_exit(file >= 0 && ::fsync(file) == 0 ? 0 : 1);
    }
    void wait() override {
        int status = 0;
        require(::waitpid(child_, &status, 0) == child_ && status == 0, "the child that writes");
    }
    [[nodiscard]] std::vector<std::string> unsynced() const override { return {}; }

  private:
    pid_t child_ = 0;
};

template <class Kind>
std::unique_ptr<Method> make(const Setting& setting) {
    return std::make_unique<Kind>(setting);
}

}  // namespace

void require(bool succeeded, const std::string& what) {
    if (!succeeded) throw std::runtime_error(what + ": " + std::strerror(errno));
}

void sync_path(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    require(file >= 0 && ::fsync(file) == 0, path);
    ::close(file);
}

std::vector<NamedMethod> file_methods() {
    return {{"stream", "a C++ stream, without a sync", make<Stream>},
            {"write-sync", "write and fsync", make<SyncedWrite>},
            {"scratch-copy", "VeloC's way: a stream to scratch, copied by a thread, without a sync",
             make<ScratchThenCopy>},
            {"fork", "a child writes and syncs what it shares until it is written to", make<Forked>}};
}

}  // namespace plimsoll::bench
