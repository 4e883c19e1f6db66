#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/experiment/reader.hpp"

namespace plimsoll::fuzz {

/// Reads arbitrary bytes with one format's reader: it may refuse them with an input error and nothing else.
inline int read_with(const char* format, const std::uint8_t* data, std::size_t size,
                     experiment::ReadOptions options = {}) {
    options.format = format;
    try {
        experiment::ExperimentBuilder builder;
        Input input("fuzz", std::string_view(reinterpret_cast<const char*>(data), size));
        experiment::read(input, builder, options);
        (void)builder.build();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
    }
    return 0;
}

}  // namespace plimsoll::fuzz
