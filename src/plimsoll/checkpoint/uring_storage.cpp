#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <optional>

#include "plimsoll/checkpoint/detail/aligned_buffer.hpp"
#include "plimsoll/checkpoint/detail/posix_file.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint {

namespace {

using detail::OpenFile;

constexpr unsigned depth = 16;                                 ///< requests in flight
constexpr std::uint64_t block_bytes = std::uint64_t{1} << 20;  ///< of one request
constexpr std::uint64_t smallest_file = 64 * 1024;  ///< bytes; below it a ring is not worth its making

/// A ring of requests to the system; none where the system forbids it.
class Ring {
  public:
    Ring() : code_(::io_uring_queue_init(depth, &ring_, 0)) {}
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring() {
        if (is_open()) ::io_uring_queue_exit(&ring_);
    }
    [[nodiscard]] bool is_open() const { return code_ == 0; }
    [[nodiscard]] io_uring* get() { return &ring_; }

  private:
    io_uring ring_{};
    int code_;
};

bool is_aligned(std::uint64_t offset, std::span<const std::byte> bytes) {
    return offset % detail::page_bytes == 0 && bytes.size() % detail::page_bytes == 0 &&
           reinterpret_cast<std::uintptr_t>(bytes.data()) % detail::page_bytes == 0;
}

class UringNewFile : public NewFile {
  public:
    /// `direct` is the same file, opened past the page cache; closed where its file system has no such thing.
    UringNewFile(std::string path, OpenFile file, OpenFile direct, std::unique_ptr<Ring> ring)
        : path_(std::move(path)),
          file_(std::move(file)),
          direct_(std::move(direct)),
          ring_(std::move(ring)) {}
    UringNewFile(const UringNewFile&) = delete;
    UringNewFile& operator=(const UringNewFile&) = delete;
    ~UringNewFile() override {
        // The system still reads from memory whose owner takes it for free.
        try {
            drain();
        } catch (const std::exception&) {
            // Whoever gives the file up has been told before.
        }
    }

    void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
        const bool goes_past_cache = direct_.get() >= 0;
        if (goes_past_cache && !is_aligned(offset, bytes)) {
            detail::write_all(file_.get(), path_, offset, bytes);
            return;
        }
        while (!bytes.empty()) {
            const auto block = bytes.first(std::min<std::uint64_t>(block_bytes, bytes.size()));
            submit({.offset = offset, .bytes = block});
            offset += block.size();
            bytes = bytes.subspan(block.size());
        }
    }

    void drain() override {
        std::exception_ptr failure;
        while (in_flight_ > 0) {
            try {
                complete_one();
            } catch (const std::exception&) {
                if (!failure) failure = std::current_exception();
            }
        }
        if (failure) std::rethrow_exception(failure);
    }

    void sync() override {
        drain();
        if (::fdatasync(file_.get()) != 0) detail::fail_on(path_, "bring to the disk", errno);
    }

  private:
    struct Request {
        std::uint64_t offset = 0;
        std::span<const std::byte> bytes;
        bool is_taken = false;
    };

    [[nodiscard]] int descriptor() const { return direct_.get() >= 0 ? direct_.get() : file_.get(); }

    void submit(Request request) {
        if (in_flight_ == depth) complete_one();
        const auto slot = static_cast<std::size_t>(
            std::find_if(requests_.begin(), requests_.end(), [](const Request& r) { return !r.is_taken; }) -
            requests_.begin());
        io_uring_sqe* const entry = ::io_uring_get_sqe(ring_->get());
        PLIMSOLL_EXPECT(slot < requests_.size() && entry != nullptr);
        ::io_uring_prep_write(entry, descriptor(), request.bytes.data(),
                              static_cast<unsigned>(request.bytes.size()), request.offset);
        entry->user_data = slot;
        request.is_taken = true;
        requests_[slot] = request;
        int code = 0;
        do {
            code = ::io_uring_submit(ring_->get());
        } while (code == -EINTR || code == -EAGAIN || code == -EBUSY);
        if (code < 0) {
            requests_[slot].is_taken = false;
            detail::fail_on(path_, "write", -code);
        }
        ++in_flight_;
    }

    void complete_one() {
        io_uring_cqe* completion = nullptr;
        int code = 0;
        do {
            code = ::io_uring_wait_cqe(ring_->get(), &completion);
        } while (code == -EINTR);
        if (code < 0) {
            in_flight_ = 0;  // nothing more will be heard of them
            detail::fail_on(path_, "write", -code);
        }
        const Request request = requests_[completion->user_data];
        const int result = completion->res;
        requests_[completion->user_data].is_taken = false;
        ::io_uring_cqe_seen(ring_->get(), completion);
        --in_flight_;
        if (result < 0 && result != -EINTR && result != -EAGAIN) detail::fail_on(path_, "write", -result);
        const auto written = static_cast<std::uint64_t>(std::max(result, 0));
        // The rest of what was taken in part goes the common way.
        if (written < request.bytes.size())
            detail::write_all(file_.get(), path_, request.offset + written, request.bytes.subspan(written));
    }

    std::string path_;
    OpenFile file_;
    OpenFile direct_;
    std::unique_ptr<Ring> ring_;
    std::array<Request, depth> requests_;
    unsigned in_flight_ = 0;
};

class UringStorage : public detail::PosixStorage {
  public:
    [[nodiscard]] std::string_view name() const override { return "io_uring"; }

    [[nodiscard]] std::unique_ptr<NewFile> create(const std::string& path, std::uint64_t size) override {
        auto ring = size >= smallest_file ? std::make_unique<Ring>() : nullptr;
        if (!ring || !ring->is_open()) return PosixStorage::create(path, size);
        OpenFile file = detail::create_file(path, size, 0);
        OpenFile direct(::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
        return std::make_unique<UringNewFile>(path, std::move(file), std::move(direct), std::move(ring));
    }
};

}  // namespace

std::unique_ptr<Storage> uring_storage() {
    if (!Ring().is_open()) return nullptr;
    return std::make_unique<UringStorage>();
}

}  // namespace plimsoll::checkpoint
