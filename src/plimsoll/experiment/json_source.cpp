#include "plimsoll/experiment/detail/json_source.hpp"

namespace plimsoll::experiment::detail {

void JsonSource::fill() {
    constexpr std::size_t block_size = std::size_t{1} << 16U;
    while (position_ == block_.size() && !is_finished_) {
        block_.clear();
        position_ = 0;
        const std::string_view piece = input_->take(block_size);
        if (piece.empty()) {
            relaxer_.finish(block_);
            is_finished_ = true;
        } else {
            relaxer_.append(piece, block_);
        }
    }
}

}  // namespace plimsoll::experiment::detail
