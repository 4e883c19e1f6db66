#include "plimsoll/core/detail/gunzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace plimsoll::detail {

namespace {

constexpr int gzip_window = 15 + 16;  // zlib's way to ask for a gzip header
constexpr std::size_t most_at_once = std::numeric_limits<uInt>::max();

}  // namespace

struct Gunzip::Stream {
    Stream() {
        if (inflateInit2(&state, gzip_window) != Z_OK) throw std::bad_alloc();
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { inflateEnd(&state); }

    z_stream state{};
};

bool is_gzip(std::string_view text) { return text.starts_with("\x1F\x8B\x08"); }

Gunzip::Gunzip() : stream_(std::make_unique<Stream>()) {}
Gunzip::~Gunzip() = default;

Gunzip::Step Gunzip::step(std::string_view compressed, std::span<char> output) {
    z_stream& state = stream_->state;
    const auto given = static_cast<uInt>(std::min(compressed.size(), most_at_once));
    const auto room = static_cast<uInt>(std::min(output.size(), most_at_once));
    // zlib reads from a pointer to non-constant bytes, which it leaves as they are.
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
    state.avail_in = given;
    state.next_out = reinterpret_cast<Bytef*>(output.data());
    state.avail_out = room;
    if (between_members_ && given > 0) {
        inflateReset(&state);
        between_members_ = false;
    }
    const int result = inflate(&state, Z_NO_FLUSH);
    if (result == Z_STREAM_END) between_members_ = true;
    return {.used = given - state.avail_in,
            .written = room - state.avail_out,
            .damaged = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR};
}

}  // namespace plimsoll::detail
