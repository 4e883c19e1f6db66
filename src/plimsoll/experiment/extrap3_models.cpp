#include "plimsoll/experiment/detail/extrap3_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace plimsoll::experiment::detail {

namespace {

/// The layout of the block that generators of sparse models have and others lack. Which it is shows only in
/// whether the bytes fit.
class SparseBlock {
  public:
    SparseBlock(const BinaryReader& reader, std::string_view bytes) : reader_(&reader), bytes_(bytes) {}

    /// Length of the block, empty where there is none.
    std::optional<std::size_t> length() {
        constexpr std::array<std::string_view, 3> starts{"FIRST_POINTS_FOUND", "MAX_NUMBER_POINTS",
                                                         "CHEAPEST_POINTS"};
        constexpr std::array<std::string_view, 2> orders{"INCREASING_COST", "DECREASING_COST"};
        position_ = 8;
        if (!reads_one_of(starts)) return std::nullopt;
        position_ += 16;
        if (!reads_one_of(orders)) return std::nullopt;
        return position_;
    }

    static constexpr std::size_t longest = 8 + 4 + 18 + 16 + 4 + 15;

  private:
    bool reads_one_of(std::span<const std::string_view> words) {
        if (position_ + 4 > bytes_.size()) return false;
        const std::uint64_t length = reader_->whole(bytes_.substr(position_, 4));
        const std::string_view word = bytes_.substr(position_ + 4, std::min<std::uint64_t>(length, longest));
        position_ += 4 + word.size();
        return std::find(words.begin(), words.end(), word) != words.end();
    }

    const BinaryReader* reader_;
    std::string_view bytes_;
    std::size_t position_ = 0;
};

}  // namespace

void ModelSkipper::skip_integers(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) (void)reader_->integer();
}

void ModelSkipper::skip_numbers(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) (void)reader_->number();
}

void ModelSkipper::skip_texts(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) (void)reader_->text();
}

void ModelSkipper::skip_sparse_block() {
    const std::string_view bytes = reader_->peek(SparseBlock::longest);
    if (const auto length = SparseBlock(*reader_, bytes).length()) {
        reader_->skip(*length);
        has_relative_error_ = true;
    }
}

void ModelSkipper::skip_compound_term() {
    if (const std::string type = reader_->text(); type != "CompoundTerm") {
        reader_->fail(fmt::format("a term of the unknown type '{}'", type));
    }
    skip_numbers(1);
    for (std::uint64_t left = reader_->count(); left > 0; --left) {
        if (const std::string type = reader_->text(); type != "SimpleTerm") {
            reader_->fail(fmt::format("a factor of the unknown type '{}'", type));
        }
        skip_texts(1);
        skip_numbers(1);
    }
}

void ModelSkipper::skip_function() {
    const std::string type = reader_->text();
    if (type == "Function") return;
    if (type != "SingleParameterFunction" && type != "MultiParameterFunction") {
        reader_->fail(fmt::format("a function of the unknown type '{}'", type));
    }
    skip_numbers(1);
    for (std::uint64_t terms = reader_->count(); terms > 0; --terms) {
        if (type == "SingleParameterFunction") {
            skip_compound_term();
            continue;
        }
        skip_numbers(1);
        for (std::uint64_t factors = reader_->count(); factors > 0; --factors) {
            skip_texts(1);
            skip_compound_term();
        }
    }
}

void ModelSkipper::skip_generator(std::string_view type) {
    const bool single = type.starts_with("SingleParameter");
    skip_texts(single ? 2 : 1);
    if (single) skip_numbers(1);
    skip_texts(1);
    skip_sparse_block();
    if (type == "SingleParameterSimpleModelGenerator") {
        for (std::uint64_t terms = reader_->count(); terms > 0; --terms) skip_compound_term();
        skip_integers(1);
    }
}

void ModelSkipper::skip_model() {
    skip_integers(3);
    constexpr int functions = 7;  // the model, and three pairs of error cones
    for (int i = 0; i < functions; ++i) skip_function();
    skip_numbers(has_relative_error_ ? 4 : 3);
    skip_integers(reader_->count());
    for (std::uint64_t intervals = reader_->count(); intervals > 0; --intervals) {
        skip_texts(1);
        skip_numbers(2);
    }
}

bool ModelSkipper::skip(std::string_view type) {
    if (type == "Model") {
        skip_model();
    } else if (type == "ModelComment") {
        skip_integers(1);
        skip_texts(1);
    } else if (type == "SingleParameterSimpleModelGenerator" ||
               type == "SingleParameterRefiningModelGenerator" ||
               type == "MultiParameterSimpleModelGenerator" || type == "MultiParameterSparseModelGenerator") {
        skip_generator(type);
    } else {
        return false;
    }
    return true;
}

}  // namespace plimsoll::experiment::detail
