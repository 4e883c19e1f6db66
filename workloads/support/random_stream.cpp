#include "support/random_stream.hpp"

namespace plimsoll::workloads {

namespace {

std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

/// 64-bit FNV-1a, which unlike std::hash is the same everywhere.
std::uint64_t hash(std::string_view text) {
    std::uint64_t value = 0xcbf29ce484222325U;
    for (const char c : text) {
        value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return value;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name, std::uint64_t index)
    : state_(mix(mix(seed + hash(name)) + index)) {}

std::uint64_t RandomStream::next() {
    state_ += 0x9e3779b97f4a7c15U;
    return mix(state_);
}

std::uint64_t RandomStream::below(std::uint64_t bound) { return ((next() >> 32U) * bound) >> 32U; }

double RandomStream::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

}  // namespace plimsoll::workloads
