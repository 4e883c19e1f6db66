#include "plimsoll/campaign/stream_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {

namespace {

constexpr std::uint32_t block_mark = 0x4f504c31;  ///< "1LPO" in the file

/// Before each block, as this machine has it in memory (little end first on all that we build for).
struct BlockHead {
    std::uint32_t mark = block_mark;
    std::uint32_t checksum = 0;  ///< CRC-32 of the text
    std::int64_t before = -1;    ///< place of the attempt's block before this one
    std::int64_t job = 0;
    std::uint32_t task = 0;
    std::int32_t attempt = 0;
    std::uint32_t length = 0;  ///< of the text, bytes
    std::uint32_t channel = 0;
};
static_assert(sizeof(BlockHead) == 40);

std::uint32_t checksum_of(std::string_view text) {
    return static_cast<std::uint32_t>(
        ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

[[noreturn]] void fail(const std::string& path) {
    const int code = errno;
    throw Error(ErrorKind::environment, fmt::format("{}: {}", path, std::strerror(code)),
                code == ENOSPC ? "free some space on that disk" : "check the campaign's folder");
}

launch::Descriptor open_stream(const std::string& path) {
    launch::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number() < 0) fail(path);
    return file;
}

/// The head at a place, where a whole one stands.
std::optional<BlockHead> head_at(const launch::Descriptor& file, std::int64_t place) {
    BlockHead head;
    if (::pread(file.number(), &head, sizeof head, place) != static_cast<ssize_t>(sizeof head))
        return std::nullopt;
    return head;
}

std::optional<std::string> text_at(const launch::Descriptor& file, std::int64_t place,
                                   const BlockHead& head) {
    const auto begin = place + static_cast<std::int64_t>(sizeof head);
    struct stat information {};
    if (::fstat(file.number(), &information) != 0 || begin + head.length > information.st_size)
        return std::nullopt;
    std::string text(head.length, '\0');
    if (::pread(file.number(), text.data(), text.size(), begin) != static_cast<ssize_t>(text.size()) ||
        checksum_of(text) != head.checksum)
        return std::nullopt;
    return text;
}

void append(StreamText& all, const BlockHead& head, const std::string& text) {
    (head.channel == static_cast<std::uint32_t>(OutputChannel::out) ? all.out : all.err) += text;
    all.both += text;
}

}  // namespace

StreamWriter::StreamWriter(const std::string& path)
    : path_(path), file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {
    if (file_.number() < 0) fail(path);
}

void StreamWriter::write(TaskId task, std::int32_t attempt, OutputChannel channel, std::string_view text) {
    if (text.empty()) return;
    const auto [last, is_new] = last_.try_emplace(task, -1);
    BlockHead head{.checksum = checksum_of(text),
                   .before = last->second,
                   .job = task.job.value,
                   .task = task.index,
                   .attempt = attempt,
                   .length = static_cast<std::uint32_t>(text.size()),
                   .channel = static_cast<std::uint32_t>(channel)};
    std::string block(reinterpret_cast<const char*>(&head), sizeof head);
    block += text;
    std::size_t done = 0;
    while (done < block.size()) {
        const ssize_t wrote = ::pwrite(file_.number(), block.data() + done, block.size() - done,
                                       end_ + static_cast<std::int64_t>(done));
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) fail(path_);
        done += static_cast<std::size_t>(wrote);
    }
    last->second = end_;
    end_ += static_cast<std::int64_t>(block.size());
}

std::int64_t StreamWriter::finish(TaskId task, std::int32_t /*attempt*/) {
    const auto found = last_.find(task);
    if (found == last_.end()) return -1;
    const std::int64_t place = found->second;
    last_.erase(found);
    return place;
}

StreamText read_stream(const std::string& path, std::int64_t last_block) {
    const launch::Descriptor file = open_stream(path);
    std::vector<std::pair<BlockHead, std::string>> blocks;
    for (std::int64_t place = last_block; place >= 0;) {
        const auto head = head_at(file, place);
        const auto text = head && head->mark == block_mark ? text_at(file, place, *head) : std::nullopt;
        // Blocks lead backwards, or a damaged file could lead round for ever.
        if (!text || head->before >= place) {
            throw Error(ErrorKind::input, fmt::format("{}: the block at byte {} is damaged", path, place),
                        "restore the file from a copy, or run the task again");
        }
        blocks.emplace_back(*head, *text);
        place = head->before;
    }
    StreamText all;
    std::reverse(blocks.begin(), blocks.end());
    for (const auto& [head, text] : blocks) append(all, head, text);
    return all;
}

StreamText scan_stream(const std::string& path, TaskId task, std::int32_t attempt) {
    const launch::Descriptor file = open_stream(path);
    StreamText all;
    for (std::int64_t place = 0;;) {
        const auto head = head_at(file, place);
        if (!head || head->mark != block_mark) return all;
        if (head->job == task.job.value && head->task == task.index && head->attempt == attempt) {
            const auto text = text_at(file, place, *head);
            if (!text) return all;
            append(all, *head, *text);
        }
        place += static_cast<std::int64_t>(sizeof(BlockHead)) + head->length;
    }
}

}  // namespace plimsoll::campaign
