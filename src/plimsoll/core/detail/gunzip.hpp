#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace plimsoll::detail {

constexpr std::size_t gzip_mark_size = 3;

/// Whether a text begins as a file of gzip does, told by its first three bytes.
[[nodiscard]] bool is_gzip(std::string_view text);

/// Decompresses a gzip file piece by piece; members that follow one another are one text.
class Gunzip {
  public:
    Gunzip();
    Gunzip(const Gunzip&) = delete;
    Gunzip& operator=(const Gunzip&) = delete;
    ~Gunzip();

    struct Step {
        std::size_t used = 0;     ///< bytes of the input
        std::size_t written = 0;  ///< bytes of the output
        bool damaged = false;
    };
    Step step(std::string_view compressed, std::span<char> output);

    /// Whether a member ended with the last byte that was used, so that the file may end here.
    [[nodiscard]] bool is_between_members() const { return between_members_; }

  private:
    struct Stream;
    std::unique_ptr<Stream> stream_;
    bool between_members_ = true;
};

}  // namespace plimsoll::detail
