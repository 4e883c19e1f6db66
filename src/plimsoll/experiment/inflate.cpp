#include "plimsoll/experiment/detail/inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace plimsoll::experiment::detail {

namespace {

constexpr int zlib_window = 15;
constexpr int gzip_window = zlib_window + 16;  // zlib's way to ask for a gzip header

bool fits(std::size_t size) { return size <= std::numeric_limits<uInt>::max(); }

/// zlib reads from a pointer to non-constant bytes, which it leaves as they are.
Bytef* input_of(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

}  // namespace

struct InflateStream {
    explicit InflateStream(int window) {
        if (inflateInit2(&state, window) != Z_OK) throw std::bad_alloc();
    }
    InflateStream(const InflateStream&) = delete;
    InflateStream& operator=(const InflateStream&) = delete;
    ~InflateStream() { inflateEnd(&state); }

    z_stream state{};
};

Inflater::Inflater() : stream_(std::make_unique<InflateStream>(zlib_window)) {}

Inflater::~Inflater() = default;

bool Inflater::fill(std::string_view compressed, std::span<char> target) {
    if (!fits(compressed.size()) || !fits(target.size())) return false;
    z_stream& state = stream_->state;
    inflateReset(&state);
    state.next_in = input_of(compressed);
    state.avail_in = static_cast<uInt>(compressed.size());
    state.next_out = reinterpret_cast<Bytef*>(target.data());
    state.avail_out = static_cast<uInt>(target.size());
    return inflate(&state, Z_FINISH) == Z_STREAM_END && state.avail_out == 0;
}

bool is_gzip(std::string_view text) { return text.starts_with("\x1F\x8B"); }

std::optional<std::string> gunzip(std::string_view compressed, std::size_t limit) {
    if (!fits(compressed.size())) return std::nullopt;
    InflateStream stream(gzip_window);
    z_stream& state = stream.state;
    state.next_in = input_of(compressed);
    state.avail_in = static_cast<uInt>(compressed.size());
    std::string content;
    std::string block(std::size_t{1} << 16U, '\0');
    while (true) {
        state.next_out = reinterpret_cast<Bytef*>(block.data());
        state.avail_out = static_cast<uInt>(block.size());
        const int result = inflate(&state, Z_NO_FLUSH);
        const std::size_t produced = block.size() - state.avail_out;
        content.append(block, 0, produced);
        if (content.size() > limit) return std::nullopt;
        if (result == Z_STREAM_END) return content;
        if (result != Z_OK || (produced == 0 && state.avail_in == 0)) return std::nullopt;
    }
}

}  // namespace plimsoll::experiment::detail
