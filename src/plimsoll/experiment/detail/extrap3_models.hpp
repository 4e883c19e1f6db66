#pragma once

#include <string_view>

#include "plimsoll/experiment/detail/binary_reader.hpp"

namespace plimsoll::experiment::detail {

/// Steps over the models that an Extra-P 3 file stores beside its measurements: we fit our own.
class ModelSkipper {
  public:
    explicit ModelSkipper(BinaryReader& reader) : reader_(&reader) {}

    /// Skips the rest of a record of this type; false where the type has nothing to do with models.
    bool skip(std::string_view type);

  private:
    void skip_integers(std::uint64_t count);
    void skip_numbers(std::uint64_t count);
    void skip_texts(std::uint64_t count);
    void skip_generator(std::string_view type);
    void skip_sparse_block();
    void skip_compound_term();
    void skip_function();
    void skip_model();

    BinaryReader* reader_;
    bool has_relative_error_ = false;  ///< since a generator with a sparse block was seen
};

}  // namespace plimsoll::experiment::detail
