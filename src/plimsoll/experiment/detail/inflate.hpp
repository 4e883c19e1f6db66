#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::experiment::detail {

struct InflateStream;

/// Decompresses zlib streams, one after the other.
class Inflater {
  public:
    Inflater();
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater();

    /// Fills the target from one stream; false where the stream is damaged or holds more or less than that.
    [[nodiscard]] bool fill(std::string_view compressed, std::span<char> target);

    /// No stream of zlib's grows by more than this factor.
    static constexpr std::size_t largest_ratio = 1032;

  private:
    std::unique_ptr<InflateStream> stream_;
};

/// Whether a text begins as a gzip file does.
[[nodiscard]] bool is_gzip(std::string_view text);

/// Content of a gzip file; empty where it is damaged or longer than `limit` bytes. Memory grows with what is
/// there.
[[nodiscard]] std::optional<std::string> gunzip(std::string_view compressed, std::size_t limit);

}  // namespace plimsoll::experiment::detail
