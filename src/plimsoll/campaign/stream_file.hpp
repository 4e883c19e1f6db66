#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "plimsoll/campaign/ids.hpp"
#include "plimsoll/launch/process.hpp"

namespace plimsoll::campaign {

/// Where a task wrote.
enum class OutputChannel : std::uint8_t { out = 1, err = 2 };

/// Output of all tasks of one worker in one file: appended in blocks, each with its task, its length, a
/// checksum, and the place of the same attempt's block before it. A million tasks leave one file, and one
/// task's output is found by following its blocks from the last one backwards. See docs/formats/campaign.md.
class StreamWriter {
  public:
    /// Makes the file; throws an environment error where it cannot.
    explicit StreamWriter(const std::string& path);

    /// Appends a block. Throws an environment error where the disk is full; nothing of the block counts then.
    void write(TaskId task, std::int32_t attempt, OutputChannel channel, std::string_view text);

    /// Place of the last block of an attempt, -1 where it wrote nothing; it is forgotten here.
    std::int64_t finish(TaskId task, std::int32_t attempt);

  private:
    std::string path_;
    launch::Descriptor file_;
    std::int64_t end_ = 0;
    std::unordered_map<TaskId, std::int64_t> last_;
};

/// Text of one attempt on both channels, in the order in which it was written.
struct StreamText {
    std::string out;
    std::string err;
    std::string both;
};

/// Reads an attempt's output by the place of its last block. Throws an input error where a block is damaged.
[[nodiscard]] StreamText read_stream(const std::string& path, std::int64_t last_block);

/// Reads an attempt's output by going over the whole file: of a task that still runs. What is not yet whole
/// at the end of the file is left out.
[[nodiscard]] StreamText scan_stream(const std::string& path, TaskId task, std::int32_t attempt);

}  // namespace plimsoll::campaign
