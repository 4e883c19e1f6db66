#include "plimsoll/checkpoint/detail/pack_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "plimsoll/checkpoint/detail/checksum.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

std::string damage_text(const PackRecord& record, std::uint64_t chunk) {
    const std::uint64_t begin = chunk * record.chunk_bytes;
    return fmt::format("bytes {} to {} are damaged: their checksum is another one", begin,
                       std::min(begin + record.chunk_bytes, record.bytes) - 1);
}

}  // namespace

PackReader::PackReader(Storage& storage, std::string path, const PackRecord& record)
    : path_(std::move(path)), record_(&record), file_(storage.open(path_)) {
    if (!file_)
        throw Error(ErrorKind::input, Place{.file = path_}, "is missing", "restore from another save");
}

std::uint64_t PackReader::length_of(std::uint64_t chunk) const {
    return std::min(record_->chunk_bytes, record_->bytes - chunk * record_->chunk_bytes);
}

void PackReader::read_chunk(std::uint64_t chunk, std::span<std::byte> into) {
    file_->read(chunk * record_->chunk_bytes, into);
    if (checksum(into) != record_->checksums[chunk]) {
        throw Error(ErrorKind::input, Place{.file = path_}, damage_text(*record_, chunk),
                    "restore from another save");
    }
}

void PackReader::read(std::uint64_t offset, std::span<std::byte> into) {
    while (!into.empty()) {
        const std::uint64_t chunk = offset / record_->chunk_bytes;
        const std::uint64_t skipped = offset % record_->chunk_bytes;
        const std::uint64_t length = length_of(chunk);
        const std::uint64_t count = std::min<std::uint64_t>(length - skipped, into.size());
        if (count == length) {
            read_chunk(chunk, into.first(count));
        } else {
            if (chunk != last_chunk_) {
                last_chunk_ = ~std::uint64_t{0};
                last_.resize(length);
                read_chunk(chunk, last_);
                last_chunk_ = chunk;
            }
            std::memcpy(into.data(), last_.data() + skipped, count);
        }
        offset += count;
        into = into.subspan(count);
    }
}

std::vector<std::string> damaged_chunks(Storage& storage, const std::string& path, const PackRecord& record) {
    std::vector<std::string> lines;
    const auto file = storage.open(path);
    if (!file) return {"is missing"};
    std::vector<std::byte> chunk;
    for (std::uint64_t i = 0; i < record.checksums.size(); ++i) {
        const std::uint64_t begin = i * record.chunk_bytes;
        chunk.resize(std::min(record.chunk_bytes, record.bytes - begin));
        file->read(begin, chunk);
        if (checksum(chunk) != record.checksums[i]) lines.push_back(damage_text(record, i));
    }
    return lines;
}

}  // namespace plimsoll::checkpoint::detail
